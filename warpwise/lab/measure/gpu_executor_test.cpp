// Rungs on a GPU: what runs there, what fails, and how long it takes. Skipped without one.
#include "warpwise/lab/measure/gpu_executor.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <numeric>
#include <sstream>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/measure/gpu_timing.hpp"

namespace warpwise::lab {
namespace {

using ladders::Launch;

constexpr const char* kernels = R"(
struct Fill { unsigned* out; unsigned value; unsigned count; };

extern "C" __global__ void fill(Fill p) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.count) p.out[i] = p.value + i;
}

extern "C" __global__ void times_two(Fill p) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.count) p.out[i] *= 2;
}

extern "C" __global__ void faulting(Fill p) { *(volatile unsigned*)16 = p.value; }

struct Fetch { unsigned* out; unsigned long long linear, flat; int width, height; };

extern "C" __global__ void fetch(Fetch p) {
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const unsigned index = y * p.width + x;
  const uchar4 flat = tex2D<uchar4>(p.flat, x, y);
  const unsigned linear = tex1Dfetch<unsigned>(p.linear, index);
  p.out[index] = linear == (flat.x | flat.y << 8 | flat.z << 16 | (unsigned)flat.w << 24) ? linear : 0;
}
)";

struct Fill {
  std::uint64_t out;
  std::uint32_t value;
  std::uint32_t count;
};

struct Fetch {
  std::uint64_t out;
  std::uint64_t linear;
  std::uint64_t flat;
  std::int32_t width;
  std::int32_t height;
};

TEST(WithoutGpu, TheExecutorSaysSo) {
  if (gpu::device_count() != 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_THROW(GpuExecutor(), NoCudaDevice);
}

class OnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
    executor_.emplace();
    try {
      static const Compilation compilation = compile(executor_->compute_capability());
      code_ = executor_->load(compilation);
    } catch (const Unsupported& error) {
      GTEST_SKIP() << error.what();
    }
  }

  static Compilation compile(rules::ComputeCapability cc) {
    CompileOptions options;
    options.architecture = 10 * cc.major + cc.minor;
    return compile_text(kernels, "kernels.cu", options);
  }

  Launch launch(const std::string& kernel, std::uint64_t out, std::uint32_t value,
                std::uint32_t count, std::uint32_t threads = 256) const {
    return {.kernel = kernel,
            .grid = {(count + threads - 1) / threads, 1, 1},
            .block = {threads, 1, 1},
            .shared_bytes = 0,
            .arguments = ladders::bytes_of(Fill{out, value, count})};
  }

  std::vector<std::uint32_t> read(std::uint64_t from, std::size_t count) {
    std::vector<std::uint32_t> words(count);
    executor_->read(from, std::as_writable_bytes(std::span(words)));
    return words;
  }

  // \param launches  have to outlive it
  GpuWork work_of(std::span<const Launch> launches) {
    return
        [this, launches](gpu::StreamHandle stream) { executor_->launch(*code_, launches, stream); };
  }

  std::optional<GpuExecutor> executor_;
  std::shared_ptr<LoadedCode> code_;
};

TEST_F(OnGpu, DescribesItself) {
  EXPECT_FALSE(executor_->device_name().empty());
  EXPECT_GE(executor_->compute_capability().major, 7);
  EXPECT_GT(executor_->multiprocessors(), 0);
  EXPECT_GE(executor_->max_shared_bytes(), 48u * 1024);
  EXPECT_GT(code_->registers("fill").value_or(0), 0);
  EXPECT_GE(code_->blocks_per_sm("fill", 256, 0), 2);
  EXPECT_EQ(code_->blocks_per_sm("fill", 32, executor_->max_shared_bytes()), 1);
}

TEST_F(OnGpu, MemoryIsAlignedAndLimited) {
  const std::vector<std::uint32_t> sent = {1, 2, 3, 4, 5};
  std::vector<std::uint64_t> places;
  for (int i = 0; i < 5; ++i) {
    places.push_back(executor_->allocate(20, "words"));
    EXPECT_EQ(places.back() % 512, 0u);
    executor_->write(places.back(), std::as_bytes(std::span(sent)));
  }
  for (const std::uint64_t place : places) EXPECT_EQ(read(place, 5), sent);
  const std::uint64_t too_much = std::uint64_t{1} << 50;
  try {
    executor_->allocate(too_much, "everything");
    ADD_FAILURE() << "there was a petabyte";
  } catch (const OutOfMemory& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("everything"), std::string::npos) << text;
    EXPECT_NE(text.find(std::to_string(too_much)), std::string::npos) << text;
  }
  executor_->clear();
}

