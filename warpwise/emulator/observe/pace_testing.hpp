#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "emulator/emulated.hpp"

// Kernels for the tests of Pace.
namespace warpwise::pace_tests {

using emulator::Address;
using emulator::LaunchResult;
using emulator::PaceModel;
using test::Emulated;

/// Returns a kernel of two pointers. %rd4 is the thread's address in the first buffer, %rd5 its
/// address in the second buffer. %rd6 is the first pointer.
inline std::string kernel(const std::string& body) {
  return R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to)
{
  .reg .b32 %r<20>;
  .reg .b64 %rd<20>;
  .shared .align 4 .b8 tile[4096];
  ld.param.u64 %rd6, [from];
  ld.param.u64 %rd2, [to];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.s32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd6, %rd3;
  add.s64 %rd5, %rd2, %rd3;
)" + body +
         "\n  ret;\n}\n";
}

inline constexpr PaceModel model{.loads = {},
                                 .arithmetic_cycles = 4,
                                 .float64_cycles = 8,
                                 .special_cycles = 20,
                                 .shared_cycles = 25,
                                 .constant_cycles = 8,
                                 .texture_cycles = 100,
                                 .l1_cycles = 30,
                                 .l2_cycles = 200,
                                 .dram_cycles = 1000,
                                 .barrier_cycles = 10,
                                 .atomic_sector_cycles = 1,
                                 .shared_loop_cycles = 40,
                                 .l1_bytes = 4096};

struct Run {
  std::string body;
  std::uint32_t blocks = 1;
  std::uint32_t threads = 32;
  PaceModel pace = model;
  std::uint64_t sampled = 0;
};

inline LaunchResult run(const Run& run) {
  Emulated emulated(kernel(run.body));
  emulated.options.compute_capabilities = {{9, 0}};
  emulated.options.pace = run.pace;
  emulated.options.sampled_blocks = run.sampled;
  const std::size_t words = std::max<std::size_t>(std::size_t{run.blocks} * run.threads, 4096);
  const Address from = emulated.buffer(std::vector<std::uint32_t>(words));
  const Address to = emulated.buffer(std::vector<std::uint32_t>(words));
  LaunchResult result = emulated.launch("k", {run.blocks}, {run.threads}, from, to);
  EXPECT_TRUE(result.faults.empty());
  return result;
}

inline double cycles(const std::string& body, const PaceModel& pace = model) {
  return run({.body = body, .pace = pace}).pace.block_cycles;
}

}  // namespace warpwise::pace_tests
