#include "warpwise/live/run.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

#include "warpwise/live/stage_testing.hpp"

namespace warpwise::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Number = std::int64_t;

// Returns the stream of frames that contain only their own number.
Stream numbers(Rate rate = {}) { return stream_of(PixelFormat::gray8, sizeof(Number), 1, rate); }

std::vector<Number> count_to(Number count) {
  std::vector<Number> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Gives the numbers 0, 1, … and then ends or fails.
class Counter : public Source {
 public:
  Counter(Number count, bool fails, Rate rate = {})
      : Source("counter", numbers(rate)), count_(count), fails_(fails) {}

  bool next(std::span<std::byte> pixels) override {
    if (next_ == count_ && fails_) throw IoError("the source is gone");
    if (next_ == count_) return false;
    std::memcpy(pixels.data(), &next_, sizeof next_);
    ++next_;
    return true;
  }

  Number given() const { return next_; }

 private:
  std::atomic<Number> next_ = 0;
  Number count_;
  bool fails_;
};

/// Gives the numbers at increasing times: 0, 1, 4, 9, ….
class Slowing final : public Counter {
 public:
  using Counter::Counter;

  std::optional<FrameTime> time() const override {
    return FrameTime{(given() - 1) * (given() - 1), 1};
  }
};

/// Like a camera's driver, has a frame every 20 ms and keeps the last four that nobody took.
class Camera final : public Source {
 public:
  explicit Camera(Number count) : Source("camera", numbers()), count_(count) {}

  bool is_live() const override { return true; }
  bool next(std::span<std::byte> pixels) override {
    if (next_ >= count_) return false;
    const Number oldest = std::min(count_ - 1, (steady_clock::now() - start_) / period - 4);
    if (oldest > next_) {
      lost_ += oldest - next_;
      next_ = oldest;
    }
    std::this_thread::sleep_until(start_ + next_ * period);
    std::memcpy(pixels.data(), &next_, sizeof next_);
    ++next_;
    return true;
  }

  Number lost() const { return lost_; }

 private:
  static constexpr milliseconds period{20};
  const steady_clock::time_point start_ = steady_clock::now();
  Number count_;
  Number next_ = 0;
  Number lost_ = 0;
};

constexpr Number endless = std::numeric_limits<Number>::max();

/// Blocks in frame `count` until let_go(), like a pipe with a silent writer.
class Silent final : public Counter {
 public:
  explicit Silent(Number count) : Counter(endless, false), count_(count) {}

  bool next(std::span<std::byte> pixels) override {
    if (given() < count_) return Counter::next(pixels);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_let_go_; });
    const bool more = Counter::next(pixels);
    has_returned_ = true;
    changed_.notify_all();
    return more;
  }

  void let_go() {
    std::unique_lock lock(mutex_);
    is_let_go_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return has_returned_; });
  }

 private:
  Number count_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_let_go_ = false;
  bool has_returned_ = false;
};

/// Keeps the numbers of the frames written. Each write takes `delay`, and frame `fails_at` fails.
class Keeper final : public Sink {
 public:
  explicit Keeper(milliseconds delay = {}, Number fails_at = endless)
      : Sink("keeper"), delay_(delay), fails_at_(fails_at) {}

  AcceptedFrames accepted_frames(const Stream& stream) const override {
    return {stream.format(), std::nullopt};
  }
  void begin(const Stream&) override {}
  void write(std::span<const std::byte> pixels) override {
    if (static_cast<Number>(kept_.size()) == fails_at_) throw IoError("the disk is full");
    if (delay_ > milliseconds(0)) std::this_thread::sleep_for(delay_);
    Number number = 0;
    std::memcpy(&number, pixels.data(), sizeof number);
    kept_.push_back(number);
  }
  void write_at(std::span<const std::byte> pixels, const FrameTime& time) override {
    starts_.push_back(time.start);
    write(pixels);
  }
  void finish() override {
    ++times_finished_;
    std::this_thread::sleep_for(delay_at_finish);
    if (fails_at_finish) throw IoError("the file cannot be closed");
  }

  const std::vector<Number>& kept() const { return kept_; }
  const std::vector<Number>& starts() const { return starts_; }
  int times_finished() const { return times_finished_; }

  bool fails_at_finish = false;
  milliseconds delay_at_finish{};

 private:
  milliseconds delay_;
  Number fails_at_;
  std::vector<Number> kept_;
  std::vector<Number> starts_;
  int times_finished_ = 0;
};

/// Copies the number of a frame after a random time. Fails at the number `fails_at`.
class CopyLane final : public Lane {
 public:
  explicit CopyLane(std::uint64_t seed, Number fails_at) : random_(seed), fails_at_(fails_at) {
    times_.steps.resize(1);
  }

