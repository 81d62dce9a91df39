#include "warpwise/lab/explain/advice.hpp"

#include <fmt/format.h>

#include "warpwise/lab/explain/findings.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <regex>

namespace warpwise::lab {
namespace {

using emulator::LineCounts;
using emulator::PassCounts;
using emulator::TrafficCounts;

constexpr std::size_t most_advice = 3;
constexpr double worth_saying = 1.2;  // of the count over the least that would do

std::string cite(const std::string& rule, const std::string& section) {
  return rule + " (docs/hardware-rules.md, " + section + ")";
}

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

// "4", "31.5".
std::string number(double value) {
  const double tenths = std::round(value * 10) / 10;
  return tenths == std::floor(tenths) ? fmt::format("{:.0f}", tenths)
                                      : fmt::format("{:.1f}", tenths);
}

std::string times(double value) {
  return number(value) + (number(value) == "1" ? " pass" : " passes");
}

std::uint64_t transactions(const TrafficCounts& traffic) {
  return traffic.transactions_32 + traffic.transactions_64 + traffic.transactions_128;
}

// What a newcomer has to know to read the rest.
constexpr const char* each_request = "for each request of a warp (32 threads that run as one)";

// "Line 9 (out[i] = in[i];)"; "Line 9 of kernel.cuh (…)" where that is not the file that was given.
std::string place(const Explanation& explanation, const LineCounts& line) {
  if (line.line == 0) return "The kernel (its PTX names no lines)";
  const SourceFile* source = explanation.source(line.file);
  std::string text = fmt::format("Line {}", line.line);
  if (source != nullptr && source->shown != explanation.request.file) {
    text += " of " + std::filesystem::path(source->shown).filename().string();
  }
  const std::string code = explanation.source_line(line.file, line.line);
  constexpr std::size_t longest = 90;
  if (code.empty()) return text;
  return text +
         (code.size() > longest ? " (" + code.substr(0, longest) + " ...)" : " (" + code + ")");
}

// "`tile[32][33]` in place of `tile[32][32]`", when the line uses an array of shared memory whose
// declaration is in the same file.
std::optional<std::string> padding(const Explanation& explanation, const LineCounts& line) {
  static const std::regex declaration(
      R"(__shared__\s+[\w:\s<>]*?(\w+)\s*\[([^\]]+)\]\s*\[([^\]]+)\]\s*;)");
  const SourceFile* source = explanation.source(line.file);
  if (source == nullptr) return std::nullopt;
  const std::string used = explanation.source_line(line.file, line.line);
  constexpr std::size_t longest_line = 500;  // std::regex takes stack for each character
  for (const std::string& text : source->lines) {
    std::smatch match;
    if (text.size() > longest_line || !std::regex_search(text, match, declaration)) continue;
    if (used.find(match[1].str() + "[") == std::string::npos) continue;
    return fmt::format("{0}[{1}][{2} + 1] in place of {0}[{1}][{2}]", match[1].str(),
                       match[2].str(), match[3].str());
  }
  return std::nullopt;
}

std::uint64_t all_bytes(const emulator::MemoryCounts& memory) {
  return memory.global_load.bytes_moved + memory.global_store.bytes_moved +
         memory.global_atomic.bytes_moved + memory.local_load.bytes_moved +
         memory.local_store.bytes_moved;
}

std::uint64_t all_passes(const emulator::MemoryCounts& memory) {
  return memory.shared_load.passes + memory.shared_store.passes + memory.shared_atomic.passes;
}

std::optional<Finding> bank_conflict(const Explanation& explanation, const LineCounts& line,
                                     const PassCounts& counts, const std::string& verb,
                                     std::size_t index) {
  const rules::ComputeCapability cc = explanation.request.compute_capabilities[index];
  if (ratio(counts.passes, counts.ideal_passes) < worth_saying) return std::nullopt;
  const double passes = ratio(counts.passes, counts.requests);
  const double ideal = ratio(counts.ideal_passes, counts.requests);
  const int banks = cc.major == 1 ? 16 : 32;
  std::string text = fmt::format(
      "{} {} shared memory in {} {}, where {} would do: up to {} of the threads ask for different "
      "words of one of the {} banks, and a bank serves one word at a time (word i lies in bank i "
      "modulo {}).",
      place(explanation, line), verb, times(passes), each_request, number(ideal),
      number(std::min<double>(banks, std::ceil(passes / ideal))), banks, banks);
  const auto padded = padding(explanation, line);
  text +=
      padded
          ? fmt::format(
                " Walking down a column whose rows are a multiple of {0} words long meets the same "
                "bank in every row. One unused column shifts each row by one bank, so that the "
                "column's elements lie in {0} different banks: declare {1}.",
                banks, *padded)
          : fmt::format(
                " Let neighbouring threads use neighbouring words, or pad the rows by one word, "
                "so that the words which a warp uses at once lie in different banks.");
  const std::uint64_t over = counts.passes - counts.ideal_passes;
  return Finding{static_cast<double>(over),
                 {text, cite("bank conflicts", "Shared memory"), {}},
                 Change{.passes = ratio(over, all_passes(explanation.launch.memory[index]))}};
}

std::optional<Finding> scattered_access(const Explanation& explanation, const LineCounts& line,
                                        const TrafficCounts& counts, const std::string& verb,
                                        const std::string& memory, std::size_t index) {
  const std::uint64_t made = transactions(counts);
  if (ratio(made, counts.ideal_transactions) < worth_saying) return std::nullopt;
  const double each = ratio(made, counts.requests);
  const double ideal = ratio(counts.ideal_transactions, counts.requests);
  std::string text =
      fmt::format("{} {} {} memory in {} transactions {}, where {} would do: {} bytes are moved",
                  place(explanation, line), verb, memory, number(each), each_request, number(ideal),
                  counts.bytes_moved);
  if (counts.bytes_requested < counts.bytes_moved) {
    text += fmt::format(" for {} that were asked for", counts.bytes_requested);
  }
  if (each >= 2 * ideal) {
    text += fmt::format(
        ". The threads' addresses lie far apart, and a segment of {:.0f} bytes of memory is moved "
        "whole "
        "if one of them touches it. Let neighbouring threads (threadIdx.x and threadIdx.x + 1) use "
        "neighbouring addresses; where the algorithm goes across the rows, read along them into "
        "shared memory and go across there.",
        ratio(counts.bytes_moved, made));
  } else {
    text +=
        ". The addresses are neighbours but do not begin where a segment of memory begins, so that "
        "they touch more segments than their bytes fill. Start rows at multiples of 128 bytes (a "
        "padded pitch).";
  }
  const double bytes_over =
      static_cast<double>(counts.bytes_moved) *
      (1 - static_cast<double>(counts.ideal_transactions) / static_cast<double>(made));
  constexpr double bytes_per_slot =
      16;  // of DRAM bandwidth for one SM and clock, about, on present GPUs
  const double all = static_cast<double>(all_bytes(explanation.launch.memory[index]));
  return Finding{bytes_over / bytes_per_slot,
                 {text, cite("coalescing", "Global memory"), {}},
                 Change{.bytes = bytes_over / all}};
}

std::optional<Finding> constant_scatter(const Explanation& explanation, const LineCounts& line,
                                        const PassCounts& counts) {
  if (ratio(counts.passes, counts.ideal_passes) < worth_saying) return std::nullopt;
  return Finding{
      static_cast<double>(counts.passes - counts.ideal_passes),
      {fmt::format("{} reads constant memory at {} different addresses in a warp: they are served "
                   "one after "
                   "another. Constant memory is for values that all lanes read at once; let lanes "
                   "that read "
                   "different ones use shared or global memory.",
                   place(explanation, line), number(ratio(counts.passes, counts.requests))),
       cite("one constant request for each address", "Constant memory"),
       {}},
      std::nullopt};
}

// All lanes of a warp read one word, which needs one sector for more bytes than it has.
std::optional<Finding> same_address(const Explanation& explanation, const LineCounts& line,
                                    const TrafficCounts& counts) {
  constexpr double at_least = 3.9;  // 32 lanes and 4 bytes for each, from a sector of 32
  if (counts.requests == 0 || counts.references < 16 * counts.requests) return std::nullopt;
  if (ratio(counts.bytes_requested, counts.bytes_moved) < at_least) return std::nullopt;
  std::uint64_t loads = 0;
  for (const auto& [name, count] : explanation.launch.instructions_by_class) {
    if (name == "load" || name == "store") loads += count;
  }
  return Finding{
      static_cast<double>(counts.requests),
      {fmt::format("{} reads one address of global memory for all threads of a warp: {} bytes are "
                   "asked for, and {} moved. What all threads read alike is served best from "
                   "constant memory (__constant__ float filter[9]; in place of const float* "
                   "filter), from the kernel's parameters, or from a register that is filled "
                   "before a loop.",
                   place(explanation, line), counts.bytes_requested, counts.bytes_moved),
       cite("one constant request for each address", "Constant memory"),
       {}},
      Change{.loads = ratio(counts.requests, loads)}};
}

std::optional<Finding> divergence(const Explanation& explanation, const LineCounts& line) {
  const auto& counts = line.execution;
  const double share = ratio(counts.divergent_branches, counts.branches);
  constexpr double worth_saying_share = 0.1;
  if (share < worth_saying_share) return std::nullopt;
  const auto& totals = explanation.launch.totals;
  const double lanes = ratio(totals.thread_instructions, totals.warp_instructions);
  const double idle = 1 - lanes / 32;
  if (idle < 0.1) return std::nullopt;
  // Each line gets a part of the idle lanes in proportion to its divergent branches.
  const double part = ratio(counts.divergent_branches, totals.divergent_branches);
  return Finding{
      static_cast<double>(totals.warp_instructions) * idle * part / 4,  // four schedulers an SM
      {fmt::format("{} diverges in {} of {} branches: lanes of a warp go different ways, which are "
                   "executed one "
                   "after the other. Over the kernel {} of 32 lanes work in an instruction. Branch "
                   "on what all "
                   "lanes of a warp share, or sort the work so that neighbours take the same way.",
                   place(explanation, line), counts.divergent_branches, counts.branches,
                   number(lanes)),
       cite("a warp's lanes share one instruction", "Divergence"),
       {}},
      Change{.instructions = idle * part}};
}

std::string remedy(rules::Limiter limiter, const CapabilityReport& report) {
  switch (limiter) {
    case rules::Limiter::warps:
      return "Another number of threads a block fills the SM's warps better";
    case rules::Limiter::blocks: return "Larger blocks bring more warps";
    case rules::Limiter::registers:
      return fmt::format(
          "Fewer registers than {} a thread (less unrolling, __launch_bounds__) bring more blocks, "
          "unless they are spilled",
          report.registers.value_or(0));
    case rules::Limiter::shared_memory:
      return fmt::format("Less shared memory than {} bytes a block brings more blocks",
                         report.shared_bytes);
  }
  __builtin_unreachable();
}

std::string cause(rules::Limiter limiter) {
  switch (limiter) {
    case rules::Limiter::warps: return "the warps that an SM holds";
    case rules::Limiter::blocks: return "the blocks that an SM holds";
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
                    cite("limits of a block", "Occupancy"),
                    {}},
                   std::nullopt};
  }
  constexpr double enough = 0.5;
  if (report.occupancy.fraction >= enough) return std::nullopt;
  return Finding{
      all * (enough - report.occupancy.fraction) / 4,
      {fmt::format("On CC {} an SM holds {} warps of it, {:.0f} % of what it could: {} end it. "
                   "That hides less of "
                   "the time that memory takes to answer. {}.",
                   cc, report.occupancy.warps_per_sm, 100 * report.occupancy.fraction,
                   cause(report.occupancy.limiter), remedy(report.occupancy.limiter, report)),
       cite("warps that wait are hidden by others", "Occupancy"),
       {}},
      Change{.blocks_per_sm = static_cast<int>(
                 std::ceil(report.occupancy.blocks_per_sm * enough / report.occupancy.fraction))}};
}

