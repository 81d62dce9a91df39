// Runs kernels of files and rungs on a GPU beside the emulator. Skipped without a GPU or a
// compiler. If counters cannot be read, the tests that do not need them still run.
#include "warpwise/lab/explain/gpu/gpu_probe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "warpwise/lab/explain/comparison/comparison.hpp"
#include "warpwise/lab/explain/programs/primitive.hpp"
#include "warpwise/lab/explain/show/report.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kernels = R"(
extern "C" __global__ void scale(float* data, float factor) {
  data[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}

// Loads by indices that it then overwrites, so that a run on its own results loads other words.
extern "C" __global__ void follow(unsigned* data, unsigned* out) {
  const unsigned i = threadIdx.x;
  out[i] = data[data[i] % 64];
  __syncthreads();
  data[i] = 63;
}

extern "C" __global__ void fetch(int* out, cudaTextureObject_t in) {
  const int i = threadIdx.x;
  out[i] = tex2D<unsigned char>(in, i % 3 + 0.5f, i / 3 + 0.5f);
}

extern "C" __global__ void through(int* out, const int* in) { out[threadIdx.x] = *in; }

extern "C" __global__ void outside(int* out) { out[threadIdx.x + 1000] = 1; }
)";

class ExplainOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
    probe_.emplace();
    file_ = fs::temp_directory_path() / ("explain_on_gpu_" + std::to_string(::getpid()) + ".cu");
    std::ofstream(file_) << kernels;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove(file_, ignored);
  }

  Explanation explained(const std::string& kernel, std::uint32_t threads,
                        const std::vector<std::string>& arguments, std::uint32_t blocks = 1) {
    ExplainRequest request;
    request.file = file_.string();
    request.kernel = kernel;
    request.grid = {blocks, 1, 1};
    request.block = {threads, 1, 1};
    request.compute_capabilities = {probe_->executor().compute_capability()};
    for (const std::string& each : arguments) request.arguments.push_back(parse_argument(each));
    try {
      return explain(request, {}, &*probe_);
    } catch (const Unsupported& error) {
      skipped_ = error.what();
      return {};
    }
  }

  // Checks that requests and sectors of global memory equal the emulator's, if counters are
  // readable.
  static void expect_equal_traffic(const GpuReport& report) {
    ASSERT_EQ(report.why_not, "");
    ASSERT_TRUE(report.times) << report.why_no_times;
    EXPECT_GT(report.times->cold.median_us, 0);
    if (!report.why_no_counters.empty()) {
      std::cout << "no counters: " << report.why_no_counters << "\n";
      return;
    }
    int compared = 0;
    for (const ComparedCount& each : report.compared) {
      if (!each.name.starts_with("global ")) continue;
      EXPECT_EQ(each.measured, each.counted) << each.name;
      ++compared;
    }
    EXPECT_GT(compared, 0);
    EXPECT_EQ(report.not_comparable, "");
    EXPECT_TRUE(report.metrics.contains("sm__warps_active.avg.pct_of_peak_sustained_active"));
  }

  std::optional<GpuProbe> probe_;
  fs::path file_;
  std::string skipped_;
};

TEST_F(ExplainOnGpu, AKernelOfAFileStandsBesideItsCounts) {
  const Explanation explanation = explained("scale", 256, {"f32[256]:iota", "f32:2"});
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
  std::cout << text_of(explanation, false);
  expect_equal_traffic(*explanation.gpu);
}

// Each pass of the counters runs the kernel. On its own results, all lanes would load one word.
TEST_F(ExplainOnGpu, AKernelFindsItsArgumentsAsTheyWereGivenInEachPass) {
  const Explanation explanation = explained("follow", 64, {"u32[64]:iota", "u32[64]"});
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
  expect_equal_traffic(*explanation.gpu);
}

TEST_F(ExplainOnGpu, TwoKernelsAreBothTimed) {
  const std::vector<std::string> arguments = {"f32[4194304]:iota", "f32:2"};
  ExplainedKernel few{"few", {explained("scale", 256, arguments)}};
  ExplainedKernel many{"many", {explained("scale", 256, arguments, 16384)}};
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
  const Comparison comparison = compare(many, few);
  std::cout << text_of(comparison);
  ASSERT_TRUE(comparison.measured);
  EXPECT_EQ(comparison.measured->why_not, "");
  EXPECT_GT(comparison.measured->cold_us.speedup(), 1);
}

TEST_F(ExplainOnGpu, ATextureWhoseRowsNoGpuTakesIsPadded) {
  const Explanation explanation = explained("fetch", 6, {"i32[6]", "tex2d<u8>[3x2]:iota"});
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
  EXPECT_EQ(explanation.gpu->why_not, "");
}

TEST_F(ExplainOnGpu, PointersToNumbersAreNotRun) {
  const Explanation explanation = explained("through", 32, {"i32[32]", "&{i32:5}"});
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
  EXPECT_TRUE(explanation.launch.faults.empty());
  EXPECT_NE(explanation.gpu->why_not.find("'&{i32:5}'"), std::string::npos)
      << explanation.gpu->why_not;
  probe_->executor().allocate(4, "the GPU is usable");
}

TEST_F(ExplainOnGpu, WhatFaultsInTheEmulatorIsNotRun) {
  const Explanation explanation = explained("outside", 32, {"i32[32]"});
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
  EXPECT_NE(explanation.gpu->why_not.find("the emulator found faults"), std::string::npos);
  probe_->executor().allocate(4, "the GPU is usable");
}

TEST_F(ExplainOnGpu, ARungStandsBesideItsCounts) {
  PrimitiveRequest request;
  request.name = "scalar";
  request.compute_capabilities = {probe_->executor().compute_capability()};
  PrimitiveExplanation explanation;
  try {
    explanation = explain_rung(find_study("copy"), request, &*probe_);
  } catch (const Unsupported& error) {
    GTEST_SKIP() << error.what();
  }
  ASSERT_EQ(explanation.launches.size(), 1U);
  expect_equal_traffic(*explanation.launches[0].gpu);
}

TEST_F(ExplainOnGpu, EachLaunchOfARungHasItsOwnCounters) {
  PrimitiveRequest request;
  request.name = "shipped";
  request.compute_capabilities = {probe_->executor().compute_capability()};
  PrimitiveExplanation explanation;
  try {
    explanation = explain_rung(find_study("threshold"), request, &*probe_);
  } catch (const Unsupported& error) {
    GTEST_SKIP() << error.what();
  }
  for (const Explanation& each : explanation.launches) expect_equal_traffic(*each.gpu);
}

}  // namespace
}  // namespace warpwise::lab
