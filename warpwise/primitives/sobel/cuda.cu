#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/sobel/backends.hpp"
#include "warpwise/primitives/sobel/kernel.cuh"
#include "warpwise/primitives/sobel/launch.hpp"

namespace warpwise::detail {
namespace {

using kernels::SobelResult;
using kernels::SobelSource;

struct Choice {
  void (*kernel)(kernels::SobelArguments);
  SobelShare share;
};

template <SobelSource source, class Out, SobelResult result, class Number>
Choice kernel_of() {
  return {kernels::sobel_kernel<source, Out, result, Number>, sobel_share<source, Number>};
}

template <SobelSource source, class Out, class Number>
Choice magnitude_kernel(const SobelOptions& options) {
  return options.norm == Norm::l1 ? kernel_of<source, Out, SobelResult::l1, Number>()
                                  : kernel_of<source, Out, SobelResult::l2, Number>();
}

template <SobelSource source, class Out, class Number>
Choice any_kernel(const SobelOptions& options) {
  return options.output == SobelOutput::magnitude
             ? magnitude_kernel<source, Out, Number>(options)
             : kernel_of<source, Out, SobelResult::component, Number>();
}

// In pairs where these are exact.
template <SobelSource source>
Choice kernel_of_bytes(const SobelOptions& options, ElementType dst) {
  using Sobel = kernels::SobelPair<2, 1>;
  using Scharr = kernels::SobelPair<10, 3>;
  const bool scharr = options.kernel == SobelKernel::scharr;
  if (dst == ElementType::u8) {
    return scharr ? magnitude_kernel<source, std::uint8_t, Scharr>(options)
                  : magnitude_kernel<source, std::uint8_t, Sobel>(options);
  }
  return scharr ? any_kernel<source, std::uint16_t, int>(options)
                : any_kernel<source, std::uint16_t, Sobel>(options);
}

Choice choose(const ConstDeviceView& src, ElementType dst, const SobelOptions& options) {
  if (src.type() == ElementType::f32) {
    return any_kernel<SobelSource::f32, std::uint32_t, float>(options);
  }
  if (src.type() == ElementType::u16) {
    return any_kernel<SobelSource::u16, std::uint32_t, int>(options);
  }
  if (src.channels() == 3) return kernel_of_bytes<SobelSource::rgb>(options, dst);
  if (src.channels() == 4) return kernel_of_bytes<SobelSource::rgba>(options, dst);
  return kernel_of_bytes<SobelSource::u8>(options, dst);
}

}  // namespace

void sobel_cuda(ConstDeviceView src, DeviceView dst, const SobelOptions& options,
                gpu::StreamHandle stream) {
  gpu::require_device();
  const Choice choice = choose(src, dst.type(), options);
  const SobelLaunch launch =
      sobel_launch({.src = reinterpret_cast<const unsigned char*>(src.data()),
                    .dst = reinterpret_cast<unsigned char*>(dst.data()),
                    .src_pitch = src.pitch_bytes(),
                    .dst_pitch = dst.pitch_bytes(),
                    .width = src.width(),
                    .height = src.height()},
                   options, choice.share);
  const dim3 grid(launch.grid_x, launch.grid_y);
  const dim3 block(kernels::sobel_block_width, kernels::sobel_block_height);
  choice.kernel<<<grid, block, 0, stream>>>(launch.arguments);
  gpu::check_launch("sobel_kernel");
}

}  // namespace warpwise::detail
