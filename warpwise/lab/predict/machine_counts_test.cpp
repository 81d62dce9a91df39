// Counts the machine code that ptxas makes of lines of PTX, and how often a launch executes it.
#include "warpwise/lab/predict/machine_counts.hpp"
#include "warpwise/lab/predict/loads_with_first_use.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/compiler.hpp"

namespace warpwise::lab {
namespace {

using Lines = std::vector<emulator::PaceCounts::PtxLine>;
using enum MachineUnit;

TEST(MachineCounts, AreTheInstructionsOfEachLineAsOftenAsItRan) {
  const std::string ptx =
      "ld.global.f32 %f1, [%rd1];\nmul.lo.s32 %r1, %r2, %r3;\nadd.s32 %r1, %r1, 1;\n"
      "st.global.f32 [%rd2], %f1;\n";
  // The product and the addition are one instruction.
  const std::vector<MachineOperation> made = {{1, memory}, {3, multiply}, {4, memory}};
  const Lines ran = {{1, 10}, {2, 10}, {3, 10}, {4, 10}};
  const MachineCounts counts = machine_counts(made, ptx, ran);
  EXPECT_EQ(counts.all, 30);
  EXPECT_EQ(counts.memory, 20);
  EXPECT_EQ(counts.multiply, 10);
  EXPECT_EQ(counts.integer, 0);
}

TEST(MachineCounts, OfAProductOf64BitsAreTwoPasses) {
  const std::vector<MachineOperation> made = {{1, multiply_wide}};
  const MachineCounts counts = machine_counts(made, "mul.wide.s32 %rd1, %r1, 4;", Lines{{1, 10}});
  EXPECT_EQ(counts.all, 10);
  EXPECT_EQ(counts.multiply, 20);
}

TEST(MachineCounts, OfALoopThatIsWrittenOutAreTheMeanOfItsRounds) {
  const std::string ptx =
      "mov.u32 %r1, 0;\n$loop:\nfma.rn.f32 %f1, %f1, %f2, %f3;\nadd.s32 %r1, %r1, 1;\n"
      "setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra $loop;\nst.global.f32 [%rd1], %f1;\n";
  std::vector<MachineOperation> made(4, {3, float32});
  made.insert(made.end(), {{1, integer}, {4, integer}, {5, integer}, {6, other}, {7, memory}});
  const Lines ran = {{1, 1}, {3, 100}, {4, 100}, {5, 100}, {6, 100}, {7, 1}};
  const MachineCounts counts = machine_counts(made, ptx, ran);
  EXPECT_EQ(counts.float32, 100);
  EXPECT_EQ(counts.integer, 1 + 2 * 25);
  EXPECT_EQ(counts.all, 100 + 3 * 25 + 2);
}

TEST(MachineCounts, OfConstantsAreThoseOfTheBeginning) {
  const std::string ptx = "mov.u32 %r1, 0;\n$loop:\nfma.rn.f32 %f1, %f1, 0f3F000000, 0f3E800000;\n";
  const std::vector<MachineOperation> made = {{3, once}, {3, float32}};
  EXPECT_EQ(machine_counts(made, ptx, Lines{{1, 2}, {3, 100}}).all, 102);
}

TEST(MachineCounts, KnowArraysFromSpilledValues) {
  const std::string ptx = "ld.local.f32 %f1, [%rd1];\nfma.rn.f32 %f1, %f1, %f2, %f3;\n";
  const std::vector<MachineOperation> made = {
      {1, local_load}, {2, local_load}, {2, float32}, {2, local_store}};
  const MachineCounts counts = machine_counts(made, ptx, Lines{{1, 5}, {2, 5}});
  EXPECT_EQ(counts.memory, 5);
  EXPECT_EQ(counts.spill_loads, 5);
  EXPECT_EQ(counts.spill_stores, 5);
}

TEST(MachineCounts, OfADivisionOfLongIntegersHaveItsSubroutine) {
  const std::vector<MachineOperation> made = {{1, other}};
  EXPECT_EQ(machine_counts(made, "div.u64 %rd1, %rd2, %rd3;\n", Lines{{1, 10}}).all, 10 + 680);
}

TEST(MachineCounts, AreNoneWithoutMachineCode) {
  EXPECT_EQ(machine_counts({}, "ret;\n", Lines{{1, 10}}).all, 0);
  EXPECT_EQ(machine_counts(std::vector<MachineOperation>{{7, integer}}, "", Lines{{1, 10}}).all, 0);
  EXPECT_EQ(machine_counts(std::vector<MachineOperation>{{7, integer}}, "ret;", {}).all, 0);
}

TEST(MachineOperations, AreReadFromWhatPtxasWrote) {
  const Toolchain toolchain = find_toolchain();
  if (toolchain.ptxas.empty()) GTEST_SKIP() << "there is no ptxas here";
  Compilation compilation;
  compilation.ptx =
      ".version 7.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry other()\n{\n  ret;\n}\n"
      ".visible .entry k(.param .u64 a)\n{\n.reg .f32 %f<5>;\n.reg .b64 %rd<3>;\n"
      "ld.param.u64 %rd1, [a];\nld.global.f32 %f1, [%rd1];\n"
      "fma.rn.f32 %f2, %f1, %f1, %f1;\nex2.approx.ftz.f32 %f3, %f2;\n"
      "st.global.f32 [%rd1+8], %f3;\nret;\n}\n";
  for (const rules::ComputeCapability cc : {rules::ComputeCapability{7, 5}, {8, 6}, {9, 0}}) {
    const ResourceReport report = kernel_resources(compilation, "k", {&cc, 1}, toolchain);
    ASSERT_TRUE(report.by_compute_capability[0]) << report.why_unknown;
    const std::vector<MachineOperation>& all = report.by_compute_capability[0]->operations;
    std::vector<std::pair<int, MachineUnit>> own;
    for (const MachineOperation& each : all) {
      if (each.unit != integer && each.unit != other && each.unit != once)
        own.emplace_back(each.ptx_line, each.unit);
    }
    const std::vector<std::pair<int, MachineUnit>> expected = {
        {13, memory}, {14, float32}, {15, special}, {16, memory}};
    EXPECT_EQ(own, expected) << rules::to_string(cc);
    // The product waits for the load.
    const auto loads = loads_with_first_use(all);
    ASSERT_EQ(loads.size(), 1U);
    EXPECT_EQ(loads[0].ptx_line, 13);
    ASSERT_LT(static_cast<std::size_t>(loads[0].needed), all.size());
    EXPECT_EQ(all[static_cast<std::size_t>(loads[0].needed)].ptx_line, 14) << rules::to_string(cc);
  }
}

TEST(PlacedLoads, AreNeededByTheFirstThatWaitsForTheirScoreboard) {
  const std::vector<MachineOperation> operations = {
      {.ptx_line = 1, .loads = true, .clears = 0}, {.ptx_line = 2, .loads = true, .clears = 1},
      {.ptx_line = 3, .waits = 1U << 1},           {.ptx_line = 4, .waits = 1U << 0},
      {.ptx_line = 5, .loads = true, .clears = 2}, {.ptx_line = 6, .jumps = true},
      {.ptx_line = 7, .waits = 1U << 2},           {.ptx_line = 8, .loads = true},
  };
  const auto loads = loads_with_first_use(operations);
  ASSERT_EQ(loads.size(), 4U);
  EXPECT_EQ(loads[0].needed, 3);
  EXPECT_EQ(loads[1].needed, 2);
  EXPECT_EQ(loads[1].place, 1);
  EXPECT_EQ(loads[1].piece, 0);
  EXPECT_GT(loads[2].needed, 8);  // a branch comes before the wait
  EXPECT_EQ(loads[3].piece, 1);
  EXPECT_GT(loads[3].needed, 8);
}

TEST(MachineOperations, OfBytesThatAreNoMachineCodeAreNone) {
  EXPECT_TRUE(machine_operations({}, "k").empty());
  std::vector<std::byte> bytes(4096, std::byte{0xff});
  EXPECT_TRUE(machine_operations(bytes, "k").empty());
  for (const auto& [at, value] : {std::pair{0, 0x7f}, {1, 'E'}, {2, 'L'}, {3, 'F'}})
    bytes[static_cast<std::size_t>(at)] = static_cast<std::byte>(value);
  EXPECT_TRUE(machine_operations(bytes, "k").empty());
  bytes.resize(40);
  EXPECT_TRUE(machine_operations(bytes, "k").empty());
}

}  // namespace
}  // namespace warpwise::lab
