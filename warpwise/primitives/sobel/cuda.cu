#include "warpwise/base/error.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/start.hpp"
#include "warpwise/primitives/sobel/backends.hpp"
#include "warpwise/primitives/sobel/kernel.cuh"
#include "warpwise/primitives/sobel/launch.hpp"

namespace warpwise::detail::sobel {
namespace {

using kernels::sobel::SobelResult;
using kernels::sobel::SobelSource;

using Function = void (*)(kernels::sobel::SobelArguments);

template <SobelSource source, class Out, class Number>
Function magnitude(SobelResult result) {
  return result == SobelResult::l1
             ? kernels::sobel::sobel_kernel<source, Out, SobelResult::l1, Number>
             : kernels::sobel::sobel_kernel<source, Out, SobelResult::l2, Number>;
}

template <SobelSource source, class Out, class Number>
Function any_result(SobelResult result) {
  return result == SobelResult::component
             ? kernels::sobel::sobel_kernel<source, Out, SobelResult::component, Number>
             : magnitude<source, Out, Number>(result);
}

template <SobelSource source>
Function of_bytes(const SobelChoice& choice) {
  using Sobel = kernels::sobel::SobelPair<2, 1>;
  using Scharr = kernels::sobel::SobelPair<10, 3>;
  const bool to_bytes = choice.out == ElementType::u8;
  switch (choice.number) {
    case SobelNumber::scharr_pair: return magnitude<source, std::uint8_t, Scharr>(choice.result);
    case SobelNumber::sobel_pair:
      return to_bytes ? magnitude<source, std::uint8_t, Sobel>(choice.result)
                      : any_result<source, std::uint16_t, Sobel>(choice.result);
    case SobelNumber::integer: return any_result<source, std::uint16_t, int>(choice.result);
    case SobelNumber::real: break;
  }
  throw Error("sobel: pixels of bytes are computed in integers, never in floats");
}

Function function_of(const SobelChoice& choice) {
  switch (choice.source) {
    case SobelSource::f32: return any_result<SobelSource::f32, std::uint32_t, float>(choice.result);
    case SobelSource::u16: return any_result<SobelSource::u16, std::uint32_t, int>(choice.result);
    case SobelSource::rgb: return of_bytes<SobelSource::rgb>(choice);
    case SobelSource::rgba: return of_bytes<SobelSource::rgba>(choice);
    case SobelSource::u8: return of_bytes<SobelSource::u8>(choice);
  }
  __builtin_unreachable();
}

}  // namespace

void sobel_cuda(ConstDeviceView src, DeviceView dst, const SobelOptions& options,
                gpu::StreamHandle stream) {
  gpu::require_device();
  const SobelChoice choice = sobel_choice(src.type(), src.channels(), dst.type(), options);
  const auto launch =
      sobel_launch({.src = reinterpret_cast<const unsigned char*>(src.data()),
                    .dst = reinterpret_cast<unsigned char*>(dst.data()),
                    .src_pitch = src.pitch_bytes(),
                    .dst_pitch = dst.pitch_bytes(),
                    .width = src.width(),
                    .height = src.height()},
                   choice, options,
                   tuning::chosen(block_height_tunable, static_cast<int>(choice.source),
                                  src.width() * src.height()));
  gpu::start(function_of(launch.kernel), launch, kernel_name(launch.kernel), stream);
}

}  // namespace warpwise::detail::sobel
