#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "warpwise/base/counted.hpp"
#include "warpwise/emulator/race_kinds.hpp"
#include "warpwise/io/printable.hpp"
#include "warpwise/lab/explain/advice/advice.hpp"
#include "warpwise/lab/explain/advice/findings.hpp"
#include "warpwise/lab/explain/advice/placement.hpp"
#include "warpwise/lab/explain/kernel/parameter_members.hpp"
#include "warpwise/lab/explain/launch/scanned.hpp"
#include "warpwise/lab/explain/number_text.hpp"
#include "warpwise/lab/explain/show/report.hpp"

namespace warpwise::lab {
namespace {

using emulator::LineCounts;
using emulator::PassCounts;
using emulator::TrafficCounts;

constexpr std::size_t line_width = 160;  // longer lines of source are cut
constexpr int nearby = 4;  // a gap between counted lines is shown if it is shorter than this

// Writes text in colours that are readable on light and on dark ground, or without colours.
class Paint {
 public:
  explicit Paint(bool colour) : colour_(colour) {}
  std::string bold(const std::string& text) const { return in("1", text); }
  std::string good(const std::string& text) const { return in("32", text); }
  std::string bad(const std::string& text) const { return in("1;31", text); }
  std::string quiet(const std::string& text) const { return in("2", text); }