TEST_F(OnGpu, LaunchesRunInOrder) {
  constexpr std::uint32_t count = 1000;
  const std::uint64_t out = executor_->allocate(4 * count, "out");
  const Launch launches[] = {launch("fill", out, 7, count), launch("times_two", out, 0, count)};
  executor_->run(*code_, launches);
  std::vector<std::uint32_t> expected(count);
  for (std::uint32_t i = 0; i < count; ++i) expected[i] = 2 * (7 + i);
  EXPECT_EQ(read(out, count), expected);
}

TEST_F(OnGpu, TexturesAreRead) {
  constexpr int width = 16;
  constexpr int height = 8;
  std::vector<std::uint32_t> pixels(width * height);
  std::iota(pixels.begin(), pixels.end(), 0x01020304U);
  const std::uint64_t in = executor_->allocate(4 * pixels.size(), "in");
  const std::uint64_t out = executor_->allocate(4 * pixels.size(), "out");
  executor_->write(in, std::as_bytes(std::span(pixels)));
  emulator::Texture linear{.data = in, .width = pixels.size(), .channel_bytes = 4};
  emulator::Texture flat{
      .data = in, .width = width, .height = height, .pitch_bytes = 4 * width, .channels = 4};
  const Fetch arguments{out, executor_->create_texture(linear), executor_->create_texture(flat),
                        width, height};
  const Launch launch{.kernel = "fetch",
                      .grid = {1, 1, 1},
                      .block = {width, height, 1},
                      .shared_bytes = 0,
                      .arguments = ladders::bytes_of(arguments)};
  executor_->run(*code_, {&launch, 1});
  EXPECT_EQ(read(out, pixels.size()), pixels);
}

TEST_F(OnGpu, RefusedLaunchesNameTheKernel) {
  const std::uint64_t out = executor_->allocate(4, "out");
  const Launch too_large = launch("times_two", out, 0, 1, 4096);
  try {
    executor_->run(*code_, {&too_large, 1});
    ADD_FAILURE() << "a block of 4096 threads ran";
  } catch (const CudaError& error) {
    EXPECT_NE(std::string(error.what()).find("times_two"), std::string::npos) << error.what();
  }
  const Launch unknown = launch("no_such_kernel", out, 0, 1);
  EXPECT_THROW(executor_->run(*code_, {&unknown, 1}), InvalidArgument);
  const Launch right = launch("fill", out, 3, 1);
  executor_->run(*code_, {&right, 1});
  EXPECT_EQ(read(out, 1), std::vector<std::uint32_t>{3});
}

