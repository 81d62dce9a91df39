#include "warpwise/testbench/testbench.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>

#include "warpwise/base/error.hpp"

namespace warpwise::testbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// strided(from, to, step): to[i] = from[i * step], one thread each; line 3 reads, line 4 writes.
constexpr const char* strided_ptx = R"(.version 7.0
.target sm_75
.address_size 64
.global .align 4 .b8 factor[4] = {2, 0, 0, 0};
.visible .entry _Z7stridedIfEvPKT_PS0_i(.param .u64 from, .param .u64 to, .param .u32 step)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  .loc 1 2 0
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  ld.param.u32 %r1, [step];
  mov.u32 %r2, %tid.x;
  mul.lo.s32 %r3, %r2, %r1;
  mul.wide.u32 %rd3, %r3, 4;
  add.s64 %rd4, %rd1, %rd3;
  mul.wide.u32 %rd5, %r2, 4;
  add.s64 %rd6, %rd2, %rd5;
  .loc 1 3 0
  ld.global.u32 %r4, [%rd4];
  .loc 1 4 0
  st.global.u32 [%rd6], %r4;
  ret;
}
// columns(to, odd): each lane writes shared memory 128 bytes further (line 7); odd lanes branch (line 8).
.visible .entry columns(.param .u64 to, .param .u32 odd)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b8 tile[4096];
  .loc 1 6 0
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [odd];
  mov.u32 %r2, %tid.x;
  shl.b32 %r3, %r2, 7;
  mov.u32 %r4, tile;
  add.s32 %r5, %r4, %r3;
  .loc 1 7 0
  st.shared.u32 [%r5], %r2;
  .loc 1 8 0
  and.b32 %r6, %r2, %r1;
  setp.eq.s32 %p1, %r6, 0;
  @%p1 bra done;
  .loc 1 9 0
  st.global.u32 [%rd1], %r2;
done:
  ret;
}
.visible .entry twice(.param .align 8 .b8 operands[16])
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [operands];
  ld.param.u32 %r1, [operands+8];
  ld.global.u32 %r2, [factor];
  mul.lo.s32 %r3, %r1, %r2;
  st.global.u32 [%rd1], %r3;
  ret;
}
.file 1 "/project/src/strided.cu"
)";

// scaled(to, by): to[0] = by, in a function on line 8 that is inlined on line 12.
constexpr const char* scaled_ptx = R"(.version 7.2
.target sm_75
.address_size 64
.visible .entry scaled(.param .u64 to, .param .f32 by)
{
  .reg .f32 %f<2>;
  .reg .b64 %rd<2>;
$L__func:
  .loc 1 12 0
  ld.param.u64 %rd1, [to];
  ld.param.f32 %f1, [by];
  .loc 1 8 0, function_name $L__info_string0, inlined_at 1 12 3
  st.global.f32 [%rd1], %f1;
  ret;
}
.file 1 "/project/src/scaled.cu"
.section .debug_str
{
$L__info_string0:
.b8 115,0
}
)";

