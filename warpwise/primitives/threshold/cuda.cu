#include <algorithm>
#include <cstring>
#include <optional>
#include <ranges>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/gpu/limit.hpp"
#include "warpwise/gpu/start_with.hpp"
#include "warpwise/primitives/shared/batch_launch.hpp"
#include "warpwise/primitives/threshold/backends.hpp"
#include "warpwise/primitives/threshold/bands.cuh"
#include "warpwise/primitives/threshold/batch.cuh"
#include "warpwise/primitives/threshold/launch.hpp"
#include "warpwise/primitives/threshold/tiles.cuh"
#include "warpwise/primitives/threshold/wide_bands.cuh"

namespace warpwise::detail::threshold {
namespace {

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
  const auto early = [&](auto* kernel) {
    static gpu::HopperCode code;
    const bool is_for_hopper =
        code.is_for_hopper(kernels::threshold::threshold_row_sums<Pixel>, "threshold_row_sums");
    gpu::start_early(is_for_hopper, kernel, launch, kernel_name(launch.kernel), stream);
  };
  switch (launch.kernel.step) {
    case ThresholdStep::bands: return early(band_kernel<Pixel>(launch.kernel));
    case ThresholdStep::row_sums: return early(kernels::threshold::threshold_row_sums<Pixel>);
    case ThresholdStep::wide_bands: return early(wide_band_kernel<Pixel>(launch.kernel));
    case ThresholdStep::tiles:
      return launch.kernel.writes_mean ? early(kernels::threshold::threshold_tiles<Pixel, true>)
                                       : early(kernels::threshold::threshold_tiles<Pixel, false>);
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

/// Returns the instance of threshold_band_batch that computes many images as `kernel` computes
/// one.
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

/// Launches bands for many images. Returns false if other kernels have to decide.
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

}  // namespace

void threshold_cuda(ConstDeviceView src, DeviceView dst, const WindowRule& rule,
                    std::optional<DeviceView> mean, gpu::StreamHandle stream) {
  gpu::require_device();
  src.type() == ElementType::u8 ? threshold_by_rule<std::uint8_t>(src, dst, rule, mean, stream)
                                : threshold_by_rule<std::uint16_t>(src, dst, rule, mean, stream);
}

void threshold_cuda(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
                    const WindowRule& rule, gpu::StreamHandle stream) {
  src[0].type() == ElementType::u8 ? threshold_by_rule<std::uint8_t>(src, dst, rule, stream)
                                   : threshold_by_rule<std::uint16_t>(src, dst, rule, stream);
}

}  // namespace warpwise::detail::threshold