  std::span<std::byte> source() override { return source_; }
  std::span<const std::byte> result() const override { return result_; }
  const Milliseconds& milliseconds() const override { return times_; }
  void compute() override {
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 1000));
    Number number = 0;
    std::memcpy(&number, source_.data(), sizeof number);
    if (number == fails_at_) throw CudaError("the GPU is gone");
    result_ = source_;
    times_.steps[0] += 1;
    times_.upload += 2;
    times_.download += 3;
  }

 private:
  std::array<std::byte, sizeof(Number)> source_{};
  std::array<std::byte, sizeof(Number)> result_{};
  std::mt19937_64 random_;
  Number fails_at_;
  Milliseconds times_;
};

std::vector<std::unique_ptr<Lane>> copy_lanes(std::size_t workers, Number fails_at = endless) {
  std::vector<std::unique_ptr<Lane>> lanes;
  for (std::size_t i = 0; i < lane_count_for(workers); ++i) {
    lanes.push_back(std::make_unique<CopyLane>(i, fails_at));
  }
  return lanes;
}

const RunCallbacks nobody = {[] { return false; }, [](const Progress&) {}};

/// Returns callbacks that ask to stop after `time`.
RunCallbacks impatient(milliseconds time) {
  const auto end = steady_clock::now() + time;
  return {[end] { return steady_clock::now() > end; }, [](const Progress&) {}};
}

std::string message_of(const std::exception_ptr& failure) {
  if (!failure) return {};
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

class RunTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  Summary run_with(const std::shared_ptr<Source>& source, const RunCallbacks& callbacks = nobody,
                   Number fails_at = endless) {
    options.workers = GetParam();
    return run(source, copy_lanes(options.workers, fails_at), sink, options, callbacks);
  }

  RunOptions options;
  std::shared_ptr<Keeper> sink = std::make_shared<Keeper>();
};

TEST_P(RunTest, AllFramesComeOutOnceAndInOrder) {
  const Summary summary = run_with(std::make_shared<Counter>(500, false));
  EXPECT_EQ(sink->kept(), count_to(500));
  EXPECT_EQ(sink->times_finished(), 1);
  EXPECT_EQ(summary.read, 500);
  EXPECT_EQ(summary.written, 500);
  EXPECT_EQ(summary.dropped, 0);
  EXPECT_FALSE(summary.was_stopped);
  EXPECT_FALSE(summary.failure);
  EXPECT_EQ(summary.lanes.steps, std::vector<double>{500});
  EXPECT_EQ(summary.lanes.upload, 1000);
  EXPECT_EQ(summary.lanes.download, 1500);
  EXPECT_GT(summary.age_median, 0);
  EXPECT_GE(summary.age_p99, summary.age_median);
}

TEST_P(RunTest, FramesKeepTheirTimes) {
  run_with(std::make_shared<Slowing>(50, false));
  std::vector<Number> squares = count_to(50);
  for (Number& each : squares) each *= each;
  EXPECT_EQ(sink->starts(), squares);
}

TEST_P(RunTest, FramesWithoutTimesAreCounted) {
  run_with(std::make_shared<Counter>(50, false));
  EXPECT_EQ(sink->starts(), count_to(50));
}

TEST_P(RunTest, ASourceWithoutFramesGivesNone) {
  const Summary summary = run_with(std::make_shared<Counter>(0, false));
  EXPECT_TRUE(sink->kept().empty());
  EXPECT_EQ(sink->times_finished(), 1);
  EXPECT_EQ(summary.age_p99, 0);
}

TEST_P(RunTest, LeavesTheSourceAfterSoManyFrames) {
  options.frames = 17;
  const auto source = std::make_shared<Counter>(endless, false);
  run_with(source);
  EXPECT_EQ(sink->kept(), count_to(17));
  EXPECT_EQ(source->given(), 17);
}

TEST_P(RunTest, WhatCameBeforeTheSourceFailedIsWritten) {
  const Summary summary = run_with(std::make_shared<Counter>(40, true));
  EXPECT_EQ(sink->kept(), count_to(40));
  EXPECT_EQ(sink->times_finished(), 1);
  EXPECT_EQ(message_of(summary.failure), "the source is gone");
}

TEST_P(RunTest, ASinkThatFailsEndsTheRun) {
  sink = std::make_shared<Keeper>(milliseconds(0), 20);
  const auto source = std::make_shared<Counter>(endless, false);
  const Summary summary = run_with(source);
  EXPECT_EQ(sink->kept(), count_to(20));
  EXPECT_EQ(sink->times_finished(), 1);
  EXPECT_EQ(summary.written, 20);
  EXPECT_LE(source->given(), static_cast<Number>(20 + lane_count_for(options.workers)));
  EXPECT_EQ(message_of(summary.failure), "the disk is full");
}

TEST_P(RunTest, WhatTheSinkTakesToFinishCounts) {
  sink->delay_at_finish = milliseconds(50);
  const Summary summary = run_with(std::make_shared<Counter>(3, false));
  EXPECT_GE(summary.seconds, 0.05);
  EXPECT_GE(summary.write_milliseconds, 50);
}

