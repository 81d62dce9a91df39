// Findings on a kernel's bottlenecks on a GPU, and the gain of each.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "warpwise/lab/explain/findings.hpp"
#include "warpwise/lab/explain/wording.hpp"

namespace warpwise::lab {
namespace {

// Share of the time without the launch from which DRAM counts as being at its roof.
constexpr double at_its_roof = 0.8;
// Resources with a smaller share of the longest time are hidden behind it.
constexpr double worth_naming = 1.0 / 3;
// Bytes moved for each requested byte from which segments count as not fully used.
constexpr double too_many_bytes = 1.5;
// Least gain of a finding that stands behind others.
constexpr double worth_a_line = 1.02;
// Assumed saving of a change to the kernel's own algorithm; the text names it with the gain.
constexpr double half = 0.5;

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

struct Suggestion {
  std::string text;
  Remedy remedy;
  std::optional<Change> change;
  bool has_example = true;
  LineCost by = LineCost::none;
};

std::string capitalised(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

// "DRAM is the bottleneck", "atomics are the bottleneck".
std::string is_bottleneck(std::string_view name) {
  return fmt::format("{} {} the bottleneck", name,
                     name == name_of(Resource::atomics) ? "are" : "is");
}

// "L2 is the bottleneck", "L2 takes 64 % as long as the bottleneck, latency".
std::string standing(const Bounds& bounds, Resource resource, std::string_view name) {
  if (resource == bounds.rules()) return capitalised(is_bottleneck(name));
  return fmt::format("{} takes {:.0f} % as long as the bottleneck, {}",
                     capitalised(std::string(name)),
                     100 * bounds.of(resource) / bounds.of(bounds.rules()), bottleneck_of(bounds));
}

Suggestion about_issue(const Bounds& bounds) {
  return {
      standing(bounds, Resource::issue, "instruction issue") +
          ". Compute several results per thread: they share index arithmetic and conditions. Keep "
          "conditions that hold for most blocks out of the inner loop. With half the instructions,",
      Remedy::fewer_instructions, Change{.instructions = half, .starts = half}};
}

// Returns the machine instructions of the sample: a division is several.
double machine_instructions(const LaunchPrediction& prediction) {
  return static_cast<double>(prediction.sample.totals.warp_instructions) +
         prediction.sample.pace.further.all;
}

std::optional<Suggestion> about_divisions(const LaunchPrediction& prediction) {
  const double all = machine_instructions(prediction);
  const double share = all > 0 ? prediction.sample.pace.further.all / all : 0;
  constexpr double many = 0.1;
  if (share < many) return std::nullopt;
  const rules::MachineInstructions& inside = prediction.sample.pace.further;
  const bool of_integers = inside.integer > inside.float32 + inside.float64;
  const std::string text =
      of_integers ? "integer divisions and remainders. If the divisor is a power of two, use & "
                    "(divisor - 1) and shifts, as in tid & (2 * s - 1). If it is fixed during the "
                    "launch, compute a multiplier on the host."
                  : "divisions, square roots and the like. Divide by constants or powers of two, "
                    "multiply by a reciprocal, or use a faster function (rsqrtf, __fdividef) where "
                    "it is exact enough.";
  return Suggestion{
      fmt::format("{:.0f} % of the machine instructions are the inside of {} With single "
                  "instructions in their place,",
                  100 * share, text),
      Remedy::fewer_instructions, Change{.divisions = 1}, false, LineCost::divisions};
}

// Returns how many times as fast a GPU computes in single precision; 0 without double precision.
double single_over_double(const DeviceProfile& profile) {
  const double doubles = profile.figure("float64_per_cycle");
  return doubles > 0 ? profile.figure("float32_per_cycle") / doubles : 0;
}

// Compares the profile's rates with those of the installed GPU that suffers most from doubles.
std::string rates_text(const DeviceProfile& profile) {
  const DeviceProfile* worst = nullptr;
  static const std::vector<DeviceProfile> all = [] {
    std::vector<DeviceProfile> profiles;
    for (const std::string& name : device_profile_names())
      profiles.push_back(find_device_profile(name));
    return profiles;
  }();
  for (const DeviceProfile& each : all)
    if (worst == nullptr || single_over_double(each) > single_over_double(*worst)) worst = &each;
  const double own = single_over_double(profile);
  std::string text = fmt::format("{} computes {} times as fast in single precision",
                                 capitalised(profile.gpu_with_article()), number(own));
  if (worst != nullptr && single_over_double(*worst) > own)
    text +=
        fmt::format(", {} {} times", worst->gpu_with_article(), number(single_over_double(*worst)));
  return text + ".";
}

// Suggests single precision to a kernel that computes in both.
std::optional<Suggestion> about_doubles(const LaunchPrediction& prediction) {
  const auto& classes = prediction.sample.instructions_by_class;
  const auto count = [&](const char* name) {
    const auto found = classes.find(name);
    return found == classes.end() ? 0.0 : static_cast<double>(found->second);
  };
  const bool converts = prediction.sample.pace.further.conversion64 > 0;
  constexpr double slow = 8;  // from here on doubles are slow, also where all values are doubles
  if (!converts && (count("float64") == 0 || single_over_double(prediction.profile) < slow))
    return std::nullopt;
  return Suggestion{fmt::format("The kernel {} double precision. {} {} In single precision,",
                                converts ? "converts between single and" : "computes in",
                                rates_text(prediction.profile), constant_is_double),
                    Remedy::fewer_instructions, Change{.doubles = 1}, false, LineCost::doubles};
}

// Returns the share of instructions that load from or store to global memory.
double share_of_accesses(const LaunchPrediction& prediction) {
  const emulator::MemoryCounts& memory = prediction.sample.memory.front();
  const auto requests =
      static_cast<double>(memory.global_load.requests + memory.global_store.requests);
  const auto instructions = static_cast<double>(prediction.sample.totals.warp_instructions);
  return instructions > 0 ? requests / instructions : 0;
}

// Returns the share of instructions that load from shared memory.
double share_of_shared_loads(const LaunchPrediction& prediction) {
  const auto loads = static_cast<double>(prediction.sample.memory.front().shared_load.requests);
  const auto instructions = static_cast<double>(prediction.sample.totals.warp_instructions);
  return instructions > 0 ? loads / instructions : 0;
}

// Adds the address arithmetic of accesses: about one instruction each.
double with_addresses(double share) { return std::min(1.0, 2 * share); }

// Suggests wider accesses. One wide access waits once, where several narrow ones wait each.
std::optional<Suggestion> about_width(const LaunchPrediction& prediction) {
  const double bytes = bytes_per_reference(prediction.sample.memory.front());
  constexpr double widest = 16;
  if (bytes <= 0 || bytes >= widest) return std::nullopt;
  const double share = share_of_accesses(prediction);
  const double fewer = 1 - bytes / widest;
  const double saved = with_addresses(share) * fewer;
  const double waiting = half * fewer;
  return Suggestion{
      fmt::format(
          "{:.0f} % of the instructions load from or store to global memory, {:.2g} byte{} "
          "per thread. Accesses of 16 bytes to neighbouring elements, as by {}, would "
          "save at least {:.0f} % of the instructions and {:.0f} % of the waiting. With that,",
          100 * share, bytes, number(bytes) == "1" ? "" : "s", bytes < 4 ? "uint4" : "float4",
          100 * saved, 100 * waiting),
      Remedy::wide_accesses,
      // Waiting that ends with its instruction must not be saved twice.
      Change{.instructions = saved,
             .waiting = std::max(0.0, 1 - (1 - waiting) / (1 - saved)),
             .starts = fewer},
      true, LineCost::accesses};
}

// Suggests wider loads from shared memory.
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

// Suggests keeping data that is loaded again, from any level of the hierarchy.
std::optional<Suggestion> about_repeats(const LaunchPrediction& prediction) {
  const emulator::TrafficCounts& loads = prediction.sample.memory.front().global_load;
  const double distinct = 32 * static_cast<double>(prediction.sample.pace.distinct_read_sectors);
  const double times = distinct > 0 ? needed_bytes(loads) / distinct : 0;
  constexpr double often = 1.5;
  if (times < often) return std::nullopt;
  const double saved = with_addresses(share_of_accesses(prediction)) * half * (1 - 1 / times);
  return Suggestion{
      fmt::format("Each byte is loaded {} times. Keep data that neighbouring threads or the "
                  "next results need again in registers or in a tile of shared memory. With half "
                  "the repeated loads and their address arithmetic,",
                  times < 10 ? number(times) : grouped(static_cast<std::uint64_t>(times))),
      Remedy::reuse, Change{.again = half * (1 - 1 / times), .instructions = saved}, true,
      LineCost::loaded_bytes};
}

// Suggests several results per thread where loads from shared memory are many instructions.
std::optional<Suggestion> about_shared_loads(const LaunchPrediction& prediction) {
  const double share = share_of_shared_loads(prediction);
  if (share == 0) return std::nullopt;
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
  return {
      fmt::format(
          "{}. A block alone takes {} cycles; {} on an SM {} not enough to fill the time that it "
          "waits. Keep more loads in flight: load two or four independent elements into registers "
          "before "
          "the first is used, or make room for more warps. With half the waiting,",
          standing(bounds, Resource::latency, name_of(Resource::latency)),
          grouped(static_cast<std::uint64_t>(prediction.sample.pace.block_cycles / blocks)),
          together == 1 ? "it alone" : fmt::format("{} blocks", together),
          together == 1 ? "is" : "are"),
      Remedy::more_in_flight, Change{.waiting = half}};
}

// Returns true if atomics are at least half of what is asked of L2.
bool mostly_atomics(const LaunchPrediction& prediction) {
  const emulator::MemoryCounts& memory = prediction.sample.memory.front();
  const double atomics = bytes_of(memory.global_atomic);
  return atomics > 0 && atomics >= bytes_of(memory.global_load) + bytes_of(memory.global_store);
}

Suggestion about_atomics(const std::string& what, std::optional<Change> change) {
  return {what +
              ": L2 carries out the operations on one word one after the other. Combine them in "
              "registers and shared memory first, and let each block add its results once." +
              (change ? " With half the atomics," : ""),
          Remedy::reuse, change, false, LineCost::atomics};
}

// Suggests reuse where threads ask a cache for the same bytes again. Bytes that nobody asked for
// are the matter of the lines that scatter their addresses.
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
      Remedy::reuse, Change{.again = asked > needed ? half * (asked - needed) / all : 0}, true,
      LineCost::loaded_bytes};
}

std::optional<Suggestion> about(const LaunchPrediction& prediction, const Bounds& bounds,
                                Resource resource) {
  switch (resource) {
    case Resource::issue:
      return better(prediction, about_issue(bounds),
                    better(prediction, about_divisions(prediction), about_doubles(prediction)));
    case Resource::latency: return about_latency(prediction, bounds);
    case Resource::l1:
    case Resource::l2: return about_cache(prediction, bounds, resource);
    case Resource::shared:
      return Suggestion{standing(bounds, resource, name_of(resource)) +
                            ": keep values that a thread reads again in registers, and compute "
                            "several results from each value. With half the passes,",
                        Remedy::reuse, Change{.passes = half}};
    case Resource::atomics:
      return about_atomics(standing(bounds, resource, name_of(resource)), Change{.atomics = half});
    case Resource::constants:
      if (resource != bounds.rules()) return std::nullopt;
      return Suggestion{standing(bounds, resource, name_of(resource)) +
                            ": it serves one address of a warp at a time. If threads index a table "
                            "differently, put it into global or shared memory.",
                        Remedy::constant_memory, std::nullopt, false};
    case Resource::texture:
      if (resource != bounds.rules()) return std::nullopt;  // no model says what a change gains
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
double moved_in_vain(const LaunchPrediction& prediction) {
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
    moved = 32 * static_cast<double>(pace.dram_read_sectors + pace.dram_filled_sectors +
                                     pace.dram_written_sectors);
  return asked > 0 ? moved / asked : 0;
}

// Returns true if DRAM moves mostly values that have no register.
bool mostly_spills(const LaunchPrediction& prediction) {
  LaunchFacts facts = prediction.facts;
  facts.spills = {};
  return bounds_of(prediction.profile, prediction.sample, facts).of(Resource::dram) <
         half * prediction.bounds.of(Resource::dram);
}

std::string about_dram(const LaunchPrediction& prediction, const Bounds& bounds, double share) {
  const bool rules = bounds.rules() == Resource::dram;
  const std::string text = fmt::format("DRAM {} {:.0f} % of the modelled time",
                                       rules ? "is the bottleneck, with" : "takes", 100 * share);
  if (mostly_spills(prediction)) return text + ", mostly by spilled values: mend these first.";
  const double moved = moved_in_vain(prediction);
  if (moved >= too_many_bytes) {
    return fmt::format(
        "{}, but moves {} bytes per requested byte. Use all 32 bytes of each segment that is read: "
        "then DRAM moves no more than needed.",
        text, number(moved));
  }
  return fmt::format(
      "{}{}: the kernel is near this GPU's roof. Moving fewer bytes gains most: "
      "narrower types, or several steps in one kernel.",
      text, moved > 0 ? fmt::format(", and moves {:.2g} bytes per requested byte", moved) : "");
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
                    suggestion.has_example};
  finding.change = suggestion.change;
  finding.by = suggestion.by;
  value(prediction, finding);
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
      return other.advice.remedy == suggestion.remedy;
    });
    if (known) return;
    Finding finding = finding_of(prediction, suggestion);
    if (finding.advice.gain.value_or(worth_a_line) >= worth_a_line)
      findings.push_back(std::move(finding));
  };
  for (const Resource resource : by_length(bounds)) {
    if (bounds.of(resource) < worth_naming * bounds.of(bounds.rules())) break;
    if (resource == Resource::dram && bounds.of(resource) >= at_its_roof * work) {
      const bool is_roof = moved_in_vain(prediction) < too_many_bytes;  // as the example's kernel
      add({about_dram(prediction, bounds, bounds.of(resource) / work), Remedy::fewer_bytes,
           std::nullopt, is_roof});
    } else if (const auto suggestion = about(prediction, bounds, resource)) {
      add(*suggestion);
    }
    if (resource != Resource::issue && resource != Resource::latency) continue;
    for (const auto& suggestion :
         {better(prediction, about_width(prediction), about_shared_width(prediction)),
          better(prediction, about_repeats(prediction), about_shared_loads(prediction))}) {
      if (suggestion) add(*suggestion);
    }
  }
  if (mostly_atomics(prediction))
    add(about_atomics("Atomics are most of the traffic of L2", std::nullopt));
  const auto doubles = about_doubles(prediction);
  if (doubles && std::ranges::find(findings, LineCost::doubles, &Finding::by) == findings.end()) {
    findings.push_back(finding_of(prediction, *doubles));
    findings.back().always = true;
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
    if (each.us < worth_naming * bounds.of(bounds.rules())) break;
    parts.push_back(fmt::format("{} {:.0f} %", each.name, 100 * share));
  }
  return {fmt::format("No change that these counts show gains 5 % (modelled). Parts of the time, "
                      "which overlap: {}.",
                      fmt::join(parts, ", ")),
          model_rule};
}

void value(const LaunchPrediction& prediction, Finding& finding) {
  if (!finding.change) return;
  const Range range = gain_range_of(prediction, *finding.change);
  const double gain = range.likely;
  constexpr double as_fast = 1.005;
  const bool is_known = gain >= as_fast || finding.by != LineCost::doubles;
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
            ? " conversions and double arithmetic go away; the model does not know their gain."
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
