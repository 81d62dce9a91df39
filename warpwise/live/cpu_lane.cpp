#include <tbb/task_arena.h>

#include <mutex>
#include <optional>

#include "warpwise/base/stopwatch.hpp"
#include "warpwise/live/lane.hpp"

namespace warpwise::live {
namespace {

// Results of all steps but the last, for one frame in flight.
using Between = std::vector<io::Picture>;

// Lends scratch memory, one set for each frame in flight. The set used last is lent first, because
// it may still be in a cache.
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
      // A step without a stage needs no memory: its result is the first plane of the previous
      // picture. A dummy picture of one pixel keeps the indices of pictures and steps equal.
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
      : pipeline_(pipeline), scratch_(std::move(scratch)) {
    if (threads > 0) arena_.emplace(threads);
    times_.steps.resize(pipeline.steps().size());
  }

  std::span<std::byte> source() override {
    if (!source_) source_.emplace(pipeline_.source().shape);
    return source_->bytes();
  }
  void adopt_picture(io::Picture picture) override { source_.emplace(std::move(picture)); }
  void prepare() override {
    allocate_results();
    for (io::Picture& each : results_) each.clear();
    std::unique_ptr<Between> between = scratch_->take();
    for (io::Picture& each : *between) each.clear();
    scratch_->give_back(std::move(between));
  }
  std::span<const std::byte> result() const override { return last_; }
  std::span<const io::Picture> pictures() const override { return results_; }
  const Milliseconds& milliseconds() const override { return times_; }

  void compute() override {
    allocate_results();
    if (!between_) between_ = scratch_->take();
    const auto work = [&] { run_steps(*between_); };
    arena_ ? arena_->execute(work) : work();
    // If the last step has no stage, the result may lie in between_, which is kept then.
    const std::vector<Step>& steps = pipeline_.steps();
    if (steps.empty() || steps.back().stage) scratch_->give_back(std::move(between_));
  }

 private:
  void allocate_results() {
    const std::vector<Step>& steps = pipeline_.steps();
    if (!results_.empty() || steps.empty() || !steps.back().stage) return;
    for (const io::PictureShape& shape : pipeline_.results()) results_.emplace_back(shape);
    for (io::Picture& each : results_) to_.push_back({each.shape(), each.bytes().data()});
  }

  void run_steps(Between& between) {
    const std::vector<Step>& steps = pipeline_.steps();
    HostSource from{pipeline_.source().shape, source().data()};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      if (!step.stage) {
        from = {step.to.shape, from.data};
        continue;
      }
      const bool is_last = i + 1 == steps.size();
      const HostResult to = is_last ? to_[0] : HostResult{step.to.shape, between[i].bytes().data()};
      const Stopwatch watch;
      is_last ? step.stage->run_all(from, to_) : step.stage->run(from, to);
      times_.steps[i] += watch.milliseconds();
      from = {to.shape, to.data};
    }
    last_ = {static_cast<const std::byte*>(from.data),
             static_cast<std::size_t>(pipeline_.result().shape.bytes())};
  }

  const Pipeline& pipeline_;
  std::shared_ptr<Scratch> scratch_;
  std::optional<tbb::task_arena> arena_;
  std::optional<io::Picture> source_;
  std::unique_ptr<Between> between_;  // set while it holds the result
  std::vector<io::Picture> results_;
  std::vector<HostResult> to_;  // views of results_ for writing
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
