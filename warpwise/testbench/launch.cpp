#include "warpwise/testbench/launch.hpp"

#include <charconv>
#include <filesystem>
#include <optional>

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

// 4, 4.5, 4.25.
std::string number(double value) {
  char text[32];
  const auto [end, error] =
      std::to_chars(text, text + sizeof(text), value, std::chars_format::general, 4);
  return error == std::errc() ? std::string(text, end) : "?";
}

// Whole parts of the path: "blur.cuh" is no end of "unblur.cuh".
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
  const std::string file = where.file.empty() ? "" : " of " + where.file;
  return where.line == 0 ? "no line" + file : "line " + std::to_string(where.line) + file;
}

// What one line does: whether the expectation is about it, and what is wrong with it.
struct Finding {
  bool concerned = false;
  std::string wrong;
};

void add(const emulator::TrafficCounts& counts, const char* what, double at_most,
         Finding& finding) {
  if (counts.requests == 0) return;
  finding.concerned = true;
  constexpr double sector = 32;
  const double sectors = static_cast<double>(counts.bytes_moved) / sector;
  const double each = sectors / static_cast<double>(counts.requests);
  if (each <= at_most) return;
  finding.wrong += (finding.wrong.empty() ? "" : "; ") + std::string("global ") + what + " take " +
                   number(each) + " sectors a request (" + std::to_string(counts.requests) +
                   " requests), at most " + number(at_most) + " are allowed";
}

void add(const emulator::PassCounts& counts, const char* what, Finding& finding) {
  if (counts.requests == 0) return;
  finding.concerned = true;
  if (counts.passes <= counts.ideal_passes) return;
  finding.wrong += (finding.wrong.empty() ? "" : "; ") + std::string("shared ") + what + " take " +
                   std::to_string(counts.passes) + " passes (" + std::to_string(counts.requests) +
                   " requests), at most " + std::to_string(counts.ideal_passes) + " are allowed";
}

}  // namespace

Outcome Launch::expect_no_faults() const {
  if (!error_.empty()) return {false, false, "kernel " + kernel_ + ": the GPU reports " + error_};
  Outcome outcome;
  for (const emulator::Fault& fault : result_.faults) {
    outcome.holds = false;
    outcome.text += (outcome.text.empty() ? "" : "\n") + place_of(fault.file, fault.line) + ": " +
                    std::string(name_of(fault.kind)) + ", " + fault.message + " (block " +
                    to_text(fault.block) + ", thread " + to_text(fault.thread) + ", " +
                    std::to_string(fault.count) + " in all); none is allowed";
  }
  return outcome;
}

/// \param check  of the counts of a line, what it found
template <class Check>
Outcome Launch::check_lines(const char* what, const Where& where, const Check& check) const {
  if (!counted_) {
    ++skips_->count;
    return {true, true, std::string("skipped: a GPU does not count ") + what + " line by line"};
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
  const bool is_named = where.line != 0 || !where.file.empty();
  if (is_named && !found)
    return {false, false, "kernel " + kernel_ + " has no instruction of " + to_text(where)};
  if (is_named && !concerned)
    return {false, false, to_text(where) + " has no " + what + ": nothing is expected of it"};
  return outcome;
}

Outcome Launch::expect_sectors_per_request(double at_most, const Where& where) const {
  if (counted_ && result_.memory.empty())
    return {false, false, "nothing was counted: Testbench::options.compute_capabilities is empty"};
  return check_lines("access to global memory", where, [&](const LineCounts& line) {
    Finding finding;
    for (const emulator::MemoryCounts& counts : line.memory) {
      add(counts.global_load, "loads", at_most, finding);
      add(counts.global_store, "stores", at_most, finding);
      add(counts.global_atomic, "atomics", at_most, finding);
    }
    return finding;
  });
}

Outcome Launch::expect_no_bank_conflicts(const Where& where) const {
  if (counted_ && result_.memory.empty())
    return {false, false, "nothing was counted: Testbench::options.compute_capabilities is empty"};
  return check_lines("access to shared memory", where, [&](const LineCounts& line) {
    Finding finding;
    for (const emulator::MemoryCounts& counts : line.memory) {
      add(counts.shared_load, "loads", finding);
      add(counts.shared_store, "stores", finding);
      add(counts.shared_atomic, "atomics", finding);
    }
    return finding;
  });
}

Outcome Launch::expect_no_divergence(const Where& where) const {
  return check_lines("instruction", where, [&](const LineCounts& line) {
    Finding finding;
    finding.concerned = line.execution.warp_instructions > 0;
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
    for (const emulator::MemoryCounts& counts : line.memory) {
      const std::uint64_t requests = counts.local_load.requests + counts.local_store.requests;
      if (requests == 0) continue;
      finding.wrong = std::to_string(requests) + " accesses to local memory, none is allowed";
    }
    return finding;
  });
}

}  // namespace warpwise::testbench