std::vector<float> iota(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

struct Operands {
  float* result;
  int value;
};

// Passes a structure with a pointer in it, and writes a variable of the module.
void expect_structures(const Module& module, const Buffer<float>& to) {
  const Buffer<std::int32_t> factor = module.variable<std::int32_t>("factor");
  EXPECT_EQ(factor.read(), std::vector<std::int32_t>{2});
  factor.write({{5}});
  EXPECT_TRUE(
      module.kernel("twice").launch({{1}, {1}}, Operands{to.pointer(), 7}).expect_no_faults());
  EXPECT_EQ(std::bit_cast<std::int32_t>(to.read()[0]), 35);
}

class TestbenchOf : public ::testing::Test {
 protected:
  Launch strided(int step, std::size_t elements = 32 * 8) {
    const Buffer<float> from = bench.buffer("from", iota(elements));
    return module.kernel("strided<float>").launch({{1}, {32}}, from, to, step);
  }
  Testbench bench{Backend::emulator};
  Module module = bench.load_ptx(strided_ptx);
  Buffer<float> to = bench.zeros<float>("to", 32);
};

TEST_F(TestbenchOf, RunsAKernelSeveralTimesAndReadsBack) {
  EXPECT_TRUE(strided(1).expect_no_faults());
  EXPECT_EQ(to.read(), iota(32));
  EXPECT_TRUE(strided(8).expect_no_faults());
  EXPECT_EQ(to.read()[31], 31 * 8 + 1);
}

TEST_F(TestbenchOf, SectorsOfARequest) {
  EXPECT_TRUE(strided(1).expect_sectors_per_request(4));
  const Launch scattered = strided(8);
  const Outcome outcome = scattered.expect_sectors_per_request(4);
  EXPECT_FALSE(outcome);
  EXPECT_EQ(
      outcome.text,
      "strided.cu:3: global loads take 32 sectors a request (1 requests), at most 4 are allowed");
  // The writes meet the expectation.
  EXPECT_TRUE(scattered.expect_sectors_per_request(4, {.line = 4}));
  EXPECT_TRUE(scattered.expect_sectors_per_request(32));
  EXPECT_FALSE(scattered.expect_sectors_per_request(31.9, {.line = 3, .file = "src/strided.cu"}));
}

TEST_F(TestbenchOf, AnExpectationOfNothingFails) {
  const Launch launch = strided(1);
  EXPECT_EQ(launch.expect_sectors_per_request(4, {.line = 77}).text,
            "kernel strided<float> has no instruction of line 77");
  EXPECT_EQ(launch.expect_no_divergence({.file = "rided.cu"}).text,
            "kernel strided<float> has no instruction of rided.cu; its instructions come from "
            "strided.cu");
  EXPECT_EQ(
      launch.expect_no_divergence({.line = 3, .file = "other.cu"}).text,
      "kernel strided<float> has no instruction of line 3 of other.cu; its instructions come from "
      "strided.cu");
  EXPECT_EQ(launch.expect_no_bank_conflicts({.line = 3}).text,
            "line 3 has no access to shared memory, so the expectation checks nothing");
  EXPECT_EQ(launch.expect_no_divergence({.line = 3}).text,
            "line 3 has no branch, so the expectation checks nothing");
  EXPECT_EQ(launch.expect_no_bank_conflicts().text,
            "kernel strided<float> has executed no access to shared memory, so the expectation "
            "checks nothing");
  EXPECT_EQ(module.kernel("twice")
                .launch({{1}, {1}}, Operands{to.pointer(), 7})
                .expect_no_divergence({.line = 3, .file = "strided.cu"})
                .text,
            "kernel twice has no source lines: compile it with -lineinfo");
  bench.options.count = false;
  EXPECT_THAT(strided(1).expect_no_divergence().text, HasSubstr("options.count is false"));
  bench.options = {};
  EXPECT_THAT(strided(1).expect_no_bank_conflicts().text,
              HasSubstr("compute_capabilities is empty"));
}

TEST_F(TestbenchOf, BankConflictsAndDivergence) {
  const Buffer<int> last = bench.zeros<int>("last", 1);
  const Launch odd = module.kernel("columns").launch({{1}, {32}}, last, 1);
  EXPECT_EQ(odd.expect_no_bank_conflicts().text,
            "strided.cu:7: shared stores take 32 passes (1 requests), at most 1 are allowed");
  EXPECT_EQ(odd.expect_no_divergence({.line = 8}).text,
            "strided.cu:8: 1 of 1 branches are divergent, none is allowed to be");
  const Launch even = module.kernel("columns").launch({{1}, {32}}, last, 0);
  EXPECT_TRUE(even.expect_no_divergence({.line = 8}));
  EXPECT_TRUE(even.expect_no_local_memory());
}

TEST_F(TestbenchOf, FaultsNameTheirLine) {
  const Launch launch = strided(8, 32);
  const Outcome outcome = launch.expect_no_faults();
  EXPECT_FALSE(outcome);
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("strided.cu:3: out_of_bounds"), HasSubstr("from"),
                                  HasSubstr("thread (4,0,0), 28 in all)")));
}

