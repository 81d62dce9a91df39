// Findings on a kernel's bottlenecks on a GPU, and the gain of each.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "warpwise/lab/explain/advice/findings.hpp"
#include "warpwise/lab/explain/advice/suggestion.hpp"
#include "warpwise/lab/explain/number_text.hpp"

namespace warpwise::lab {
namespace {

// DRAM bandwidth counts as the limit if DRAM needs at least this share of the predicted time,
// launch overhead excluded.
constexpr double at_its_roof = 0.8;
// A resource that needs less than this share of the slowest resource's time is hidden behind it.
constexpr double worth_naming = 1.0 / 3;
// Segments count as not fully used if at least this many bytes move for each requested byte.
constexpr double too_many_bytes = 1.5;
// A finding that gains less than this factor is left out.
constexpr double worth_a_line = 1.02;

double bytes_of(const emulator::TrafficCounts& counts) {
  return static_cast<double>(counts.bytes_moved);
}

// Returns the mean number of bytes that a thread requests in one load or store.
double bytes_per_reference(const emulator::MemoryCounts& memory) {
  const auto references =
      static_cast<double>(memory.global_load.references + memory.global_store.references);
  const auto bytes =
      static_cast<double>(memory.global_load.bytes_requested + memory.global_store.bytes_requested);
  return references > 0 ? bytes / references : 0;
}

// Returns the share of instructions that load from or store to global memory.
double share_of_accesses(const LaunchPrediction& prediction) {
  const emulator::MemoryCounts& memory = prediction.sample.memory.front();
  const auto requests =
      static_cast<double>(memory.global_load.requests + memory.global_store.requests);
  const auto instructions = static_cast<double>(prediction.sample.totals.warp_instructions);
  return instructions > 0 ? requests / instructions : 0;
}

double share_of_shared_loads(const LaunchPrediction& prediction) {
  const auto loads = static_cast<double>(prediction.sample.memory.front().shared_load.requests);
  const auto instructions = static_cast<double>(prediction.sample.totals.warp_instructions);
  return instructions > 0 ? loads / instructions : 0;
}

// Adds to the share of accesses their address arithmetic, about one instruction for each access.
double with_addresses(double share) { return std::min(1.0, 2 * share); }

// Returns the largest share of a block's time that its loads from global memory can take. It is
// reached if each load waits for DRAM by itself.
double share_of_waiting(const LaunchPrediction& prediction) {
  const emulator::LaunchResult& sample = prediction.sample;
  const double warps =
      static_cast<double>(sample.blocks) * std::max(prediction.facts.warps_per_block, 1);
  const double loads = ratio(sample.memory.front().global_load.requests, 1) / std::max(warps, 1.0);
  const double block = sample.pace.block_cycles / std::max(ratio(sample.blocks, 1), 1.0);
  return block > 0 ? std::min(1.0, loads * prediction.profile.pace(1).dram_cycles / block) : 1;
}

// Suggests wider accesses. One wide access waits once, and several narrow ones several times.
std::optional<Suggestion> about_width(const LaunchPrediction& prediction) {
  const double bytes = bytes_per_reference(prediction.sample.memory.front());
  constexpr double widest = 16;
  if (bytes <= 0 || bytes >= widest) return std::nullopt;
  const double share = share_of_accesses(prediction);
  const double fewer = 1 - bytes / widest;
  const double saved = with_addresses(share) * fewer;
  const double waiting = half * fewer * share_of_waiting(prediction);
  return Suggestion{
      fmt::format(
          "{:.0f} % of the instructions load from or store to global memory, {:.2g} byte{} "
          "per thread. Accesses of 16 bytes to neighbouring elements, as by {}, would "
          "save at least {:.0f} % of the instructions and {:.0f} % of the waiting. With that,",
          100 * share, bytes, number(bytes) == "1" ? "" : "s", bytes < 4 ? "uint4" : "float4",
          100 * saved, 100 * waiting),
      Remedy::wide_accesses,
      // The model shortens a block's time by both shares. `waiting` is what `instructions` leaves.
      Change{.instructions = saved,
             .waiting = std::max(0.0, 1 - (1 - waiting) / (1 - saved)),
             .starts = fewer},
      true, LineCost::accesses};
}

std::optional<Suggestion> about_shared_width(const LaunchPrediction& prediction) {
  const emulator::PaceCounts& pace = prediction.sample.pace;
  if (pace.shared_loads == 0) return std::nullopt;
  constexpr double widest = 4;
  const double words =
      static_cast<double>(pace.shared_load_bytes) / static_cast<double>(pace.shared_loads) / 4;
  const double share = share_of_shared_loads(prediction);
  const double saved = share * std::max(0.0, 1 - words / widest);
  return Suggestion{
      fmt::format("{:.0f} % of the instructions load from shared memory, {:.2g} word{} per "
                  "thread. Loads of up to 16 bytes, of neighbouring words, would save {:.0f} % of "
                  "the instructions:",
                  100 * share, words, number(words) == "1" ? "" : "s", 100 * saved),
      Remedy::wide_accesses, Change{.instructions = saved}, true, LineCost::shared_loads};
}

// Returns the suggestion that gains more.
std::optional<Suggestion> better(const LaunchPrediction& prediction, std::optional<Suggestion> a,
                                 std::optional<Suggestion> b) {
  if (!a || !b) return a ? a : b;
  return gain_of(prediction, *a->change) >= gain_of(prediction, *b->change) ? a : b;
}

// Suggests keeping data that is loaded repeatedly, from DRAM or from a cache.
std::optional<Suggestion> about_repeats(const LaunchPrediction& prediction) {
  const emulator::TrafficCounts& loads = prediction.sample.memory.front().global_load;
  const double distinct = 32 * static_cast<double>(prediction.sample.pace.distinct_read_sectors);
  const double times = distinct > 0 ? needed_bytes(loads) / distinct : 0;
  constexpr double often = 1.5;
  if (times < often) return std::nullopt;
  const double saved = with_addresses(share_of_accesses(prediction)) * half * (1 - 1 / times);
  return Suggestion{
      fmt::format("The kernel loads each byte {} times. Keep data that neighbouring threads or the "
                  "next results need again in registers or in a tile of shared memory. With half "
                  "the repeated loads and their address arithmetic,",
                  times < 10 ? number(times) : grouped(static_cast<std::uint64_t>(times))),
      Remedy::reuse, Change{.repeated_bytes = half * (1 - 1 / times), .instructions = saved}, true,
      LineCost::loaded_bytes};
}

// Returns the share of the passes of shared memory that no bank conflicts cause.
double share_of_ideal_passes(const LaunchPrediction& prediction) {
  const emulator::MemoryCounts& memory = prediction.sample.memory.front();
  std::uint64_t passes = 0;
  std::uint64_t ideal = 0;
  for (const emulator::PassCounts& each :
       {memory.shared_load, memory.shared_store, memory.shared_atomic}) {
    passes += each.passes;
    ideal += each.ideal_passes;
  }
  return passes == 0 ? 1 : ratio(ideal, passes);
}

// Returns true if most of the passes of shared memory are due to bank conflicts.
bool has_conflicts(const LaunchPrediction& prediction) {
  return share_of_ideal_passes(prediction) < half;
}

// Suggests several results per thread to save loads from shared memory, if few have bank conflicts.
std::optional<Suggestion> about_shared_loads(const LaunchPrediction& prediction) {
  const double share = share_of_shared_loads(prediction);
  if (share == 0 || has_conflicts(prediction)) return std::nullopt;
  const emulator::MemoryCounts& memory = prediction.sample.memory.front();
  const auto passes = static_cast<double>(memory.shared_load.passes + memory.shared_store.passes +
                                          memory.shared_atomic.passes);
  return Suggestion{
      fmt::format("{:.0f} % of the instructions load from shared memory. Compute several results "
                  "per thread, and keep each loaded value in a register for all of them. With half "
                  "these loads,",
                  100 * share),
      Remedy::reuse,
      Change{.passes = half * static_cast<double>(memory.shared_load.passes) / passes,
             .instructions = half * share},
      true, LineCost::shared_loads};
}

Suggestion about_latency(const LaunchPrediction& prediction, const Bounds& bounds) {
  if (bounds.starts_us >= bounds.of(Resource::latency)) {
    return {
        standing(bounds, Resource::latency, starting_blocks) +
            ". Blocks are short: let each thread process several elements. With half the blocks,",
        Remedy::more_in_flight, Change{.starts = half}, false};
  }
  const auto blocks = static_cast<double>(std::max<std::uint64_t>(prediction.sample.blocks, 1));
  const int together = prediction.facts.blocks_per_sm;
  const rules::ComputeCapability cc = prediction.profile.compute_capability;
  const bool has_room = together * prediction.facts.warps_per_block < rules::sm_limits(cc).warps;
  return {
      fmt::format("{}. A block that runs alone takes {} cycles, and {} that an SM holds {} not "
                  "hide its waiting. Keep more loads in flight: load two or four independent "
                  "elements into registers before the first is used{}. With half the waiting,",
                  standing(bounds, Resource::latency, name_of(Resource::latency)),
                  grouped(static_cast<std::uint64_t>(prediction.sample.pace.block_cycles / blocks)),
                  together == 1 ? "the one block" : fmt::format("the {} blocks", together),
                  together == 1 ? "does" : "do", has_room ? ", or make room for more warps" : ""),
      Remedy::more_in_flight, Change{.waiting = half}};
}

// Returns true if atomics move at least half of the bytes of all global accesses.
bool mostly_atomics(const LaunchPrediction& prediction) {
  const emulator::MemoryCounts& memory = prediction.sample.memory.front();
  const double atomics = bytes_of(memory.global_atomic);
  return atomics > 0 && atomics >= bytes_of(memory.global_load) + bytes_of(memory.global_store);
}

// Suggests reuse if threads request the same bytes from a cache several times. Does not count bytes
// that move without a request: findings on scattered addresses cover them.
std::optional<Suggestion> about_cache(const LaunchPrediction& prediction, const Bounds& bounds,
                                      Resource resource) {
  const emulator::PaceCounts& pace = prediction.sample.pace;
  const emulator::MemoryCounts& memory = prediction.sample.memory.front();
  const double distinct = 32 * static_cast<double>(pace.distinct_read_sectors);
  const double times = distinct > 0 ? needed_bytes(memory.global_load) / distinct : 0;
  constexpr double often = 1.5;
  if (times < often) return std::nullopt;
  const double needed = distinct + 32 * static_cast<double>(pace.dram_written_sectors);
  const double local = bytes_of(memory.local_load) + bytes_of(memory.local_store);
  const double all = resource == Resource::l2
                         ? 32 * static_cast<double>(pace.l2_read_sectors + pace.l2_written_sectors)
                         : bytes_of(memory.global_load) + bytes_of(memory.global_store) + local;
  const double asked = all - local;  // a thread's own array has no bytes that others read
  return Suggestion{
      fmt::format("{}: each byte is read {}{} times. Keep data that neighbouring threads or "
                  "the next results need again in registers or in a tile of shared memory. With "
                  "half the repeated bytes,",
                  standing(bounds, resource, name_of(resource)),
                  prediction.sample.blocks < prediction.facts.blocks ? "about " : "",
                  times < 10 ? number(times) : grouped(static_cast<std::uint64_t>(times))),
      Remedy::reuse, Change{.repeated_bytes = asked > needed ? half * (asked - needed) / all : 0},
      true, LineCost::loaded_bytes};
}

std::optional<Suggestion> about(const LaunchPrediction& prediction, const Bounds& bounds,
                                Resource resource) {
  switch (resource) {
    case Resource::issue: break;  // resource_findings() adds about_issue()
    case Resource::latency: return about_latency(prediction, bounds);
    case Resource::l1:
    case Resource::l2: return about_cache(prediction, bounds, resource);
    case Resource::shared:
      if (has_conflicts(prediction)) return std::nullopt;  // findings on lines tell the cure
      return Suggestion{standing(bounds, resource, name_of(resource)) +
                            ": keep values that a thread reads again in registers, and compute "
                            "several results from each value. With half these accesses,",
                        Remedy::reuse,
                        Change{.passes = half * share_of_ideal_passes(prediction),
                               .instructions = half * share_of_shared_loads(prediction)}};
    case Resource::atomics:
      return about_atomics(prediction, standing(bounds, resource, name_of(resource)),
                           Change{.atomics = half});
    case Resource::constants:
      if (resource != bounds.bottleneck_resource()) return std::nullopt;
      return Suggestion{standing(bounds, resource, name_of(resource)) +
                            ": it serves one address of a warp at a time. If threads index a table "
                            "differently, put it into global or shared memory.",
                        Remedy::constant_memory, std::nullopt, false};
    case Resource::texture:
      if (resource != bounds.bottleneck_resource())
        return std::nullopt;  // no model says what a change gains
      return Suggestion{
          "Texture fetch is the bottleneck: compute several results from each value that a thread "
          "fetches.",
          Remedy::reuse, std::nullopt};
    case Resource::dram: break;
  }
  return std::nullopt;
}

double work_of(const Bounds& bounds) { return bounds.time_us() - bounds.launch_us; }

// Returns the bytes that DRAM moves per byte that threads ask for; above 1 if sectors are not fully
// used. Returns 0 with textures, whose bytes are not counted.
double moved_bytes_per_requested_byte(const LaunchPrediction& prediction) {
  const emulator::MemoryCounts& memory = prediction.sample.memory.front();
  if (memory.texture_requests > 0) return 0;
  double asked = 0;
  double moved = 0;
  for (const emulator::TrafficCounts& each :
       {memory.global_load, memory.global_store, memory.global_atomic, memory.local_load,
        memory.local_store}) {
    asked += static_cast<double>(each.bytes_requested);
    moved += bytes_of(each);
  }
  const emulator::PaceCounts& pace = prediction.sample.pace;
  if (prediction.profile.has_l2())
    moved = 32 * static_cast<double>(pace.dram_read_sectors() + pace.dram_filled_sectors +
                                     pace.dram_written_sectors);
  return asked > 0 ? moved / asked : 0;
}

bool mostly_spills(const LaunchPrediction& prediction) {
  LaunchFacts facts = prediction.facts;
  if (facts.spills.loads + facts.spills.stores == 0) return false;
  facts.spills = {};
  facts.machine.spill_loads = facts.machine.spill_stores = 0;
  return bounds_of(prediction.profile, prediction.sample, facts).of(Resource::dram) <
         half * prediction.bounds.of(Resource::dram);
}

// Returns true if DRAM mostly moves sectors that blocks read again after L2 has lost them.
bool mostly_reads_again(const LaunchPrediction& prediction) {
  if (prediction.sample.pace.repeated_read_sectors == 0) return false;
  LaunchPrediction once = prediction;
  once.sample.pace.repeated_read_sectors = 0;
  return bounds_when_full(once).of(Resource::dram) <
         half * bounds_when_full(prediction).of(Resource::dram);
}

std::string about_dram(const LaunchPrediction& prediction, const Bounds& bounds, double share) {
  const bool is_slowest = bounds.bottleneck_resource() == Resource::dram;
  const std::string text =
      fmt::format("DRAM {} {:.0f} % of the modelled time",
                  is_slowest ? "is the bottleneck, with" : "takes", 100 * share);
  if (mostly_spills(prediction)) return text + ", mostly by spilled values: mend these first.";
  if (mostly_reads_again(prediction)) {
    return text +
           ", mostly by segments that a block reads again after L2 has lost them. Use all bytes of "
           "a segment at the same time, or keep it in shared memory.";
  }
  const double moved = moved_bytes_per_requested_byte(prediction);
  if (moved >= too_many_bytes) {
    return fmt::format(
        "{}, but moves {} bytes per requested byte. Use all 32 bytes of each segment that is read: "
        "then DRAM moves no more than needed.",
        text, number(moved));
  }
  const bool is_near = !leaves_sms_empty(prediction);
  constexpr double all_used = 1.05;
  return fmt::format(
      "{}{}: {} near this GPU's roof. Moving fewer bytes gains most: narrower types, or several "
      "steps in one kernel.",
      text,
      moved >= all_used ? fmt::format(", and moves {:.2g} bytes per requested byte", moved) : "",
      is_near ? "the kernel is" : "with enough blocks the kernel would be");
}

// Returns the resources, the longest time first.
std::vector<Resource> by_length(const Bounds& bounds) {
  const auto all = all_values<Resource>();
  std::vector<Resource> resources(all.begin(), all.end());
  std::stable_sort(resources.begin(), resources.end(),
                   [&](Resource a, Resource b) { return bounds.of(a) > bounds.of(b); });
  return resources;
}

constexpr const char* model_rule = "bottleneck of a kernel (docs/prediction.md, The model)";

Finding finding_of(const LaunchPrediction& prediction, const Suggestion& suggestion) {
  Finding finding;
  finding.advice = {suggestion.text, model_rule, suggestion.remedy, std::nullopt,
                    suggestion.example_fits};
  finding.change = suggestion.change;
  finding.by = suggestion.by;
  add_gain(prediction, finding);
  return finding;
}

}  // namespace

std::vector<Finding> resource_findings(const LaunchPrediction& prediction) {
  const Bounds bounds = bounds_when_full(prediction);
  const double work = work_of(bounds);
  std::vector<Finding> findings;
  if (work <= 0) return findings;
  const auto add = [&](const Suggestion& suggestion) {
    const bool known = std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
      const bool has_other_cause =
          other.advice.remedy == Remedy::fewer_instructions && other.by != suggestion.by;
      return other.advice.remedy == suggestion.remedy && !has_other_cause;
    });
    if (known) return;
    Finding finding = finding_of(prediction, suggestion);
    if (finding.advice.gain.value_or(worth_a_line) >= worth_a_line)
      findings.push_back(std::move(finding));
  };
  for (const Resource resource : by_length(bounds)) {
    if (bounds.of(resource) < worth_naming * bounds.of(bounds.bottleneck_resource())) break;
    if (resource == Resource::dram && bounds.of(resource) >= at_its_roof * work) {
      // Passed as example_fits. False marks a finding on unused segments, for advice_for().
      const bool uses_segments = moved_bytes_per_requested_byte(prediction) < too_many_bytes &&
                                 !mostly_reads_again(prediction);
      add({about_dram(prediction, bounds, bounds.of(resource) / work), Remedy::fewer_bytes,
           std::nullopt, uses_segments});
    } else if (const auto suggestion = about(prediction, bounds, resource)) {
      add(*suggestion);
    }
    if (resource == Resource::issue) {
      for (const Suggestion& each : about_issue(prediction, bounds)) add(each);
    }
    if (resource != Resource::issue && resource != Resource::latency) continue;
    if (const auto barriers = about_barriers(prediction)) add(*barriers);
    for (const auto& suggestion :
         {better(prediction, about_width(prediction), about_shared_width(prediction)),
          better(prediction, about_repeats(prediction), about_shared_loads(prediction))}) {
      if (suggestion) add(*suggestion);
    }
  }
  if (mostly_atomics(prediction))
    add(about_atomics(prediction, "Atomics are most of the traffic of L2", std::nullopt));
  constexpr double very_many = 0.25;  // a larger share of divisions is always named
  for (const auto& cause : {about_doubles(prediction), about_divisions(prediction, very_many)}) {
    if (!cause) continue;
    auto known = std::ranges::find(findings, cause->by, &Finding::by);
    if (known == findings.end())
      known = findings.insert(findings.end(), finding_of(prediction, *cause));
    known->always = true;
  }
  return findings;
}

