#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/start_with.hpp"
#include "warpwise/primitives/copy/backends.hpp"
#include "warpwise/primitives/copy/batch.cuh"
#include "warpwise/primitives/copy/kernel.cuh"
#include "warpwise/primitives/copy/launch.hpp"
#include "warpwise/primitives/shared/batch_launch.hpp"

namespace warpwise::detail::copy {
namespace {

bool is_for_hopper() {
  static gpu::HopperCode code;
  return code.is_for_hopper(kernels::copy::copy_row_kernel, "copy_row_kernel");
}

}  // namespace

void copy_cuda(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  gpu::require_device();
  const auto launch = copy_launch(src, dst);
  const auto as = [&](auto* kernel) {
    gpu::start_early(is_for_hopper(), kernel, launch, kernel_name(launch.kernel), stream);
  };
  switch (launch.kernel) {
    case CopyKernel::row: return as(kernels::copy::copy_row_kernel);
    case CopyKernel::rows: return as(kernels::copy::copy_rows_kernel);
    case CopyKernel::any_alignment: return as(kernels::copy::copy_kernel);
  }
}

void copy_cuda(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
               gpu::StreamHandle stream) {
  gpu::require_device();
  using Image = BatchImage<kernels::copy::CopyImage>;
  const auto describe = [&](std::size_t i) -> std::optional<Image> {
    const kernels::copy::CopyArguments a = copy_arguments(src[i], dst[i]);
    if (!fit_batch(a.src_pitch, a.dst_pitch, a.row_bytes, a.rows)) return {};
    return Image{{a.src, a.dst, static_cast<int>(a.src_pitch), static_cast<int>(a.dst_pitch),
                  static_cast<int>(a.row_bytes), static_cast<int>(a.rows)},
                 blocks_for_row(a, kernels::copy::copy_batch_units),
                 a.rows};
  };
  start_batches(
      kernels::copy::copy_batch_kernel, kernels::copy::CopyRule{}, src.size(),
      {kernels::copy::copy_unit_threads}, describe,
      [&](auto i) { copy_cuda(src[i], dst[i], stream); }, "copy_batch_kernel", stream);
}

}  // namespace warpwise::detail::copy