// In a process of its own: none can use the GPU after a fault.
TEST_F(OnGpu, FaultsNameTheKernel) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run_and_tell = [&] {
    const std::uint64_t out = executor_->allocate(4, "out");
    const Launch launches[] = {launch("fill", out, 3, 1), launch("faulting", out, 3, 1),
                               launch("times_two", out, 3, 1)};
    try {
      executor_->run(*code_, launches);
    } catch (const CudaError& error) {
      std::cerr << error.what() << "\n";
      std::_Exit(7);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(run_and_tell(), ::testing::ExitedWithCode(7), "kernel 'faulting'");
}

constexpr TimingOptions quick{.cold_seconds = 0.05, .wall_seconds = 0.2, .batch_seconds = 0.02};

std::string text_of(const Measurement& measurement) {
  std::ostringstream text;
  text << "cold " << measurement.cold.median_us << " [" << measurement.cold.p5_us << ", "
       << measurement.cold.p95_us << "] us, " << measurement.cold.samples << " samples, "
       << measurement.cold.dropped << " dropped, " << measurement.sm_clock_mhz << " MHz; batch of "
       << measurement.runs_per_batch << " " << measurement.batch.median_us << " ["
       << measurement.batch.p5_us << ", " << measurement.batch.p95_us << "] us";
  return text.str();
}

TEST_F(OnGpu, LaunchesAreTimedOftenEnough) {
  constexpr std::uint32_t count = 100;
  const std::uint64_t out = executor_->allocate(4 * count, "out");
  GpuTimer timer(executor_->device(), executor_->stream());
  const Launch launches[] = {launch("fill", out, 5, count), launch("times_two", out, 0, count)};
  const Measurement measurement = timer.measure(work_of(launches), quick);
  EXPECT_GE(measurement.cold.samples, 5);
  EXPECT_GE(measurement.cold.samples + measurement.cold.dropped, 10);
  EXPECT_GE(measurement.batch.samples, 10);
  EXPECT_GE(measurement.runs_per_batch, 1);
  for (const Timing& timing : {measurement.cold, measurement.batch}) {
    EXPECT_GT(timing.p5_us, 0);
    EXPECT_LE(timing.p5_us, timing.median_us);
    EXPECT_LE(timing.median_us, timing.p95_us);
  }
  EXPECT_EQ(read(out, 1), std::vector<std::uint32_t>{10});
  std::cout << text_of(measurement) << "\n";
}

// What only hardware answers.
class GpuTimes : public OnGpu {};

TEST_F(GpuTimes, GrowWithTheWork) {
  constexpr std::uint32_t count = 1 << 24;
  const std::uint64_t out = executor_->allocate(4 * std::uint64_t{count}, "out");
  GpuTimer timer(executor_->device(), executor_->stream());
  const Launch once[] = {launch("times_two", out, 0, count)};
  const Launch thrice[] = {once[0], once[0], once[0]};
  const Measurement one = timer.measure(work_of(once), quick);
  const Measurement three = timer.measure(work_of(thrice), quick);
  std::cout << "once: " << text_of(one) << "\nthrice: " << text_of(three) << "\n";
  for (const Measurement& measurement : {one, three}) {
    EXPECT_GT(measurement.sm_clock_mhz, 200);
    EXPECT_LT(measurement.sm_clock_mhz, 4000);
    EXPECT_TRUE(measurement.launches_hidden);
  }
  EXPECT_GT(three.cold.median_us, 1.2 * one.cold.median_us);
  EXPECT_GT(three.batch.median_us, 2 * one.batch.median_us);

  // No kernel that reads and writes passes the roof by much when its memory is not in L2.
  const double roof = timer.copy_roof_gb_per_s();
  const double reached = 8.0 * count / one.cold.median_us / 1000;
  std::cout << "copy " << roof << " GB/s, once " << reached << " GB/s\n";
  EXPECT_GT(roof, 50);
  EXPECT_LT(roof, 50'000);
  EXPECT_EQ(roof, timer.copy_roof_gb_per_s());
  // Reading alone is not slower than reading and writing, nor twice as fast.
  const double reads = timer.read_roof_gb_per_s();
  std::cout << "reads " << reads << " GB/s\n";
  EXPECT_EQ(reads, timer.read_roof_gb_per_s());
  EXPECT_GT(reads, 0.95 * roof);
  EXPECT_LT(reads, 2 * roof);
  EXPECT_GT(reached, 0.2 * roof);
  EXPECT_LT(reached, 2 * roof);

  // A multiprocessor does between 8 and 128 packed sums a cycle.
  const double rate = timer.absolute_differences_per_s();
  const double per_cycle = rate / 4 / (one.sm_clock_mhz * 1e6) / executor_->multiprocessors();
  std::cout << rate / 1e12 << " T absolute differences a second, " << per_cycle
            << " packed sums a cycle and SM\n";
  EXPECT_GT(per_cycle, 8);
  EXPECT_LT(per_cycle, 140);
}

TEST_F(GpuTimes, OfTransfers) {
  GpuTimer timer(executor_->device(), executor_->stream());
  constexpr std::uint64_t sizes[] = {64 << 20, 1 << 20};
  const Transfers both = timer.transfers(sizes, std::span(sizes).first(1));
  std::cout << "up " << both.upload_us << " us, down " << both.download_us << " us\n";
  constexpr double terabyte_per_s = 1e6;  // bytes a microsecond
  for (const double us : {both.upload_us, both.download_us}) {
    EXPECT_GT(us, (64 << 20) / terabyte_per_s);
    EXPECT_LT(us, 1e6);
  }
}

}  // namespace
}  // namespace warpwise::lab
