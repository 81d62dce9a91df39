#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/start.hpp"
#include "warpwise/primitives/convert/backends.hpp"
#include "warpwise/primitives/convert/kernel.cuh"
#include "warpwise/primitives/convert/launch.hpp"

namespace warpwise::detail::convert {
namespace {

using kernels::convert::ConvertArithmetic;
using kernels::convert::ConvertDestination;
using kernels::convert::ConvertSource;

/// Whether a conversion can need this arithmetic: convention opencv rounds luma on the way from RGB
/// to YCrCb, libyuv and opencv scale it on the way from YUV to RGB.
constexpr bool is_needed(ConvertSource source, ConvertDestination destination,
                         ConvertArithmetic arithmetic) {
  const bool rgb_source = source == ConvertSource::gray || source == ConvertSource::packed3 ||
                          source == ConvertSource::packed4;
  const bool yuv_source = source != ConvertSource::gray && source != ConvertSource::packed3;
  const bool rgb_destination =
      destination == ConvertDestination::packed3 || destination == ConvertDestination::packed4;
  switch (arithmetic) {
    case ConvertArithmetic::rounded_luma:
      return rgb_source && destination != ConvertDestination::gray;
    case ConvertArithmetic::scaled_luma: return yuv_source && rgb_destination;
    default: return true;
  }
}

using Function = void (*)(kernels::convert::ConvertArguments);

template <ConvertSource source, ConvertDestination destination, ConvertArithmetic arithmetic>
Function function_of() {
  if constexpr (is_needed(source, destination, arithmetic)) {
    return kernels::convert::convert_kernel<source, destination, arithmetic>;
  } else {
    throw Error("convert: an arithmetic that no conversion between these formats was to need");
  }
}

template <ConvertSource source, ConvertDestination destination>
Function function_of(ConvertArithmetic arithmetic) {
  using enum ConvertArithmetic;
  switch (arithmetic) {
    case none: return function_of<source, destination, none>();
    case one_level: return function_of<source, destination, one_level>();
    case two_levels: return function_of<source, destination, two_levels>();
    case scaled_luma: return function_of<source, destination, scaled_luma>();
    case rounded_luma: return function_of<source, destination, rounded_luma>();
  }
  __builtin_unreachable();
}

template <ConvertSource source>
Function function_of(ConvertDestination destination, ConvertArithmetic arithmetic) {
  using enum ConvertDestination;
  switch (destination) {
    case gray: return function_of<source, gray>(arithmetic);
    case packed3: return function_of<source, packed3>(arithmetic);
    case packed4: return function_of<source, packed4>(arithmetic);
    case planar3: return function_of<source, planar3>(arithmetic);
  }
  __builtin_unreachable();
}

Function function_of(const ConvertKernel& kernel) {
  using enum ConvertSource;
  switch (kernel.source) {
    case gray: return function_of<gray>(kernel.destination, kernel.arithmetic);
    case packed3: return function_of<packed3>(kernel.destination, kernel.arithmetic);
    case packed4: return function_of<packed4>(kernel.destination, kernel.arithmetic);
    case packed422: return function_of<packed422>(kernel.destination, kernel.arithmetic);
    case semiplanar420: return function_of<semiplanar420>(kernel.destination, kernel.arithmetic);
    case planar420: return function_of<planar420>(kernel.destination, kernel.arithmetic);
  }
  __builtin_unreachable();
}

}  // namespace

void convert_cuda(ConstDeviceFrame src, DeviceFrame dst, const Conversion& conversion,
                  gpu::StreamHandle stream) {
  gpu::require_device();
  const int height_of_block = tuning::chosen(
      block_height_tunable, static_cast<int>(source_of(src.format())), src.width() * src.height());
  const auto launch = convert_launch(src, dst, conversion, height_of_block);
  gpu::start(function_of(launch.kernel), launch, kernel_name(launch.kernel), stream);
}

}  // namespace warpwise::detail::convert
