#include "warpwise/lab/explain/placement.hpp"

#include <fmt/format.h>

#include "warpwise/lab/explain/advice.hpp"
#include "warpwise/lab/explain/wording.hpp"

namespace warpwise::lab {
namespace {

// Transactions relative to those that the accessed bytes need. The document calls this ratio many.
constexpr double many = 2;

// Says what shared memory could save: how often each byte is read. Only a sample knows the number
// of distinct bytes.
std::string reuse_text(const LaunchPrediction& prediction) {
  const auto distinct = 32 * static_cast<double>(prediction.sample.pace.distinct_read_sectors);
  const double asked = needed_bytes(prediction.sample.memory.front().global_load);
  if (distinct <= 0) return "";
  const double times = asked / distinct;
  constexpr double worth_saving = 1.5;
  return fmt::format("; each byte read is requested {}, so shared memory {} accesses",
                     times < 1 || number(times) == "1" ? "once" : number(times) + " times",
                     times >= worth_saving ? "can save" : "cannot save");
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
  const std::string evidence =
      fmt::format("{} transactions, {}", grouped(made),
                  number(each) == "1" ? "the minimum" : number(each) + " times the minimum");
  const LaunchPrediction* prediction = explanation.known_prediction();
  if (each >= many) {
    return {1, "many memory transactions (" + evidence + ")"};
  }
  const std::string few = "few memory transactions (" + evidence + ")";
  if (prediction == nullptr) {
    if (explanation.prediction && !explanation.prediction->why_not.empty())
      return {0, few + "; no time is modelled, since " + explanation.prediction->why_not};
    return {0, few +
                   "; without a profile of such a GPU, it is not known whether arithmetic hides "
                   "their latency"};
  }
  const Bounds bounds = bounds_when_full(*prediction);
  const double waiting = bounds.of(Resource::latency);
  const double working = bounds.of(Resource::issue);
  const bool hidden = waiting < working;
  const std::string balance = fmt::format("{} us of waiting and {} us of instructions, modelled",
                                          time_text(waiting), time_text(working));
  if (hidden) {
    return {3, few + " and enough arithmetic to hide their latency (" + balance + ")"};
  }
  return {2, few + ", but arithmetic does not hide their latency (" + balance + ")" +
                 reuse_text(*prediction)};
}

}  // namespace warpwise::lab
