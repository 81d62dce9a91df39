#include "warpwise/live/run.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

namespace warpwise::live {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::duration;

constexpr auto watch_every = std::chrono::milliseconds(100);
// Time that a source gets to return after a stop. A read from a silent pipe does not return.
constexpr auto patience = std::chrono::milliseconds(300);
constexpr std::size_t most_ages = 65536;

double milliseconds_between(Clock::time_point start, Clock::time_point end) {
  return duration<double, std::milli>(end - start).count();
}

struct Frame {
  Lane* lane = nullptr;
  Clock::time_point arrived;
  FrameTime time;
};

// State shared by the threads of a run. A reader thread that does not return keeps it alive.
class Run {
 public:
  Run(std::shared_ptr<Source> source, std::vector<std::unique_ptr<Lane>> lanes,
      std::shared_ptr<Sink> sink, const RunOptions& options)
      : source_(std::move(source)), sink_(std::move(sink)), options_(options),
        lanes_(std::move(lanes)) {
    for (const auto& lane : lanes_) free_.push_back(lane.get());
  }

  void read_all();
  void compute_all();
  void write_all();

  void stop();
  // Stops reading, computing and writing.
  void abandon();
  Progress progress();
  bool has_ended();
  /// Returns true if the reader has ended, false if the source still waits for a frame.
  bool wait_for_reader();
  Summary summary();

 private:
  // Called on the reader's thread.
  Lane* lane_to_fill();
  bool may_read_on();
  bool read_into(Lane& lane);
  void drop_waiting();
  void keep_pace();
  // Called on a worker's thread.
  bool may_compute() const;
  bool will_compute_nothing() const;
  // Called on the writer's thread.
  std::optional<Frame> next_to_write();
  void wait_until_due(const Frame& frame);
  void write(const Frame& frame);

  void fail(std::exception_ptr failure, bool is_source);

  std::shared_ptr<Source> source_;
  std::shared_ptr<Sink> sink_;
  RunOptions options_;
  std::vector<std::unique_ptr<Lane>> lanes_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Lane*> free_;             // the last lane is used first: its memory may be cached
  std::deque<Frame> ready_;             // frames to compute
  std::map<std::int64_t, Frame> done_;  // frames to write; key: order in which workers took them
  std::int64_t taken_ = 0;              // number of frames taken by workers
  std::int64_t given_to_sink_ = 0;
  bool is_stopped_ = false;  // no further frame is read
  bool is_broken_ = false;   // no further frame is computed or written
  bool reader_ended_ = false;
  bool writer_ended_ = false;
  std::exception_ptr failure_;

  const Clock::time_point start_ = Clock::now();
  Progress progress_;
  std::optional<Clock::time_point> zero_;  // time zero of the frames that are written
  Clock::time_point end_ = start_;
  double read_milliseconds_ = 0;
  double write_milliseconds_ = 0;
  std::vector<float> ages_;
};

void Run::fail(std::exception_ptr failure, bool is_source) {
  const std::scoped_lock lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  is_stopped_ = true;
  is_broken_ = is_broken_ || !is_source;
  changed_.notify_all();
}

// Waits for a free lane and takes it. In real time a lane is always free: see lane_count_for().
Lane* Run::lane_to_fill() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_stopped_ || !free_.empty(); });
  if (is_stopped_) return nullptr;
  Lane* const lane = free_.back();
  free_.pop_back();
  return lane;
}

// Drops a frame that no worker has taken yet, because a newer one has arrived.
void Run::drop_waiting() {
  if (ready_.empty()) return;
  free_.push_back(ready_.front().lane);
  ready_.pop_front();
  ++progress_.dropped;
}

// Delays files and patterns to their rate, because their frames are available at once. A camera has
// its own pace.
void Run::keep_pace() {
  const Rate rate = source_->stream().rate;
  if (!options_.realtime || source_->is_live() || !rate.is_known()) return;
  std::unique_lock lock(mutex_);
  const auto due = start_ + std::chrono::duration_cast<Clock::duration>(duration<double>(
                                static_cast<double>(progress_.read) / rate.per_second()));
  if (Clock::now() >
      due + std::chrono::duration_cast<Clock::duration>(duration<double>(1 / rate.per_second()))) {
    ++progress_.late;
    return;
  }
  changed_.wait_until(lock, due, [&] { return is_stopped_; });
}

