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
  const auto distinct = 32 * static_cast<double>(prediction.sample.pace.dram_read_sectors);
  const auto asked =
      static_cast<double>(prediction.sample.memory.front().global_load.bytes_requested);
  if (distinct <= 0) return "";
  const double times = asked / distinct;
  constexpr double worth_saving = 1.5;
  return fmt::format("; each byte that is read is asked for {}, so {}",
                     number(times) == "1" ? "once" : number(times) + " times",
                     times >= worth_saving ? "that shared memory can lower the number of references"
                                           : "that shared memory has no references to save");
}

// Names the bottleneck if it is not the transactions.
std::string what_rules(const LaunchPrediction& prediction) {
  const Bounds bounds = bounds_when_full(prediction);
  const Resource rules = bounds.rules();
  if (rules != Resource::issue && rules != Resource::shared && rules != Resource::texture)
    return "";
  return fmt::format("; on {} {} rules, so that this gains little",
                     prediction.profile.gpu_with_article(), name_of(rules));
}

}  // namespace

Placement placement_of(const Explanation& explanation) {
  const emulator::MemoryCounts& memory = explanation.launch.memory[advised_capability(explanation)];
  std::uint64_t made = 0;
  std::uint64_t needed = 0;
  for (const emulator::TrafficCounts& each :
       {memory.global_load, memory.global_store, memory.global_atomic}) {
    made += transactions(each);
    needed += each.ideal_transactions;
  }
  if (needed == 0) return {0, "none of the three: it reaches no global memory"};
  const double each = ratio(made, needed);
  const std::string evidence =
      fmt::format("{} transactions, {} for each that its bytes need", grouped(made), number(each));
  const LaunchPrediction* prediction = explanation.known_prediction();
  if (each >= many) {
    return {1, "many memory transactions (" + evidence +
                   "): gather in shared memory what lies scattered" +
                   (prediction != nullptr ? what_rules(*prediction) : "")};
  }
  if (prediction == nullptr) {
    return {0, "few memory transactions (" + evidence +
                   "): without a profile of such a GPU nobody knows whether arithmetic hides their "
                   "latency"};
  }
  const Bounds bounds = bounds_when_full(*prediction);
  const double waiting = bounds.of(Resource::latency);
  const double working = bounds.of(Resource::issue);
  const bool hidden = waiting < working;
  const std::string balance =
      fmt::format("on {} that it fills {} us of waiting beside {} of instructions, modelled",
                  prediction->profile.gpu_with_article(), time_text(waiting), time_text(working));
  if (hidden) {
    return {3, "few memory transactions (" + evidence +
                   ") and enough arithmetic to hide their latency (" + balance +
                   "): global memory or textures directly"};
  }
  return {2, "few memory transactions (" + evidence + ") whose latency arithmetic does not hide (" +
                 balance + ")" + reuse_text(*prediction)};
}

}  // namespace warpwise::lab
