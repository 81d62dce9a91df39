#include "warpwise/emulator/instructions/calls/system_calls.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/instructions/memory/lane_memory.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {
namespace {

// Largest width or precision of a conversion.
constexpr std::size_t widest_field = longest_string;

/// Formats one value by snprintf. A specification's width and precision are at most widest_field.
template <class T>
std::string formatted(const std::string& specification, T value) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::snprintf(nullptr, 0, specification.c_str(), value);
  std::string text(length > 0 ? static_cast<std::size_t>(length) + 1 : 1, '\0');
  std::snprintf(text.data(), text.size(), specification.c_str(), value);
#pragma GCC diagnostic pop
  text.pop_back();
  return text;
}

/// Arguments of a call, each stored at its own alignment after the previous one.
template <class Memory>
class Arguments {
 public:
  Arguments(const Memory& memory, Address begin) : memory_(memory), begin_(begin) {}

  template <class T>
  T next() {
    T value{};
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    memory_.read(begin_ + offset_, &value, sizeof(T));
    offset_ += sizeof(T);
    ++count_;
    return value;
  }
  /// Returns the number of arguments read so far.
  std::uint32_t count() const { return count_; }

 private:
  const Memory& memory_;
  Address begin_;
  std::uint64_t offset_ = 0;
  std::uint32_t count_ = 0;
};

/// The part of a format from % up to the conversion letter, without the length modifier (h, l, …).
struct Specification {
  std::string text = "%";
  bool is_long = false;
};

/// Parses a specification at format[i], and leaves i at the conversion letter.
template <class Memory>
Specification read_specification(const std::string& format, std::size_t& i,
                                 Arguments<Memory>& arguments) {
  constexpr auto widest = static_cast<std::int64_t>(widest_field);
  Specification found;
  const auto at = [&](const char* any_of) {
    return i < format.size() && std::strchr(any_of, format[i]) != nullptr && format[i] != 0;
  };
  const auto field = [&] {
    std::int64_t value = 0;
    bool is_given = false;
    if (at("*")) {
      value = std::clamp<std::int64_t>(arguments.template next<std::int32_t>(), -widest, widest);
      is_given = true;
      ++i;
    } else {
      for (; at("0123456789"); ++i) {
        value = std::min(value * 10 + (format[i] - '0'), widest);
        is_given = true;
      }
    }
    if (is_given) found.text += std::to_string(value);
  };
  for (; at("-+ #0"); ++i) {
    if (found.text.find(format[i]) == std::string::npos) found.text += format[i];
  }
  field();
  if (at(".")) {
    const std::size_t before = found.text.size();
    found.text += format[i++];
    field();
    // A negative precision counts as missing.
    if (found.text.compare(before, 2, ".-") == 0) found.text.resize(before);
  }
  // Integers shorter than int are passed as int.
  for (; at("hljzt"); ++i) found.is_long |= format[i] != 'h';
  return found;
}

/// Formats one conversion.
template <class Memory>
std::string convert(const Specification& specification, char conversion, const Memory& memory,
                    Arguments<Memory>& arguments) {
  const std::string& text = specification.text;
  switch (conversion) {
    case '%': return "%";
    case 'd':
    case 'i':
      if (!specification.is_long)
        return formatted(text + "d", arguments.template next<std::int32_t>());
      return formatted(text + "lld",
                       static_cast<long long>(arguments.template next<std::int64_t>()));
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      if (!specification.is_long)
        return formatted(text + conversion, arguments.template next<std::uint32_t>());
      return formatted(text + "ll" + conversion,
                       static_cast<unsigned long long>(arguments.template next<std::uint64_t>()));
    case 'c': return formatted(text + "c", arguments.template next<std::int32_t>());
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return formatted(text + conversion, arguments.template next<double>());
    case 's':
      return formatted(text + "s", memory.text(arguments.template next<std::uint64_t>()).c_str());
    case 'p':
      return formatted(text + "#llx",
                       static_cast<unsigned long long>(arguments.template next<std::uint64_t>()));
    default: return text + conversion;
  }
}

/// Formats a text. Stops when the result is longer than a launch may print.
template <class Memory>
std::string format_text(const Memory& memory, const std::string& format,
                        Arguments<Memory>& arguments) {
  std::string out;
  for (std::size_t i = 0; i < format.size() && out.size() <= most_printed_bytes; ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    ++i;
    const Specification specification = read_specification(format, i, arguments);
    if (i >= format.size()) return out + specification.text;
    out += convert(specification, format[i], memory, arguments);
  }
  return out;
}

