#include "warpwise/live/pictures_on_gpu.hpp"

#include <chrono>

namespace warpwise::live {

// Returns memory on the device, which later pictures use again.
std::byte* PicturesOnGpu::memory(std::size_t index, std::int64_t bytes) {
  if (index == buffers_.size()) buffers_.emplace_back(bytes, stream_);
  if (buffers_[index].bytes() < bytes) buffers_[index] = gpu::Buffer(bytes, stream_);
  return buffers_[index].data();
}

PicturesOnGpu::Milliseconds PicturesOnGpu::compute(const Work& work,
                                                   std::span<const io::Picture> sources,
                                                   std::span<io::Picture> results) {
  begin_.record(stream_);
  std::vector<DeviceSource> from;
  for (const io::Picture& source : sources) {
    std::byte* const pixels = memory(from.size(), source.shape().bytes());
    from.push_back({source.shape(), pixels});
    ring_.upload(source.bytes(), pixels, stream_);
  }
  uploaded_.record(stream_);
  std::vector<DeviceResult> to;
  for (io::Picture& result : results) {
    const std::int64_t bytes = result.shape().bytes();
    to.push_back({result.shape(), memory(from.size() + to.size(), bytes)});
  }

  if (!is_warm_) work(from, to, stream_);
  is_warm_ = true;
  start_.record(stream_);
  work(from, to, stream_);
  end_.record(stream_);
  end_.synchronize();
  Milliseconds took{uploaded_.microseconds_since(begin_) / 1000,
                    end_.microseconds_since(start_) / 1000};

  const auto download = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < results.size(); ++i) {
    ring_.download(static_cast<const std::byte*>(to[i].data), results[i].bytes(), stream_);
  }
  took.download =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - download)
          .count();
  return took;
}

}  // namespace warpwise::live
