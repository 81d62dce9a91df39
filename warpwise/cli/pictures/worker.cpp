#include "warpwise/cli/pictures/worker.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <thread>

#include "warpwise/base/counted.hpp"
#include "warpwise/gpu/device.hpp"

namespace warpwise::cli {

struct Worker::Cpu {
  Cpu(std::size_t threads, std::size_t jobs)
      : limit(tbb::global_control::max_allowed_parallelism, threads),
        threads_of_job(std::max<std::size_t>(1, threads / jobs)) {}

  tbb::global_control limit;
  std::size_t threads_of_job;
};

std::size_t cpu_threads(const RunOptions& options) {
  return static_cast<std::size_t>(options.threads.value_or(tbb::info::default_concurrency()));
}

bool select_gpu(const RunOptions& options) {
  const bool wants_gpu = options.backend == BackendChoice::cuda || options.device.has_value();
  if (wants_gpu) gpu::require_device();
  const bool takes =
      wants_gpu || (options.backend == BackendChoice::automatic && gpu::device_count() > 0);
  if (takes) gpu::set_device(options.device.value_or(0));
  return takes;
}

Worker::Worker(const RunOptions& options, std::size_t jobs)
    : cpu_(std::make_shared<Cpu>(cpu_threads(options), jobs)) {
  if (select_gpu(options)) {
    const int device = options.device.value_or(0);
    gpu_ = std::make_unique<live::PicturesOnGpu>();
    device_ = gpu::device_info(device).name;
  } else {
    const std::size_t threads = cpu_->threads_of_job;
    device_ = counted(threads, "thread");
    if (threads == 1) return;
    // Starts the CPU's threads now. Starting them takes milliseconds once, which must not count as
    // an operation's time.
    tbb::parallel_for(std::size_t{0}, 8 * threads, [](std::size_t) { std::this_thread::yield(); });
  }
}

Worker::Worker(std::shared_ptr<Cpu> cpu, std::unique_ptr<live::PicturesOnGpu> gpu,
               std::string device)
    : cpu_(std::move(cpu)), gpu_(std::move(gpu)), device_(std::move(device)) {}

Worker Worker::clone_for_this_thread() const {
  std::unique_ptr<live::PicturesOnGpu> gpu;
  if (gpu_) {
    gpu::set_device(gpu_->device());  // each thread has its own current GPU
    gpu = std::make_unique<live::PicturesOnGpu>();
  }
  return {cpu_, std::move(gpu), device_};
}

void Worker::with_its_threads(const std::function<void()>& work) const {
  tbb::task_arena(static_cast<int>(cpu_->threads_of_job)).execute(work);
}

std::string Worker::backend() const { return gpu_ ? "cuda" : "cpu"; }

std::optional<gpu::StreamHandle> Worker::stream() const {
  if (!gpu_) return std::nullopt;
  return gpu_->stream();
}

std::unique_ptr<live::Lane> Worker::lane(const live::Pipeline& pipeline) {
  if (gpu_) return gpu_->lane(pipeline);
  return std::move(live::cpu_lanes(pipeline, 1, 0).front());
}

std::optional<live::PicturesOnGpu::Decoded> Worker::decode_jpeg(
    std::span<const std::byte> file, const live::SourceOptions& options) {
  return gpu_->decode_jpeg(file, options.luma, options.autorotate);
}

void Worker::run(const Computation& computation, std::span<const io::Picture> sources,
                 std::span<io::Picture> results, Times& times) {
  if (gpu_) {
    const auto took = gpu_->compute(computation.on_gpu, sources, results);
    times.upload += took.upload;
    times.compute += took.compute;
    times.download += took.download;
    return;
  }
  std::vector<HostSource> from;
  for (const io::Picture& source : sources) from.push_back({source.shape(), source.bytes().data()});
  std::vector<HostResult> to;
  for (io::Picture& result : results) to.push_back({result.shape(), result.bytes().data()});
  const Stopwatch watch;
  computation.on_cpu(from, to);
  times.compute += watch.milliseconds();
}

}  // namespace warpwise::cli
