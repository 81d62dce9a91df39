// Tests rungs on a GPU: their runs, failures and times. Skipped without a GPU.
#include "warpwise/lab/measure/gpu_executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <sstream>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/partition.hpp"
#include "warpwise/lab/measure/end_to_end.hpp"
#include "warpwise/lab/measure/gpu_share.hpp"
#include "warpwise/lab/measure/gpu_timing.hpp"
#include "warpwise/lab/measure/neighbour.hpp"
#include "warpwise/lab/study/run/transfer_run.hpp"

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

extern "C" __global__ void mark_multiprocessor(Fill p) {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  if (number < p.count) p.out[number] = p.value;
}

extern "C" __global__ void multiply(Fill p) {
  unsigned result = threadIdx.x;
  for (unsigned i = 0; i < p.count; ++i) result = result * 1664525u + 1013904223u;
  if (result == p.value) p.out[0] = result;
}

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

  // \param launches  have to outlive the returned work
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

TEST_F(OnGpu, TexturesStartWhereTheyMay) {
  emulator::Texture texture{
      .data = executor_->allocate(1024, "texels") + 256, .width = 64, .channel_bytes = 4};
  EXPECT_THROW(executor_->create_texture(texture), Unsupported);
  texture.data += 256;
  EXPECT_NE(executor_->create_texture(texture), 0U);
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

// Runs in a process of its own: after a fault no process can go on using the GPU.
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

// Runs five steps, at most three at once, and checks that each step has its own results.
TEST_F(OnGpu, StepsOfTransfersKeepApart) {
  constexpr std::uint32_t count = 1000;
  constexpr std::int64_t bytes = 4 * count;
  constexpr std::size_t steps_in_all = 5;
  std::array<std::vector<std::uint32_t>, steps_in_all> results;
  std::array<std::vector<std::uint32_t>, steps_in_all> inputs;
  std::vector<Launch> launches;
  std::vector<TransferStep> steps(steps_in_all);
  for (std::uint32_t i = 0; i < steps_in_all; ++i) {
    inputs[i].assign(count, 10 + i);
    results[i].assign(count, 0);
    const std::uint64_t place = executor_->allocate(bytes, "words");
    launches.push_back(launch("times_two", place, 0, count));
    auto* const device = ladders::pointer<std::byte>(place);
    steps[i].up = {{reinterpret_cast<std::byte*>(inputs[i].data()), device, bytes}};
    steps[i].down = {{reinterpret_cast<std::byte*>(results[i].data()), device, bytes}};
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].kernels = [this, launched = &launches[i]](gpu::StreamHandle stream) {
      executor_->launch(*code_, {launched, 1}, stream);
    };
  }
  const EndToEnd all = time_end_to_end(steps);
  for (std::uint32_t i = 0; i < steps_in_all; ++i) {
    EXPECT_EQ(results[i], std::vector<std::uint32_t>(count, 2 * (10 + i)));
  }
  EXPECT_EQ(all.bytes_up, bytes * std::int64_t{steps_in_all});
  EXPECT_EQ(all.bytes_down, all.bytes_up);
  EXPECT_GT(all.total.median_us, 0);
  EXPECT_GE(all.total.samples, 5);
  EXPECT_EQ(all.kernel_us, std::nullopt) << "of steps that overlap no part has a time of its own";

  const EndToEnd one = time_end_to_end(std::span(steps).first(1));
  EXPECT_GT(one.kernel_us.value_or(0), 0);
  EXPECT_GT(one.upload_us.value_or(0), 0);
  EXPECT_GT(one.download_us.value_or(0), 0);
}

// Runs the library's kernel of every ladder.
TEST_F(OnGpu, EveryWayOfTransfersGivesTheResult) {
  for (const ladders::Ladder* ladder : ladders::all()) {
    const StudyTable table = find_study(ladder->name());
    const Size size = ladder->name() == "match" ? Size{96, 128} : Size{67, 33};
    const ladders::Problem problem = table.problem(size, table.parameters(), {});
    ladders::Problem expected = problem;
    ladder->compute(expected, ladders::Cpu::library);
    for (const char* name : {"pageable", "mapped", "overlapped 3"}) {
      // find has one result for the whole image.
      if (ladder->name() == "find" && std::string_view(name) == "overlapped 3") continue;
      const TransferRun run = run_with_transfers(
          *executor_, table, table.rung("shipped"), problem, table.parameters(), expected,
          table.rung("shipped").blocks.front(), transfer_named(name).value());
      EXPECT_EQ(run.wrong, "") << ladder->name() << " " << name;
      EXPECT_GT(run.times.total.median_us, 0);
      const bool copies = std::string(name) != "mapped";
      EXPECT_EQ(run.times.bytes_up > 0, copies) << ladder->name() << " " << name;
      EXPECT_EQ(run.times.bytes_down > 0, copies) << ladder->name() << " " << name;
    }
  }
}

