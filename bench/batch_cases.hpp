#pragma once

#include <cuda_runtime_api.h>

#include "bench/image_cases.hpp"
#include "warpwise/gpu/graph.hpp"

namespace warpwise::bench {

/// Number of frames in a batch; batch_frame is the size of each.
inline constexpr std::int64_t batch_frames = 64;
inline constexpr Size batch_frame{1280, 720};

/// Splits an image into batch_frames frames, which lie in it one below the other.
template <class View>
std::vector<View> frames_of(const View& image) {
  std::vector<View> frames;
  for (std::int64_t i = 0; i < batch_frames; ++i) {
    frames.push_back(
        image.sub_view(0, i * batch_frame.height, batch_frame.width, batch_frame.height));
  }
  return frames;
}

/// Returns the case that processes batch_frames frames in one call. `device(src, dst, stream)`
/// takes vectors of frames; `host(src, dst)` takes one frame.
template <class Device, class Host>
Case batch_case(ImageCase what, Device device, Host host) {
  what.variant = std::to_string(batch_frames) + " frames of " + std::to_string(batch_frame.width) +
                 "x" + std::to_string(batch_frame.height) + ", " + what.variant;
  return warpwise_case(
      what, {batch_frame.width, batch_frame.height * batch_frames},
      [=](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
        device(frames_of(src), frames_of(dst), stream);
      },
      [=](ConstHostView src, HostView dst) {
        const auto from = frames_of(src);
        const auto to = frames_of(dst);
        for (std::size_t i = 0; i < from.size(); ++i) host(from[i], to[i]);
      });
}

/// Returns the case that processes the frames of batch_case() with one call `one(src, dst, stream)`
/// for each, recorded in a graph.
template <class One, class Host>
Case one_by_one_case(const ImageCase& what, One one, Host host) {
  const auto calls = [=](const std::vector<ConstDeviceView>& src,
                         const std::vector<DeviceView>& dst, gpu::StreamHandle stream) {
    for (std::size_t i = 0; i < src.size(); ++i) one(src[i], dst[i], stream);
  };
  auto graph = std::make_shared<std::optional<gpu::Graph>>();
  Case result = batch_case(
      what,
      [=](const auto& src, const auto& dst, gpu::StreamHandle stream) {
        // If the timer is recording a graph of its own, the calls go into that graph.
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        if (cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
            status != cudaStreamCaptureStatusNone) {
          return calls(src, dst, stream);
        }
        if (!*graph) graph->emplace([&](gpu::StreamHandle s) { calls(src, dst, s); });
        (*graph)->launch(stream);
      },
      host);
  result.implementation = "one by one, in a graph";
  return result;
}

/// Adds the cases of `what` that batch_case() and one_by_one_case() return.
template <class Many, class One, class Host>
void add_batch_cases(std::vector<Case>& cases, const ImageCase& what, Many many, One one,
                     Host host) {
  cases.push_back(batch_case(what, many, host));
  cases.push_back(one_by_one_case(what, one, host));
}

}  // namespace warpwise::bench