std::optional<Finding> spills(const Explanation& explanation, const CapabilityReport& report) {
  if (report.spill_bytes.value_or(0) == 0) return std::nullopt;
  return Finding{
      static_cast<double>(explanation.launch.totals.warp_instructions) / 2,
      {fmt::format("The compiler spills {} bytes a thread: values for which there was no register "
                   "go to local "
                   "memory, which costs what global memory costs. Allow more registers "
                   "(__launch_bounds__, -maxrregcount), or keep fewer values alive at once.",
                   *report.spill_bytes),
       cite("local memory is global memory", "Local memory"),
       {}},
      std::nullopt};
}

std::optional<Finding> ragged_block(const Explanation& explanation) {
  const std::uint64_t threads = explanation.request.block.count();
  const std::uint64_t lanes = (threads + 31) / 32 * 32;
  if (threads == lanes) return std::nullopt;
  const double idle = 1 - ratio(threads, lanes);
  return Finding{static_cast<double>(explanation.launch.totals.warp_instructions) * idle / 4,
                 {fmt::format("A block of {} thread{} takes the place of {}, in warps of 32: {} "
                              "lanes do nothing. Use a "
                              "multiple of 32, best 128 or 256.",
                              threads, threads == 1 ? "" : "s", lanes, lanes - threads),
                  cite("blocks are made of whole warps", "Occupancy"),
                  {}},
                 Change{.instructions = idle}};
}

