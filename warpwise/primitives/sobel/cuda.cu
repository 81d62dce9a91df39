#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/sobel/backends.hpp"
#include "warpwise/primitives/sobel/kernel.cuh"
#include "warpwise/primitives/sobel/launch.hpp"

namespace warpwise::detail {
namespace {

using kernels::SobelResult;
using kernels::SobelSource;

using Kernel = void (*)(kernels::SobelArguments);

template <SobelSource source, class Magnitude, class Component>
Kernel kernel_for(const SobelOptions& options) {
  if (options.output != SobelOutput::magnitude) {
    return kernels::sobel_kernel<source, Component, SobelResult::component>;
  }
  return options.norm == Norm::l1 ? kernels::sobel_kernel<source, Magnitude, SobelResult::l1>
                                  : kernels::sobel_kernel<source, Magnitude, SobelResult::l2>;
}

template <SobelSource source>
Kernel kernel_of_u8(const SobelOptions& options, ElementType dst) {
  return dst == ElementType::u8
             ? kernel_for<source, std::uint8_t, std::uint16_t>(options)
             : kernel_for<source, std::uint16_t, std::uint16_t>(options);
}

struct Choice {
  Kernel kernel;
  int pixels_per_thread;
};

Choice choose(const ConstDeviceView& src, ElementType dst, const SobelOptions& options) {
  using kernels::SobelPixels;
  if (src.type() == ElementType::f32) {
    return {kernel_for<SobelSource::f32, std::uint32_t, std::uint32_t>(options),
            SobelPixels<SobelSource::f32>::per_thread};
  }
  if (src.type() == ElementType::u16) {
    return {kernel_for<SobelSource::u16, std::uint32_t, std::uint32_t>(options),
            SobelPixels<SobelSource::u16>::per_thread};
  }
  if (src.channels() == 3) {
    return {kernel_of_u8<SobelSource::rgb>(options, dst),
            SobelPixels<SobelSource::rgb>::per_thread};
  }
  if (src.channels() == 4) {
    return {kernel_of_u8<SobelSource::rgba>(options, dst),
            SobelPixels<SobelSource::rgba>::per_thread};
  }
  return {kernel_of_u8<SobelSource::u8>(options, dst), SobelPixels<SobelSource::u8>::per_thread};
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
                   options, choice.pixels_per_thread);
  const dim3 grid(launch.grid_x, launch.grid_y);
  const dim3 block(kernels::sobel_block_width, kernels::sobel_block_height);
  choice.kernel<<<grid, block, 0, stream>>>(launch.arguments);
  gpu::check_launch("sobel_kernel");
}

}  // namespace warpwise::detail
