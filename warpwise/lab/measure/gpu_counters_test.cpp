// Reads a GPU's counters of kernels with known counts. Skipped with the reason if they cannot be
// read: in CI, or if only administrators may read them.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "warpwise/lab/measure/counters.hpp"
#include "warpwise/lab/measure/gpu_executor.hpp"

namespace warpwise::lab {
namespace {

using ladders::Launch;

constexpr std::uint32_t words = 1 << 20;
constexpr double warps = words / 32;

constexpr const char* kernels = R"(
struct Fill { unsigned* out; unsigned value; unsigned count; };

extern "C" __global__ void fill(Fill p) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  p.out[i] = p.value + i;
}

// A warp's 32 words lie 32 words apart in shared memory, and so in one bank.
extern "C" __global__ void conflicts(Fill p) {
  __shared__ unsigned tile[32 * 32];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = p.out[i];
  __syncthreads();
  p.out[i] = tile[threadIdx.x % 32 * 32 + threadIdx.x / 32];
}

extern "C" __global__ void divergent(Fill p) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = p.out[i];
  if (i % 2 == 0) {
    for (unsigned k = 0; k < p.value; ++k) sum = sum * 1664525 + p.out[k];
  } else {
    for (unsigned k = 0; k < p.value; ++k) sum = sum / 3 + p.out[k + 7];
  }
  p.out[i] = sum;
}
)";

struct Fill {
  std::uint64_t out;
  std::uint32_t value;
  std::uint32_t count;
};

class CountersOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
    executor_.emplace();
    try {
      counters_.emplace(gpu::current_device(), cupti::current_context());
      CompileOptions options;
      const rules::ComputeCapability cc = executor_->compute_capability();
      options.architecture = 10 * cc.major + cc.minor;
      code_ = executor_->load(compile_text(kernels, "kernels.cu", options));
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    out_ = executor_->allocate(4 * words, "out");
  }

  Launch launch(const std::string& kernel, std::uint32_t value, std::uint32_t threads) const {
    return {.kernel = kernel,
            .grid = {words / threads, 1, 1},
            .block = {threads, 1, 1},
            .shared_bytes = 0,
            .arguments = ladders::bytes_of(Fill{out_, value, words})};
  }

  // Reads the metrics, and prints them so that the output of a failed test has them.
  std::vector<CounterValues> read(const std::vector<Launch>& launches) {
    int runs = 0;
    std::vector<CounterValues> values;
    try {
      values = counters_->read(launches.size(), [&] {
        executor_->run(*code_, launches);
        ++runs;
      });
    } catch (const CountersUnavailable& error) {
      skipped_ = error.what();
      return {};
    }
    std::cout << counters_->library() << ": " << counters_->passes() << " passes, " << runs
              << " runs\n";
    for (const auto& [metric, reason] : counters_->left_out()) {
      std::cout << "left out: " << metric << ": " << reason << "\n";
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (const auto& [metric, value] : values[i]) {
        std::cout << launches[i].kernel << " " << metric << " " << value << "\n";
      }
    }
    return values;
  }

  std::optional<GpuExecutor> executor_;
  std::optional<Counters> counters_;
  std::shared_ptr<LoadedCode> code_;
  std::uint64_t out_ = 0;
  std::string skipped_;
};

