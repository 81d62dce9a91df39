// printf and assert, as the device's runtime has them.

#include "warpwise/emulator/instructions/system_calls.hpp"

#include <bit>
#include <cstdio>
#include <cstring>

#include "warpwise/emulator/execute/access.hpp"

namespace warpwise::emulator {
namespace {

// What a launch may print; a kernel that prints more in each thread would fill the memory.
constexpr std::uint64_t most_printed_bytes = 1 << 20;
constexpr std::size_t longest_string = 4096;

/// One lane's view of memory through generic addresses.
class LaneMemory {
 public:
  LaneMemory(const Warp& warp, int lane) : warp_(warp), lane_(lane) {}

  /// Bytes at a generic address; false if they do not lie in memory.
  bool read(Address address, void* to, std::size_t bytes) const {
    const std::byte* from = nullptr;
    if (address >= global_base) {
      const AllocationView view = warp_.worker->device->find(address);
      if (view.host == nullptr || bytes > view.end - address) return false;
      from = view.host + (address - view.begin);
    } else if (address >= local_window && address - local_window < window_bytes) {
      from = local(address - local_window, bytes);
    } else if (address >= shared_window && address - shared_window < window_bytes) {
      const std::uint64_t offset = address - shared_window;
      const AlignedBytes& shared = warp_.block->shared;
      if (offset <= shared.size() && bytes <= shared.size() - offset) from = shared.data() + offset;
    }
    if (from == nullptr) return false;
    std::memcpy(to, from, bytes);
    return true;
  }

  std::byte* local(std::uint64_t offset, std::size_t bytes) const {
    const std::uint64_t size = warp_.worker->code->local_bytes;
    if (offset > size || bytes > size - offset) return nullptr;
    const std::uint64_t thread =
        std::uint64_t{warp_.index} * warp_lanes + static_cast<std::uint64_t>(lane_);
    return warp_.block->local.data() + thread * size + offset;
  }

  /// The argument of a call at an offset in local memory.
  template <class T>
  T argument(std::int32_t operand) const {
    T value{};
    const std::uint64_t offset = source<std::uint64_t>(warp_, operand)[lane_];
    if (const std::byte* from = local(offset, sizeof(T))) std::memcpy(&value, from, sizeof(T));
    return value;
  }

  void set_result(std::int32_t operand, std::uint32_t value) const {
    const std::uint64_t offset = source<std::uint64_t>(warp_, operand)[lane_];
    if (std::byte* to = local(offset, sizeof(value))) std::memcpy(to, &value, sizeof(value));
  }

  std::string text(Address address) const {
    std::string result;
    char c = 0;
    while (result.size() < longest_string && read(address + result.size(), &c, 1) && c != 0)
      result += c;
    return result;
  }

 private:
  const Warp& warp_;
  int lane_;
};

template <class T>
std::string formatted(const std::string& specification, T value) {
  std::array<char, 512> buffer{};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  std::snprintf(buffer.data(), buffer.size(), specification.c_str(), value);
#pragma GCC diagnostic pop
  return buffer.data();
}

/// A format and its arguments, which lie one after another at their own alignment.
std::string format_text(const LaneMemory& memory, const std::string& format, Address arguments) {
  std::string out;
  std::uint64_t offset = 0;
  const auto next = [&]<class T>(T value) {
    offset = (offset + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    memory.read(arguments + offset, &value, sizeof(T));
    offset += sizeof(T);
    return value;
  };
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    std::string specification = "%";
    bool is_long = false;
    for (++i; i < format.size(); ++i) {
      const char c = format[i];
      if (c == '*') {
        specification += std::to_string(next(std::int32_t{0}));
      } else if (c == 'l' || c == 'j' || c == 'z' || c == 't') {
        is_long = true;
      } else if (c == 'h') {
        // shorter integers are passed as int
      } else if (std::strchr("-+ #0123456789.", c) != nullptr) {
        specification += c;
      } else {
        break;
      }
    }
    // A width beyond the buffer would be cut anyway.
    if (i >= format.size() || specification.size() > 16) return out + specification;
    const char conversion = format[i];
    switch (conversion) {
      case '%': out += '%'; break;
      case 'd':
      case 'i':
        out += is_long
                   ? formatted(specification + "lld", static_cast<long long>(next(std::int64_t{0})))
                   : formatted(specification + "d", next(std::int32_t{0}));
        break;
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        out += is_long ? formatted(specification + "ll" + conversion,
                                   static_cast<unsigned long long>(next(std::uint64_t{0})))
                       : formatted(specification + conversion, next(std::uint32_t{0}));
        break;
      case 'c': out += formatted(specification + "c", next(std::int32_t{0})); break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A': out += formatted(specification + conversion, next(double{0})); break;
      case 's': out += memory.text(next(std::uint64_t{0})); break;
      case 'p':
        out += formatted(specification + "#llx",
                         static_cast<unsigned long long>(next(std::uint64_t{0})));
        break;
      default: out += specification + conversion; break;
    }
  }
  return out;
}

void print(Warp& warp, const Operation& op) {
  const std::int32_t* list = warp.worker->code->lists.data() + op.list;
  Worker& worker = *warp.worker;
  for (Mask left = warp.active; left != 0; left &= left - 1) {
    const LaneMemory memory(warp, std::countr_zero(left));
    const std::string format = memory.text(memory.argument<Address>(list[0]));
    const std::string text = format_text(memory, format, memory.argument<Address>(list[1]));
    if (worker.printed_bytes + text.size() <= most_printed_bytes) {
      worker.printed_bytes += text.size();
      worker.printed[warp.block->linear] += text;
    }
    if (op.count > 2) memory.set_result(list[2], static_cast<std::uint32_t>(text.size()));
  }
}

void fail_assertion(Warp& warp, const Operation& op) {
  const std::int32_t* list = warp.worker->code->lists.data() + op.list;
  const int lane = std::countr_zero(warp.active);
  const LaneMemory memory(warp, lane);
  record_fault(warp, op, FaultKind::assertion, lane,
               "assertion failed: " + memory.text(memory.argument<Address>(list[0])));
  warp.worker->launch->progress->stop = true;
}

}  // namespace

Handler system_call(std::string_view name) {
  if (name == "vprintf") return print;
  if (name == "__assertfail") return fail_assertion;
  return nullptr;
}

}  // namespace warpwise::emulator
