// Findings from a launch's shape and the kernel's resources.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <regex>

#include "warpwise/base/counted.hpp"
#include "warpwise/emulator/readable.hpp"
#include "warpwise/lab/explain/advice/findings.hpp"
#include "warpwise/lab/explain/launch/scanned.hpp"
#include "warpwise/lab/explain/number_text.hpp"

namespace warpwise::lab {
namespace {

std::string remedy(rules::Limiter limiter, const CapabilityReport& report) {
  switch (limiter) {
    case rules::Limiter::warps: return "Choose a block size that fills the SM's warps better";
    case rules::Limiter::blocks: return "Larger blocks allow more warps";
    case rules::Limiter::registers:
      return fmt::format(
          "Fewer registers than {} a thread (less unrolling, __launch_bounds__) allow more blocks, "
          "unless registers spill",
          report.registers.value_or(0));
    case rules::Limiter::shared_memory:
      return fmt::format(
          "Less shared memory than {} bytes a block allows more blocks. Larger blocks share it "
          "among more threads",
          report.shared_bytes);
  }
  __builtin_unreachable();
}

std::string cause(rules::Limiter limiter) {
  switch (limiter) {
    case rules::Limiter::warps: return "the SM's limit of warps";
    case rules::Limiter::blocks: return "the SM's limit of blocks";
    case rules::Limiter::registers: return "the SM's registers";
    case rules::Limiter::shared_memory: return "the SM's shared memory";
  }
  __builtin_unreachable();
}

std::optional<Finding> low_occupancy(const Explanation& explanation,
                                     const CapabilityReport& report) {
  const std::string cc = rules::to_string(report.compute_capability);
  const double all = static_cast<double>(explanation.launch.totals.warp_instructions);
  if (!report.why_not.empty()) {
    return Finding{all,
                   {fmt::format("On CC {} the kernel cannot run: {}.", cc, report.why_not),
                    cite("limits of a block", "Occupancy"), Remedy::occupancy},
                   std::nullopt};
  }
  constexpr double enough = 0.5;
  if (report.occupancy.fraction >= enough) return std::nullopt;
  return Finding{
      all * (enough - report.occupancy.fraction) / 4,
      {fmt::format("On CC {} an SM holds {} warps of the kernel, {:.0f} % of the maximum, limited "
                   "by {}. Fewer warps hide less memory latency. {}.",
                   cc, report.occupancy.warps_per_sm, 100 * report.occupancy.fraction,
                   cause(report.occupancy.limiter), remedy(report.occupancy.limiter, report)),
       cite("other warps hide latency", "Occupancy"), Remedy::occupancy},
      Change{.blocks_per_sm = static_cast<int>(
                 std::ceil(report.occupancy.blocks_per_sm * enough / report.occupancy.fraction))}};
}

// Names the line with most of the spills.
std::string line_of_spills(const Explanation& explanation, const CapabilityReport& report) {
  if (!report.most_spills) return "";
  const SpillLine& most = *report.most_spills;
  emulator::LineCounts line;
  line.file = most.file;
  line.line = most.line;
  return fmt::format(" {} has {} of the {} instructions that load or store them.",
                     place_of(explanation, line), most.instructions, most.of_all);
}

std::optional<Finding> spills(const Explanation& explanation, const CapabilityReport& report) {
  if (report.spill_bytes.value_or(0) == 0) return std::nullopt;
  return Finding{
      static_cast<double>(explanation.launch.totals.warp_instructions) / 2,
      {fmt::format("The compiler spills {} bytes a thread: values without a register go to local "
                   "memory, which costs as much as global memory.{} Allow more registers "
                   "(__launch_bounds__, -maxrregcount), or keep fewer values alive at once.",
                   *report.spill_bytes, line_of_spills(explanation, report)),
       cite("local memory is global memory", "Local memory"), Remedy::local_memory},
      Change{.spills = 1}};
}

std::optional<Finding> ragged_block(const Explanation& explanation) {
  const std::uint64_t threads = explanation.request.block.count();
  const std::uint64_t lanes = (threads + 31) / 32 * 32;
  if (threads == lanes) return std::nullopt;
  const double idle = 1 - ratio(threads, lanes);
  return Finding{static_cast<double>(explanation.launch.totals.warp_instructions) * idle / 4,
                 {fmt::format("A block of {} occupies whole warps, {} lanes: {} of them "
                              "idle. Use a multiple of 32, best 128 or 256.",
                              counted(threads, "thread"), lanes, lanes - threads),
                  cite("blocks are made of whole warps", "Occupancy"), Remedy::whole_warps},
                 Change{.instructions = idle, .starts = 1 - std::min(1.0, ratio(threads, 256))}};
}

std::optional<Advice> few_blocks(const Explanation& explanation) {
  const LaunchPrediction* const prediction = explanation.known_prediction();
  if (prediction == nullptr) return std::nullopt;
  if (is_too_small(explanation)) {
    return Advice{
        fmt::format("This launch has {}, less than a warp: it is too small to say what a "
                    "change gains.",
                    counted(explanation.request.grid.count() * explanation.request.block.count(),
                            "thread")),
        cite("a block runs on one SM", "Occupancy")};
  }
  const std::uint64_t blocks = prediction->facts.blocks;
  const auto all = static_cast<std::uint64_t>(prediction->profile.figure("multiprocessors"));
  const std::string filled =
      leaves_sms_empty(*prediction)
          ? fmt::format(" An SM gets {} of the {} blocks that it can hold.",
                        (blocks + all - 1) / all, prediction->facts.blocks_per_sm)
          : "";
  if (blocks >= all) {
    if (filled.empty()) return std::nullopt;
    return Advice{fmt::format("This launch has {} blocks for {} SMs.{} Split the work over more "
                              "blocks. The gains below assume enough blocks.",
                              grouped(blocks), all, filled),
                  cite("other warps hide latency", "Occupancy")};
  }
  return Advice{
      fmt::format("This launch has {} block{}; {} has {} SMs, so {} {} idle.{} "
                  "Split the work over more blocks. The gains below assume enough blocks.",
                  blocks, blocks == 1 ? "" : "s", prediction->profile.gpu_with_article(), all,
                  all - blocks, all - blocks == 1 ? "is" : "are", filled),
      cite("a block runs on one SM", "Occupancy")};
}

// Names the first line with an atomic if none of the kernel's atomics ran.
std::optional<Advice> unexecuted_atomic_note(const Explanation& explanation) {
  static const std::regex atomic(R"(\batomic\w*\s*\()");
  if (explanation.launch.instructions_by_class.contains("atomic")) return std::nullopt;
  std::map<std::string, std::vector<std::string>> files;
  for (const SourceFile& each : explanation.sources) files[each.name] = code_in(each.lines);
  for (const emulator::LineCounts& line : explanation.launch.lines) {
    const std::vector<std::string>& lines = files[line.file];
    const auto index = static_cast<std::size_t>(line.line) - 1;  // line 0 is past the end
    if (index >= lines.size() || lines[index].size() > longest_line ||
        !std::regex_search(lines[index], atomic))
      continue;
    return Advice{
        fmt::format("Line {}: the atomic never ran, so the counts leave out its cost. If that is "
                    "due to the data, give real data with @file.npy.",
                    line.line),
        counts_rule};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Advice> unexecuted_access_note(const Explanation& explanation) {
  const auto is_idle = [](const emulator::LineCounts& line) {
    return line.line > 0 && line.execution.warp_instructions == 0;
  };
  if (std::ranges::none_of(explanation.launch.lines, is_idle)) return std::nullopt;
  for (const GlobalAccess& each : accesses_of(explanation)) {
    if (each.line == 0 || each.address.kind != AddressForm::Kind::loaded ||
        emulator::is_of_toolkit(each.file))
      continue;
    const auto did_access = [&](const emulator::LineCounts& line) {
      const emulator::MemoryCounts& memory = line.memory.front();
      return line.file == each.file && line.line == each.line &&
             memory.global_load.requests + memory.global_store.requests > 0;
    };
    if (std::ranges::any_of(explanation.launch.lines, did_access)) continue;
    emulator::LineCounts line;
    line.file = each.file;
    line.line = each.line;
    return Advice{place_of(explanation, line) +
                      " never accessed memory, so the counts leave out its cost. If its indices "
                      "are data, give real ones with @file.npy, :iota or :random:LOW..HIGH.",
                  counts_rule};
  }
  return std::nullopt;
}

bool leaves_sms_empty(const LaunchPrediction& prediction) {
  // Limit as a share of the blocks that an SM can hold. With fewer blocks than that, a change gains
  // much more or less than in a launch that fills the GPU.
  constexpr double few = 0.25;
  return std::ceil(static_cast<double>(prediction.facts.blocks) /
                   prediction.profile.figure("multiprocessors")) <
         few * prediction.facts.blocks_per_sm;
}

bool is_too_small(const Explanation& explanation) {
  constexpr std::uint64_t lanes = 32;
  return explanation.request.grid.count() * explanation.request.block.count() < lanes;
}

std::vector<Advice> launch_notes(const Explanation& explanation) {
  std::vector<Advice> notes;
  for (auto note :
       {early_leavers(explanation), few_blocks(explanation), unexecuted_atomic_note(explanation)}) {
    if (note) notes.push_back(std::move(*note));
  }
  return notes;
}

std::vector<Finding> launch_findings(const Explanation& explanation, std::size_t cc) {
  const CapabilityReport& report = explanation.capabilities[cc];
  std::vector<Finding> findings;
  for (auto finding : {low_occupancy(explanation, report), spills(explanation, report),
                       ragged_block(explanation), early_wait(explanation)}) {
    if (finding) findings.push_back(std::move(*finding));
  }
  return findings;
}

}  // namespace warpwise::lab
