#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "warpwise/base/checked.hpp"
#include "warpwise/gpu/allow_shared.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/gpu/limit.hpp"
#include "warpwise/gpu/start_with.hpp"
#include "warpwise/primitives/threshold/backends.hpp"
#include "warpwise/primitives/threshold/gaussian.cuh"
#include "warpwise/primitives/threshold/gaussian_launch.hpp"
#include "warpwise/primitives/threshold/gaussian_products.cuh"
#include "warpwise/primitives/threshold/launch.hpp"

// The Gaussian threshold, apart from cuda.cu because both together compile for over a minute.
namespace warpwise::detail::threshold {
namespace {

using kernels::threshold::threshold_block_threads;

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

/// Launches threshold_gaussian_products. Returns false if that kernel cannot take the call.
bool start_gaussian_products(ConstDeviceView src, DeviceView dst, const GaussianRule& rule,
                             const std::optional<DeviceView>& mean, gpu::StreamHandle stream) {
  using kernels::threshold::threshold_gaussian_products;
  const auto launch =
      gaussian_product_launch(source_of(src), output_of(dst, mean, rule.values), rule);
  if (!launch) return false;
  static gpu::HopperCode code;
  constexpr const char* name = "threshold_gaussian_products";
  const bool early = code.is_for_hopper(threshold_gaussian_products<2>, name);
  const auto start = [&](auto* kernel) {
    gpu::allow_shared(reinterpret_cast<const void*>(kernel), launch->shared_bytes, name);
    cudaLaunchAttribute attribute = gpu::begins_early();
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(launch->grid.x, launch->grid.y);
    config.blockDim = dim3(threshold_block_threads);
    config.dynamicSmemBytes = launch->shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = early ? 1 : 0;
    gpu::check(cudaLaunchKernelEx(&config, kernel, launch->arguments), name);
  };
  switch (launch->groups) {
    case 2: start(threshold_gaussian_products<2>); break;
    case 3: start(threshold_gaussian_products<3>); break;
    case 4: start(threshold_gaussian_products<4>); break;
    case 6: start(threshold_gaussian_products<6>); break;
    default: start(threshold_gaussian_products<8>); break;
  }
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
                    const GaussianRule& rule, gpu::StreamHandle stream) {
  for (std::size_t i = 0; i < src.size(); ++i) threshold_cuda(src[i], dst[i], rule, {}, stream);
}

}  // namespace warpwise::detail::threshold