bool Run::may_read_on() {
  const std::scoped_lock lock(mutex_);
  return !is_stopped_ && (!options_.frames || progress_.read < *options_.frames);
}

bool Run::read_into(Lane& lane) {
  const Clock::time_point asked = Clock::now();
  if (!lane.read(*source_)) return false;
  const Clock::time_point arrived = Clock::now();
  const std::optional<FrameTime> time = source_->time();
  const std::scoped_lock lock(mutex_);
  if (is_stopped_) return false;  // the run was stopped during the read: workers may have ended
  read_milliseconds_ += milliseconds_between(asked, arrived);
  const std::int64_t number = progress_.read++;
  if (options_.realtime) drop_waiting();
  ready_.push_back({&lane, arrived, time ? *time : source_->stream().regular_time(number)});
  changed_.notify_all();
  return true;
}

void Run::read_all() {
  try {
    while (may_read_on()) {
      Lane* const lane = lane_to_fill();
      if (lane == nullptr) break;
      keep_pace();
      if (!read_into(*lane)) break;
    }
  } catch (...) {
    fail(std::current_exception(), true);
  }
  const std::scoped_lock lock(mutex_);
  reader_ended_ = true;
  changed_.notify_all();
}

// Limits the results in flight in real time. Computed frames that wait for a slow sink would become
// old, because no newer frame replaces them.
bool Run::may_compute() const {
  const auto on_their_way = static_cast<std::size_t>(taken_ - given_to_sink_);
  return !ready_.empty() && (!options_.realtime || on_their_way < options_.workers);
}

bool Run::will_compute_nothing() const {
  return is_broken_ || (ready_.empty() && (reader_ended_ || is_stopped_));
}

void Run::compute_all() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return may_compute() || will_compute_nothing(); });
    if (will_compute_nothing()) return;
    const Frame frame = ready_.front();
    ready_.pop_front();
    const std::int64_t number = taken_++;
    lock.unlock();
    try {
      frame.lane->compute();
    } catch (...) {
      fail(std::current_exception(), false);
      return;
    }
    lock.lock();
    done_.emplace(number, frame);
    changed_.notify_all();
  }
}

std::optional<Frame> Run::next_to_write() {
  std::unique_lock lock(mutex_);
  const auto is_there = [&] { return done_.contains(given_to_sink_); };
  const auto is_over = [&] {
    const bool no_more_read = reader_ended_ || is_stopped_;
    return is_broken_ || (no_more_read && ready_.empty() && given_to_sink_ == taken_);
  };
  changed_.wait(lock, [&] { return is_there() || is_over(); });
  if (is_broken_ || !is_there()) return std::nullopt;
  const Frame frame = done_.extract(given_to_sink_++).mapped();
  changed_.notify_all();
  return frame;
}

// Delays a frame until its time, for a peer that shows frames as they arrive. A camera's frames
// come at their own pace, and in real time the reader keeps the pace, so neither is delayed here.
void Run::wait_until_due(const Frame& frame) {
  if (!sink_->is_live() || source_->is_live() || options_.realtime) return;
  const duration<double> time(static_cast<double>(frame.time.start) /
                              source_->stream().ticks().per_second());
  std::unique_lock lock(mutex_);
  const auto since_first = std::chrono::duration_cast<Clock::duration>(time);
  if (!zero_) zero_ = Clock::now() - since_first;
  changed_.wait_until(lock, *zero_ + since_first, [&] { return is_stopped_; });
}

void Run::write(const Frame& frame) {
  wait_until_due(frame);
  const Clock::time_point asked = Clock::now();
  sink_->write_at(frame.lane->result(), frame.time);
  const Clock::time_point written = Clock::now();
  const std::scoped_lock lock(mutex_);
  write_milliseconds_ += milliseconds_between(asked, written);
  const auto age = static_cast<float>(milliseconds_between(frame.arrived, written));
  if (ages_.size() < most_ages) {
    ages_.push_back(age);
  } else {
    ages_[static_cast<std::size_t>(progress_.written) % most_ages] = age;
  }
  ++progress_.written;
  end_ = written;
  free_.push_back(frame.lane);
  changed_.notify_all();
}