// When nothing needs mending: says which good properties the accesses have.
Advice praise(const Explanation& explanation, std::size_t cc) {
  const auto& memory = explanation.launch.memory[cc];
  const PassCounts& shared = memory.shared_load;
  std::string text =
      fmt::format("On CC {} the memory accesses cost about what their bytes cost at least:",
                  rules::to_string(explanation.request.compute_capabilities[cc]));
  const std::uint64_t global = memory.global_load.requests + memory.global_store.requests;
  if (global > 0) {
    text += fmt::format(
        " global memory is reached in {} transactions, of which {} are needed, since the threads "
        "of a "
        "warp use neighbouring addresses",
        transactions(memory.global_load) + transactions(memory.global_store),
        memory.global_load.ideal_transactions + memory.global_store.ideal_transactions);
  }
  if (shared.requests > 0) {
    text += fmt::format(
        "{} a shared read takes {}, since its threads use different banks or the same word",
        global > 0 ? ", and" : "", times(ratio(shared.passes, shared.requests)));
  }
  if (global + shared.requests == 0) text += " there are none";
  const bool has_shared = shared.requests > 0;
  return {
      text + ".",
      has_shared ? cite("bank conflicts", "Shared memory") : cite("coalescing", "Global memory"),
      {}};
}

void add_line_findings(const Explanation& explanation, const LineCounts& line, std::size_t cc,
                       std::vector<Finding>& findings) {
  const auto add = [&](std::optional<Finding> finding) {
    if (finding) findings.push_back(std::move(*finding));
  };
  const auto& memory = line.memory[cc];
  add(bank_conflict(explanation, line, memory.shared_load, "reads", cc));
  add(bank_conflict(explanation, line, memory.shared_store, "writes", cc));
  add(scattered_access(explanation, line, memory.global_load, "reads", "global", cc));
  add(scattered_access(explanation, line, memory.global_store, "writes", "global", cc));
  add(scattered_access(explanation, line, memory.local_load, "reads", "local", cc));
  add(scattered_access(explanation, line, memory.local_store, "writes", "local", cc));
  add(same_address(explanation, line, memory.global_load));
  add(constant_scatter(explanation, line, memory.constant));
  add(divergence(explanation, line));
}

