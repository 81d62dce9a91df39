#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/convert/backends.hpp"
#include "warpwise/primitives/convert/kernel.cuh"
#include "warpwise/primitives/convert/launch.hpp"

namespace warpwise::detail {
namespace {

using kernels::ConvertArithmetic;
using kernels::ConvertDestination;
using kernels::ConvertSource;

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

template <ConvertSource source, ConvertDestination destination, ConvertArithmetic arithmetic>
void launch(const ConvertLaunch& l, gpu::StreamHandle stream) {
  if constexpr (is_needed(source, destination, arithmetic)) {
    const dim3 block(kernels::convert_block_width, kernels::convert_block_height);
    const dim3 grid(l.grid_x, l.grid_y);
    kernels::convert_kernel<source, destination, arithmetic>
        <<<grid, block, 0, stream>>>(l.arguments);
    gpu::check_launch("convert_kernel");
  } else {
    throw Error("convert: an arithmetic that no conversion between these formats was to need");
  }
}

template <ConvertSource source, ConvertDestination destination>
void launch(const ConvertLaunch& l, gpu::StreamHandle stream) {
  using enum ConvertArithmetic;
  switch (l.arithmetic) {
    case none: return launch<source, destination, none>(l, stream);
    case one_level: return launch<source, destination, one_level>(l, stream);
    case two_levels: return launch<source, destination, two_levels>(l, stream);
    case scaled_luma: return launch<source, destination, scaled_luma>(l, stream);
    case rounded_luma: return launch<source, destination, rounded_luma>(l, stream);
  }
}

template <ConvertSource source>
void launch(const ConvertLaunch& l, gpu::StreamHandle stream) {
  using enum ConvertDestination;
  switch (l.destination) {
    case gray: return launch<source, gray>(l, stream);
    case packed3: return launch<source, packed3>(l, stream);
    case packed4: return launch<source, packed4>(l, stream);
    case planar3: return launch<source, planar3>(l, stream);
  }
}

}  // namespace

void convert_cuda(ConstDeviceFrame src, DeviceFrame dst, const Conversion& conversion,
                  gpu::StreamHandle stream) {
  gpu::require_device();
  const ConvertLaunch l = convert_launch(src, dst, conversion);
  using enum ConvertSource;
  switch (l.source) {
    case gray: return launch<gray>(l, stream);
    case packed3: return launch<packed3>(l, stream);
    case packed4: return launch<packed4>(l, stream);
    case packed422: return launch<packed422>(l, stream);
    case semiplanar420: return launch<semiplanar420>(l, stream);
    case planar420: return launch<planar420>(l, stream);
  }
}

}  // namespace warpwise::detail