void Run::write_all() {
  try {
    while (const std::optional<Frame> frame = next_to_write()) write(*frame);
  } catch (...) {
    fail(std::current_exception(), false);
  }
  // The time of writing includes finish(), because an encoder may have kept many frames until now.
  const Clock::time_point asked = Clock::now();
  try {
    sink_->finish();
  } catch (...) {
    fail(std::current_exception(), false);
  }
  const std::scoped_lock lock(mutex_);
  const Clock::duration took = Clock::now() - asked;
  end_ += took;
  write_milliseconds_ += duration<double, std::milli>(took).count();
  writer_ended_ = true;
  changed_.notify_all();
}

void Run::stop() {
  const std::scoped_lock lock(mutex_);
  is_stopped_ = true;
  changed_.notify_all();
}

void Run::abandon() {
  const std::scoped_lock lock(mutex_);
  is_stopped_ = true;
  is_broken_ = true;
  changed_.notify_all();
}

Progress Run::progress() {
  const std::scoped_lock lock(mutex_);
  Progress now = progress_;
  now.seconds = duration<double>(Clock::now() - start_).count();
  return now;
}

bool Run::has_ended() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, watch_every, [&] { return writer_ended_; });
}

bool Run::wait_for_reader() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return reader_ended_; });
}

Summary Run::summary() {
  const std::scoped_lock lock(mutex_);
  Summary summary;
  static_cast<Progress&>(summary) = progress_;
  summary.seconds = duration<double>(end_ - start_).count();
  summary.read_milliseconds = read_milliseconds_;
  summary.write_milliseconds = write_milliseconds_;
  for (const auto& lane : lanes_) {
    const Lane::Milliseconds& own = lane->milliseconds();
    summary.lanes.steps.resize(own.steps.size());
    for (std::size_t i = 0; i < own.steps.size(); ++i) summary.lanes.steps[i] += own.steps[i];
    summary.lanes.upload += own.upload;
    summary.lanes.download += own.download;
  }
  std::sort(ages_.begin(), ages_.end());
  if (!ages_.empty()) {
    summary.age_median = ages_[ages_.size() / 2];
    summary.age_p99 = ages_[ages_.size() * 99 / 100];
  }
  summary.failure = failure_;
  return summary;
}

// Never frees a run's data, because a waiting reader thread may wake while the program ends.
void leave(std::shared_ptr<Run> run) {
  static auto* const left = new std::vector<std::shared_ptr<Run>>;
  left->push_back(std::move(run));
}

// The threads of a run. The destructor joins them, but detaches a reader whose source still blocks.
class Threads {
 public:
  explicit Threads(std::shared_ptr<Run> run) : run_(std::move(run)) {}
  ~Threads() {
    run_->abandon();
    join();
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void start(std::size_t workers) {
    others_.reserve(workers + 1);
    for (std::size_t i = 0; i < workers; ++i) {
      others_.emplace_back([run = run_] { run->compute_all(); });
    }
    others_.emplace_back([run = run_] { run->write_all(); });
    reader_ = std::thread([run = run_] { run->read_all(); });
  }

  void join() {
    for (std::thread& each : others_) each.join();
    others_.clear();
    if (!reader_.joinable()) return;
    if (run_->wait_for_reader()) return reader_.join();
    leave(run_);
    reader_.detach();
  }

 private:
  std::shared_ptr<Run> run_;
  std::vector<std::thread> others_;
  std::thread reader_;
};

}  // namespace

Summary run(std::shared_ptr<Source> source, std::vector<std::unique_ptr<Lane>> lanes,
            std::shared_ptr<Sink> sink, const RunOptions& options, const RunCallbacks& callbacks) {
  const auto shared =
      std::make_shared<Run>(std::move(source), std::move(lanes), std::move(sink), options);
  Threads threads(shared);
  threads.start(options.workers);
  bool was_stopped = false;
  while (!shared->has_ended()) {
    callbacks.report_progress(shared->progress());
    if (was_stopped || !callbacks.is_stop_requested()) continue;
    was_stopped = true;
    shared->stop();
  }
  threads.join();
  Summary summary = shared->summary();
  summary.was_stopped = was_stopped;
  return summary;
}

}  // namespace warpwise::live