 private:
  std::string in(const char* code, const std::string& text) const {
    return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  bool colour_;
};

std::string dimensions(const emulator::Dim3& size) {
  return fmt::format("{},{},{}", size.x, size.y, size.z);
}

// Returns the user's text for the terminal: tabs become blanks, and no control character is left.
std::string shown(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\t')
      result += "  ";
    else
      result += c;
  }
  return io::printable(result);
}

struct Unit {
  const char* one;
  const char* many;
};
constexpr Unit transaction_unit = {"transaction", "transactions"};
constexpr Unit pass_unit = {"pass", "passes"};

std::string against_ideal(const Paint& paint, const char* what, double each, double ideal,
                          Unit unit) {
  const bool is_one = number(each) == "1";
  const std::string text = fmt::format("{} {} {}, ideal {}", what, number(each),
                                       is_one ? unit.one : unit.many, number(ideal));
  return number(each) == number(ideal) ? paint.good(text) : paint.bad(text);
}

void add_traffic(const Paint& paint, const char* what, const TrafficCounts& counts,
                 std::vector<std::string>& parts) {
  if (counts.requests == 0) return;
  parts.push_back(against_ideal(paint, what, ratio(transactions(counts), counts.requests),
                                ratio(counts.ideal_transactions, counts.requests),
                                transaction_unit));
}

// Adds the transactions of atomics, and their operations per request. Operations on the same word
// run one after another.
void add_atomics(const Paint& paint, const TrafficCounts& counts, std::vector<std::string>& parts) {
  if (counts.requests == 0) return;
  add_traffic(paint, "global atomic", counts, parts);
  const std::string operations = number(ratio(counts.references, counts.requests));
  parts.back() += fmt::format(", {} operation{}", operations, operations == "1" ? "" : "s");
}

void add_passes(const Paint& paint, const char* what, const PassCounts& counts,
                std::vector<std::string>& parts) {
  if (counts.requests == 0) return;
  parts.push_back(against_ideal(paint, what, ratio(counts.passes, counts.requests),
                                ratio(counts.ideal_passes, counts.requests), pass_unit));
}

std::vector<std::string> memory_parts(const Paint& paint, const emulator::MemoryCounts& counts) {
  std::vector<std::string> parts;
  add_traffic(paint, "global read", counts.global_load, parts);
  add_traffic(paint, "global write", counts.global_store, parts);
  add_atomics(paint, counts.global_atomic, parts);
  add_traffic(paint, "local read", counts.local_load, parts);
  add_traffic(paint, "local write", counts.local_store, parts);
  add_passes(paint, "shared read", counts.shared_load, parts);
  add_passes(paint, "shared write", counts.shared_store, parts);
  add_passes(paint, "shared atomic", counts.shared_atomic, parts);
  add_passes(paint, "constant", counts.constant, parts);
  if (counts.texture_requests > 0) {
    parts.push_back(fmt::format("texture {} requests", grouped(counts.texture_requests)));
  }
  return parts;
}

// Returns the transactions of atomics and local memory: " (of them 32,768 atomics and 4,096
// local)". Returns an empty text if there are none.
std::string kinds_text(const emulator::MemoryCounts& counts) {
  const std::uint64_t atomics = transactions(counts.global_atomic);
  const std::uint64_t local = transactions(counts.local_load) + transactions(counts.local_store);
  std::vector<std::string> kinds;
  if (atomics > 0) kinds.push_back(grouped(atomics) + " atomics");
  if (local > 0) kinds.push_back(grouped(local) + " local");
  return kinds.empty() ? "" : fmt::format(" (of them {})", fmt::join(kinds, " and "));
}

// Returns the launch's transactions of global and local memory, its passes of shared memory, and
// the ideal numbers.
std::string memory_text(const Paint& paint, const emulator::MemoryCounts& counts) {
  std::uint64_t made = 0;
  std::uint64_t needed = 0;
  for (const TrafficCounts& each : {counts.global_load, counts.global_store, counts.global_atomic,
                                    counts.local_load, counts.local_store}) {
    made += transactions(each);
    needed += each.ideal_transactions;
  }
  std::uint64_t passes = 0;
  std::uint64_t needed_passes = 0;
  for (const PassCounts& each : {counts.shared_load, counts.shared_store, counts.shared_atomic}) {
    passes += each.passes;
    needed_passes += each.ideal_passes;
  }
  const auto part = [&](const char* memory, std::uint64_t count, Unit unit, std::uint64_t least,
                        const std::string& of_them) {
    const std::string text = fmt::format("{} memory: {} {}, ideal {}{}", memory, grouped(count),
                                         unit.many, grouped(least), of_them);
    return count == least ? paint.good(text) : paint.bad(text);
  };
  std::vector<std::string> parts;
  if (made > 0) parts.push_back(part("global", made, transaction_unit, needed, kinds_text(counts)));
  if (passes > 0) parts.push_back(part("shared", passes, pass_unit, needed_passes, ""));
  return parts.empty() ? "" : fmt::format("        {}\n", fmt::join(parts, "; "));
}

std::string capability_text(const Paint& paint, const CapabilityReport& report) {
  const std::string cc = rules::to_string(report.compute_capability);
  const auto& occupancy = report.occupancy;
  std::string text = "CC " + fmt::format("{:<5}", cc);
  if (!report.why_not.empty()) {
    text += paint.bad("cannot run: " + report.why_not);
  } else {
    const std::string share = fmt::format(
        "{}occupancy {:.0f} %", report.registers ? "" : "at most ", 100 * occupancy.fraction);
    text += paint.bold(share) + fmt::format(": {}, {} of {} warps on an SM; limited by {}",
                                            counted(occupancy.blocks_per_sm, "block"),
                                            occupancy.warps_per_sm,
                                            rules::sm_limits(report.compute_capability).warps,
                                            name_of(occupancy.limiter));
  }
  const std::string registers =
      report.registers
          ? fmt::format("{} registers a thread ({})", *report.registers, report.registers_from)
          : "registers " + report.registers_from;
  const std::string spills =
      report.spill_bytes ? fmt::format(", {} bytes spilled", *report.spill_bytes) : "";
  return text + "\n        " + wrapped(registers + spills, 8) + "\n";
}

// Names the architecture that the source was compiled for. Returns an empty text for a PTX file,
// which names its architecture itself.
std::string built_for(const Explanation& explanation) {
  const bool was_compiled = !explanation.request.file.ends_with(".ptx");
  return was_compiled ? fmt::format(" for compute_{}", explanation.compilation.options.architecture)
                      : "";
}

std::string head(const Explanation& explanation, const Paint& paint) {
  const ExplainRequest& request = explanation.request;
  const emulator::KernelInfo& kernel = explanation.kernel;
  std::string text = fmt::format("{} in {}: grid {}, block {}, {} threads\ncompiled by {}{}\n",
                                 paint.bold(shown(explanation.kernel_name)), shown(request.file),
                                 dimensions(request.grid), dimensions(request.block),
                                 grouped(request.grid.count() * request.block.count()),
                                 explanation.compilation.compiler, built_for(explanation));
  for (const std::string& note : explanation.compilation.notes) {
    text +=
        "  " +
        wrapped("note: " + io::shortened(shown(note.substr(0, note.find('\n'))), line_width), 2) +
        "\n";
  }
  text += "\n";
  for (std::size_t i = 0; i < explanation.capabilities.size(); ++i) {
    text += capability_text(paint, explanation.capabilities[i]);
    text += memory_text(paint, explanation.launch.memory[i]);
  }
  text += fmt::format(
      "shared memory {} bytes static + {} dynamic a block, local {} bytes a thread, constant {} "
      "bytes\n",
      kernel.static_shared_bytes, request.dynamic_shared_bytes, kernel.local_bytes,
      kernel.constant_bytes);
  return text;
}

std::string counted_text(const Explanation& explanation) {
  const std::string text = explanation.counted();
  return text.empty() ? "" : wrapped(text, 0) + "\n";
}

bool has_races(const emulator::LaunchResult& launch) {
  return std::ranges::any_of(launch.faults, [](const auto& fault) { return is_race(fault.kind); });
}

std::string fidelity_line(const Explanation& explanation) {
  const std::vector<emulator::ModelledUse>& uses = explanation.launch.modelled;
  if (!uses.empty()) return emulator::fidelity_line(uses) + ".";
  if (has_races(explanation.launch)) return "counts are exact, except for races.";
  const emulator::Checks checks = explanation.request.checks;
  if (checks.has(emulator::Check::races) || checks.has(emulator::Check::strict))
    return "counts are exact.";
  return "counts are exact if no threads race; --check races finds races.";
}

std::string fidelity_text(const Explanation& explanation) {
  const std::vector<emulator::ModelledUse>& uses = explanation.launch.modelled;
  if (!explanation.request.fidelity)
    return "\n" + wrapped("Fidelity: " + fidelity_line(explanation), 0) + "\n";
  std::string text = "\nFidelity\n- exact: everything not named below\n";
  if (has_races(explanation.launch)) text += "- the emulator's own: the order of racing accesses\n";
  for (const emulator::ModelledUse& use : uses) {
    std::vector<std::string> lines;
    for (const emulator::SourcePlace& place : use.lines) {
      const SourceFile* source = explanation.source(place.file);
      lines.push_back(
          fmt::format("{}:{}", shown(source == nullptr ? place.file : source->shown), place.line));
    }
    text += "- " +
            wrapped(fmt::format("modelled: {}: {}; at {}", emulator::meaning_of(use.what),
                                emulator::reach_of(use), fmt::join(lines, ", ")),
                    2) +
            "\n";
  }
  return text;
}

std::string totals_text(const Explanation& explanation) {
  const emulator::ExecutionCounts& totals = explanation.launch.totals;
  std::string classes;
  for (const auto& [name, count] : explanation.launch.instructions_by_class) {
    classes += fmt::format("{}{} {}", classes.empty() ? "" : ", ", name, grouped(count));
  }
  const std::string lanes = number(ratio(totals.thread_instructions, totals.warp_instructions));
  // A predicated instruction counts only the lanes whose predicate is true.
  const bool is_skipped = lanes != "32" && totals.divergent_branches == 0 &&
                          explanation.request.block.count() % 32 == 0;
  const std::string text = fmt::format(
      "{} warp instructions ({}), {} of 32 lanes at work{}; {} branches, {} of them divergent; {} "
      "barriers",
      grouped(totals.warp_instructions), classes, lanes,
      is_skipped ? " (lanes whose condition is false do not count)" : "", grouped(totals.branches),
      grouped(totals.divergent_branches), grouped(totals.barriers));
  return wrapped(text, 0) + "\n";
}

std::string counts_text(const Explanation& explanation, const LineCounts& line,
                        const Paint& paint) {
  const std::string margin(14, ' ');
  std::string text;
  for (std::size_t i = 0; i < line.memory.size(); ++i) {
    const std::vector<std::string> parts = memory_parts(paint, line.memory[i]);
    if (parts.empty()) continue;
    const std::string cc = rules::to_string(explanation.request.compute_capabilities[i]);
    text += fmt::format("{}CC {}: {}\n", margin, cc, fmt::join(parts, "; "));
  }
  if (line.execution.divergent_branches > 0) {
    text += margin +
            paint.bad(fmt::format("{} of {} branches divergent",
                                  grouped(line.execution.divergent_branches),
                                  grouped(line.execution.branches))) +
            "\n";
  }
  return text;
}

std::string machine_text(const Explanation& explanation, const LineCounts& line,
                         const Paint& paint) {
  std::string text;
  for (const MachineInstruction& each : explanation.instructions_of(line)) {
    text += fmt::format("{:14}{}\n", "",
                        paint.quiet(fmt::format("{:04x}  {}", each.address, shown(each.text))));
  }
  return text;
}

// Returns "on an NVIDIA H200, modelled: 5 us (4 to 6 us); launch 1, DRAM 4 (these parts overlap)".
std::string prediction_text(const Explanation& explanation) {
  const LaunchPrediction& prediction = *explanation.prediction;
  const std::string on = fmt::format("on {}, modelled: ", prediction.profile.gpu_with_article());
  if (!prediction.why_not.empty())
    return wrapped(on + "not known, " + prediction.why_not, 0) + "\n";
  const Bounds& bounds = prediction.bounds;
  std::vector<BoundPart> parts = parts_of(bounds);
  std::erase_if(parts, [&](const BoundPart& each) {
    return each.us <= bounds.of(bounds.bottleneck_resource()) / 4;
  });
  std::ranges::stable_sort(parts, std::greater(), &BoundPart::us);
  std::string text =
      fmt::format("{}{} us ({} to {} us); launch {:.2g}", on, time_text(bounds.time_us()),
                  time_text(bounds.least_us()), time_text(bounds.most_us()), bounds.launch_us);
  for (const BoundPart& each : parts) text += fmt::format(", {} {}", each.name, time_text(each.us));
  text += " (these parts overlap)";
  if (const auto ratio = explanation.measured_over_predicted()) {
    text +=
        fmt::format("; measured on {}, cold: {} us, {:.2f} times as long", explanation.gpu->device,
                    time_text(explanation.gpu->times->cold.median_us), *ratio);
  }
  return wrapped(text, 0) + "\n";
}

// Writes the part above the source: machine instructions, the GPU's report and the prediction.
std::string text_above_source(const Explanation& explanation) {
  std::string text;
  if (const auto& code = explanation.machine_code) {
    text += code->why_unknown.empty()
                ? fmt::format("machine code: {} instructions for {}, each below its source line\n",
                              code->instructions.size(), code->built_for)
                : wrapped("no machine code: " + code->why_unknown, 0) + "\n";
  }
  if (explanation.gpu) text += "\n" + text_of(*explanation.gpu);
  if (explanation.prediction) text += prediction_text(explanation);
  return text;
}

std::string line_text(const Explanation& explanation, const SourceFile* source, int number_of_line,
                      const LineCounts* counts, const Paint& paint) {
  const auto index = static_cast<std::size_t>(number_of_line) - 1;
  const bool known = source != nullptr && number_of_line >= 1 && index < source->lines.size();
  const std::string code = known ? io::shortened(shown(source->lines[index]), line_width) : "";
  if (counts == nullptr) return fmt::format("{:7} {:5}  {}\n", "", number_of_line, code);
  const double share =
      100 * ratio(counts->execution.warp_instructions, explanation.launch.totals.warp_instructions);
  return fmt::format("{:5.1f} % {:5}  {}\n", share, number_of_line, code) +
         counts_text(explanation, *counts, paint) + machine_text(explanation, *counts, paint);
}

std::string source_text(const Explanation& explanation, const Paint& paint) {
  std::string text;
  const LineCounts* before = nullptr;
  for (const LineCounts& line : explanation.launch.lines) {
    if (!explanation.is_shown(line)) continue;
    const SourceFile* source = explanation.source(line.file);
    if (before == nullptr || before->file != line.file) {
      const std::string name = source == nullptr ? "(no line information: compile with -lineinfo)"
                                                 : shown(source->shown);
      text +=
          "\n" + paint.bold(fmt::format("  share  line  {}", name)) +
          (before == nullptr ? paint.quiet("   (share of PTX's warp instructions; counts are for "
                                           "each request of a warp)")
                             : "") +
          "\n";
    } else if (line.line - before->line <= nearby) {
      for (int between = before->line + 1; between < line.line; ++between) {
        text += line_text(explanation, source, between, nullptr, paint);
      }
    } else {
      text += "           ...\n";
    }
    text += line_text(explanation, source, line.line, &line, paint);
    before = &line;
  }
  return text;
}

// Names the program's own line first, then the line of the toolkit's function that has the fault.
std::string place_text(const Explanation& explanation, const emulator::Fault& fault) {
  if (fault.line == 0) return "an unknown line (nvcc -lineinfo makes lines known)";
  const auto named = [&](const emulator::SourcePlace& place) {
    const SourceFile* source = explanation.source(place.file);
    return fmt::format("{}:{}", shown(source == nullptr ? place.file : source->shown), place.line);
  };
  const emulator::SourcePlace own = own_place(fault);
  const bool is_own = own.file == fault.file && own.line == fault.line;
  return named(own) + (is_own ? "" : fmt::format(" (in {})", named({fault.file, fault.line})));
}

bool lacks_shared_memory(const Explanation& explanation) {
  return explanation.request.dynamic_shared_bytes == 0 &&
         explanation.compilation.ptx.find(".extern .shared") != std::string::npos &&
         std::ranges::any_of(explanation.launch.faults, [](const emulator::Fault& each) {
           return each.message.starts_with("shared ");
         });
}

bool waits_for_its_grid(const Explanation& explanation) {
  const std::string_view body = body_of(explanation.compilation.ptx, explanation.kernel.name);
  return std::ranges::any_of(explanation.launch.faults, [&](const emulator::Fault& each) {
    return lacks_cooperative_launch(body, each);
  });
}

std::string faults_text(const Explanation& explanation, const Paint& paint) {
  std::string text;
  for (const emulator::Fault& fault : explanation.launch.faults) {
    text +=
        "- " +
        wrapped(fmt::format(
                    "{} at {}: {} (thread {} of block {}{})",
                    paint.bad(std::string(name_of(fault.kind))), place_text(explanation, fault),
                    shown(fault.message), dimensions(fault.thread), dimensions(fault.block),
                    fault.count > 1 ? fmt::format(" first, {} in all", grouped(fault.count)) : ""),
                2) +
        "\n";
  }
  if (text.empty()) return text;
  if (lacks_shared_memory(explanation))
    text += "The kernel has extern __shared__ memory: give its size by --shared BYTES.\n";
  if (waits_for_its_grid(explanation)) text += wrapped(cooperative_note, 0) + "\n";
  if (const LargerBuffers& larger = explanation.larger_buffers; !larger.sizes.empty()) {
    const std::string sizes = shown(larger.sizes) + " (arguments are counted from 0).";
    text += wrapped(larger.missing_check.empty()
                        ? "With larger buffers no thread passes their end: " + sizes
                        : larger.missing_check +
                              " If a buffer is meant to be longer, this is enough: " + sizes,
                    0) +
            "\n";
  }
  return "\nFaults:\n" + text;
}

// Indents every line of the code but the first.
std::string indented(const std::string& code, std::size_t indent) {
  std::string result;
  for (const char c : code) {
    result += c;
    if (c == '\n') result += std::string(indent, ' ');
  }
  return result;
}

std::string example_text(const Example& example, const Paint& paint) {
  constexpr std::size_t indent = 10;
  return fmt::format(
      "  {}\n  {} {}\n  {} {}\n",
      paint.quiet("Example from another kernel (in full: " + example.shown_by + "):"),
      paint.quiet("before:"), indented(example.before, indent), paint.quiet("after: "),
      indented(example.after, indent));
}

// Says which problem size the findings and gains are for, and names its bottleneck.
std::string scope_text(const LaunchPrediction& prediction) {
  const double larger = larger_to_fill(prediction);
  const std::string gpu = prediction.profile.gpu_with_article();
  const std::string_view bottleneck = bottleneck_of(bounds_when_full(prediction));
  const std::string problem = number(larger) == "1"
                                  ? "slightly larger problem"
                                  : fmt::format("problem {} times as large", number(larger));
  return larger > 1 ? fmt::format(
                          "Findings and gains are for a {}, which fills {}. The bottleneck there "
                          "is {}.",
                          problem, gpu, bottleneck)
                    : fmt::format("Gains are for {}, which the launch fills. The bottleneck is {}.",
                                  gpu, bottleneck);
}

// Writes the advice, with examples.
std::string advice_text(const Explanation& explanation, const Paint& paint) {
  std::string text = "\n" + paint.bold("Advice") + "\n";
  if (const LaunchPrediction* const prediction = explanation.known_prediction();
      prediction != nullptr && !is_too_small(explanation)) {
    text += wrapped(scope_text(*prediction), 0) + "\n";
  }
  for (const Advice& advice : advice_for(explanation)) {
    text += "- " + wrapped(shown(advice.text) + " Rule: " + advice.rule + ".", 2) + "\n";
    if (const auto example = example_for(advice)) text += example_text(*example, paint);
  }
  return text + "- " + wrapped("Summary: " + placement_of(explanation).text + ".", 2) + "\n";
}

}  // namespace

std::string text_of(const Explanation& explanation, bool colour) {
  const Paint paint(colour);
  std::string text = head(explanation, paint) + totals_text(explanation) +
                     counted_text(explanation) + text_above_source(explanation) +
                     source_text(explanation, paint);
  if (!explanation.launch.printed.empty())
    text += "\nThe kernel printed:\n" + explanation.launch.printed;
  text += faults_text(explanation, paint);
  text +=
      explanation.launch.faults.empty()
          ? advice_text(explanation, paint)
          : "\n" +
                wrapped(waits_for_its_grid(explanation)
                            ? "The launch had faults (above): there is no time, and no advice."
                            : "The launch had faults (above). Correct the arguments or the kernel "
                              "first: there is no time, and no advice.",
                        0) +
                "\n";
  return text + fidelity_text(explanation);
}

}  // namespace warpwise::lab
