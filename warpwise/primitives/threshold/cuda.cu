#include <algorithm>
#include <optional>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/threshold/backends.hpp"
#include "warpwise/primitives/threshold/launch.hpp"
#include "warpwise/primitives/threshold/tiles.cuh"

namespace warpwise::detail {
namespace {

using kernels::threshold_block_threads;

kernels::ThresholdSource source_of(ConstDeviceView src) {
  return {reinterpret_cast<const unsigned char*>(src.data()), src.pitch_bytes(), src.width(),
          src.height()};
}

kernels::ThresholdOutput output_of(DeviceView dst, const std::optional<DeviceView>& mean,
                                   const ThresholdValues& values) {
  kernels::ThresholdOutput out{};
  out.dst = reinterpret_cast<unsigned char*>(dst.data());
  out.dst_pitch = dst.pitch_bytes();
  if (mean) {
    out.mean = reinterpret_cast<unsigned char*>(mean->data());
    out.mean_pitch = mean->pitch_bytes();
    out.mean_is_float = mean->type() == ElementType::f32;
  }
  out.above = values.above;
  out.below = values.below;
  return out;
}

template <class Pixel, class Sum>
void threshold_by_sums(ConstDeviceView src, DeviceView dst, const WindowRule& rule,
                       const std::optional<DeviceView>& mean, gpu::StreamHandle stream) {
  ThresholdLaunch launch = threshold_launch(source_of(src), output_of(dst, mean, rule.values), rule,
                                            std::int64_t{sizeof(Sum)});
  const gpu::Buffer columns(launch.column_bytes, stream);
  std::optional<gpu::Buffer> segments;
  if (launch.segment_bytes != 0) segments.emplace(launch.segment_bytes, stream);
  launch.use_scratch(columns.data(), segments ? segments->data() : nullptr);

  const dim3 grid(launch.grid_x, launch.grid_y);
  if (segments) {
    kernels::threshold_segments<Pixel, Sum>
        <<<grid, threshold_block_threads, 0, stream>>>(launch.down);
    gpu::check_launch("threshold_segments");
    kernels::threshold_scan_segments<Sum>
        <<<grid.x, threshold_block_threads, 0, stream>>>(launch.down);
    gpu::check_launch("threshold_scan_segments");
  }
  kernels::threshold_columns<Pixel, Sum><<<grid, threshold_block_threads, 0, stream>>>(launch.down);
  gpu::check_launch("threshold_columns");
  kernels::threshold_rows<Pixel, Sum>
      <<<launch.row_blocks, threshold_block_threads, 0, stream>>>(launch.along);
  gpu::check_launch("threshold_rows");
}

/// By tiles where the rule's window fits them, else by sums of whole columns.
template <class Pixel>
void threshold_by_rule(ConstDeviceView src, DeviceView dst, const WindowRule& rule,
                       const std::optional<DeviceView>& mean, gpu::StreamHandle stream) {
  const auto tiles = threshold_tile_launch(source_of(src), output_of(dst, mean, rule.values), rule,
                                           std::int64_t{sizeof(Pixel)});
  if (tiles) {
    const auto kernel =
        mean ? kernels::threshold_tiles<Pixel, true> : kernels::threshold_tiles<Pixel, false>;
    kernel<<<dim3(tiles->grid_x, tiles->grid_y), kernels::threshold_tile_threads, 0, stream>>>(
        tiles->arguments);
    gpu::check_launch("threshold_tiles");
  } else if (rule.wide) {
    threshold_by_sums<Pixel, std::uint64_t>(src, dst, rule, mean, stream);
  } else {
    threshold_by_sums<Pixel, std::uint32_t>(src, dst, rule, mean, stream);
  }
}

/// Brings the weights to the device inside of kernel arguments.
gpu::Buffer upload_weights(const std::vector<float>& weights, gpu::StreamHandle stream) {
  gpu::Buffer buffer(static_cast<std::int64_t>(weights.size() * sizeof(float)), stream);
  constexpr std::size_t step = kernels::threshold_weights_per_launch;
  for (std::size_t done = 0; done < weights.size(); done += step) {
    kernels::WeightArguments arguments{};
    arguments.weights = reinterpret_cast<float*>(buffer.data()) + done;
    arguments.count = static_cast<int>(std::min(step, weights.size() - done));
    std::copy_n(weights.data() + done, arguments.count, arguments.values);
    kernels::threshold_weights<<<1, threshold_block_threads, 0, stream>>>(arguments);
    gpu::check_launch("threshold_weights");
  }
  return buffer;
}

template <class Pixel>
void threshold_by_gaussian(ConstDeviceView src, DeviceView dst, const GaussianRule& rule,
                           const std::optional<DeviceView>& mean, gpu::StreamHandle stream) {
  const gpu::Buffer weights = upload_weights(rule.weights, stream);
  constexpr std::int64_t n = kernels::threshold_weighed_at_once;
  const std::int64_t groups = gpu::blocks_for(src.width(), n);
  const gpu::Buffer along(
      checked_mul(checked_mul(groups * n, src.height()), std::int64_t{sizeof(float)}), stream);
  const kernels::GaussianArguments arguments{source_of(src),
                                             output_of(dst, mean, rule.values),
                                             reinterpret_cast<const float*>(weights.data()),
                                             static_cast<int>(rule.weights.size()) - 1,
                                             reinterpret_cast<float*>(along.data()),
                                             groups * n,
                                             rule.shift};
  constexpr std::int64_t warps = kernels::threshold_warps;
  const dim3 row_grid(gpu::grid_x(gpu::blocks_for(groups, 32)),
                      gpu::grid_y(gpu::blocks_for(src.height(), warps)));
  kernels::threshold_weigh_rows<Pixel><<<row_grid, threshold_block_threads, 0, stream>>>(arguments);
  gpu::check_launch("threshold_weigh_rows");
  const dim3 column_grid(gpu::grid_x(gpu::blocks_for(src.width(), 32)),
                         gpu::grid_y(gpu::blocks_for(src.height(), warps * n)));
  kernels::threshold_weigh_columns<Pixel>
      <<<column_grid, threshold_block_threads, 0, stream>>>(arguments);
  gpu::check_launch("threshold_weigh_columns");
}

}  // namespace

void threshold_cuda(ConstDeviceView src, DeviceView dst, const WindowRule& rule,
                    std::optional<DeviceView> mean, gpu::StreamHandle stream) {
  gpu::require_device();
  src.type() == ElementType::u8 ? threshold_by_rule<std::uint8_t>(src, dst, rule, mean, stream)
                                : threshold_by_rule<std::uint16_t>(src, dst, rule, mean, stream);
}

void threshold_cuda(ConstDeviceView src, DeviceView dst, const GaussianRule& rule,
                    std::optional<DeviceView> mean, gpu::StreamHandle stream) {
  gpu::require_device();
  if (src.type() == ElementType::u8) {
    threshold_by_gaussian<std::uint8_t>(src, dst, rule, mean, stream);
  } else {
    threshold_by_gaussian<std::uint16_t>(src, dst, rule, mean, stream);
  }
}

}  // namespace warpwise::detail
