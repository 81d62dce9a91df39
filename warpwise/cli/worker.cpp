#include "warpwise/cli/worker.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "warpwise/base/counted.hpp"
#include "warpwise/cli/grey.hpp"
#include "warpwise/cli/pinned_ring.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/stream.hpp"

namespace warpwise::cli {

struct Worker::Cpu {
  Cpu(std::size_t threads, std::size_t jobs)
      : limit(tbb::global_control::max_allowed_parallelism, threads),
        threads_of_job(std::max<std::size_t>(1, threads / jobs)) {}

  tbb::global_control limit;
  std::size_t threads_of_job;
};

struct Worker::Gpu {
  void run(const Computation& computation, std::span<const io::Picture> sources,
           std::span<io::Picture> results, Times& times);
  gpu::Buffer& buffer(std::size_t index, std::span<const std::byte> content);

  int device = gpu::current_device();
  gpu::Stream stream;
  gpu::Event begin;
  gpu::Event uploaded;
  gpu::Event start;
  gpu::Event end;
  PinnedRing ring;
  std::vector<gpu::Buffer> buffers;  // the sources', then the results'; kept between files
  bool warm = false;
};

std::size_t cpu_threads(const RunOptions& options) {
  return static_cast<std::size_t>(options.threads.value_or(tbb::info::default_concurrency()));
}

bool take_gpu(const RunOptions& options) {
  const bool wants_gpu = options.backend == BackendChoice::cuda || options.device.has_value();
  if (wants_gpu) gpu::require_device();
  const bool takes =
      wants_gpu || (options.backend == BackendChoice::automatic && gpu::device_count() > 0);
  if (takes) gpu::set_device(options.device.value_or(0));
  return takes;
}

Worker::Worker(const RunOptions& options, std::size_t jobs)
    : cpu_(std::make_shared<Cpu>(cpu_threads(options), jobs)) {
  if (take_gpu(options)) {
    const int device = options.device.value_or(0);
    gpu_ = std::make_unique<Gpu>();
    device_ = gpu::device_info(device).name;
  } else {
    const std::size_t threads = cpu_->threads_of_job;
    device_ = counted(threads, "thread");
    if (threads == 1) return;
    // Starts the threads now: this takes milliseconds once, and must not count as an operation's
    // time.
    tbb::parallel_for(std::size_t{0}, 8 * threads, [](std::size_t) { std::this_thread::yield(); });
  }
}

Worker::Worker(std::shared_ptr<Cpu> cpu, std::unique_ptr<Gpu> gpu, std::string device)
    : cpu_(std::move(cpu)), gpu_(std::move(gpu)), device_(std::move(device)) {}

Worker::Worker(Worker&& other) noexcept = default;
Worker::~Worker() = default;

Worker Worker::another() const {
  std::unique_ptr<Gpu> gpu;
  if (gpu_) {
    gpu::set_device(gpu_->device);  // sets the calling thread's device
    gpu = std::make_unique<Gpu>();
  }
  return {cpu_, std::move(gpu), device_};
}

void Worker::with_its_threads(const std::function<void()>& work) const {
  tbb::task_arena(static_cast<int>(cpu_->threads_of_job)).execute(work);
}

std::string Worker::backend() const { return gpu_ ? "cuda" : "cpu"; }

std::optional<gpu::StreamHandle> Worker::stream() const {
  if (!gpu_) return std::nullopt;
  return gpu_->stream;
}

void Worker::run(const Operation& operation, const io::Picture& source,
                 std::span<io::Picture> results, Times& times) {
  const std::optional<io::PictureShape> grey = operation.grey(source.shape());
  if (!grey) {
    return run({[&](auto sources, auto to) { operation.run(sources[0], to); },
                [&](auto sources, auto to, auto stream) { operation.run(sources[0], to, stream); }},
               std::span(&source, 1), results, times);
  }
  if (!gpu_) prepare_grey(*grey);
  run({[&](auto sources, auto to) {
         std::byte* const pixels = grey_->bytes().data();
         make_grey(sources[0], {*grey, pixels});
         operation.run(HostSource{*grey, pixels}, to);
       },
       [&](auto sources, auto to, auto stream) {
         const gpu::Buffer pixels(grey->bytes(), stream);
         make_grey(sources[0], {*grey, pixels.data()}, stream);
         operation.run(DeviceSource{*grey, pixels.data()}, to, stream);
       }},
      std::span(&source, 1), results, times);
}

// Touches new memory: the system provides it on first touch, and the operation's time must not
// include that.
void Worker::prepare_grey(const io::PictureShape& shape) {
  if (grey_ && std::ssize(grey_->bytes()) >= shape.bytes()) return;
  grey_.emplace(shape);
  std::memset(grey_->bytes().data(), 0, grey_->bytes().size());
}

void Worker::run(const Computation& computation, std::span<const io::Picture> sources,
                 std::span<io::Picture> results, Times& times) {
  if (gpu_) {
    gpu_->run(computation, sources, results, times);
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

gpu::Buffer& Worker::Gpu::buffer(std::size_t index, std::span<const std::byte> content) {
  const auto bytes = static_cast<std::int64_t>(content.size());
  if (index == buffers.size()) buffers.emplace_back(bytes, stream);
  if (buffers[index].bytes() < bytes) buffers[index] = gpu::Buffer(bytes, stream);
  return buffers[index];
}

void Worker::Gpu::run(const Computation& computation, std::span<const io::Picture> sources,
                      std::span<io::Picture> results, Times& times) {
  begin.record(stream);
  std::vector<DeviceSource> from;
  for (const io::Picture& source : sources) {
    gpu::Buffer& pixels = buffer(from.size(), source.bytes());
    from.push_back({source.shape(), pixels.data()});
    ring.upload(source.bytes(), pixels.data(), stream);
  }
  uploaded.record(stream);
  std::vector<DeviceResult> to;
  for (io::Picture& result : results) {
    to.push_back({result.shape(), buffer(from.size() + to.size(), result.bytes()).data()});
  }

  if (!warm) computation.on_gpu(from, to, stream);
  warm = true;
  start.record(stream);
  computation.on_gpu(from, to, stream);
  end.record(stream);
  end.synchronize();
  times.upload += uploaded.microseconds_since(begin) / 1000;
  times.compute += end.microseconds_since(start) / 1000;

  const Stopwatch download;
  for (std::size_t i = 0; i < results.size(); ++i) {
    ring.download(buffers[sources.size() + i].data(), results[i].bytes(), stream);
  }
  times.download += download.milliseconds();
}

}  // namespace warpwise::cli