TEST_P(RunTest, TheFirstFailureIsKept) {
  sink = std::make_shared<Keeper>(milliseconds(0), 20);
  sink->fails_at_finish = true;
  EXPECT_EQ(message_of(run_with(std::make_shared<Counter>(endless, false)).failure),
            "the disk is full");
  sink = std::make_shared<Keeper>();
  sink->fails_at_finish = true;
  EXPECT_EQ(message_of(run_with(std::make_shared<Counter>(9, false)).failure),
            "the file cannot be closed");
  EXPECT_EQ(sink->kept(), count_to(9));
}

TEST_P(RunTest, AFailureOfTheComputationEndsTheRun) {
  const Summary summary = run_with(std::make_shared<Counter>(endless, false), nobody, 30);
  const auto written = static_cast<Number>(sink->kept().size());
  EXPECT_LE(written, 30);
  EXPECT_EQ(sink->kept(), count_to(written));
  EXPECT_EQ(sink->times_finished(), 1);
  EXPECT_EQ(message_of(summary.failure), "the GPU is gone");
}

TEST_P(RunTest, StopsWhenAsked) {
  const auto source = std::make_shared<Counter>(endless, false);
  const Summary summary = run_with(source, impatient(milliseconds(50)));
  EXPECT_TRUE(summary.was_stopped);
  EXPECT_FALSE(summary.failure);
  EXPECT_EQ(sink->times_finished(), 1);
  EXPECT_EQ(sink->kept(), count_to(summary.written));
  EXPECT_EQ(summary.read, summary.written) << "what was read is written";
  EXPECT_GT(summary.written, 0);
}

TEST_P(RunTest, ASilentSourceIsLeftWaiting) {
  const auto source = std::make_shared<Silent>(5);
  const auto start = steady_clock::now();
  const Summary summary = run_with(source, impatient(milliseconds(50)));
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(1));
  EXPECT_TRUE(summary.was_stopped);
  EXPECT_EQ(sink->kept(), count_to(5));
  EXPECT_EQ(sink->times_finished(), 1);
  source->let_go();  // the source now writes its last frame into memory that must still exist
  EXPECT_EQ(sink->kept(), count_to(5));
}

TEST_P(RunTest, ShowsItsProgress) {
  std::vector<Progress> shown;
  sink = std::make_shared<Keeper>(milliseconds(2));
  run_with(std::make_shared<Counter>(200, false),
           {[] { return false; }, [&](const Progress& now) { shown.push_back(now); }});
  ASSERT_GE(shown.size(), 2U);
  for (std::size_t i = 1; i < shown.size(); ++i) {
    EXPECT_GE(shown[i].written, shown[i - 1].written);
    EXPECT_GT(shown[i].seconds, shown[i - 1].seconds);
    EXPECT_LE(shown[i].written, shown[i].read);
  }
}

TEST_P(RunTest, RealTimeKeepsTheSourcesPace) {
  options.realtime = true;
  const Summary summary = run_with(std::make_shared<Counter>(60, false, Rate{200, 1}));
  // The last frame is due after 59 / 200 seconds.
  EXPECT_GE(summary.seconds, 0.294);
  EXPECT_LT(summary.seconds, 0.8);
  EXPECT_EQ(summary.written + summary.dropped, 60);
  EXPECT_EQ(summary.read, 60);
}

TEST_P(RunTest, RealTimeNeverWaitsForASlowSink) {
  options.realtime = true;
  sink = std::make_shared<Keeper>(milliseconds(25));  // a write takes as long as five frames
  const Summary summary = run_with(std::make_shared<Counter>(200, false, Rate{200, 1}));
  const std::vector<Number>& kept = sink->kept();
  EXPECT_EQ(summary.read, 200);
  EXPECT_EQ(summary.dropped + summary.written, summary.read);
  EXPECT_GT(summary.dropped, 100);
  EXPECT_LT(summary.seconds, 1.7) << "the source has its last frame after a second";
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_EQ(kept.back(), 199) << "the newest frame wins";
  // In the worst case a frame waits for all frames computed before it, and for one being written.
  EXPECT_LT(summary.age_p99, 25.0 * static_cast<double>(options.workers + 4));
}

TEST_P(RunTest, ACameraIsReadHoweverSlowTheSinkIs) {
  options.realtime = true;
  sink = std::make_shared<Keeper>(milliseconds(200));
  const auto source = std::make_shared<Camera>(60);
  const Summary summary = run_with(source);
  // A reader that waited for the sink would next get old frames from the driver.
  EXPECT_LE(source->lost(), 3) << "0, unless the machine is busy with other things";
  EXPECT_EQ(summary.dropped + summary.written, summary.read);
  EXPECT_EQ(sink->kept().back(), 59);
}

TEST_P(RunTest, WithoutRealTimeASlowSinkGetsEveryFrame) {
  sink = std::make_shared<Keeper>(milliseconds(3));
  run_with(std::make_shared<Counter>(50, false, Rate{1000, 1}));
  EXPECT_EQ(sink->kept(), count_to(50));
}

INSTANTIATE_TEST_SUITE_P(, RunTest, ::testing::Values(1, 2, 8));

}  // namespace
}  // namespace warpwise::live