TEST_F(TestbenchOf, FaultsNameWhoCallsTheirLine) {
  const Launch launch =
      bench.load_ptx(scaled_ptx).kernel("scaled").launch({{1}, {1}}, std::uint64_t{4}, 1.0F);
  EXPECT_THAT(launch.expect_no_faults().text,
              HasSubstr("scaled.cu:8, inlined at scaled.cu:12: out_of_bounds"));
}

TEST_F(TestbenchOf, ManyGpusAreToldApart) {
  bench.options.compute_capabilities = {{3, 5}, {9, 0}};
  const Outcome outcome = strided(8).expect_sectors_per_request(4, {.line = 3});
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("strided.cu:3: global loads on CC 3.5 take"),
                                  HasSubstr("; global loads on CC 9.0 take 32 sectors")));
}

TEST_F(TestbenchOf, ANumberBesideItsLimitDiffersFromIt) {
  EXPECT_THAT(strided(8).expect_sectors_per_request(31.99999, {.line = 3}).text,
              HasSubstr("take 32 sectors a request (1 requests), at most 31.99999 are allowed"));
}

TEST_F(TestbenchOf, WhatFaultsIsNotCounted) {
  const Buffer<float> nothing = bench.zeros<float>("nothing", 0);
  const Launch launch = module.kernel("strided").launch({{1}, {32}}, nothing, nothing, 1);
  EXPECT_FALSE(launch.expect_no_faults());
  EXPECT_EQ(launch.expect_sectors_per_request(4).text,
            "kernel strided<float> has executed no access to global memory, so the expectation "
            "checks nothing");
}

TEST_F(TestbenchOf, StructuresPointersAndVariables) {
  expect_structures(module, to);
  EXPECT_THROW(module.variable<double>("factor"), InvalidArgument);
  EXPECT_THROW(module.variable<int>("none"), InvalidArgument);
}

TEST_F(TestbenchOf, WrongCallsAreRefused) {
  EXPECT_THROW(module.kernel("stride"), InvalidArgument);
  EXPECT_THROW(module.kernel("twice").launch({{1}, {1}}, 7), InvalidArgument);
  EXPECT_THROW(module.kernel("twice").launch({{1}, {1}}), InvalidArgument);
  EXPECT_THROW(to.write(iota(33)), InvalidArgument);
  EXPECT_THROW(bench.load("there_is_none.ptx"), IoError);
  EXPECT_THROW(bench.load_ptx("no PTX"), InvalidArgument);
  EXPECT_THROW(bench.texture(iota(7), {.width = 4, .height = 2}), InvalidArgument);
}

TEST_F(TestbenchOf, AFloatIsNoInteger) {
  const auto refusal = [&](const auto&... arguments) {
    try {
      module.kernel("strided").launch({{1}, {1}}, arguments...);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  EXPECT_EQ(refusal(to, to, 1.0F),
            "argument 2 (from 0) of kernel strided<float> is a floating-point number of 4 bytes, "
            "its parameter .u32 of 4: pass an int, such as 2");
  EXPECT_EQ(refusal(to, 1.0, 1),
            "argument 1 (from 0) of kernel strided<float> is a floating-point number of 8 bytes, "
            "its parameter .u64 of 8: pass a Buffer, a Texture, or an integer of 8 bytes, such as "
            "std::int64_t{2}");
  EXPECT_EQ(refusal(to, to, 1L),
            "argument 2 (from 0) of kernel strided<float> is an integer or an address of 8 bytes, "
            "its parameter .u32 of 4: pass an int, such as 2");
  EXPECT_EQ(refusal(to, to), "kernel strided<float> takes 3 arguments, not 2");
  struct One {
    int value;
  };
  EXPECT_THAT(refusal(to, to, One{1}), HasSubstr("is a structure of 4 bytes"));
  enum class Step { two = 2 };
  EXPECT_EQ(refusal(to, to.pointer(), Step::two), "nothing was refused");

  const Module scaling = bench.load_ptx(scaled_ptx);
  try {
    scaling.kernel("scaled").launch({{1}, {1}}, to, 2);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("its parameter .f32 of 4: pass a float, such as 2.0F"));
  }
  EXPECT_TRUE(scaling.kernel("scaled").launch({{1}, {1}}, to, 2.0F).expect_no_faults());
}

TEST_F(TestbenchOf, SizesThatNoMemoryHasAreRefused) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  // The sizes in bytes, modulo 2^64, are 4 and 2^64 - 4.
  EXPECT_THROW(bench.zeros<float>("x", most / 4 + 2), OutOfMemory);
  EXPECT_THROW(bench.zeros<float>("x", most / 4), OutOfMemory);
  EXPECT_THROW(bench.texture(iota(1), {.width = most / 4 + 2}), InvalidArgument);
  EXPECT_THROW(bench.texture(iota(2), {.width = 1, .height = 0, .channels = 0}), InvalidArgument);
  EXPECT_TRUE(bench.zeros<float>("x", 0).read().empty());
}

