#include "warpwise/lab/measure/gpu_share.hpp"

#include <algorithm>
#include <cmath>

#include "warpwise/base/error.hpp"

namespace warpwise::lab {
namespace {

std::optional<gpu::Partition> partition_of(int multiprocessors, int percent) {
  if (percent >= 100) return std::nullopt;
  const auto wanted = static_cast<int>(std::lround(multiprocessors * percent / 100.0));
  return gpu::Partition(std::clamp(wanted, 1, multiprocessors - 1));
}

}  // namespace

GpuShare::GpuShare(GpuExecutor& executor, int sm_percent, double neighbour_gb_per_s)
    : executor_(executor), neighbour_gb_per_s_(neighbour_gb_per_s),
      partition_(partition_of(executor.device().multiprocessors, sm_percent)) {
  if (neighbour_gb_per_s > 0 && !partition_) {
    throw Unsupported("a neighbour needs multiprocessors of its own: set sm_percent below 100");
  }
  if (partition_) executor_.use(&partition_->first());
  try {
    timer_ = std::make_unique<GpuTimer>(executor_.device(), executor_.stream());
    if (neighbour_gb_per_s > 0) {
      neighbour_ = std::make_unique<Neighbour>(executor_.device(), partition_->rest());
    }
  } catch (...) {
    executor_.use(nullptr);
    throw;
  }
}

GpuShare::~GpuShare() { executor_.use(nullptr); }

ShareMeasurement GpuShare::measure(const GpuWork& work) {
  ShareMeasurement result;
  const TimingOptions options{.graphs = !partition_};
  if (!neighbour_) {
    result.times = timer_->measure(work, options);
    return result;
  }
  // Code that has never run may have to be loaded. Loading waits for the whole GPU, so the
  // neighbour must not run yet.
  work(executor_.stream());
  executor_.stream().synchronize();
  neighbour_->start(neighbour_gb_per_s_);
  result.times = timer_->measure(work, options);
  result.neighbour_gb_per_s =
      neighbour_->gb_per_s_during(work, result.times.batch.median_us, executor_.stream());
  if (!neighbour_->stop()) {
    throw Unsupported(
        "the neighbour ended before the measurement: this GPU did not run both at the same time, "
        "or the runs take too long");
  }
  return result;
}

}  // namespace warpwise::lab
