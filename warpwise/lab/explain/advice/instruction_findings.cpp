// Suggestions that save instructions.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "warpwise/lab/explain/advice/suggestion.hpp"
#include "warpwise/lab/explain/number_text.hpp"

namespace warpwise::lab {
namespace {

std::string capitalised(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

// Returns the machine instructions of the sample. A division counts as several.
double machine_instructions(const LaunchPrediction& prediction) {
  return static_cast<double>(prediction.sample.totals.warp_instructions) +
         prediction.sample.pace.further.all;
}

// Returns a GPU's rate of single precision, divided by that of double precision. Returns 0 if the
// GPU has no double precision.
double single_over_double(const DeviceProfile& profile) {
  const double doubles = profile.figure("float64_per_cycle");
  return doubles > 0 ? profile.figure("float32_per_cycle") / doubles : 0;
}

// Returns "an A computes 2 times as fast in single precision, a B 64 times.", for the profile's
// GPU A. B has the greatest ratio of the installed profiles. It is left out if A's ratio equals it.
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

// Shares of PTX's instructions that are arithmetic with floats and with doubles.
struct FloatArithmetic {
  double floats = 0;
  double doubles = 0;

  const char* operands() const {
    return doubles == 0 ? "floats" : floats == 0 ? "doubles" : "floats and doubles";
  }
};

FloatArithmetic share_of_float_arithmetic(const LaunchPrediction& prediction) {
  FloatArithmetic counts;
  double all = 0;
  for (const auto& [name, count] : prediction.sample.instructions_by_class) {
    all += static_cast<double>(count);
    if (name == "float32") counts.floats += static_cast<double>(count);
    if (name == "float64") counts.doubles += static_cast<double>(count);
  }
  if (all == 0) return {};
  return {counts.floats / all, counts.doubles / all};
}

Suggestion about_all_instructions(const LaunchPrediction& prediction, const Bounds& bounds) {
  constexpr double most = 0.75;
  const FloatArithmetic arithmetic = share_of_float_arithmetic(prediction);
  const double share = arithmetic.floats + arithmetic.doubles;
  if (share >= most) {
    return {fmt::format("{}. {:.0f} % of the instructions are arithmetic with {}, so that few "
                        "others can be saved. Look for a formula with fewer operations, or for "
                        "values that threads compute repeatedly.",
                        standing(bounds, Resource::issue, "instruction issue"), 100 * share,
                        arithmetic.operands()),
            Remedy::fewer_instructions, std::nullopt, false};
  }
  return {
      standing(bounds, Resource::issue, "instruction issue") +
          ". Compute several results per thread: they share index arithmetic and conditions. Keep "
          "conditions that hold for most blocks out of the inner loop. With half the instructions" +
          (bounds.bottleneck_resource() == Resource::issue
               ? ","
               : " and half the waiting for their results,"),
      Remedy::fewer_instructions, Change{.instructions = half, .starts = half}};
}

// Returns true if the sample shows that atomics meet on words of global memory: within a warp, in
// the sample, or in the whole grid. Each figure is a lower bound of the operations on a word.
bool meet_on_words(const LaunchPrediction& prediction) {
  const emulator::LaunchResult& sample = prediction.sample;
  const emulator::TrafficCounts& atomics = sample.memory.front().global_atomic;
  const auto requested = static_cast<double>(atomics.bytes_requested);
  const double blocks = ratio(prediction.facts.blocks, std::max<std::uint64_t>(sample.blocks, 1));
  const auto exceeds = [](double bytes, double distinct) {
    constexpr double clearly = 1.5;
    return distinct > 0 && bytes >= clearly * distinct;
  };
  // Two blocks may use one part of L2 without a common word. This is the most that its sixteen
  // sectors of eight words then take, with compare-and-swaps, which count twice.
  const double most_apart = 256 * prediction.profile.figure("atomic_sector_cycles");
  return exceeds(requested, static_cast<double>(atomics.bytes_moved)) ||
         exceeds(requested, 32 * static_cast<double>(sample.pace.dram_written_sectors)) ||
         exceeds(requested * blocks, static_cast<double>(prediction.facts.memory_bytes)) ||
         static_cast<double>(sample.pace.atomic_cycles_of_busiest_place) > most_apart;
}

}  // namespace

std::string is_bottleneck(std::string_view name) {
  return fmt::format("{} {} the bottleneck", name,
                     name == name_of(Resource::atomics) ? "are" : "is");
}

std::string standing(const Bounds& bounds, Resource resource, std::string_view name) {
  const Resource bottleneck = bounds.bottleneck_resource();
  if (resource == bottleneck) return capitalised(is_bottleneck(name));
  return fmt::format("{} {} {:.0f} % of the time of the bottleneck, which is {}",
                     capitalised(std::string(name)),
                     name == name_of(Resource::atomics) ? "take" : "takes",
                     100 * bounds.of(resource) / bounds.of(bottleneck), bottleneck_of(bounds));
}

std::optional<Suggestion> about_divisions(const LaunchPrediction& prediction, double least) {
  const double all = machine_instructions(prediction);
  const rules::MachineInstructions& inside = prediction.sample.pace.further;
  const double share = all > 0 ? inside.all / all : 0;
  if (share < least) return std::nullopt;
  const double floats = inside.float32 + inside.float64;
  constexpr double most = 0.8;  // above this share of one kind, the other kind gets no sentence
  std::string text = floats < most * (floats + inside.integer)
                         ? "integer divisions and remainders. If the divisor is a power of two, "
                           "use & (divisor - 1) and shifts. If it is fixed during the launch, "
                           "compute a multiplier on the host."
                         : "";
  if (inside.integer < most * (floats + inside.integer))
    text += (text.empty() ? "" : " Others carry out ") +
            std::string(
                "divisions, square roots and the like. Divide by constants or powers of "
                "two, multiply by a reciprocal, or use a faster function (rsqrtf, "
                "__fdividef) where it is exact enough.");
  return Suggestion{fmt::format("{:.0f} % of the machine instructions carry out {} With one "
                                "instruction in place of each,",
                                100 * share, text),
                    Remedy::fewer_instructions, Change{.divisions = 1}, false, LineCost::divisions};
}

std::optional<Suggestion> about_doubles(const LaunchPrediction& prediction) {
  const auto& classes = prediction.sample.instructions_by_class;
  const auto count = [&](const char* name) {
    const auto found = classes.find(name);
    return found == classes.end() ? 0.0 : static_cast<double>(found->second);
  };
  const rules::MachineInstructions& further = prediction.sample.pace.further;
  const bool converts = further.conversion64 > 0;
  // sinf, cosf and tanf compute with a few doubles for large arguments.
  constexpr double few = 0.01;
  if (count("float64") + further.float64 + further.conversion64 <
      few * machine_instructions(prediction))
    return std::nullopt;
  constexpr double slow = 8;  // from this ratio on, doubles count as slow without conversions too
  if (!converts && (count("float64") == 0 || single_over_double(prediction.profile) < slow))
    return std::nullopt;
  return Suggestion{fmt::format("The kernel {} double precision. {} {} In single precision,",
                                converts ? "converts between single and" : "computes in",
                                rates_text(prediction.profile), constant_is_double),
                    Remedy::fewer_instructions, Change{.doubles = 1}, false, LineCost::doubles};
}

Suggestion about_atomics(const LaunchPrediction& prediction, const std::string& what,
                         std::optional<Change> change) {
  if (!meet_on_words(prediction)) {
    return {what +
                ". In the counted blocks hardly two atomics are on the same word: if no other "
                "thread changes the word during the launch, use a plain load and store.",
            Remedy::reuse, std::nullopt, false, LineCost::atomics};
  }
  const bool combines = prediction.sample.memory.front().shared_atomic.requests > 0;
  return {what + ": L2 carries out the operations on one word one after the other. " +
              (combines ? "Blocks combine in shared memory already: give each block more elements."
                        : "Combine them in registers and shared memory first, and let each block "
                          "add its results once.") +
              (change ? " With half the atomics," : ""),
          Remedy::reuse, change, false, LineCost::atomics};
}

std::optional<Suggestion> about_barriers(const LaunchPrediction& prediction) {
  const emulator::ExecutionCounts& totals = prediction.sample.totals;
  const double share = ratio(totals.barriers, totals.warp_instructions);
  constexpr double many = 0.05;
  if (share < many) return std::nullopt;
  return Suggestion{
      fmt::format("{:.0f} % of the instructions are barriers of a whole block. Where only threads "
                  "of one warp exchange values, use __syncwarp or __shfl_xor_sync. With half the "
                  "barriers,",
                  100 * share),
      Remedy::fewer_instructions, Change{.instructions = half * share, .barriers = half}, false,
      LineCost::barriers};
}

std::vector<Suggestion> about_issue(const LaunchPrediction& prediction, const Bounds& bounds) {
  std::vector<Suggestion> causes = {about_all_instructions(prediction, bounds)};
  constexpr double many = 0.1;
  for (auto& each : {about_divisions(prediction, many), about_doubles(prediction)}) {
    if (each) causes.push_back(each.value());
  }
  return causes;
}

}  // namespace warpwise::lab
