#include "warpwise/testbench/launch.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <set>

#include "warpwise/testbench/skips.hpp"

namespace warpwise::testbench {
namespace {

using emulator::LineCounts;

std::string name_of_file(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string place_of(const std::string& file, int line) {
  return file.empty() ? "(no source line: compile with -lineinfo)"
                      : name_of_file(file) + ":" + std::to_string(line);
}

std::string to_text(const emulator::Dim3& at) {
  return "(" + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) + ")";
}

// Formats numbers as 4, 4.5, 4.25.
std::string number(double value, int digits = 4) {
  char text[32];
  const auto [end, error] =
      std::to_chars(text, text + sizeof(text), value, std::chars_format::general, digits);
  return error == std::errc() ? std::string(text, end) : "?";
}

// Formats a number with enough digits to differ from `other`.
std::string number_beside(double value, double other) {
  constexpr int all_digits = std::numeric_limits<double>::max_digits10;
  int digits = 4;
  while (digits < all_digits && number(value, digits) == number(other, digits)) ++digits;
  return number(value, digits);
}

// Compares whole components of the path: "blur.cuh" is not an end of "unblur.cuh".
bool is_end_of(const std::string& end, const std::string& path) {
  if (!path.ends_with(end)) return false;
  return path.size() == end.size() || end.starts_with('/') ||
         path[path.size() - end.size() - 1] == '/';
}

bool is_meant(const LineCounts& line, const Where& where) {
  if (where.line != 0 && line.line != where.line) return false;
  return where.file.empty() || is_end_of(where.file, line.file);
}

std::string to_text(const Where& where) {
  if (where.line == 0) return where.file.empty() ? "no line" : where.file;
  return "line " + std::to_string(where.line) + (where.file.empty() ? "" : " of " + where.file);
}

// Returns the names of the files that lines belong to; empty without source lines.
std::string files_of(const std::vector<LineCounts>& lines) {
  std::set<std::string> names;
  for (const LineCounts& line : lines) {
    if (!line.file.empty()) names.insert(name_of_file(line.file));
  }
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

// Result for one source line: `concerned` is true if the expectation concerns the line, and `wrong`
// says what is wrong with the line.
struct Finding {
  bool concerned = false;
  std::string wrong;

  void add(const std::string& text) { wrong += (wrong.empty() ? "" : "; ") + text; }
};

/// Adds a text to `finding` if the accesses take more than `at_most` sectors per request.
/// \param gpu  " on CC 7.5" for the text, or empty
void add(const emulator::TrafficCounts& counts, const char* what, const std::string& gpu,
         double at_most, Finding& finding) {
  if (counts.requests == 0) return;
  finding.concerned = true;
  constexpr double sector = 32;
  const double sectors = static_cast<double>(counts.bytes_moved) / sector;
  const double each = sectors / static_cast<double>(counts.requests);
  if (each <= at_most) return;
  finding.add(std::string("global ") + what + gpu + " take " + number_beside(each, at_most) +
              " sectors a request (" + std::to_string(counts.requests) + " requests), at most " +
              number_beside(at_most, each) + " are allowed");
}

void add(const emulator::PassCounts& counts, const char* what, const std::string& gpu,
         Finding& finding) {
  if (counts.requests == 0) return;
  finding.concerned = true;
  if (counts.passes <= counts.ideal_passes) return;
  finding.add(std::string("shared ") + what + gpu + " take " + std::to_string(counts.passes) +
              " passes (" + std::to_string(counts.requests) + " requests), at most " +
              std::to_string(counts.ideal_passes) + " are allowed");
}

std::string describe(const emulator::Fault& fault) {
  std::string text = place_of(fault.file, fault.line);
  for (const emulator::SourcePlace& caller : fault.called_from)
    text += ", inlined at " + place_of(caller.file, caller.line);
  return text + ": " + std::string(name_of(fault.kind)) + ", " + fault.message + " (block " +
         to_text(fault.block) + ", thread " + to_text(fault.thread) + ", " +
         std::to_string(fault.count) + " in all); none is allowed";
}

}  // namespace

Outcome Launch::expect_no_faults() const {
  if (!error_.empty()) return {false, false, "kernel " + kernel_ + ": the GPU reports " + error_};
  Outcome outcome;
  for (const emulator::Fault& fault : result_.faults) {
    outcome.holds = false;
    outcome.text += (outcome.text.empty() ? "" : "\n") + describe(fault);
  }
  return outcome;
}

// Returns the GPU's name for a message, or nothing if the launch was counted for only one GPU.
std::string Launch::gpu_of(std::size_t i) const {
  return counted_for_.size() > 1 ? " on CC " + rules::to_string(counted_for_[i]) : "";
}

// Returns a failure, with the reason, for an expectation that had nothing to check, because no line
// that `where` names executed an operation of the kind `what`.
Outcome Launch::nothing_found(const char* what, const Where& where, bool has_line) const {
  const std::string kernel = "kernel " + kernel_;
  const bool is_named = where.line != 0 || !where.file.empty();
  if (!is_named)
    return {false, false,
            kernel + " has executed no " + what + ", so the expectation checks nothing"};
  const std::string files = files_of(result_.lines);
  if (files.empty())
    return {false, false, kernel + " has no source lines: compile it with -lineinfo"};
  if (has_line)
    return {false, false,
            to_text(where) + " has no " + what + ", so the expectation checks nothing"};
  const bool knows_file = std::ranges::any_of(
      result_.lines, [&](const LineCounts& line) { return is_meant(line, {0, where.file}); });
  return {false, false,
          kernel + " has no instruction of " + to_text(where) +
              (knows_file ? "" : "; its instructions come from " + files)};
}

/// Checks each source line that `where` names, and joins the findings.
/// \param what   the checked kind of operation, in messages: "access to global memory"
/// \param check  returns the finding for a line's counts
template <class Check>
Outcome Launch::check_lines(const char* what, const Where& where, const Check& check) const {
  if (!counted_) {
    ++skips_->count;
    return {true, true, std::string("skipped: only the emulator counts each ") + what};
  }
  if (result_.lines.empty())
    return {false, false, "nothing was counted: Testbench::options.count is false"};
  Outcome outcome;
  bool found = false;
  bool concerned = false;
  for (const LineCounts& line : result_.lines) {
    if (!is_meant(line, where)) continue;
    found = true;
    const Finding finding = check(line);
    concerned = concerned || finding.concerned;
    if (finding.wrong.empty()) continue;
    outcome.holds = false;
    outcome.text +=
        (outcome.text.empty() ? "" : "\n") + place_of(line.file, line.line) + ": " + finding.wrong;
  }
  return concerned ? outcome : nothing_found(what, where, found);
}

Outcome Launch::expect_sectors_per_request(double at_most, const Where& where) const {
  if (counted_ && result_.memory.empty())
    return {false, false, "nothing was counted: Testbench::options.compute_capabilities is empty"};
  return check_lines("access to global memory", where, [&](const LineCounts& line) {
    Finding finding;
    for (std::size_t i = 0; i < line.memory.size(); ++i) {
      const emulator::MemoryCounts& counts = line.memory[i];
      add(counts.global_load, "loads", gpu_of(i), at_most, finding);
      add(counts.global_store, "stores", gpu_of(i), at_most, finding);
      add(counts.global_atomic, "atomics", gpu_of(i), at_most, finding);
    }
    return finding;
  });
}

Outcome Launch::expect_no_bank_conflicts(const Where& where) const {
  if (counted_ && result_.memory.empty())
    return {false, false, "nothing was counted: Testbench::options.compute_capabilities is empty"};
  return check_lines("access to shared memory", where, [&](const LineCounts& line) {
    Finding finding;
    for (std::size_t i = 0; i < line.memory.size(); ++i) {
      const emulator::MemoryCounts& counts = line.memory[i];
      add(counts.shared_load, "loads", gpu_of(i), finding);
      add(counts.shared_store, "stores", gpu_of(i), finding);
      add(counts.shared_atomic, "atomics", gpu_of(i), finding);
    }
    return finding;
  });
}

Outcome Launch::expect_no_divergence(const Where& where) const {
  return check_lines("branch", where, [&](const LineCounts& line) {
    Finding finding;
    finding.concerned = line.execution.branches > 0;
    if (line.execution.divergent_branches > 0) {
      finding.wrong = std::to_string(line.execution.divergent_branches) + " of " +
                      std::to_string(line.execution.branches) +
                      " branches are divergent, none is allowed to be";
    }
    return finding;
  });
}

Outcome Launch::expect_no_local_memory(const Where& where) const {
  if (counted_ && result_.memory.empty())
    return {false, false, "nothing was counted: Testbench::options.compute_capabilities is empty"};
  return check_lines("instruction", where, [&](const LineCounts& line) {
    Finding finding;
    finding.concerned = line.execution.warp_instructions > 0;
    // Counts of local memory are the same for every compute capability.
    const emulator::MemoryCounts& counts = line.memory.front();
    const std::uint64_t requests = counts.local_load.requests + counts.local_store.requests;
    if (requests > 0)
      finding.wrong = std::to_string(requests) + " accesses to local memory, none is allowed";
    return finding;
  });
}

}  // namespace warpwise::testbench