/// Returns the part of a text that the launch may still print.
std::string printable(std::string text, Progress& progress) {
  const std::uint64_t before = progress.printed.fetch_add(text.size());
  if (before >= most_printed_bytes) return {};
  text.resize(std::min<std::uint64_t>(text.size(), most_printed_bytes - before));
  return text;
}

/// Runs printf, which returns the number of its arguments, or -1 without a format. Each byte of the
/// format and of the output counts as an executed instruction, so that printf cannot exceed the
/// launch's budget. After the last text that a launch may print, each lane counts as one.
template <class Observers>
void print(Warp& warp, const Operation& op) {
  const std::int32_t* list = list_of(warp, op);
  Worker& worker = *warp.worker;
  Progress& progress = *worker.launch->progress;
  for (Mask left = warp.active; left != 0; left &= left - 1) {
    const LaneMemory<Observers> memory(warp, op, std::countr_zero(left));
    const auto format_at = memory.template argument<Address>(list[0]);
    Arguments arguments(memory, memory.template argument<Address>(list[1]));
    if (format_at != 0 && progress.printed <= most_printed_bytes) {
      const std::string format = memory.text(format_at);
      std::string text = format_text(memory, format, arguments);
      warp.executed += format.size() + text.size();
      worker.printed[warp.block->linear] += printable(std::move(text), progress);
    } else {
      ++warp.executed;
    }
    if (op.count > 2) memory.set_result(list[2], format_at == 0 ? ~0U : arguments.count());
  }
}

template <class Observers>
void fail_assertion(Warp& warp, const Operation& op) {
  const std::int32_t* list = list_of(warp, op);
  const int lane = std::countr_zero(warp.active);
  const LaneMemory<Observers> memory(warp, op, lane);
  record_fault(warp, op, FaultKind::assertion, lane,
               "assertion failed: " + memory.text(memory.template argument<Address>(list[0])));
  warp.worker->launch->progress->stop = true;
}

/// Returns " at kernel.cu:12"; empty if the line is unknown.
std::string place_of(const Warp& warp, const Operation& op) {
  const Code& code = *warp.worker->code;
  const ptx::SourceLine& source = code.lines[op.index];
  const std::string file = code.file_of(source);
  return file.empty() ? std::string() : " at " + file + ":" + std::to_string(source.line);
}

/// Runs malloc for the lanes in order. A lane gets null if there is no room.
template <class Observers>
void take_memory(Warp& warp, const Operation& op) {
  const std::int32_t* list = list_of(warp, op);
  const std::string name = "memory of a malloc" + place_of(warp, op);
  warp.wrote = true;
  for (Mask left = warp.active; left != 0; left &= left - 1) {
    const LaneMemory<Observers> memory(warp, op, std::countr_zero(left));
    const auto bytes = memory.template argument<std::uint64_t>(list[0]);
    memory.set_result(list[1], warp.worker->device->allocate_of_heap(
                                   bytes, name, warp.worker->launch->heap_bytes));
  }
}

/// Runs free. The host memory behind the allocation stays until the launch ends, because other
/// workers may be reading it.
template <class Observers>
void free_memory(Warp& warp, const Operation& op) {
  const std::int32_t* list = list_of(warp, op);
  Worker& worker = *warp.worker;
  const std::string by = "a kernel" + place_of(warp, op);
  warp.wrote = true;
  for (Mask left = warp.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const LaneMemory<Observers> memory(warp, op, lane);
    const auto address = memory.template argument<Address>(list[0]);
    if (address == 0) continue;
    std::shared_ptr<std::byte> freed = worker.device->free_of_heap(address, by);
    if (freed == nullptr) {
      record_fault(warp, op, FaultKind::invalid_free, lane,
                   "free of memory that no malloc of a kernel returned: " +
                       worker.device->describe(address));
    } else {
      worker.freed.push_back(std::move(freed));
      worker.forget_views();
    }
  }
}

}  // namespace

SystemCall system_call(ObserverSet observers, std::string_view name) {
  return with_observers(observers, [&](auto set) -> SystemCall {
    using Set = typename decltype(set)::type;
    if (name == "vprintf") return {print<Set>, 2, 1};
    if (name == "__assertfail") return {fail_assertion<Set>, 5, 0};
    if (name == "malloc") return {take_memory<Set>, 1, 1};
    if (name == "free") return {free_memory<Set>, 1, 0};
    return device_runtime_call(observers, name);
  });
}

}  // namespace warpwise::emulator
