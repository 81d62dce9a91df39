// What rules a kernel's time on a GPU, and what its findings are worth there.

#include <fmt/format.h>

#include <algorithm>

#include "warpwise/lab/explain/findings.hpp"

namespace warpwise::lab {
namespace {

// Of the time without the launch: what has less rules with others.
constexpr double rules_by_far = 0.6;
constexpr double at_its_roof = 0.8;
// What a change of the kernel's own way of working may save, told with the gain.
constexpr double half = 0.5;

double bytes_of(const emulator::TrafficCounts& counts) {
  return static_cast<double>(counts.bytes_moved);
}

// Bytes that threads ask for in one load or store, in the mean.
double bytes_per_reference(const emulator::MemoryCounts& memory) {
  const auto references =
      static_cast<double>(memory.global_load.references + memory.global_store.references);
  const auto bytes =
      static_cast<double>(memory.global_load.bytes_requested + memory.global_store.bytes_requested);
  return references > 0 ? bytes / references : 0;
}

struct Suggestion {
  std::string text;
  std::optional<Change> change;
};

Suggestion about_issue(const LaunchPrediction& prediction) {
  const emulator::MemoryCounts& memory = prediction.sample.memory.front();
  const double moved = bytes_of(memory.global_load) + bytes_of(memory.global_store);
  const auto instructions = static_cast<double>(prediction.sample.totals.warp_instructions);
  std::string text = "instructions rule";
  if (moved > 0) {
    text += fmt::format(": the warps issue {:.1f} for each 128 bytes that global memory moves",
                        instructions / moved * 128);
  }
  const double bytes = bytes_per_reference(memory);
  constexpr double narrow = 2.5;
  if (bytes > 0 && bytes < narrow) {
    text += fmt::format(
        ". Each load or store is of {:.2g} bytes a thread: let a thread take neighbouring elements "
        "with one wide access (uchar4 p = reinterpret_cast<const uchar4*>(in)[i]; in place of "
        "unsigned char p = in[i];), which shares the index arithmetic too",
        bytes);
  } else {
    text +=
        ". Let a thread make several results, so that index arithmetic and conditions are shared "
        "by them (for (int k = 0; k < 4; ++k) with k known to the compiler), and keep conditions "
        "that hold for most blocks out of the inner loop";
  }
  return {text + ". If half of the instructions went,", Change{.instructions = half}};
}

Suggestion about_latency(const LaunchPrediction& prediction) {
  const auto blocks = static_cast<double>(std::max<std::uint64_t>(prediction.sample.blocks, 1));
  return {fmt::format(
              "waiting rules: a block would take {:.0f} cycles alone, and {} are resident on an SM "
              "to work meanwhile. Have more loads under way: read two or four independent elements "
              "into registers (float a = in[i], b = in[i + n];) before the first is used, or make "
              "room for more warps. If half of the waiting went,",
              prediction.sample.pace.block_cycles / blocks, prediction.facts.blocks_per_sm),
          Change{.waiting = half}};
}

Suggestion about_cache(const LaunchPrediction& prediction, Resource resource) {
  const emulator::PaceCounts& pace = prediction.sample.pace;
  const double needed =
      32 * static_cast<double>(pace.dram_read_sectors + pace.dram_written_sectors);
  const emulator::MemoryCounts& memory = prediction.sample.memory.front();
  const double asked =
      resource == Resource::l2
          ? 32 * static_cast<double>(pace.l2_read_sectors + pace.l2_written_sectors)
          : bytes_of(memory.global_load) + bytes_of(memory.global_store);
  return {fmt::format("{} rules: it moves each distinct byte {:.1f} times. Keep what neighbouring "
                      "threads or the next results need again in registers or in a tile of shared "
                      "memory. If half of these bytes were not moved again,",
                      name_of(resource), needed > 0 ? asked / needed : 0),
          Change{.bytes = half}};
}

std::optional<Suggestion> about(const LaunchPrediction& prediction, Resource resource) {
  switch (resource) {
    case Resource::issue: return about_issue(prediction);
    case Resource::latency: return about_latency(prediction);
    case Resource::l1:
    case Resource::l2: return about_cache(prediction, resource);
    case Resource::shared:
      return Suggestion{
          "shared memory rules: keep values that a thread reads again in registers, and let it "
          "make several results from what it has read. If half of the passes went,",
          Change{.passes = half}};
    case Resource::texture:
      return Suggestion{
          "texture reads rule: let a thread make several results from what it has read",
          std::nullopt};
    case Resource::dram: break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> ruling_resource(const LaunchPrediction& prediction) {
  const Bounds bounds = bounds_when_full(prediction);
  const double work = bounds.time_us() - bounds.launch_us;
  const Resource resource = bounds.rules();
  const double share = work > 0 ? bounds.of(resource) / work : 0;
  if (share < rules_by_far) return std::nullopt;
  Finding finding;
  finding.advice.rule = "what rules a kernel's time (docs/prediction.md, The model)";
  const std::string on = "On " + prediction.profile.gpu_with_article() + " ";
  if (resource == Resource::dram) {
    if (share < at_its_roof) return std::nullopt;
    finding.advice.text = on + fmt::format(
                                   "DRAM rules, with {:.0f} % of the modelled time: the "
                                   "kernel is near this GPU's roof, and gains by moving "
                                   "fewer bytes alone (narrower types, or several steps in "
                                   "one kernel).",
                                   100 * share);
    return finding;
  }
  const std::optional<Suggestion> suggestion = about(prediction, resource);
  if (!suggestion) return std::nullopt;
  finding.advice.text = on + suggestion->text;
  finding.change = suggestion->change;
  if (!finding.change) finding.advice.text += ".";
  return finding;
}

void value(const LaunchPrediction& prediction, Finding& finding) {
  if (!finding.change) return;
  const double gain = gain_of(prediction, *finding.change);
  finding.advice.gain = gain;
  const bool goes_on = finding.advice.text.ends_with(',');
  if (goes_on) {
    finding.advice.text += fmt::format(" it would be {:.2g} times as fast (modelled).", gain);
  } else if (gain < worth_a_change) {
    finding.advice.text += fmt::format(
        " On {} that it fills this is worth little (modelled): {} rules there.",
        prediction.profile.gpu_with_article(), name_of(bounds_when_full(prediction).rules()));
  } else {
    finding.advice.text += fmt::format(
        " Without it the kernel would be up to {:.2g} times as fast on {} that it "
        "fills (modelled).",
        gain, prediction.profile.gpu_with_article());
  }
}

}  // namespace warpwise::lab