TEST_F(OnGpu, TransfersThatCannotBeSayWhy) {
  const StudyTable table = find_study("threshold");
  const ladders::Problem problem = table.problem({33, 9}, table.parameters(), {});
  const auto run = [&](const char* rung, const char* way) {
    run_with_transfers(*executor_, table, table.rung(rung), problem, table.parameters(), problem,
                       table.rung(rung).blocks.front(), transfer_named(way).value());
  };
  EXPECT_THROW(run("texture", "mapped"), Unsupported);
  EXPECT_THROW(run("shipped", "overlapped 10"), Unsupported) << "of nine rows";
}

// A driver without green contexts, such as the emulated driver, refuses to divide the GPU. A driver
// with green contexts makes parts that share no multiprocessor.
TEST_F(OnGpu, PartsOfTheMultiprocessorsKeepApart) {
  const int all = executor_->multiprocessors();
  if (all < 2) return;  // too few to divide
  std::optional<gpu::Partition> partition;
  try {
    partition.emplace(all / 2);
  } catch (const Unsupported& reason) {
    EXPECT_NE(std::string(reason.what()).find("green context"), std::string::npos) << reason.what();
    EXPECT_THROW(GpuShare(*executor_, 50, 0), Unsupported);
    EXPECT_EQ(executor_->multiprocessors(), all);
    return;
  }
  const gpu::Part* const parts[] = {&partition->first(), &partition->rest()};
  EXPECT_GE(parts[0]->multiprocessors(), all / 2);
  EXPECT_LE(parts[0]->multiprocessors() + parts[1]->multiprocessors(), all);
  const auto numbers = static_cast<std::uint32_t>(4 * all);
  std::vector<std::uint32_t> marks(numbers, 0);
  const std::uint64_t out = executor_->allocate(4 * numbers, "marks");
  executor_->write(out, std::as_bytes(std::span(marks)));
  std::vector<std::vector<bool>> used;
  for (std::uint32_t i = 0; i < 2; ++i) {
    Launch marking = launch("mark_multiprocessor", out, i + 1, numbers);
    marking.grid[0] = 64 * numbers;
    executor_->use(parts[i]);
    EXPECT_EQ(executor_->multiprocessors(), parts[i]->multiprocessors());
    executor_->run(*code_, {&marking, 1});
    executor_->use(nullptr);
    const std::vector<std::uint32_t> got = read(out, numbers);
    used.emplace_back();
    for (const std::uint32_t mark : got) used.back().push_back(mark == i + 1);
    EXPECT_LE(std::count(used[i].begin(), used[i].end(), true), parts[i]->multiprocessors());
    // The second kernel must not overwrite the first kernel's marks.
    if (i == 1) {
      for (std::size_t k = 0; k < numbers; ++k) EXPECT_EQ(got[k] == 1, used[0][k]) << k;
    }
  }
  std::cout << parts[0]->multiprocessors() << " and " << parts[1]->multiprocessors() << " of "
            << all << " multiprocessors\n";
}

TEST_F(OnGpu, ANeighbourNeedsMultiprocessors) {
  EXPECT_THROW(GpuShare(*executor_, 100, 10), Unsupported);
  EXPECT_EQ(GpuShare(*executor_, 100, 0).multiprocessors(), executor_->multiprocessors());
}

// Tests of properties that only hardware has.
class GpuTimes : public OnGpu {};

