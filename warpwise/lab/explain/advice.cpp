#include "warpwise/lab/explain/advice.hpp"

#include <fmt/format.h>

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

// Issue slots of one SM that mending it would save, roughly: what findings are sorted by.
struct Finding {
  double cost = 0;
  Advice advice;
};

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

std::optional<Finding> bank_conflict(const Explanation& explanation, const LineCounts& line,
                                     const PassCounts& counts, const std::string& verb,
                                     rules::ComputeCapability cc) {
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
  return Finding{static_cast<double>(counts.passes - counts.ideal_passes),
                 {text, cite("bank conflicts", "Shared memory")}};
}

std::optional<Finding> scattered_access(const Explanation& explanation, const LineCounts& line,
                                        const TrafficCounts& counts, const std::string& verb,
                                        const std::string& memory) {
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
  return Finding{bytes_over / bytes_per_slot, {text, cite("coalescing", "Global memory")}};
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
       cite("one constant request for each address", "Constant memory")}};
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
       cite("a warp's lanes share one instruction", "Divergence")}};
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
                    cite("limits of a block", "Occupancy")}};
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
       cite("warps that wait are hidden by others", "Occupancy")}};
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
       cite("local memory is global memory", "Local memory")}};
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
                  cite("blocks are made of whole warps", "Occupancy")}};
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
  return {text + ".", has_shared ? cite("bank conflicts", "Shared memory")
                                 : cite("coalescing", "Global memory")};
}

void add_line_findings(const Explanation& explanation, const LineCounts& line, std::size_t cc,
                       std::vector<Finding>& findings) {
  const auto add = [&](std::optional<Finding> finding) {
    if (finding) findings.push_back(std::move(*finding));
  };
  const auto& memory = line.memory[cc];
  const auto capability = explanation.request.compute_capabilities[cc];
  add(bank_conflict(explanation, line, memory.shared_load, "reads", capability));
  add(bank_conflict(explanation, line, memory.shared_store, "writes", capability));
  add(scattered_access(explanation, line, memory.global_load, "reads", "global"));
  add(scattered_access(explanation, line, memory.global_store, "writes", "global"));
  add(scattered_access(explanation, line, memory.local_load, "reads", "local"));
  add(scattered_access(explanation, line, memory.local_store, "writes", "local"));
  add(constant_scatter(explanation, line, memory.constant));
  add(divergence(explanation, line));
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
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.cost > b.cost; });
  std::vector<Advice> advice;
  for (const Finding& finding : findings) {
    if (advice.size() == most_advice) break;
    advice.push_back(finding.advice);
  }
  if (advice.empty()) advice.push_back(praise(explanation, cc));
  return advice;
}

}  // namespace warpwise::lab
