#include <algorithm>
#include <cstring>
#include <optional>
#include <ranges>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/gpu/limit.hpp"
#include "warpwise/gpu/start.hpp"
#include "warpwise/primitives/shared/batch_launch.hpp"
#include "warpwise/primitives/threshold/backends.hpp"
#include "warpwise/primitives/threshold/bands.cuh"
#include "warpwise/primitives/threshold/batch.cuh"
#include "warpwise/primitives/threshold/gaussian_launch.hpp"
#include "warpwise/primitives/threshold/gaussian_products.cuh"
#include "warpwise/primitives/threshold/launch.hpp"
#include "warpwise/primitives/threshold/tiles.cuh"
#include "warpwise/primitives/threshold/wide_bands.cuh"

namespace warpwise::detail::threshold {
namespace {

using kernels::threshold::threshold_block_threads;

kernels::threshold::ThresholdSource source_of(ConstDeviceView src) {
  return {reinterpret_cast<const unsigned char*>(src.data()), src.pitch_bytes(), src.width(),
          src.height()};
}

kernels::threshold::ThresholdOutput output_of(DeviceView dst, const std::optional<DeviceView>& mean,
                                              const ThresholdValues& values) {
  kernels::threshold::ThresholdOutput out{};
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

/// Returns the instance of threshold_bands for a launch.
template <class Pixel>
auto* band_kernel(const ThresholdKernel& kernel) {
  using kernels::threshold::threshold_bands;
  constexpr auto sums = sizeof(Pixel) == 1 ? kernels::threshold::BandSums::pairs
                                           : kernels::threshold::BandSums::words;
  constexpr auto& threads = kernels::threshold::threshold_band_threads;
  if (kernel.threads == threads[0]) {
    return kernel.parts == 3 ? threshold_bands<Pixel, 3, sums, threads[0]>
                             : threshold_bands<Pixel, 5, sums, threads[0]>;
  }
  return kernel.parts == 3 ? threshold_bands<Pixel, 3, sums, threads[1]>
                           : threshold_bands<Pixel, 5, sums, threads[1]>;
}

/// Returns the instance of threshold_wide_bands for a launch.
template <class Pixel>
auto* wide_band_kernel(const ThresholdKernel& kernel) {
  using enum kernels::threshold::BandSums;
  using kernels::threshold::threshold_wide_bands;
  constexpr auto other = sizeof(Pixel) == 1 ? large : wide;
  constexpr auto& threads = kernels::threshold::threshold_wide_band_threads;
  if (kernel.threads == threads[0]) {
    return kernel.sums == words ? threshold_wide_bands<Pixel, words, threads[0]>
                                : threshold_wide_bands<Pixel, other, threads[0]>;
  }
  return kernel.sums == words ? threshold_wide_bands<Pixel, words, threads[1]>
                              : threshold_wide_bands<Pixel, other, threads[1]>;
}

template <class Pixel, class Sum>
void start(const gpu::Launch<ThresholdKernel>& launch, gpu::StreamHandle stream) {
  const auto as = [&](auto* kernel) {
    gpu::start(kernel, launch, kernel_name(launch.kernel), stream);
  };
  switch (launch.kernel.step) {
    case ThresholdStep::bands: return as(band_kernel<Pixel>(launch.kernel));
    case ThresholdStep::row_sums: return as(kernels::threshold::threshold_row_sums<Pixel>);
    case ThresholdStep::wide_bands: return as(wide_band_kernel<Pixel>(launch.kernel));
    case ThresholdStep::tiles:
      return launch.kernel.writes_mean ? as(kernels::threshold::threshold_tiles<Pixel, true>)
                                       : as(kernels::threshold::threshold_tiles<Pixel, false>);
    case ThresholdStep::segments: return as(kernels::threshold::threshold_segments<Pixel, Sum>);
    case ThresholdStep::scan_segments: return as(kernels::threshold::threshold_scan_segments<Sum>);
    case ThresholdStep::columns: return as(kernels::threshold::threshold_columns<Pixel, Sum>);
    case ThresholdStep::rows: return as(kernels::threshold::threshold_rows<Pixel, Sum>);
  }
}

template <class Pixel>
void start(const gpu::Launch<ThresholdKernel>& launch, gpu::StreamHandle stream) {
  if constexpr (sizeof(Pixel) == 1) {
    if (launch.kernel.sum_bytes == 4) return start<Pixel, std::uint32_t>(launch, stream);
  }
  start<Pixel, std::uint64_t>(launch, stream);
}

template <class Pixel>
void threshold_by_rule(ConstDeviceView src, DeviceView dst, const WindowRule& rule,
                       const std::optional<DeviceView>& mean, gpu::StreamHandle stream) {
  const auto source = source_of(src);
  const auto output = output_of(dst, mean, rule.values);
  const std::int64_t limit = gpu::device_limit(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const std::int64_t bytes = threshold_scratch_bytes(source, output, rule, sizeof(Pixel), limit);
  std::optional<gpu::Buffer> scratch;
  if (bytes > 0) scratch.emplace(bytes, stream);
  for (const auto& launch : threshold_launches(source, output, rule, sizeof(Pixel), limit,
                                               scratch ? scratch->data() : nullptr)) {
    start<Pixel>(launch, stream);
  }
}

/// Returns the instance of threshold_band_batch for images with such single launches.
template <class Pixel>
auto* band_batch_kernel(const ThresholdKernel& kernel) {
  using enum kernels::threshold::BandSums;
  using kernels::threshold::threshold_band_batch;
  constexpr auto sums = sizeof(Pixel) == 2 ? words : pairs;
  constexpr auto& threads = kernels::threshold::threshold_band_threads;
  if (kernel.threads == threads[0]) {
    return kernel.parts == 3 ? threshold_band_batch<Pixel, 3, sums, threads[0]>
                             : threshold_band_batch<Pixel, 5, sums, threads[0]>;
  }
  return kernel.parts == 3 ? threshold_band_batch<Pixel, 3, sums, threads[1]>
                           : threshold_band_batch<Pixel, 5, sums, threads[1]>;
}

/// Returns the arguments of a launch of threshold_bands.
kernels::threshold::BandArguments arguments_of(const gpu::Launch<ThresholdKernel>& launch) {
  kernels::threshold::BandArguments arguments{};
  std::memcpy(&arguments, launch.parameters.bytes().data(), sizeof(arguments));
  return arguments;
}

/// Launches bands for many images. Returns false where bands need sums that slide.
template <class Pixel>
bool start_band_batches(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
                        const WindowRule& rule, gpu::StreamHandle stream) {
  if (rule.half * static_cast<std::int64_t>(sizeof(Pixel)) > 32) return false;
  const std::int64_t limit = gpu::device_limit(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const BandPlan plan =
      best_band_plan(src | std::views::transform(source_of), rule, sizeof(Pixel), limit);
  const auto launch_of = [&](std::size_t i) {
    return threshold_band_launch(source_of(src[i]), output_of(dst[i], {}, rule.values), rule,
                                 sizeof(Pixel), limit, &plan);
  };
  const auto first = launch_of(0);
  if (!first) return false;
  std::int64_t strip_rows = 0;
  for (std::size_t i = 0; i < src.size(); ++i) {
    if (const auto launch = launch_of(i)) strip_rows += launch->grid.x * src[i].height();
  }
  const std::int64_t rows_wanted = band_batch_rows(*first, strip_rows);
  using Image = BatchImage<kernels::threshold::BandImage>;
  const auto describe = [&](std::size_t i) -> std::optional<Image> {
    const auto launch = launch_of(i);
    if (!launch || !fit_batch(src[i].pitch_bytes(), dst[i].pitch_bytes())) return {};
    const auto a = arguments_of(*launch);
    const std::int64_t rows = band_segment_rows(src[i].height(), rows_wanted, rule);
    return Image{{a.src.data, a.out.dst, static_cast<int>(a.src.pitch),
                  static_cast<int>(a.out.dst_pitch), static_cast<int>(a.src.width),
                  static_cast<int>(a.src.height), a.first_byte, static_cast<int>(rows)},
                 launch->grid.x,
                 gpu::blocks_for(src[i].height(), rows)};
  };
  start_batches(
      band_batch_kernel<Pixel>(first->kernel), arguments_of(*first), src.size(), first->block,
      describe, [&](auto i) { threshold_by_rule<Pixel>(src[i], dst[i], rule, {}, stream); },
      "threshold_band_batch", stream, first->shared_bytes);
  return true;
}

template <class Pixel>
void threshold_by_rule(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
                       const WindowRule& rule, gpu::StreamHandle stream) {
  if (src.size() > 1 && start_band_batches<Pixel>(src, dst, rule, stream)) return;
  for (std::size_t i = 0; i < src.size(); ++i) {
    threshold_by_rule<Pixel>(src[i], dst[i], rule, {}, stream);
  }
}

/// Copies the weights to the device by kernel arguments.
gpu::Buffer upload_weights(const std::vector<float>& weights, gpu::StreamHandle stream) {
  gpu::Buffer buffer(static_cast<std::int64_t>(weights.size() * sizeof(float)), stream);
  constexpr std::size_t step = kernels::threshold::threshold_weights_per_launch;
  for (std::size_t done = 0; done < weights.size(); done += step) {
    kernels::threshold::WeightArguments arguments{};
    arguments.weights = reinterpret_cast<float*>(buffer.data()) + done;
    arguments.count = static_cast<int>(std::min(step, weights.size() - done));
    std::copy_n(weights.data() + done, arguments.count, arguments.values);
    kernels::threshold::threshold_weights<<<1, threshold_block_threads, 0, stream>>>(arguments);
    gpu::check_launch("threshold_weights");
  }
  return buffer;
}

/// Launches the products of integers; returns false where they are not possible.
bool start_gaussian_products(ConstDeviceView src, DeviceView dst, const GaussianRule& rule,
                             const std::optional<DeviceView>& mean, gpu::StreamHandle stream) {
  using kernels::threshold::threshold_gaussian_products;
  const auto launch =
      gaussian_product_launch(source_of(src), output_of(dst, mean, rule.values), rule);
  if (!launch) return false;
  const auto start = [&](auto* kernel) {
    kernel<<<dim3(launch->grid.x, launch->grid.y), threshold_block_threads, launch->shared_bytes,
             stream>>>(launch->arguments);
  };
  switch (launch->groups) {
    case 2: start(threshold_gaussian_products<2>); break;
    case 3: start(threshold_gaussian_products<3>); break;
    case 4: start(threshold_gaussian_products<4>); break;
    case 6: start(threshold_gaussian_products<6>); break;
    default: start(threshold_gaussian_products<8>); break;
  }
  gpu::check_launch("threshold_gaussian_products");
  return true;
}

template <class Pixel>
void threshold_by_gaussian(ConstDeviceView src, DeviceView dst, const GaussianRule& rule,
                           const std::optional<DeviceView>& mean, gpu::StreamHandle stream) {
  if constexpr (sizeof(Pixel) == 1) {
    if (start_gaussian_products(src, dst, rule, mean, stream)) return;
  }
  const gpu::Buffer weights = upload_weights(rule.weights, stream);
  constexpr std::int64_t n = kernels::threshold::threshold_weighed_at_once;
  const std::int64_t groups = gpu::blocks_for(src.width(), n);
  const gpu::Buffer along(
      checked_mul(checked_mul(groups * n, src.height()), std::int64_t{sizeof(float)}), stream);
  const kernels::threshold::GaussianArguments arguments{
      source_of(src),
      output_of(dst, mean, rule.values),
      reinterpret_cast<const float*>(weights.data()),
      static_cast<int>(rule.weights.size()) - 1,
      reinterpret_cast<float*>(along.data()),
      groups * n,
      rule.shift};
  constexpr std::int64_t warps = kernels::threshold::threshold_warps;
  const dim3 row_grid(gpu::grid_x(gpu::blocks_for(groups, 32)),
                      gpu::grid_y(gpu::blocks_for(src.height(), warps)));
  kernels::threshold::threshold_weigh_rows<Pixel>
      <<<row_grid, threshold_block_threads, 0, stream>>>(arguments);
  gpu::check_launch("threshold_weigh_rows");
  const dim3 column_grid(gpu::grid_x(gpu::blocks_for(src.width(), 32)),
                         gpu::grid_y(gpu::blocks_for(src.height(), warps * n)));
  kernels::threshold::threshold_weigh_columns<Pixel>
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

void threshold_cuda(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
                    const WindowRule& rule, gpu::StreamHandle stream) {
  src[0].type() == ElementType::u8 ? threshold_by_rule<std::uint8_t>(src, dst, rule, stream)
                                   : threshold_by_rule<std::uint16_t>(src, dst, rule, stream);
}

void threshold_cuda(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
                    const GaussianRule& rule, gpu::StreamHandle stream) {
  for (std::size_t i = 0; i < src.size(); ++i) threshold_cuda(src[i], dst[i], rule, {}, stream);
}

}  // namespace warpwise::detail::threshold
