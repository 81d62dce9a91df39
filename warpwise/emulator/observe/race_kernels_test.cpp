// The race check on compiled kernels: pairs of a kernel that races and a similar one that does not
// (tests/emulator/kernels/races.cu and lane_races.cu).

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "emulator/emulated.hpp"

namespace warpwise {
namespace race_kernels_tests {

using emulator::Check;
using emulator::Checks;
using emulator::Fault;
using emulator::FaultKind;
using test::Emulated;

using Lines = std::vector<std::string>;

Lines lines_of([[maybe_unused]] const std::string& file) {
  Lines lines{""};  // the first one is line 1
#ifdef WARPWISE_KERNELS_SOURCE
  std::istringstream text(test::read_text(WARPWISE_KERNELS_SOURCE "/" + file + ".cu"));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
#endif
  return lines;
}

const std::map<std::string, Lines>& sources() {
  static const std::map<std::string, Lines> all = {{"races", lines_of("races")},
                                                   {"lane_races", lines_of("lane_races")}};
  return all;
}

/// Returns the file of a kernel, without ".cu".
std::string file_of(const std::string& kernel) {
  for (const auto& [file, lines] : sources()) {
    for (const std::string& line : lines) {
      if (line.starts_with("KERNEL " + kernel + "(")) return file;
    }
  }
  ADD_FAILURE() << "no source has " << kernel;
  return "";
}

/// Returns the comment that ends a line of a kernel: "one", "other" or "both"; empty without one.
std::string mark_of(const std::string& kernel, int line) {
  const Lines& lines = sources().at(file_of(kernel));
  if (line <= 0 || static_cast<std::size_t>(line) >= lines.size()) return "";
  for (const char* const mark : {"one", "other", "both"}) {
    if (lines[static_cast<std::size_t>(line)].ends_with(std::string("// ") + mark + ":"))
      return mark;
  }
  return "";
}

/// Returns the line that a message gives for the other access.
int rival_line(const std::string& message) {
  const std::string file = "races.cu:";
  const std::size_t at = message.find(file);
  return at == std::string::npos ? 0 : std::stoi(message.substr(at + file.size()));
}

std::vector<Fault> faults_of(const std::string& kernel, Checks checks) {
  Emulated emulated(test::kernels_ptx(file_of(kernel)));
  emulated.options.checks = checks;
  emulated.options.cooperative = true;
  emulated.options.budget = 10'000'000;
  const auto data = emulated.buffer(std::vector<std::uint32_t>(4096), "data");
  const auto flags = emulated.buffer(std::vector<std::uint32_t>(64), "flags");
  return emulated.launch(kernel, {4}, {64}, data, flags).faults;
}

struct Pair {
  const char* name;
  FaultKind kind = FaultKind::race;
  const char* where = "data of 16384 bytes";
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name; }

class RaceKernels : public testing::TestWithParam<Pair> {
 protected:
  void SetUp() override {
#ifndef WARPWISE_KERNELS_PTX
    GTEST_SKIP() << "no CUDA toolkit compiled tests/emulator/kernels";
#endif
  }
};

TEST_P(RaceKernels, TheWrongOneIsFound) {
  const Pair& pair = GetParam();
  const std::string wrong = pair.name + std::string("_wrong");
  bool both_sides = false;
  std::string all;
  for (const Fault& fault : faults_of(wrong, {Check::races, Check::equal_writes})) {
    EXPECT_EQ(fault.kind, pair.kind) << fault.message;
    EXPECT_NE(fault.message.find(pair.where), std::string::npos) << fault.message;
    all += std::to_string(fault.line) + ": " + fault.message + "\n";
    // An atomic function's own line is in a header of CUDA, so the caller's line is taken.
    const std::string here = mark_of(
        wrong, fault.file.ends_with("races.cu") ? fault.line : fault.called_from.back().line);
    const std::string there = mark_of(wrong, rival_line(fault.message));
    EXPECT_NE(here, "") << fault.line;
    EXPECT_NE(there, "") << fault.message;
    both_sides = both_sides || (here == "both" ? there == "both" : here != there);
  }
  EXPECT_TRUE(both_sides) << all;
}

TEST_P(RaceKernels, TheRightOneIsNone) {
  for (const Fault& fault :
       faults_of(GetParam().name + std::string("_right"), {Check::races, Check::equal_writes}))
    ADD_FAILURE() << fault.line << ": " << fault.message;
}

TEST_P(RaceKernels, EqualWritesAreOffUnlessAskedFor) {
  const Pair& pair = GetParam();
  const bool is_equal = pair.kind == FaultKind::equal_writes;
  const std::string wrong = pair.name + std::string("_wrong");
  EXPECT_EQ(faults_of(wrong, {Check::races}).empty(), is_equal);
  EXPECT_EQ(faults_of(wrong, {Check::equal_writes}).empty(), !is_equal);
}

constexpr const char* shared = "of shared memory";

INSTANTIATE_TEST_SUITE_P(
    Pairs, RaceKernels,
    testing::Values(
        Pair{"same_place"}, Pair{"neighbour"}, Pair{"in_place"}, Pair{"sum"}, Pair{"mixed"},
        Pair{"bytes"}, Pair{"flag"}, Pair{"block_fence"}, Pair{"release"}, Pair{"early_fence"},
        Pair{"lock"}, Pair{"last_block"}, Pair{"last_block_by_one"}, Pair{"look_back"},
        Pair{"grid_sync"}, Pair{"scope", FaultKind::narrow_scope},
        Pair{"scope_of_one", FaultKind::narrow_scope}, Pair{"block_barrier"}, Pair{"warp_barrier"},
        Pair{"halves"}, Pair{"in_step", FaultKind::race, shared},
        Pair{"half_warp_tree", FaultKind::race, shared}, Pair{"lane_flag", FaultKind::race, shared},
        Pair{"lane_flag_between_blocks"}, Pair{"lane_fences"},
        Pair{"lane_wait", FaultKind::race, shared}, Pair{"tile_flag", FaultKind::race, shared},
        Pair{"tiles", FaultKind::race, shared}, Pair{"lane_done", FaultKind::race, shared},
        Pair{"lane_lock"}, Pair{"shuffle"}, Pair{"atomics_of_warp"},
        Pair{"matrix_store", FaultKind::race, shared}, Pair{"matrix_load", FaultKind::race, shared},
        Pair{"row_load", FaultKind::race, shared}, Pair{"arrive_and_exit", FaultKind::race, shared},
        Pair{"volatile_tree", FaultKind::lockstep, shared},
        Pair{"volatile_shift", FaultKind::lockstep, shared},
        Pair{"polled", FaultKind::race, "flags of 256 bytes"},
        Pair{"polled_vote", FaultKind::race, "flags of 256 bytes"}, Pair{"four_polled"},
        Pair{"four_set"}, Pair{"two_polled", FaultKind::race, shared},
        Pair{"overlapping", FaultKind::equal_writes, shared},
        Pair{"four_copies", FaultKind::equal_writes, shared},
        Pair{"found", FaultKind::equal_writes, "flags of 256 bytes"}),
    [](const auto& pair) { return std::string(pair.param.name); });

/// Pairs that only the strict check tells apart.
class StrictRaceKernels : public RaceKernels {};

TEST_P(StrictRaceKernels, OnlyTheStrictCheckFindsTheWrongOne) {
  const Pair& pair = GetParam();
  const std::string wrong = pair.name + std::string("_wrong");
  for (const Checks& checks : {Checks{Check::strict}, Checks{Check::races, Check::strict}}) {
    const std::vector<Fault> faults = faults_of(wrong, checks);
    ASSERT_FALSE(faults.empty());
    for (const Fault& fault : faults) {
      EXPECT_EQ(fault.kind, pair.kind) << fault.message;
      EXPECT_NE(fault.message.find(pair.where), std::string::npos) << fault.message;
      EXPECT_NE(mark_of(wrong, fault.line), "") << fault.line;
      EXPECT_NE(mark_of(wrong, rival_line(fault.message)), "") << fault.message;
    }
  }
  for (const Fault& fault : faults_of(wrong, {Check::races}))
    ADD_FAILURE() << fault.line << ": " << fault.message;
}

TEST_P(StrictRaceKernels, TheRightOneIsNone) {
  for (const Fault& fault : faults_of(GetParam().name + std::string("_right"), {Check::strict}))
    ADD_FAILURE() << fault.line << ": " << fault.message;
}

INSTANTIATE_TEST_SUITE_P(Pairs, StrictRaceKernels,
                         testing::Values(Pair{"volatile_data"},
                                         Pair{"volatile_flag", FaultKind::race,
                                              "flags of 256 bytes"},
                                         Pair{"block_lock"}, Pair{"taken_lock"},
                                         Pair{"narrow_lock"}, Pair{"lock_of_warps"}),
                         [](const auto& pair) { return std::string(pair.param.name); });

TEST(StrictRaceKernelsAlone, StepsOfAHandOverAreNoLock) {
#ifndef WARPWISE_KERNELS_PTX
  GTEST_SKIP() << "no CUDA toolkit compiled tests/emulator/kernels";
#endif
  for (const Fault& fault : faults_of("handed_over", {Check::strict}))
    ADD_FAILURE() << fault.line << ": " << fault.message;
}

}  // namespace race_kernels_tests
}  // namespace warpwise