TEST_F(TestbenchOf, ABufferOfOneElementIsNoCount) {
  EXPECT_EQ(bench.buffer<float>("x", {5}).read(), std::vector<float>{5});
  EXPECT_EQ(bench.buffer<int>("x", {5, 6}).read(), (std::vector<int>{5, 6}));
  EXPECT_EQ(bench.zeros<int>("x", 2).read(), (std::vector<int>{0, 0}));
}

// count(to): to[0] += 1.
TEST_F(TestbenchOf, ZerosAreWritten) {
  const Module counting = bench.load_ptx(
      ".version 7.0 .target sm_75 .address_size 64\n"
      ".entry count(.param .u64 to) {\n"
      "  .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
      "  ld.param.u64 %rd1, [to]; ld.global.u32 %r1, [%rd1];\n"
      "  add.s32 %r1, %r1, 1; st.global.u32 [%rd1], %r1; ret; }");
  const Buffer<int> count = bench.zeros<int>("count", 1);
  const Outcome outcome = counting.kernel("count").launch({{1}, {1}}, count).expect_no_faults();
  EXPECT_TRUE(outcome) << outcome.text;
  EXPECT_EQ(count.read()[0], 1);
}

TEST_F(TestbenchOf, GoogleTestShowsTheText) {
  const ::testing::AssertionResult shown = strided(8).expect_sectors_per_request(4);
  EXPECT_FALSE(shown);
  EXPECT_THAT(shown.message(), HasSubstr("strided.cu:3"));
}

// read(texture, to): to[i] is the texel (i, 1).
constexpr const char* texture_ptx = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry read(.param .u64 texture, .param .u64 to)
{
  .reg .f32 %f<3>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [texture];
  ld.param.u64 %rd2, [to];
  mov.u32 %r1, %tid.x;
  cvt.rn.f32.u32 %f1, %r1;
  mov.f32 %f2, 0f3F800000;
  tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%rd1, {%f1, %f2}];
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r2;
  ret;
})";

void expect_texels(Testbench& bench) {
  const Module module = bench.load_ptx(texture_ptx);
  const Texture texture =
      bench.texture<std::uint8_t>({1, 2, 3, 4, 5, 6}, {.width = 3, .height = 2});
  const Buffer<unsigned> to = bench.zeros<unsigned>("to", 4);
  EXPECT_TRUE(module.kernel("read").launch({{1}, {4}}, texture, to).expect_no_faults());
  EXPECT_EQ(to.read(), (std::vector<unsigned>{4, 5, 6, 6}));
}

TEST(TestbenchTextures, AreReadAsTheySay) {
  Testbench bench(Backend::emulator);
  expect_texels(bench);
}