Advice nothing_rules(const LaunchPrediction& prediction) {
  const Bounds bounds = bounds_when_full(prediction);
  const double work = work_of(bounds);
  std::vector<std::string> parts;
  std::vector<BoundPart> all = parts_of(bounds);
  std::ranges::stable_sort(all, std::greater(), &BoundPart::us);
  for (const BoundPart& each : all) {
    const double share = work > 0 ? each.us / work : 0;
    if (each.us < worth_naming * bounds.of(bounds.bottleneck_resource())) break;
    parts.push_back(fmt::format("{} {:.0f} %", each.name, 100 * share));
  }
  return {fmt::format("No change that the counts suggest gains 5 % or more (modelled). The time "
                      "has these parts, which overlap: {}.",
                      fmt::join(parts, ", ")),
          model_rule};
}

void add_gain(const LaunchPrediction& prediction, Finding& finding) {
  if (!finding.change) return;
  const Range range = gain_range_of(prediction, *finding.change);
  const double gain = range.likely;
  constexpr double as_fast = 1.005;
  // A small gain from single precision is not reliable. No count tells how many instructions
  // functions such as exp() save in single precision.
  const bool is_known = gain >= worth_a_change || finding.by != LineCost::doubles;
  if (is_known) {
    finding.advice.gain = gain;
    finding.advice.gain_range = range;
  }
  const std::string least = fmt::format("{:.2g}", range.least);
  const std::string most = fmt::format("{:.2g}", range.most);
  const std::string between = least == most ? "" : fmt::format(", between {} and {}", least, most);
  const bool goes_on = finding.advice.text.ends_with(',') || finding.advice.text.ends_with(':');
  if (goes_on) {
    finding.advice.text +=
        !is_known
            ? " conversions and double arithmetic disappear; the model does not know the gain."
        : gain < as_fast ? " the kernel would be as fast as now (modelled)."
                         : fmt::format(" the kernel would be {:.{}g} times as fast (modelled){}.",
                                       gain, gain < worth_a_change ? 3 : 2, between);
  } else if (gain < worth_a_change) {
    finding.advice.text += fmt::format(" Mending it gains little (modelled): {}.",
                                       is_bottleneck(bottleneck_of(bounds_when_full(prediction))));
  } else {
    finding.advice.text += fmt::format(
        " Without this problem, the kernel would be about {:.2g} times as fast (modelled){}.", gain,
        between);
  }
}

}  // namespace warpwise::lab