TEST_F(CountersOnGpu, CountEachKernel) {
  const std::vector<CounterValues> values =
      read({launch("fill", 7, 256), launch("conflicts", 0, 1024), launch("divergent", 9, 256)});
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
  ASSERT_EQ(values.size(), 3U);
  const CounterValues& fill = values[0];
  EXPECT_GE(fill.at("smsp__inst_executed.sum"), 3 * warps);
  EXPECT_EQ(fill.at("smsp__thread_inst_executed_pred_on.sum"),
            32 * fill.at("smsp__inst_executed.sum"));
  EXPECT_EQ(fill.at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 0);
  EXPECT_EQ(fill.at("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"), warps);
  EXPECT_EQ(fill.at("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"), 4 * warps);
  EXPECT_EQ(fill.at("smsp__inst_executed_op_shared_ld_pred_on_any.sum"), 0);
  const double occupancy = fill.at("sm__warps_active.avg.pct_of_peak_sustained_active");
  EXPECT_GT(occupancy, 10);
  EXPECT_LE(occupancy, 100);

  const CounterValues& conflicts = values[1];
  EXPECT_EQ(conflicts.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 4 * warps);
  EXPECT_EQ(conflicts.at("smsp__inst_executed_op_shared_ld_pred_on_any.sum"), warps);
  // Each load takes 32 passes. The pipe's other accesses make the counter a little higher.
  const double wavefronts = conflicts.at("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum");
  EXPECT_GE(wavefronts, 32 * warps);
  EXPECT_LT(wavefronts, 1.2 * 32 * warps);

  const CounterValues& divergent = values[2];
  EXPECT_LT(divergent.at("smsp__thread_inst_executed_pred_on.sum"),
            24 * divergent.at("smsp__inst_executed.sum"));
  const auto parted = divergent.find("smsp__sass_branch_targets_threads_divergent.sum");
  if (parted != divergent.end()) {
    EXPECT_GE(parted->second, warps);
    EXPECT_EQ(fill.at("smsp__sass_branch_targets_threads_divergent.sum"), 0);
  }
}

TEST_F(CountersOnGpu, AreTheSameAgainAndLeaveTheResultAlone) {
  const std::vector<Launch> launches = {launch("fill", 3, 128)};
  const std::vector<CounterValues> once = read(launches);
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
  const std::vector<CounterValues> again = read(launches);
  ASSERT_EQ(once.size(), 1U);
  ASSERT_EQ(again.size(), 1U);
  for (const char* metric : {"smsp__inst_executed.sum", "smsp__thread_inst_executed_pred_on.sum",
                             "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}) {
    EXPECT_EQ(once[0].at(metric), again[0].at(metric)) << metric;
  }
  std::vector<std::uint32_t> result(words);
  executor_->read(out_, std::as_writable_bytes(std::span(result)));
  for (std::uint32_t i = 0; i < words; ++i) ASSERT_EQ(result[i], 3 + i);
}

// Reads the counters of two problems as lab run does for a row, without switching the profiler off.
TEST_F(CountersOnGpu, AreTheSameWhileTheProfilerStaysOn) {
  const std::vector<Launch> launches = {launch("divergent", 5, 256), launch("fill", 3, 128)};
  const std::vector<CounterValues> apart = read(launches);
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
  const Counters::SwitchedOn switched_on(*counters_);
  const std::vector<Launch> alone = {launch("conflicts", 0, 1024)};
  const std::vector<CounterValues> other =
      counters_->read(1, [&] { executor_->run(*code_, alone); }, false);
  ASSERT_EQ(other.size(), 1U);
  EXPECT_EQ(other[0].at("smsp__inst_executed_op_shared_ld_pred_on_any.sum"), warps);
  const std::vector<CounterValues> together = read(launches);
  ASSERT_EQ(apart.size(), 2U);
  ASSERT_EQ(together.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(together[i].size(), apart[i].size());
    for (const auto& [metric, value] : apart[i]) {
      if (!metric.starts_with("smsp__") || !metric.ends_with(".sum")) continue;  // not exact
      EXPECT_EQ(together[i].at(metric), value) << metric;
    }
  }
}

TEST_F(CountersOnGpu, AnUnknownMetricIsLeftOut) {
  const std::string_view metrics[] = {"smsp__inst_executed.sum", "smsp__nothing_executed.sum"};
  try {
    counters_.emplace(gpu::current_device(), cupti::current_context(), metrics);
  } catch (const CountersUnavailable& error) {
    GTEST_SKIP() << error.what();
  }
  EXPECT_EQ(counters_->left_out().size(), 1U);
  EXPECT_TRUE(counters_->left_out().contains("smsp__nothing_executed.sum"));
}

}  // namespace
}  // namespace warpwise::lab
