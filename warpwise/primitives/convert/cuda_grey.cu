#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/start_with.hpp"
#include "warpwise/primitives/convert/grey.cuh"
#include "warpwise/primitives/convert/grey_backends.hpp"

namespace warpwise::detail::convert {
namespace {

template <class View>
bool is_aligned(const View& view) {
  const std::int64_t bytes = size_of(view.type());
  return reinterpret_cast<std::uintptr_t>(view.data()) % static_cast<std::uintptr_t>(bytes) == 0 &&
         view.pitch_bytes() % bytes == 0;
}

template <class T>
auto kernel_of(bool aligned) {
  return aligned ? kernels::convert::grey_kernel<T, true> : kernels::convert::grey_kernel<T, false>;
}

bool is_for_hopper() {
  static gpu::HopperCode code;
  return code.is_for_hopper(kernels::convert::grey_kernel<float, true>, "grey_kernel");
}

}  // namespace

void grey_cuda(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  gpu::require_device();
  const int blue = src.order() == ChannelOrder::bgr ? 0 : 2;
  const kernels::convert::GreyArguments arguments{
      .src = reinterpret_cast<const unsigned char*>(src.data()),
      .dst = reinterpret_cast<unsigned char*>(dst.data()),
      .src_pitch = src.pitch_bytes(),
      .dst_pitch = dst.pitch_bytes(),
      .width = src.width(),
      .height = src.height(),
      .pixel_bytes = src.channels() * size_of(src.type()),
      .red_byte = (2 - blue) * size_of(src.type()),
      .blue_byte = blue * size_of(src.type())};
  const bool aligned = is_aligned(src) && is_aligned(dst);
  const bool is_u16 = src.type() == ElementType::u16;
  const auto kernel = is_u16 ? kernel_of<std::uint16_t>(aligned) : kernel_of<float>(aligned);
  const std::int64_t blocks = gpu::blocks_for(src.width(), kernels::convert::grey_block_threads);
  const gpu::Launch<bool> launch{.kernel = aligned,
                                 .grid = {gpu::grid_x(blocks), gpu::grid_y(src.height())},
                                 .block = {kernels::convert::grey_block_threads},
                                 .parameters = gpu::Parameters::of(arguments)};
  gpu::start_early(is_for_hopper(), kernel, launch, "grey_kernel", stream);
}

}  // namespace warpwise::detail::convert
