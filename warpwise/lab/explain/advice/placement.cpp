#include "warpwise/lab/explain/advice/placement.hpp"

#include <fmt/format.h>

#include "warpwise/lab/explain/advice/advice.hpp"
#include "warpwise/lab/explain/number_text.hpp"

namespace warpwise::lab {
namespace {

// A kernel has many transactions if it has at least this many times the minimum for its bytes.
constexpr double many = 2;

// Says how often each byte is read: the requested bytes, divided by the distinct bytes. Both come
// from the prediction's sample, because no other launch counts distinct bytes.
std::string reuse_text(const LaunchPrediction& prediction) {
  const auto distinct = 32 * static_cast<double>(prediction.sample.pace.distinct_read_sectors);
  const double asked = needed_bytes(prediction.sample.memory.front().global_load);
  if (distinct <= 0) return "";
  const double times = asked / distinct;
  return fmt::format("; each byte read is requested {}",
                     times < 1 || number(times) == "1" ? "once" : number(times) + " times");
}

// Returns true if the bottleneck is memory that the counted transactions go through.
bool waits_for_memory(const Bounds& bounds) {
  switch (bounds.bottleneck_resource()) {
    case Resource::dram:
    case Resource::l2:
    case Resource::l1: return true;
    case Resource::latency: return bottleneck_of(bounds) != starting_blocks;
    case Resource::shared:
    case Resource::constants:
    case Resource::texture:
    case Resource::atomics:
    case Resource::issue: break;
  }
  return false;
}

// Returns "(1,024 transactions, 8 times the minimum)", and the transactions of local memory if any.
std::string evidence_of(const emulator::MemoryCounts& memory, std::uint64_t made, double each) {
  const std::uint64_t local = transactions(memory.local_load) + transactions(memory.local_store);
  return fmt::format(
      "({} transactions, {}{})", grouped(made),
      number(each) == "1" ? "the minimum" : fmt::format("{:.3g} times the minimum", each),
      local > 0 ? fmt::format(", and {} of local memory", grouped(local)) : "");
}

}  // namespace

Placement placement_of(const Explanation& explanation) {
  if (!explanation.launch.faults.empty()) return {0, "not known, since the launch had faults"};
  const emulator::MemoryCounts& memory = explanation.launch.memory[advised_capability(explanation)];
  std::uint64_t made = 0;
  std::uint64_t needed = 0;
  for (const emulator::TrafficCounts& each :
       {memory.global_load, memory.global_store, memory.global_atomic}) {
    made += transactions(each);
    needed += each.ideal_transactions;
  }
  if (needed == 0) return {0, "the kernel accesses no global memory"};
  const double each = ratio(made, needed);
  const std::string evidence = evidence_of(memory, made, each);
  const LaunchPrediction* prediction = explanation.known_prediction();
  const std::string kind =
      (each >= many ? "many memory transactions " : "few memory transactions ") + evidence;
  if (prediction == nullptr) {
    if (each >= many) return {1, kind};
    if (explanation.prediction && !explanation.prediction->why_not.empty())
      return {0, kind + "; no time is modelled, since " + explanation.prediction->why_not};
    return {0, kind +
                   "; without a profile of such a GPU, it is not known whether arithmetic hides "
                   "their latency"};
  }
  const Bounds bounds = bounds_when_full(*prediction);
  const std::string bottleneck = fmt::format("; the bottleneck is {}", bottleneck_of(bounds));
  if (each >= many) return {1, kind + bottleneck};
  if (bounds.of(Resource::latency) < bounds.of(Resource::issue))
    return {3, kind + " and enough arithmetic to hide their latency" + bottleneck};
  if (!waits_for_memory(bounds)) return {2, kind + bottleneck};
  const bool shows_latency = bounds.bottleneck_resource() == Resource::latency;
  return {2, kind + (shows_latency ? ", but arithmetic does not hide their latency" : "") +
                 bottleneck + reuse_text(*prediction)};
}

}  // namespace warpwise::lab
