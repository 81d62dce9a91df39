// The emulator's counts: transactions, passes and divergence, by line and in total.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "emulator/emulated.hpp"
#include "emulator/hand_kernel.hpp"
#include "support/enum_names.hpp"
#include "warpwise/emulator/decode/operation.hpp"
#include "warpwise/rules/rules.hpp"

namespace warpwise {
namespace counts_tests {

using emulator::Address;
using emulator::Dim3;
using emulator::LaunchResult;
using emulator::LineCounts;
using test::Emulated;

/// Counts of compiled kernels, on CC 1.3, 2.0 and 9.0.
class Counts : public testing::Test {
 protected:
  enum { cc13, cc20, cc90 };

  void SetUp() override {
#ifndef WARPWISE_KERNELS_PTX
    GTEST_SKIP() << "no CUDA toolkit compiled tests/emulator/kernels";
#endif
  }

  static void prepare(Emulated& emulated) {
    emulated.options.compute_capabilities = {{1, 3}, {2, 0}, {9, 0}};
    emulated.options.threads = 2;
  }

  /// Runs a kernel that reads and writes an image of width x width floats.
  static LaunchResult run_square(const std::string& file, const std::string& kernel,
                                 std::uint32_t width, Dim3 block, std::uint32_t tile) {
    Emulated emulated(test::kernels_ptx(file));
    prepare(emulated);
    const std::size_t count = std::size_t{width} * width;
    const Address from = emulated.buffer(std::vector<float>(count));
    const Address to = emulated.buffer(std::vector<float>(count));
    const int size = static_cast<int>(width);
    const Dim3 grid{width / tile, width / tile};
    LaunchResult result = file == "transpose"
                              ? emulated.launch(kernel, grid, block, from, to, size, size)
                              : emulated.launch(kernel, grid, block, from, to, size);
    EXPECT_TRUE(result.faults.empty());
    return result;
  }
};

TEST_F(Counts, Transposes) {
  const std::uint64_t requests = 64 * 64 / 32;
  const LaunchResult naive = run_square("transpose", "transpose_naive", 64, {32, 8}, 32);
  for (const auto& memory : naive.memory) {
    EXPECT_EQ(memory.global_load.requests, requests);
    EXPECT_EQ(memory.global_store.requests, requests);
    EXPECT_EQ(memory.global_load.references, 64U * 64);
    EXPECT_EQ(memory.global_load.bytes_requested, 64U * 64 * 4);
    EXPECT_EQ(memory.shared_load.requests, 0U);
  }
  // A row of 32 floats is two segments of 64 bytes, a line of 128, or four sectors.
  EXPECT_EQ(naive.memory[cc13].global_load.transactions_64, 2 * requests);
  EXPECT_EQ(naive.memory[cc20].global_load.transactions_128, requests);
  EXPECT_EQ(naive.memory[cc90].global_load.transactions_32, 4 * requests);
  EXPECT_EQ(naive.memory[cc90].global_load.ideal_transactions, 4 * requests);
  EXPECT_EQ(naive.memory[cc90].global_load.bytes_moved, 64U * 64 * 4);
  // In a column, each lane has a transaction of its own.
  for (const auto& memory : naive.memory)
    EXPECT_EQ(memory.global_store.transactions_32, 32 * requests);
  EXPECT_EQ(naive.memory[cc90].global_store.ideal_transactions, 4 * requests);

  const LaunchResult tiled = run_square("transpose", "transpose_tiled", 64, {32, 8}, 32);
  const LaunchResult padded = run_square("transpose", "transpose_padded", 64, {32, 8}, 32);
  for (const LaunchResult* result : {&tiled, &padded}) {
    EXPECT_EQ(result->memory[cc90].global_load.transactions_32, 4 * requests);
    EXPECT_EQ(result->memory[cc90].global_store.transactions_32, 4 * requests);
    for (const auto& memory : result->memory) {
      EXPECT_EQ(memory.shared_load.requests, requests);
      EXPECT_EQ(memory.shared_store.passes, memory.shared_store.ideal_passes);
    }
    EXPECT_EQ(result->totals.barriers, 4U * 8);
  }
  for (const int cc : {cc13, cc20, cc90}) {
    const std::uint64_t ideal = cc == cc13 ? 2 * requests : requests;
    EXPECT_EQ(tiled.memory[static_cast<std::size_t>(cc)].shared_load.passes, 32 * requests);
    EXPECT_EQ(tiled.memory[static_cast<std::size_t>(cc)].shared_load.ideal_passes, ideal);
    EXPECT_EQ(padded.memory[static_cast<std::size_t>(cc)].shared_load.passes, ideal);
  }
}

/// Row A1 of docs/sources.md: for an image 100 times as large, the profiler counted 92160
/// transactions on a tenth of the GPU's SMs.
TEST_F(Counts, BankConflictsOfGtx280) {
  const std::uint32_t width = 384;
  const std::uint64_t warps = width * width / 32;
  const LaunchResult conflict = run_square("counts", "bank_conflict", width, {16, 16}, 16);
  const LaunchResult none = run_square("counts", "no_bank_conflict", width, {16, 16}, 16);
  EXPECT_EQ(conflict.memory[cc13].shared_load.passes, 2 * 16 * warps);
  EXPECT_EQ(conflict.memory[cc13].shared_load.ideal_passes, 2 * warps);
  EXPECT_EQ(none.memory[cc13].shared_load.passes, 2 * warps);
  for (const LaunchResult* result : {&conflict, &none}) {
    EXPECT_EQ(result->memory[cc13].global_load.transactions_64, 92160U * 10 / 100);
    EXPECT_EQ(result->memory[cc13].global_store.transactions_64, 92160U * 10 / 100);
    EXPECT_EQ(result->memory[cc13].global_load.transactions_32, 0U);
  }
}

/// Row A2 of docs/sources.md: 65,536 transactions, or 1,048,576 if strided, for 2^20 elements.
TEST_F(Counts, TransactionsOfGtx280) {
  Emulated emulated(test::kernels_ptx("counts"));
  prepare(emulated);
  const std::size_t count = 1024 * 1024;
  const Address from = emulated.device.allocate(4 * count);
  const Address to = emulated.device.allocate(4);
  const auto run = [&](const char* kernel) {
    const LaunchResult result =
        emulated.launch(kernel, {count / 256}, {256}, from, to, static_cast<int>(count));
    EXPECT_EQ(result.thread_rounds, count) << "a load of each thread, in every block";
    return result.memory[cc13].global_load;
  };
  const emulator::TrafficCounts neighbours = run("read_neighbours");
  EXPECT_EQ(neighbours.transactions_64, 65536U);
  EXPECT_EQ(neighbours.transactions_32, 0U);
  const emulator::TrafficCounts strided = run("read_strided");
  EXPECT_EQ(strided.transactions_32, 1048576U);
  EXPECT_EQ(strided.transactions_64, 0U);
}

/// Row D2 of docs/sources.md: 112 useful operations out of 144, 128 or 112 (threads times rounds).
TEST_F(Counts, ThreadEfficiencyOfPixelOrganisations) {
  Emulated emulated(test::kernels_ptx("counts"));
  prepare(emulated);
  const Address from = emulated.device.allocate(4 * 48);
  const Address to = emulated.device.allocate(4 * 64);
  struct Organisation {
    const char* kernel;
    std::uint32_t threads;
    std::uint64_t executed;
  };
  for (const Organisation& each :
       {Organisation{"input_based", 48, 144}, Organisation{"output_based", 64, 128},
        Organisation{"input_output_based", 16, 112}}) {
    const LaunchResult result = emulated.launch(each.kernel, {1}, {each.threads}, from, to);
    const auto& memory = result.memory[cc90];
    EXPECT_EQ((memory.global_load.bytes_requested + memory.global_store.bytes_requested) / 4, 112U)
        << each.kernel;
    EXPECT_EQ(memory.global_load.references + memory.global_store.references, 112U) << each.kernel;
    EXPECT_EQ(result.thread_rounds, each.executed) << each.kernel;
    // A warp makes a request for each round in which one of its threads has work.
    const std::uint64_t warps = each.threads == 16 ? 7 : each.threads == 48 ? 2 + 3 : 2 + 2;
    EXPECT_EQ(memory.global_load.requests + memory.global_store.requests, warps) << each.kernel;
  }
}

#ifdef WARPWISE_KERNELS_SOURCE
int marked_line(const std::string& file, const std::string& mark) {
  const std::string text = test::read_text(WARPWISE_KERNELS_SOURCE "/" + file);
  const std::size_t at = text.find("// mark: " + mark);
  EXPECT_NE(at, std::string::npos) << mark;
  return 1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

TEST_F(Counts, Lines) {
  Emulated emulated(test::kernels_ptx("counts"));
  prepare(emulated);
  const Address from = emulated.buffer(std::vector<float>(400));
  const Address to = emulated.buffer(std::vector<float>(200));
  const LaunchResult result = emulated.launch("lines", {2}, {96}, from, to, 160);
  const auto line = [&](const std::string& file, const std::string& mark) {
    const int wanted = marked_line(file, mark);
    for (const LineCounts& each : result.lines) {
      if (each.line == wanted && each.file.ends_with("/" + file)) return each;
    }
    ADD_FAILURE() << "no counts of " << mark;
    return LineCounts{{}, 0, {}, std::vector<emulator::MemoryCounts>(3)};
  };
  // 160 threads, five full warps.
  EXPECT_EQ(line("counts.cu", "strided load").memory[cc90].global_load.requests, 5U);
  EXPECT_EQ(line("counts.cu", "strided load").memory[cc90].global_load.transactions_32, 5U * 8);
  EXPECT_EQ(line("counts.cuh", "inlined load").memory[cc90].global_load.transactions_32, 5U * 4);
  EXPECT_EQ(line("counts.cu", "half of the lanes").memory[cc90].global_load.requests, 5U);
  EXPECT_EQ(line("counts.cu", "half of the lanes").memory[cc90].global_load.references, 160U / 2);
  EXPECT_EQ(line("counts.cu", "half of the lanes").memory[cc90].global_load.bytes_requested,
            160U / 2 * 4);
  EXPECT_EQ(line("counts.cu", "store").memory[cc90].global_store.requests, 5U);
  EXPECT_EQ(line("counts.cu", "store").memory[cc90].global_store.bytes_requested, 160U * 4);

  emulator::ExecutionCounts sum;
  std::uint64_t sectors = 0;
  for (const LineCounts& each : result.lines) {
    sum.warp_instructions += each.execution.warp_instructions;
    sum.thread_instructions += each.execution.thread_instructions;
    sum.branches += each.execution.branches;
    sum.divergent_branches += each.execution.divergent_branches;
    sectors += each.memory[cc90].global_load.transactions_32;
  }
  EXPECT_EQ(sum.warp_instructions, result.totals.warp_instructions);
  EXPECT_EQ(sum.thread_instructions, result.totals.thread_instructions);
  EXPECT_EQ(sum.branches, result.totals.branches);
  EXPECT_EQ(sum.divergent_branches, result.totals.divergent_branches);
  EXPECT_EQ(sectors, result.memory[cc90].global_load.transactions_32);
}
#endif

// ---- kernels in PTX, written by hand, so that no compiler changes their instructions

std::string kernel_text(const std::string& body) {
  return ".version 8.4\n.target sm_90\n.address_size 64\n.file 1 \"hand.cu\"\n"
         ".visible .entry hand(.param .u64 to)\n{\n.reg .pred %p, %q;\n.reg .b32 %r<9>;\n.reg .f32 "
         "%f<9>;\n"
         ".reg .b64 %l<9>;\n" +
         body + "\nret;\n}\n";
}

const LineCounts& line_of(const LaunchResult& result, int line) {
  for (const LineCounts& each : result.lines) {
    if (each.line == line) return each;
  }
  ADD_FAILURE() << "no line " << line;
  return result.lines.front();
}

/// Lanes diverge in `ways` directions and converge again.
TEST(HandWritten, Divergence) {
  for (std::uint32_t ways = 1; ways <= 32; ++ways) {
    std::string body =
        ".loc 1 1 0\nmov.u32 %r1, %laneid;\nrem.u32 %r1, %r1, " + std::to_string(ways) + ";\n";
    std::string parts;
    for (std::uint32_t way = 0; way < ways; ++way) {
      const std::string n = std::to_string(way);
      body += ".loc 1 2 0\nsetp.eq.u32 %p, %r1, " + n + ";\n@%p bra WAY" + n + ";\n";
      parts +=
          "WAY" + n + ":\n.loc 1 3 0\nadd.u32 %r2, %r2, " + n + ";\n.loc 1 4 0\nbra.uni MEET;\n";
    }
    body += "trap;\n" + parts +
            "MEET:\n.loc 1 5 0\nadd.u32 %r3, %r2, 1;\nadd.u32 %r4, %r3, 1;\n.loc 1 6 0";
    Emulated emulated(kernel_text(body));
    const LaunchResult result = emulated.launch("hand", {3}, {64}, Address{0});
    const std::uint64_t warps = 6;
    EXPECT_TRUE(result.faults.empty());
    EXPECT_EQ(result.totals.divergent_branches, (ways - 1) * warps) << ways;
    EXPECT_EQ(result.totals.branches, 2 * ways * warps) << ways;
    EXPECT_EQ(line_of(result, 3).execution.warp_instructions, ways * warps);
    EXPECT_EQ(line_of(result, 3).execution.thread_instructions, 32 * warps);
    // All lanes are together again.
    EXPECT_EQ(line_of(result, 5).execution.warp_instructions, 2 * warps) << ways;
    EXPECT_EQ(line_of(result, 5).execution.thread_instructions, 64 * warps);
  }
}

/// Lanes leave a loop one after another, and then continue together.
TEST(HandWritten, LoopsOfDifferentLength) {
  Emulated emulated(kernel_text(
      "mov.u32 %r1, %laneid;\nLOOP:\n.loc 1 1 0\nsub.u32 %r1, %r1, 1;\nsetp.ge.s32 %p, %r1, 0;\n"
      "@%p bra LOOP;\n.loc 1 2 0\nadd.u32 %r2, %r1, 1;\n.loc 1 3 0"));
  const LaunchResult result = emulated.launch("hand", {1}, {32}, Address{0});
  EXPECT_EQ(line_of(result, 1).execution.warp_instructions, 32U * 3);
  // Lanes that leave do not execute the branch.
  EXPECT_EQ(line_of(result, 1).execution.thread_instructions, 32U * 33 / 2 * 3 - 32);
  EXPECT_EQ(result.totals.divergent_branches, 31U);
  EXPECT_EQ(line_of(result, 2).execution.warp_instructions, 1U);
}

TEST(HandWritten, ClassesHaveNames) {
  EXPECT_TRUE(test::names_each_enumerator<emulator::InstructionClass>());
}

TEST(HandWritten, Classes) {
  Emulated emulated(
      kernel_text("ld.param.u64 %l1, [to];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %l2, %r1, "
                  "4;\nadd.u64 %l1, %l1, %l2;\n"
                  "and.b32 %r2, %r1, 3;\ncvt.rn.f32.u32 %f1, %r2;\nfma.rn.f32 %f1, %f1, %f1, "
                  "%f1;\nsqrt.approx.f32 %f2, %f1;\n"
                  "setp.gt.f32 %p, %f2, %f1;\nst.global.f32 [%l1], %f2;\nld.global.f32 %f3, "
                  "[%l1];\nred.global.add.f32 [%l1], %f3;\n"
                  "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;\nbar.sync 0;"));
  emulated.options.compute_capabilities = {{9, 0}};
  const LaunchResult result = emulated.launch("hand", {1}, {32}, emulated.device.allocate(128));
  EXPECT_TRUE(result.faults.empty());
  const std::map<std::string, std::uint64_t> expected = {
      {"move", 2},    {"integer", 2}, {"logic", 1},  {"conversion", 1}, {"float32", 1},
      {"special", 1}, {"compare", 1}, {"store", 1},  {"load", 1},       {"atomic", 1},
      {"shuffle", 1}, {"barrier", 1}, {"control", 1}};
  EXPECT_EQ(result.instructions_by_class, expected);
  EXPECT_EQ(result.totals.warp_instructions, 15U);
  EXPECT_EQ(result.totals.barriers, 1U);
  EXPECT_EQ(result.memory[0].global_atomic.requests, 1U);
  EXPECT_EQ(result.memory[0].global_atomic.references, 32U);
}

/// Lanes that a guard leaves out add nothing. A division counts its machine code's operations.
TEST(HandWritten, FloatOperations) {
  Emulated emulated(
      kernel_text("mov.u32 %r1, %laneid;\nsetp.lt.u32 %p, %r1, 3;\n"
                  ".loc 1 1 0\nfma.rn.f32 %f1, %f1, %f2, %f3;\nadd.f32 %f1, %f1, %f2;\n"
                  "@%p mul.ftz.f32 %f1, %f1, %f2;\n"
                  ".loc 1 2 0\nfma.rn.f64 %l4, %l4, %l4, %l4;\nsub.f64 %l4, %l4, %l4;\n"
                  ".loc 1 3 0\ndiv.rn.f32 %f1, %f1, %f2;\nmax.f32 %f1, %f1, %f2;\n"
                  "add.u32 %r1, %r1, 1;\n.loc 1 4 0"));
  const LaunchResult result = emulated.launch("hand", {2}, {32}, Address{0});
  EXPECT_TRUE(result.faults.empty());
  EXPECT_EQ(line_of(result, 1).execution.float32_operations, 2 * (3 * 32 + 3U));
  EXPECT_EQ(line_of(result, 2).execution.float64_operations, 2 * 3 * 32U);
  EXPECT_EQ(line_of(result, 2).execution.float32_operations, 0U);
  EXPECT_EQ(line_of(result, 3).execution.float32_operations, 2 * 10 * 32U);
  EXPECT_EQ(result.totals.float32_operations, 2 * (13 * 32 + 3U));
  EXPECT_EQ(result.totals.float64_operations, 2 * 3 * 32U);
}

/// A guarded access that no lane makes is an instruction, but no request.
TEST(HandWritten, RequestsOfNoLane) {
  Emulated emulated(
      kernel_text("mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p, %r1, 99;\nld.param.u64 %l1, [to];\n@%p "
                  "ld.global.f32 %f1, [%l1];"));
  emulated.options.compute_capabilities = {{9, 0}};
  const LaunchResult result = emulated.launch("hand", {1}, {32}, Address{0});
  EXPECT_TRUE(result.faults.empty());
  EXPECT_EQ(result.memory[0].global_load.requests, 0U);
  EXPECT_EQ(result.instructions_by_class.at("load"), 1U);
  EXPECT_EQ(result.totals.thread_instructions, 32U * 4);
}

TEST(HandWritten, LocalConstantAndWideAccesses) {
  Emulated emulated(
      ".version 8.4\n.target sm_90\n.address_size 64\n.const .align 4 .b32 table[32];\n"
      ".visible .entry hand(.param .u64 to)\n{\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 "
      "%l<9>;\n"
      ".local .align 16 .b8 own[16];\nmov.u32 %r1, %laneid;\n"
      "st.local.u32 [own], %r1;\nld.local.v4.f32 {%f1, %f2, %f3, %f4}, [own];\n"
      "mov.u64 %l1, table;\nld.const.u32 %r2, [%l1];\nmul.wide.u32 %l2, %r1, 4;\nadd.u64 %l1, %l1, "
      "%l2;\n"
      "ld.const.u32 %r3, [%l1];\n"
      "ld.param.u64 %l3, [to];\nmul.wide.u32 %l4, %r1, 16;\nadd.u64 %l3, %l3, %l4;\n"
      "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%l3];\nret;\n}\n");
  emulated.options.compute_capabilities = {{9, 0}};
  const LaunchResult result = emulated.launch("hand", {1}, {32}, emulated.device.allocate(512));
  EXPECT_TRUE(result.faults.empty());
  const auto& memory = result.memory[0];
  EXPECT_EQ(memory.local_store.requests, 1U);
  EXPECT_EQ(memory.local_store.transactions_32, 4U);
  EXPECT_EQ(memory.local_load.transactions_32, 16U);
  EXPECT_EQ(memory.constant.requests, 2U);
  EXPECT_EQ(memory.constant.passes, 1U + 32);
  EXPECT_EQ(memory.constant.ideal_passes, 2U);
  EXPECT_EQ(memory.global_load.transactions_32, 16U);
  EXPECT_EQ(memory.global_load.references, 32U) << "four words at once are one reference";
  EXPECT_EQ(memory.global_load.bytes_requested, 512U);
}

/// In each round all lanes load, then only those below the round's number. The start address grows
/// by 4; the lanes' offsets stay the same. Stored costs must apply only to equal accesses.
TEST(HandWritten, LanesWithoutACommonStep) {
  constexpr std::uint32_t rounds = 40;
  Emulated emulated(
      kernel_text("mov.u32 %r2, %laneid;\nmul.lo.u32 %r5, %r2, %r2;\nand.b32 %r5, %r5, 31;\n"
                  "mul.wide.u32 %l4, %r5, 8;\nld.param.u64 %l1, [to];\n"
                  "add.u64 %l4, %l4, %l1;\nmov.u32 %r6, 0;\nloop:\nsetp.gt.u32 %q, %r6, %r2;\n"
                  "ld.global.u32 %r7, [%l4];\n@%q ld.global.u32 %r7, [%l4];\nadd.u64 %l4, %l4, 4;\n"
                  "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p, %r6, 40;\n@%p bra loop;"));
  emulated.options.compute_capabilities = {{1, 3}, {9, 0}};
  const Address memory = emulated.buffer(std::vector<std::uint32_t>(128));
  const LaunchResult result = emulated.launch("hand", {1}, {32}, memory);
  EXPECT_TRUE(result.faults.empty());
  for (std::size_t k = 0; k < 2; ++k) {
    const rules::ComputeCapability cc = emulated.options.compute_capabilities[k];
    std::uint64_t expected = 0;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      std::array<std::uint64_t, 32> addresses{};
      std::uint32_t some = 0;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        addresses[lane] = memory + 8 * (lane * lane % 32) + 4 * round;
        some |= static_cast<std::uint32_t>(round > lane) << lane;
      }
      for (const std::uint32_t active : {0xffffffffU, some}) {
        const auto traffic = rules::global_traffic(cc, {addresses, active, 4, false});
        expected += static_cast<std::uint64_t>(traffic.transactions());
      }
    }
    const emulator::TrafficCounts& counted = result.memory[k].global_load;
    EXPECT_EQ(counted.transactions_32 + counted.transactions_64 + counted.transactions_128,
              expected);
  }
}

// Returns the source line that the counts give for a read of global memory.
// \param function  mangled name of the function inlined at that line
int line_of_the_read(const std::string& header, const std::string& function = "_Z4loadPi") {
  std::string text = test::kernel_text(
      ".loc 1 9 0\n.loc 2 134 49, function_name $L__info_string0, inlined_at 1 9 3\n"
      "ld.global.u32 %r5, [%l1];",
      ".file 2 \"" + header + "\"\n");
  text += ".section .debug_str {\n$L__info_string0:\n.b8 ";
  for (const char c : function) text += std::to_string(static_cast<int>(c)) + ",";
  Emulated emulated(text + "0\n}\n");
  emulated.options.compute_capabilities = {{9, 0}};
  const Address memory = emulated.buffer(std::vector<std::uint32_t>(64));
  const LaunchResult result = emulated.launch("hand", {1}, {32}, memory, memory);
  for (const emulator::LineCounts& line : result.lines) {
    if (line.memory[0].global_load.requests > 0) return line.line;
  }
  return 0;
}

TEST(CountsOfLines, AnInlineFunctionOfTheToolkitCountsAtItsCaller) {
  EXPECT_EQ(
      line_of_the_read("/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_32_intrinsics.hpp"),
      9);
  EXPECT_EQ(line_of_the_read("/venv/site-packages/nvidia/cu13/include/cuda_fp16.hpp"), 9);
  EXPECT_EQ(line_of_the_read("/usr/local/cuda-13.0/include/cccl/cuda/std/array"), 9);
  EXPECT_EQ(line_of_the_read("/home/me/kernels/include/mine.cuh"), 134) << "a header of one's own";
  EXPECT_EQ(line_of_the_read("/home/me/cuda-kernels/include/mine.cuh"), 134);
}

// The compiler gives a copy of a structure the source line of the structure's definition.
TEST(CountsOfLines, ACopyOfAStructureCountsAtItsCaller) {
  for (const char* const copy : {"_ZN4BodyC1ERKS_", "_ZN4BodyaSERKS_", "_ZN2my4BodyC2EOS0_"})
    EXPECT_EQ(line_of_the_read("/home/me/kernels/body.hpp", copy), 9) << copy;
  for (const char* const other : {"_ZN4BodyC1Ef", "_ZNK4Body4massEv"})
    EXPECT_EQ(line_of_the_read("/home/me/kernels/body.hpp", other), 134) << other;
}

}  // namespace counts_tests
}  // namespace warpwise