TEST(TestbenchCuda, TextIsCompiled) {
  Testbench bench(Backend::emulator);
  constexpr const char* text =
      "template <class T>\n__global__ void scale(T* x, T by) {\n"
      "  x[threadIdx.x] *= by;\n}\n"
      "template __global__ void scale<float>(float*, float);\n";
  std::optional<Module> module;
  try {
    module = bench.load_cuda(text);
  } catch (const Unsupported& error) {
    GTEST_SKIP() << error.what();
  }
  const Buffer<float> x = bench.buffer("x", iota(32));
  const Launch launch = module->kernel("scale").launch({{1}, {32}}, x, 3.0F);
  EXPECT_TRUE(launch.expect_sectors_per_request(4, {.line = 3, .file = "kernel.cu"}));
  EXPECT_EQ(x.read()[31], 96);
  try {
    bench.load_cuda("__global__ void f() { nonsense }");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("nonsense"));
  }
}

// Both compilers search the folder of the file `name`, even if that file does not exist.
TEST(TestbenchCuda, TextFindsTheHeadersBesideItsName) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("beside" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "three.cuh") << "constexpr int three = 3;\n";
  Testbench bench(Backend::emulator);
  std::optional<Module> module;
  try {
    module =
        bench.load_cuda("#include \"three.cuh\"\n__global__ void put(int* x) { *x = three; }\n", {},
                        (folder / "put.cu").string());
  } catch (const Unsupported& error) {
    std::filesystem::remove_all(folder);
    GTEST_SKIP() << error.what();
  }
  std::filesystem::remove_all(folder);
  const Buffer<int> x = bench.zeros<int>("x", 1);
  EXPECT_TRUE(module->kernel("put(int*)").launch({{1}, {1}}, x).expect_no_faults());
  EXPECT_EQ(x.read()[0], 3);
}

TEST(TestbenchCuda, AnArchitectureThatIsNoneIsNamedWithoutTheCommandsOption) {
  Testbench bench(Backend::emulator);
  try {
    bench.load_cuda("__global__ void k() {}", {.architecture = 20});
    FAIL();
  } catch (const Unsupported& error) {
    GTEST_SKIP() << error.what();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("architecture 20"), Not(HasSubstr("--arch"))));
  }
}

// The variable is read at each call, as a child process would read it.
TEST(TestbenchBackend, IsChosenByTheEnvironment) {
  const char* const before = std::getenv("WARPWISE_TEST_BACKEND");
  const std::string kept = before == nullptr ? "" : before;
  ::unsetenv("WARPWISE_TEST_BACKEND");
  EXPECT_EQ(chosen_backend(), Backend::emulator);
  ::setenv("WARPWISE_TEST_BACKEND", "gpu", 1);
  EXPECT_EQ(chosen_backend(), Backend::gpu);
  ::setenv("WARPWISE_TEST_BACKEND", "cuda", 1);
  EXPECT_THROW(chosen_backend(), InvalidArgument);
  ::setenv("WARPWISE_TEST_BACKEND", "auto", 1);
  const Backend found = chosen_backend();
  if (found == Backend::gpu) {
    EXPECT_EQ(Testbench(found).backend(), found);
  } else {
    EXPECT_THROW(Testbench bench(Backend::gpu), NoCudaDevice);
  }
  if (before == nullptr)
    ::unsetenv("WARPWISE_TEST_BACKEND");
  else
    ::setenv("WARPWISE_TEST_BACKEND", kept.c_str(), 1);
}

class TestbenchOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      on_gpu = std::make_unique<Testbench>(Backend::gpu);
    } catch (const NoCudaDevice& error) {
      GTEST_SKIP() << error.what();
    }
  }
  std::unique_ptr<Testbench> on_gpu;
};