TEST_F(GpuTimes, OnHalfOfTheMultiprocessors) {
  const std::uint64_t out = executor_->allocate(4, "out");
  Launch work = launch("multiply", out, 0, 1 << 14);
  work.grid[0] = static_cast<std::uint32_t>(64 * executor_->multiprocessors());
  const auto time = [&](int percent) {
    GpuShare share(*executor_, percent, 0);
    std::cout << share.multiprocessors() << " multiprocessors: ";
    const Measurement times = share.measure(work_of({&work, 1})).times;
    std::cout << text_of(times) << "\n";
    EXPECT_TRUE(times.launches_hidden);
    return times.cold.median_us;
  };
  try {
    const double all = time(100);
    const double half = time(50);
    EXPECT_GT(half, 1.8 * all);
    EXPECT_LT(half, 2.2 * all);
  } catch (const Unsupported& reason) {
    GTEST_SKIP() << reason.what();
  }
}

TEST_F(GpuTimes, BesideANeighbour) {
  constexpr std::uint32_t count = 1 << 26;
  const std::uint64_t out = executor_->allocate(4 * std::uint64_t{count}, "out");
  const Launch work = launch("times_two", out, 0, count);
  const double roof = GpuTimer(executor_->device(), executor_->stream()).copy_roof_gb_per_s();
  const auto time = [&](double percent) {
    GpuShare share(*executor_, 60, percent / 100 * roof);
    const ShareMeasurement measured = share.measure(work_of({&work, 1}));
    std::cout << "beside " << measured.neighbour_gb_per_s.value_or(0) << " of " << roof
              << " GB/s: " << text_of(measured.times) << "\n";
    EXPECT_EQ(measured.neighbour_gb_per_s.has_value(), percent > 0);
    if (percent > 0) {
      EXPECT_GT(*measured.neighbour_gb_per_s, 0.2 * percent / 100 * roof);
      EXPECT_LT(*measured.neighbour_gb_per_s, 1.1 * percent / 100 * roof);
    }
    return measured.times.cold.median_us;
  };
  try {
    const double alone = time(0);
    const double beside = time(60);
    EXPECT_GT(beside, 1.2 * alone) << "a kernel that moves memory all the time";
  } catch (const Unsupported& reason) {
    GTEST_SKIP() << reason.what();
  }
}

// The neighbour is a kernel that uses up memory bandwidth. Tests that it reads at the requested
// rate beside an empty kernel, and that it ends after its time limit.
TEST_F(GpuTimes, OfANeighbour) {
  std::optional<gpu::Partition> partition;
  try {
    partition.emplace(executor_->multiprocessors() / 2);
  } catch (const Unsupported& reason) {
    GTEST_SKIP() << reason.what();
  }
  Neighbour neighbour(executor_->device(), partition->rest());
  const std::uint64_t out = executor_->allocate(4, "out");
  const Launch nothing = launch("fill", out, 0, 1);
  // A kernel's first launch loads it, which waits until the neighbour has ended.
  work_of({&nothing, 1})(partition->first().stream());
  partition->first().stream().synchronize();
  for (const double gb_per_s : {20.0, 200.0}) {
    neighbour.start(gb_per_s);
    const double got =
        neighbour.gb_per_s_during(work_of({&nothing, 1}), 1, partition->first().stream());
    EXPECT_TRUE(neighbour.stop());
    std::cout << "told " << gb_per_s << ", read " << got << " GB/s\n";
    EXPECT_NEAR(got, gb_per_s, 0.1 * gb_per_s);
  }
  EXPECT_TRUE(neighbour.stop()) << "it does not run";
  neighbour.start(10);
  const auto begin = std::chrono::steady_clock::now();
  partition->rest().stream().synchronize();
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(waited.count(), 1.5 * Neighbour::limit_s);
  EXPECT_FALSE(neighbour.stop()) << "it had ended by itself";
}

TEST_F(GpuTimes, OfTheBus) {
  const BusLimit limit = bus_limit();
  std::cout << limit.up_gb_per_s << " GB/s up, " << limit.down_gb_per_s << " down, "
            << limit.both_gb_per_s << " both ways\n";
  EXPECT_GT(limit.up_gb_per_s, 1);
  EXPECT_GT(limit.down_gb_per_s, 1);
  EXPECT_GT(limit.both_gb_per_s, 0.9 * std::max(limit.up_gb_per_s, limit.down_gb_per_s));
  EXPECT_LT(limit.both_gb_per_s, 1.1 * (limit.up_gb_per_s + limit.down_gb_per_s));
}

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

  // No kernel that reads and writes exceeds the roof by much if its memory is not in L2.
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

  // GPUs compute 8 to 128 packed sums (__vsadu4) per cycle and multiprocessor.
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
