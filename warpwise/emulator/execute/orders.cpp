#include "warpwise/emulator/execute/orders.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/execute/memory_image.hpp"
#include "warpwise/emulator/execute/order_rounding.hpp"
#include "warpwise/emulator/execute/schedule.hpp"

namespace warpwise::emulator {
namespace {

// Factor for the budget of warp instructions of a later order: a multiple of the instructions that
// the first order executed. Later orders need more, because short turns mean more polling.
constexpr std::uint64_t budget_factor = 256;
constexpr std::uint64_t least_budget = std::uint64_t{1} << 24;

std::string hex(const std::vector<std::byte>& all, std::uint64_t at, std::uint64_t bytes) {
  std::string text = "0x";
  char digits[3];
  for (std::uint64_t i = bytes; i-- > 0;) {
    std::snprintf(digits, sizeof(digits), "%02x", std::to_integer<unsigned>(all[at + i]));
    text += digits;
  }
  return text;
}

/// Describes a difference: "bytes 4 to 7 of 'x' of 400 bytes are 0x00000001 in the first order and
/// 0x00000002 in order 3; 1 byte differs".
std::string text_of(const Difference& found, unsigned order) {
  constexpr std::uint64_t word = 4;
  const std::uint64_t aligned = found.first / word * word;
  const bool is_whole = aligned + word <= found.bytes;
  const std::uint64_t at = is_whole ? aligned : found.first;
  const std::uint64_t bytes = is_whole ? word : 1;
  return (is_whole ? "bytes " + std::to_string(at) + " to " + std::to_string(at + word - 1) +
                         " of " + found.name + " of " + std::to_string(found.bytes) + " bytes are "
                   : "byte " + std::to_string(at) + " of " + found.name + " of " +
                         std::to_string(found.bytes) + " bytes is ") +
         hex(found.was, at, bytes) + " in the first order and " + hex(found.is, at, bytes) +
         " in order " + std::to_string(order) + "; " + std::to_string(found.count) +
         (found.count == 1 ? " byte differs" : " bytes differ");
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::ranges::sort(lines);
  return lines;
}

/// Describes a difference of printed lines. The lines may come in any order, as lines of several
/// threads do on a GPU.
std::string printed_difference(const std::string& first, const std::string& other) {
  const std::vector<std::string> a = sorted_lines(first);
  const std::vector<std::string> b = sorted_lines(other);
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  if (in_a == a.end() && in_b == b.end()) return "";
  const bool only_first = in_b == b.end() || (in_a != a.end() && *in_a < *in_b);
  return "printf writes '" + (only_first ? *in_a : *in_b) + "' in " +
         (only_first ? "the first order alone" : "another order alone");
}

class Orders {
 public:
  Orders(const Code& plain, Device::State& device, std::span<const Address> variables,
         const LaunchShape& shape, std::span<const std::byte> parameters,
         const LaunchOptions& options)
      : code_(plain), device_(device), variables_(variables), shape_(shape),
        parameters_(parameters), options_(options), before_(device), heap_(heap()) {
    shape_.order_seed = options.order_seed;
    options_.count = options_.fidelity = false;
    options_.compute_capabilities.clear();
    options_.checks = {};
  }

  /// Runs the other orders, and adds differences to the first order's result. Restores the first
  /// order's memory at the end.
  void compare(LaunchResult& first) {
    if (heap() != heap_) {
      first.orders_not_compared = true;
      return;
    }
    const MemoryImage after(device_);
    const std::uint64_t own = std::max(least_budget, budget_factor * first.executed);
    if (options_.budget == 0 || options_.budget > own) options_.budget = own;
    for (int order = 1; order < options_.orders && first.faults.empty(); ++order) {
      shape_.order = static_cast<unsigned>(order);
      const LaunchResult other = run(nullptr);
      if (heap() != heap_) {
        first.orders_not_compared = true;
        break;
      }
      compare(after, other, first);
    }
    after.restore(device_);
  }