// Those that are worth more come first; where that is not known, their issue slots say so.
void sort(std::vector<Finding>& findings) {
  const auto worth = [](const Finding& finding) {
    constexpr double unknown = worth_a_change;
    return std::max(finding.advice.gain.value_or(unknown), 1.0);
  };
  std::stable_sort(findings.begin(), findings.end(), [&](const Finding& a, const Finding& b) {
    const double difference = worth(a) - worth(b);
    constexpr double alike = 0.02;
    return std::abs(difference) > alike ? difference > 0 : a.cost > b.cost;
  });
}

}  // namespace

std::vector<Advice> advice_for(const Explanation& explanation) {
  const auto& capabilities = explanation.request.compute_capabilities;
  const auto newest = std::max_element(capabilities.begin(), capabilities.end());
  const auto cc = static_cast<std::size_t>(newest - capabilities.begin());
  std::vector<Finding> findings;
  for (const LineCounts& line : explanation.launch.lines) {
    add_line_findings(explanation, line, cc, findings);
  }
  const CapabilityReport& report = explanation.capabilities[cc];
  for (auto finding : {low_occupancy(explanation, report), spills(explanation, report),
                       ragged_block(explanation)}) {
    if (finding) findings.push_back(std::move(*finding));
  }
  const bool any = !findings.empty();
  const LaunchPrediction* prediction = explanation.known_prediction();
  if (prediction != nullptr) {
    if (auto ruling = ruling_resource(*prediction)) findings.push_back(std::move(*ruling));
    for (Finding& each : findings) value(*prediction, each);
  }
  sort(findings);
  std::vector<Advice> advice;
  if (!any) advice.push_back(praise(explanation, cc));
  for (const Finding& finding : findings) {
    if (advice.size() == most_advice) break;
    advice.push_back(finding.advice);
  }
  return advice;
}

}  // namespace warpwise::lab
