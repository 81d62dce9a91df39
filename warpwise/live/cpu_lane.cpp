#include <tbb/task_arena.h>

#include <chrono>
#include <mutex>

#include "warpwise/live/lane.hpp"

namespace warpwise::live {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Results of all steps but the last, for one frame in flight.
using Between = std::vector<io::Picture>;

// Hands out scratch memory, one set for each frame in flight. The set used last is reused first,
// because it may still be in a cache.
class Scratch {
 public:
  explicit Scratch(const Pipeline& pipeline) : pipeline_(pipeline) {}

  std::unique_ptr<Between> take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return make();
    std::unique_ptr<Between> last = std::move(free_.back());
    free_.pop_back();
    return last;
  }
  void give_back(std::unique_ptr<Between> between) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(between));
  }

 private:
  std::unique_ptr<Between> make() const {
    auto between = std::make_unique<Between>();
    const std::vector<Step>& steps = pipeline_.steps();
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      // A step that takes the luma reads the picture before it. It gets a picture of one pixel,
      // which keeps the indices equal to those of the steps.
      const bool computes = steps[i].stage != nullptr;
      between->emplace_back(computes ? steps[i].to.shape
                                     : io::PictureShape::of(PixelFormat::gray8, 1, 1));
    }
    return between;
  }

  const Pipeline& pipeline_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Between>> free_;
};

class CpuLane final : public Lane {
 public:
  CpuLane(const Pipeline& pipeline, std::shared_ptr<Scratch> scratch, int threads)
      : pipeline_(pipeline), scratch_(std::move(scratch)), arena_(threads),
        source_(pipeline.source().shape) {
    const std::vector<Step>& steps = pipeline.steps();
    if (!steps.empty() && steps.back().stage) result_.emplace(steps.back().to.shape);
    times_.steps.resize(steps.size());
  }

  std::span<std::byte> source() override { return source_.bytes(); }
  std::span<const std::byte> result() const override { return last_; }
  const Milliseconds& milliseconds() const override { return times_; }

  void compute() override {
    std::unique_ptr<Between> between = scratch_->take();
    arena_.execute([&] { run_steps(*between); });
    scratch_->give_back(std::move(between));
  }

 private:
  void run_steps(Between& between) {
    const std::vector<Step>& steps = pipeline_.steps();
    HostSource from{pipeline_.source().shape, source_.bytes().data()};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      if (!step.stage) {
        from = {step.to.shape, from.data};
        continue;
      }
      io::Picture& to = i + 1 < steps.size() ? between[i] : *result_;
      const Clock::time_point start = Clock::now();
      step.stage->run(from, {step.to.shape, to.bytes().data()});
      times_.steps[i] += milliseconds_since(start);
      from = {step.to.shape, to.bytes().data()};
    }
    last_ = {static_cast<const std::byte*>(from.data),
             static_cast<std::size_t>(pipeline_.result().shape.bytes())};
  }

  const Pipeline& pipeline_;
  std::shared_ptr<Scratch> scratch_;
  tbb::task_arena arena_;
  io::Picture source_;
  std::optional<io::Picture> result_;
  std::span<const std::byte> last_;
  Milliseconds times_;
};

}  // namespace

std::vector<std::unique_ptr<Lane>> cpu_lanes(const Pipeline& pipeline, std::size_t count,
                                             int threads) {
  const auto scratch = std::make_shared<Scratch>(pipeline);
  std::vector<std::unique_ptr<Lane>> lanes;
  for (std::size_t i = 0; i < count; ++i) {
    lanes.push_back(std::make_unique<CpuLane>(pipeline, scratch, threads));
  }
  return lanes;
}

}  // namespace warpwise::live