 private:
  struct Heap {
    Address next = 0;
    std::uint64_t used = 0;
    bool operator==(const Heap&) const = default;
  };
  // Returns the state of the kernels' heap. Orders are compared only if it stays the same, because
  // its changes cannot be undone.
  Heap heap() const {
    const std::shared_lock lock(device_.mutex);
    return {device_.next, device_.heap_used};
  }

  LaunchResult run(Watch* watch) {
    before_.restore(device_);
    shape_.watch = watch;
    return run_launch(code_, device_, variables_, shape_, parameters_, options_);
  }

  void compare(const MemoryImage& after, const LaunchResult& other, LaunchResult& first) {
    if (!other.faults.empty()) {
      for (Fault fault : other.faults) {
        fault.message += in_this_order();
        first.faults.push_back(std::move(fault));
      }
      return;
    }
    const auto matters = [&](const Difference& found) {
      const double rounding = rounding_difference(code_, found);
      first.order_rounding = std::max(first.order_rounding, std::isnan(rounding) ? 0 : rounding);
      return std::isnan(rounding);
    };
    const Difference found = after.difference(device_, matters);
    if (found.count > 0) {
      first.faults.push_back(fault_of(found));
      return;
    }
    if (std::string text = printed_difference(first.printed, other.printed); !text.empty()) {
      Fault fault;
      fault.kind = FaultKind::order_dependent;
      fault.count = 1;
      fault.message = std::move(text) + in_this_order();
      first.faults.push_back(std::move(fault));
    }
  }

  std::string in_this_order() const {
    return " (order " + std::to_string(shape_.order) + " of seed " +
           std::to_string(shape_.order_seed) + ")";
  }

  Fault fault_of(const Difference& found) {
    Fault fault;
    fault.kind = FaultKind::order_dependent;
    fault.count = 1;
    fault.message = text_of(found, shape_.order);
    // Runs the order again, to find the instruction that wrote the byte that differs.
    Watch watch;
    {
      before_.restore(device_);
      const AllocationView view = device_.find(found.begin);
      if (view.host == nullptr) return fault;
      watch.byte = view.host + found.first;
      watch.value = *watch.byte;
      watch.address = found.begin + found.first;
    }
    run(&watch);
    if (watch.has_changed) {
      const ptx::SourceLine& source = code_.lines[watch.operation];
      const SourcePlace place = place_of(code_, source);
      fault.file = place.file;
      fault.line = place.line;
      fault.called_from = callers_of(code_, source);
      fault.functions = functions_of(code_, source);
      fault.block = place_in(watch.block, shape_.grid);
      fault.thread = place_in(watch.thread, shape_.block);
      fault.message +=
          "; the reported thread wrote the value of order " + std::to_string(shape_.order);
    } else {
      fault.message +=
          "; in order " + std::to_string(shape_.order) + " the kernel left the value unchanged";
    }
    fault.message += in_this_order();
    if (adds_floats(code_))
      fault.message +=
          "; the kernel adds floating-point numbers by atomics, whose order changes the "
          "rounding, but this difference is too large for rounding";
    return fault;
  }

  const Code& code_;
  Device::State& device_;
  std::span<const Address> variables_;
  LaunchShape shape_;
  std::span<const std::byte> parameters_;
  LaunchOptions options_;
  MemoryImage before_;
  Heap heap_;
};

}  // namespace

LaunchResult run_in_orders(const Code& code, const Code& plain, Device::State& device,
                           std::span<const Address> variables, LaunchShape shape,
                           std::span<const std::byte> parameters, const LaunchOptions& options) {
  if (options.pace)
    throw InvalidArgument("a launch with LaunchOptions::pace runs in one order only");
  Orders orders(plain, device, variables, shape, parameters, options);
  LaunchResult first = run_launch(code, device, variables, shape, parameters, options);
  if (first.faults.empty()) orders.compare(first);
  return first;
}

}  // namespace warpwise::emulator
