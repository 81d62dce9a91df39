// Kernels that launch kernels, with their results from Program::launch().

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "warpwise/emulator/launched.hpp"

namespace warpwise::emulator {
namespace device_runtime_tests {

// `parent` launches `child`, or the kernel at `given` if it is not 0, in 2 blocks of 3 threads. It
// stores the returned error at to + 4. Each thread of `child` adds `step` to *to and prints.
constexpr const char* program = R"(
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2
  (.param .b64 a, .param .align 4 .b8 b[12], .param .align 4 .b8 c[12], .param .b32 d);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 a, .param .b64 b);
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.global .align 1 .b8 text[4] = {104, 105, 10, 0};
.visible .entry child(.param .u64 to, .param .u32 step) {
  .reg .b64 %a; .reg .b32 %v; .param .b64 p0; .param .b64 p1; .param .b32 r;
  ld.param.u64 %a, [to]; ld.param.u32 %v, [step];
  red.global.add.u32 [%a], %v;
  mov.u64 %a, text; cvta.global.u64 %a, %a;
  st.param.b64 [p0], %a; st.param.b64 [p1], 0;
  call (r), vprintf, (p0, p1);
  ret;
}
.visible .entry parent(.param .u64 to, .param .u64 given, .param .u32 step) {
  .reg .b64 %a, %t, %g; .reg .b32 %v; .reg .pred %p;
  .param .b64 f; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12]; .param .b32 s;
  .param .b64 buffer; .param .b64 in; .param .b64 stream; .param .b32 error;
  ld.param.u64 %t, [to]; ld.param.u64 %g, [given]; ld.param.u32 %v, [step];
  mov.u64 %a, child;
  setp.ne.u64 %p, %g, 0;
  @%p mov.u64 %a, %g;
  st.param.b64 [f], %a; st.param.b32 [s], 0;
  st.param.b32 [grid], 2; st.param.b32 [grid+4], 1; st.param.b32 [grid+8], 1;
  st.param.b32 [block], 3; st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;
  call (buffer), __cudaCDP2GetParameterBufferV2, (f, grid, block, s);
  ld.param.b64 %a, [buffer];
  setp.eq.u64 %p, %a, 0;
  @%p bra LAUNCH;
  st.global.u64 [%a], %t; st.global.u32 [%a+8], %v;
LAUNCH:
  st.param.b64 [in], %a; st.param.b64 [stream], 0;
  call (error), __cudaCDP2LaunchDeviceV2, (in, stream);
  ld.param.b32 %v, [error];
  ld.param.u64 %t, [to]; st.global.u32 [%t+4], %v;
  ret;
}
)";

struct Launched {
  LaunchResult result;
  std::uint32_t sum = 0;
  std::uint32_t error = 0;
};

Launched run(std::uint64_t kernel, std::uint32_t step, std::uint64_t bytes = 8) {
  Device device;
  const Address to = device.allocate(bytes, "sums");
  struct {
    std::uint64_t to;
    std::uint64_t kernel;
    std::uint32_t step;
  } const given{to, kernel, step};
  Launched launched;
  launched.result = Program(program).launch(device, "parent", {}, {}, 0,
                                            std::as_bytes(std::span(&given, 1)).first(20));
  std::array<std::uint32_t, 2> read{};
  device.read(to, std::as_writable_bytes(std::span(read)).first(bytes));
  launched.sum = read[0];
  launched.error = read[1];
  return launched;
}

TEST(DeviceRuntime, ALaunchedKernelHasAResultOfItsOwn) {
  const Launched done = run(0, 5);
  EXPECT_EQ(done.error, 0U);
  EXPECT_EQ(done.sum, 6 * 5U);
  EXPECT_TRUE(done.result.faults.empty());
  EXPECT_TRUE(done.result.device_work.empty());
  ASSERT_EQ(done.result.launched.size(), 1U);
  const LaunchedKernel& child = done.result.launched[0];
  EXPECT_EQ(child.name, "child");
  EXPECT_EQ(child.grid, (Dim3{2, 1, 1}));
  EXPECT_EQ(child.block, (Dim3{3, 1, 1}));
  EXPECT_EQ(child.result.printed, "hi\nhi\nhi\nhi\nhi\nhi\n");
  EXPECT_EQ(child.result.blocks, 2U);
}

// `again` launches itself into the tail stream, and so never ends.
TEST(DeviceRuntime, TailLaunchesShareTheBudget) {
  Program endless(R"(
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2
  (.param .b64 a, .param .align 4 .b8 b[12], .param .align 4 .b8 c[12], .param .b32 d);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 a, .param .b64 b);
.visible .entry again() {
  .reg .b64 %a; .param .b64 f; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12];
  .param .b32 s; .param .b64 buffer; .param .b64 in; .param .b64 stream; .param .b32 error;
  mov.u64 %a, again;
  st.param.b64 [f], %a; st.param.b32 [s], 0;
  st.param.b32 [grid], 1; st.param.b32 [grid+4], 1; st.param.b32 [grid+8], 1;
  st.param.b32 [block], 1; st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;
  call (buffer), __cudaCDP2GetParameterBufferV2, (f, grid, block, s);
  ld.param.b64 %a, [buffer];
  st.param.b64 [in], %a; st.param.b64 [stream], 3;
  call (error), __cudaCDP2LaunchDeviceV2, (in, stream);
  ret;
}
)");
  Device device;
  LaunchOptions options;
  options.budget = 10000;
  const LaunchResult result = endless.launch(device, "again", {}, {}, 0, {}, options);
  EXPECT_TRUE(result.faults.empty());
  ASSERT_GT(result.launched.size(), 10U);
  EXPECT_LT(result.launched.size(), 10000U);
  const std::vector<Fault>& faults = result.launched.back().result.faults;
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].kind, FaultKind::budget);
  EXPECT_EQ(faults[0].message,
            "the launch and the kernels that it launched did not end within 10000 warp "
            "instructions");
}

TEST(DeviceRuntime, WhatIsNoKernelIsNotLaunched) {
  const Launched done = run(0x1234, 5);
  EXPECT_EQ(done.error, 1U) << "cudaErrorInvalidValue: there is no memory for its parameters";
  EXPECT_EQ(done.sum, 0U);
  EXPECT_TRUE(done.result.launched.empty());
}

TEST(DeviceRuntime, FaultsOfLaunchedKernelsCanStandWithTheLaunchers) {
  LaunchResult result;
  Fault fault;
  fault.message = "out of bounds";
  LaunchedKernel child;
  child.name = "child";
  child.result.faults = {fault};
  child.result.printed = "hi\n";
  result.printed = "first\n";
  result.launched = {child};
  include_launched(result);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].message, "in kernel 'child', which it launched: out of bounds");
  EXPECT_EQ(result.printed, "first\nhi\n");
}

}  // namespace device_runtime_tests
}  // namespace warpwise::emulator