TEST_F(TestbenchOnGpu, GivesTheSameResultsAndSkipsWhatItCannotCount) {
  Testbench& bench = *on_gpu;
  const Module module = bench.load_ptx(strided_ptx);
  const Buffer<float> from = bench.buffer("from", iota(32 * 8));
  const Buffer<float> to = bench.zeros<float>("to", 32);
  const Launch launch = module.kernel("strided<float>").launch({{1}, {32}}, from, to, 8);
  EXPECT_TRUE(launch.expect_no_faults());
  EXPECT_EQ(to.read()[31], 31 * 8 + 1);
  const Outcome outcome = launch.expect_sectors_per_request(1);
  EXPECT_TRUE(outcome.holds && outcome.skipped);
  EXPECT_THAT(outcome.text, HasSubstr("skipped"));
  EXPECT_EQ(bench.skipped(), 1U);
}

TEST_F(TestbenchOnGpu, TakesTexturesStructuresAndVariables) {
  expect_texels(*on_gpu);
  expect_structures(on_gpu->load_ptx(strided_ptx), on_gpu->zeros<float>("to", 32));
}

// some(to): to[0] = 1. The kernel has 16 KiB of static shared memory besides the dynamic memory.
constexpr const char* shared_ptx = R"(.version 7.0
.target sm_75
.address_size 64
.extern .shared .align 4 .b8 more[];
.visible .entry some(.param .u64 to) .maxntid 128, 1, 1
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  .shared .align 4 .b8 tile[16384];
  ld.param.u64 %rd1, [to];
  mov.u32 %r1, 1;
  mov.u32 %r2, tile;
  mov.u32 %r3, more;
  st.volatile.shared.u32 [%r2], %r1;
  st.volatile.shared.u32 [%r3], %r1;
  ld.volatile.shared.u32 %r1, [%r3];
  st.global.u32 [%rd1], %r1;
  ret;
})";

// Launches shapes that fit a GPU with 80 KiB of shared memory per block, and invalid shapes.
void expect_shapes(Testbench& bench) {
  const Kernel some = bench.load_ptx(shared_ptx).kernel("some");
  const Buffer<int> to = bench.zeros<int>("to", 1);
  // Around the default limit of 48 KiB, with and without the 16 KiB of static shared memory.
  for (const std::uint64_t bytes : {1024, 32768, 32772, 36864, 49152, 65536}) {
    to.write({{0}});
    EXPECT_TRUE(some.launch({{1}, {1}, bytes}, to).expect_no_faults()) << bytes;
    EXPECT_EQ(to.read()[0], 1) << bytes;
  }
  EXPECT_THROW(some.launch({{1}, {1}, 1U << 20}, to), InvalidArgument);
  EXPECT_THROW(some.launch({{1}, {1}, (std::uint64_t{1} << 32) + 1024}, to), InvalidArgument);
  EXPECT_THROW(some.launch({{1}, {2048}}, to), InvalidArgument);
  EXPECT_THROW(some.launch({{0}, {1}}, to), InvalidArgument);
  EXPECT_THROW(some.launch({{1, 65536}, {1}}, to), InvalidArgument);
  EXPECT_THROW(some.launch({{1}, {129}}, to), InvalidArgument);
  EXPECT_TRUE(some.launch({{1}, {128}, 64}, to).expect_no_faults());
}

TEST(TestbenchShapes, AreThoseThatAKernelAndAGpuTake) {
  Testbench bench(Backend::emulator);
  expect_shapes(bench);
}

TEST_F(TestbenchOnGpu, TakesAndRefusesTheSameShapes) { expect_shapes(*on_gpu); }

// Runs in a process of its own, because CUDA lets no process use the GPU after a fault.
TEST_F(TestbenchOnGpu, ABadAccessIsAFault) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto meets_a_fault = [] {
    Testbench bench(Backend::gpu);
    const Module module = bench.load_ptx(strided_ptx);
    const Buffer<float> from = bench.buffer("from", iota(32));
    const Buffer<float> to = bench.zeros<float>("to", 32);
    const Launch launch = module.kernel("strided<float>").launch({{1}, {32}}, from, to, 1 << 28);
    std::_Exit(launch.expect_no_faults() ? 1 : 0);
  };
  EXPECT_EXIT(meets_a_fault(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace warpwise::testbench
