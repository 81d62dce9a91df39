#include "warpwise/lab/explain/comparison/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "warpwise/lab/explain/advice/advice.hpp"
#include "warpwise/lab/explain/comparison/compared_lines.hpp"
#include "warpwise/lab/explain/number_text.hpp"

namespace warpwise::lab {
namespace {

// Returns one figure from the memory counts of a launch or a line.
using CountOfMemory = std::uint64_t (*)(const emulator::MemoryCounts&);

struct MemoryFigure {
  const char* what;
  CountOfMemory of;
};

template <class Take>
std::uint64_t over_global(const emulator::MemoryCounts& counts, const Take& take) {
  return take(counts.global_load) + take(counts.global_store) + take(counts.global_atomic);
}
template <class Take>
std::uint64_t over_shared(const emulator::MemoryCounts& counts, const Take& take) {
  return take(counts.shared_load) + take(counts.shared_store) + take(counts.shared_atomic);
}

constexpr MemoryFigure memory_figures[] = {
    {"global memory, requests of warps",
     [](const emulator::MemoryCounts& counts) {
       return over_global(counts, [](const auto& each) { return each.requests; });
     }},
    {"global memory, transactions",
     [](const emulator::MemoryCounts& counts) {
       return over_global(counts, [](const auto& each) { return transactions(each); });
     }},
    {"global memory, least transactions",
     [](const emulator::MemoryCounts& counts) {
       return over_global(counts, [](const auto& each) { return each.ideal_transactions; });
     }},
    {"global memory, bytes moved",
     [](const emulator::MemoryCounts& counts) {
       return over_global(counts, [](const auto& each) { return each.bytes_moved; });
     }},
    {"local memory, bytes moved",
     [](const emulator::MemoryCounts& counts) {
       return counts.local_load.bytes_moved + counts.local_store.bytes_moved;
     }},
    {"shared memory, passes",
     [](const emulator::MemoryCounts& counts) {
       return over_shared(counts, [](const auto& each) { return each.passes; });
     }},
    {"shared memory, least passes",
     [](const emulator::MemoryCounts& counts) {
       return over_shared(counts, [](const auto& each) { return each.ideal_passes; });
     }},
    {"constant memory, passes",
     [](const emulator::MemoryCounts& counts) { return counts.constant.passes; }},
    {"textures, requests of warps",
     [](const emulator::MemoryCounts& counts) { return counts.texture_requests; }},
};

template <class Of>
double sum(const ExplainedKernel& kernel, const Of& of) {
  double total = 0;
  for (const Explanation& launch : kernel.launches) total += static_cast<double>(of(launch));
  return total;
}

// Returns the counts of both kernels, without counts that are 0 in both.
std::vector<ComparedFigure> compared_counts_of(const ExplainedKernel& before,
                                               const ExplainedKernel& after, std::size_t cc) {
  std::vector<ComparedFigure> counts;
  const auto add = [&](std::string what, const auto& of) {
    const ComparedFigure figure = {std::move(what), sum(before, of), sum(after, of)};
    if (figure.before != 0 || figure.after != 0) counts.push_back(figure);
  };
  add("launches", [](const Explanation&) { return 1; });
  add("threads", [](const Explanation& each) {
    return each.request.grid.count() * each.request.block.count();
  });
  add("warp instructions",
      [](const Explanation& each) { return each.launch.totals.warp_instructions; });
  add("divergent branches",
      [](const Explanation& each) { return each.launch.totals.divergent_branches; });
  add("barriers of warps", [](const Explanation& each) { return each.launch.totals.barriers; });
  for (const MemoryFigure& figure : memory_figures) {
    add(figure.what, [&](const Explanation& each) { return figure.of(each.launch.memory[cc]); });
  }
  const auto first = [&](const char* what, const auto& of) {
    const ComparedFigure figure = {what, static_cast<double>(of(before.launches.front())),
                                   static_cast<double>(of(after.launches.front()))};
    if (figure.before != 0 || figure.after != 0) counts.push_back(figure);
  };
  first("registers of a thread",
        [&](const Explanation& each) { return each.capabilities[cc].registers.value_or(0); });
  first("bytes spilled by a thread",
        [&](const Explanation& each) { return each.capabilities[cc].spill_bytes.value_or(0); });
  first("warps on a multiprocessor",
        [&](const Explanation& each) { return each.capabilities[cc].occupancy.warps_per_sm; });
  return counts;
}

std::vector<std::string> notes_of(const ExplainedKernel& before, const ExplainedKernel& after) {
  std::vector<std::string> notes;
  for (const ExplainedKernel* const kernel : {&before, &after}) {
    for (const Explanation& launch : kernel->launches) {
      const std::string text = launch.counted();
      if (!text.empty())
        notes.push_back(
            fmt::format("{}: {}", kernel == &before ? "of the first" : "of the second", text));
    }
  }
  return notes;
}

// Largest relative errors of a float type's results that do not count as differences of kernels.
struct Tolerance {
  double rounding = 0;  // error that a different order of a few operations may cause
  double order = 0;     // error that a different order of long sums may cause
};

Tolerance tolerance_of(ScalarType type) {
  switch (type) {
    case ScalarType::f32: return {1e-3, 1e-2};
    case ScalarType::f64: return {1e-9, 1e-8};
    default: return {};
  }
}

// Elements that differ between two buffers. Floats that differ only by rounding are equal.
struct Difference {
  std::uint64_t elements = 0;
  double largest = 0;  // relative; infinite for integers
};

// Returns the relative difference of two values; infinite if one of them is no finite number.
double relative_difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double by = std::abs(a - b) / std::max(std::abs(a), std::abs(b));
  return std::isfinite(by) ? by : std::numeric_limits<double>::infinity();
}

template <class Float>
double relative_difference(const std::byte* at, const std::byte* other) {
  Float a{}, b{};
  std::memcpy(&a, at, sizeof a);
  std::memcpy(&b, other, sizeof b);
  return relative_difference(double{a}, double{b});
}

Difference difference_of(ScalarType type, const std::vector<std::byte>& a,
                         const std::vector<std::byte>& b) {
  const auto size = static_cast<std::size_t>(size_of(type));
  Difference all;
  for (std::size_t at = 0; at + size <= a.size(); at += size) {
    if (std::memcmp(&a[at], &b[at], size) == 0) continue;
    const double by = type == ScalarType::f32   ? relative_difference<float>(&a[at], &b[at])
                      : type == ScalarType::f64 ? relative_difference<double>(&a[at], &b[at])
                                                : std::numeric_limits<double>::infinity();
    if (by <= tolerance_of(type).rounding) continue;
    ++all.elements;
    all.largest = std::max(all.largest, by);
  }
  return all;
}

// Returns true if a kernel's threads combine values. The order, and thus the rounding, may differ.
bool combines_values(const Explanation& explanation) {
  const emulator::LaunchResult& launch = explanation.launch;
  return launch.totals.barriers > 0 || launch.instructions_by_class.contains("atomic") ||
         launch.instructions_by_class.contains("shuffle");
}

// Returns what a kernel could write behind an argument.
std::vector<const Arguments::Writable*> written_of(const Explanation& explanation,
                                                   std::size_t argument) {
  std::vector<const Arguments::Writable*> own;
  for (const Arguments::Writable& each : explanation.buffers)
    if (each.index == argument) own.push_back(&each);
  return own;
}

std::string difference_text(const Difference& found, const Arguments::Writable& memory,
                            const std::string& name, bool combines) {
  const bool may_be_order = combines && found.largest <= tolerance_of(memory.type).order;
  return fmt::format(
      "{} differs after the two kernels ({} of {} elements{}", name, grouped(found.elements),
      grouped(memory.bytes.size() / static_cast<std::size_t>(size_of(memory.type))),
      may_be_order
          ? fmt::format(", by up to {:.2g} %): another order of float sums may cause this.",
                        100 * found.largest)
          : "): the kernels compute different results.");
}

// Names the buffers whose contents differ after the two kernels, though the arguments were equal.
std::vector<std::string> differences_of(const Explanation& before, const Explanation& after) {
  std::vector<std::string> texts;
  const std::vector<ArgumentSpec>& arguments = before.request.arguments;
  const std::vector<ArgumentSpec>& others = after.request.arguments;
  for (std::size_t i = 0; i < std::min(arguments.size(), others.size()); ++i) {
    if (arguments[i].text != others[i].text) continue;
    const auto first = written_of(before, i);
    const auto second = written_of(after, i);
    if (first.size() != second.size()) continue;  // one of them ran only a sample
    for (std::size_t k = 0; k < first.size(); ++k) {
      if (first[k]->bytes.size() != second[k]->bytes.size()) continue;
      const Difference found = difference_of(first[k]->type, first[k]->bytes, second[k]->bytes);
      if (found.elements == 0) continue;
      const std::string part =
          first.size() == 1 ? "" : fmt::format(", buffer {} of {} in it,", k + 1, first.size());
      texts.push_back(difference_text(found, *first[k], fmt::format("Argument {}{}", i, part),
                                      combines_values(before) || combines_values(after)));
    }
  }
  return texts;
}

bool is_predicted(const ExplainedKernel& kernel) {
  return std::all_of(kernel.launches.begin(), kernel.launches.end(),
                     [](const Explanation& each) { return each.known_prediction() != nullptr; });
}

// Returns the parts of the time for a problem `larger` times as large, summed over the launches.
std::vector<BoundPart> parts_of(const ExplainedKernel& kernel, double larger) {
  std::vector<BoundPart> all;
  for (const Explanation& each : kernel.launches) {
    const std::vector<BoundPart> own = parts_of(bounds_when_larger(*each.prediction, larger));
    if (all.empty())
      all.assign(own.begin(), own.end());
    else
      for (std::size_t i = 0; i < own.size(); ++i) all[i].us += own[i].us;
  }
  return all;
}

std::string longest_of(const std::vector<BoundPart>& parts) {
  return std::string(std::ranges::max_element(parts, {}, &BoundPart::us)->name);
}

ComparedTimes times_of(const ExplainedKernel& before, const ExplainedKernel& after) {
  ComparedTimes times;
  times.profile = before.launches.front().prediction->profile;
  for (const ExplainedKernel* kernel : {&before, &after}) {
    for (const Explanation& each : kernel->launches)
      times.larger = std::max(times.larger, larger_to_fill(*each.prediction));
  }
  const auto range_of = [](const ExplainedKernel& kernel, double larger) {
    Range all;
    for (const Explanation& each : kernel.launches)
      all += (larger == 1 ? each.prediction->bounds : bounds_when_larger(*each.prediction, larger))
                 .range_us();
    return all;
  };
  const auto compared = [&](const char* what, double larger, Range& gain) {
    const Range first = range_of(before, larger), second = range_of(after, larger);
    gain = gain_between(first, second);
    return ComparedFigure{what, first.likely, second.likely};
  };
  times.launched = compared("as launched here", 1, times.launched_gain);
  times.time = compared("time", times.larger, times.gain);
  const std::vector<BoundPart> first = parts_of(before, times.larger);
  const std::vector<BoundPart> second = parts_of(after, times.larger);
  times.rules_before = longest_of(first);
  times.rules_after = longest_of(second);
  double most_changed = -1;
  for (std::size_t i = 0; i < first.size(); ++i) {
    times.parts.push_back({std::string(first[i].name), first[i].us, second[i].us});
    const double changed = std::abs(first[i].us - second[i].us);
    if (changed > most_changed) most_changed = changed, times.changed = i;
  }
  return times;
}

// Returns the times that a GPU measured; nothing if no GPU was asked for.
std::optional<MeasuredTimes> measured_times_of(const ExplainedKernel& before,
                                               const ExplainedKernel& after) {
  if (!before.launches.front().gpu) return std::nullopt;
  MeasuredTimes times;
  for (const ExplainedKernel* kernel : {&before, &after}) {
    for (const Explanation& each : kernel->launches) {
      if (each.gpu->times) continue;
      times.why_not = each.gpu->why_not.empty() ? each.gpu->why_no_times : each.gpu->why_not;
      return times;
    }
  }
  const auto cold = [](const Explanation& each) { return each.gpu->times->cold.median_us; };
  times.device = before.launches.front().gpu->device;
  times.cold_us = {"measured, cold L2", sum(before, cold), sum(after, cold)};
  return times;
}

// Returns the memory figure that a part of the time depends on; null for instruction issue,
// constants, atomics and the start of blocks. Latency has two: returns the one that changed more.
const MemoryFigure* figure_behind(std::string_view part, const ExplainedKernel& before,
                                  const ExplainedKernel& after, std::size_t cc) {
  if (part == starting_blocks) return nullptr;
  const auto named = [](std::string_view what) {
    return std::find_if(std::begin(memory_figures), std::end(memory_figures),
                        [&](const MemoryFigure& each) { return each.what == what; });
  };
  switch (*value_named<Resource>(part)) {
    case Resource::dram:
    case Resource::l2:
    case Resource::l1: return named("global memory, bytes moved");
    case Resource::shared: return named("shared memory, passes");
    case Resource::texture: return named("textures, requests of warps");
    case Resource::latency: {
      const auto changed = [&](const MemoryFigure* figure) {
        const auto of = [&](const Explanation& each) { return figure->of(each.launch.memory[cc]); };
        return std::abs(sum(before, of) - sum(after, of));
      };
      const MemoryFigure* const requests = named("global memory, requests of warps");
      const MemoryFigure* const passes = named("shared memory, passes");
      return changed(passes) > changed(requests) ? passes : requests;
    }
    case Resource::constants:
    case Resource::atomics:
    case Resource::issue: break;
  }
  return nullptr;
}

void add_lines(const ExplainedKernel& before, const ExplainedKernel& after, std::size_t cc,
               Comparison& comparison) {
  const MemoryFigure* figure =
      comparison.times ? figure_behind(comparison.times->parts[comparison.times->changed].what,
                                       before, after, cc)
                       : nullptr;
  if (figure != nullptr) {
    comparison.decides = figure->what;
    comparison.lines = compared_lines(before, after, [&](const emulator::LineCounts& line) {
      return figure->of(line.memory[cc]);
    });
  }
  if (!comparison.lines.empty()) return;
  comparison.decides = "warp instructions";
  comparison.lines = compared_lines(before, after, [](const emulator::LineCounts& line) {
    return line.execution.warp_instructions;
  });
}

void require_alike(const ExplainedKernel& before, const ExplainedKernel& after) {
  // A rung with several launches gets its arguments from its ladder, so they are not compared.
  if (before.launches.size() != 1 || after.launches.size() != 1) return;
  const emulator::KernelInfo& a = before.launches.front().kernel;
  const emulator::KernelInfo& b = after.launches.front().kernel;
  const bool share_arguments = std::ranges::equal(before.launches.front().request.arguments,
                                                  after.launches.front().request.arguments, {},
                                                  &ArgumentSpec::text, &ArgumentSpec::text);
  if (!share_arguments || a.parameter_bytes == b.parameter_bytes) return;
  throw InvalidArgument(fmt::format(
      "{} and {} cannot be compared: their parameters have {} and {} bytes, and both get the same "
      "arguments",
      before.name, after.name, fmt::join(a.parameter_bytes, ", "),
      fmt::join(b.parameter_bytes, ", ")));
}

}  // namespace

Comparison compare(const ExplainedKernel& before, const ExplainedKernel& after) {
  require_alike(before, after);
  const std::size_t cc = advised_capability(before.launches.front());
  Comparison comparison;
  comparison.before = before.name;
  comparison.after = after.name;
  comparison.compute_capability = before.launches.front().request.compute_capabilities[cc];
  comparison.notes = differences_of(before.launches.front(), after.launches.front());
  for (std::string& note : notes_of(before, after)) comparison.notes.push_back(std::move(note));
  comparison.counts = compared_counts_of(before, after, cc);
  if (is_predicted(before) && is_predicted(after)) comparison.times = times_of(before, after);
  comparison.measured = measured_times_of(before, after);
  add_lines(before, after, cc, comparison);
  return comparison;
}

}  // namespace warpwise::lab
