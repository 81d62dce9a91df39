#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/convert/backends.hpp"
#include "warpwise/primitives/convert/kernel.cuh"
#include "warpwise/primitives/convert/launch.hpp"

namespace warpwise::detail {
namespace {

using kernels::ConvertArguments;
using kernels::ConvertDestination;
using kernels::ConvertSource;

ConvertSource source_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::gray8: return ConvertSource::gray;
    case PixelFormat::rgb24:
    case PixelFormat::bgr24:
    case PixelFormat::ycrcb24: return ConvertSource::packed3;
    case PixelFormat::rgba32:
    case PixelFormat::bgra32:
    case PixelFormat::ycbcr32: return ConvertSource::packed4;
    case PixelFormat::yuyv:
    case PixelFormat::uyvy: return ConvertSource::packed422;
    case PixelFormat::nv12:
    case PixelFormat::nv21: return ConvertSource::semiplanar420;
    case PixelFormat::i420: return ConvertSource::planar420;
    case PixelFormat::i444: break;
  }
  throw InvalidArgument("convert: no source is " + std::string(name_of(format)));
}

template <ConvertSource source, ConvertDestination destination>
void launch(const ConvertArguments& a, gpu::StreamHandle stream) {
  const dim3 block(kernels::convert_block_width, kernels::convert_block_height);
  const ConvertGrid cover = convert_grid(a);
  const dim3 grid(cover.x, cover.y);
  kernels::convert_kernel<source, destination><<<grid, block, 0, stream>>>(a);
  gpu::check_launch("convert_kernel");
}

template <ConvertSource source>
void launch(PixelFormat to, const ConvertArguments& a, gpu::StreamHandle stream) {
  switch (to) {
    case PixelFormat::gray8: return launch<source, ConvertDestination::gray>(a, stream);
    case PixelFormat::rgb24:
    case PixelFormat::bgr24:
    case PixelFormat::ycrcb24: return launch<source, ConvertDestination::packed3>(a, stream);
    case PixelFormat::rgba32:
    case PixelFormat::bgra32:
    case PixelFormat::ycbcr32: return launch<source, ConvertDestination::packed4>(a, stream);
    case PixelFormat::i444: return launch<source, ConvertDestination::planar3>(a, stream);
    default: throw InvalidArgument("convert: no destination is " + std::string(name_of(to)));
  }
}

}  // namespace

void convert_cuda(ConstDeviceFrame src, DeviceFrame dst, const Conversion& conversion,
                  gpu::StreamHandle stream) {
  gpu::require_device();
  const ConvertArguments a = convert_arguments(src, dst, conversion);
  switch (source_of(src.format())) {
    case ConvertSource::gray: return launch<ConvertSource::gray>(dst.format(), a, stream);
    case ConvertSource::packed3: return launch<ConvertSource::packed3>(dst.format(), a, stream);
    case ConvertSource::packed4: return launch<ConvertSource::packed4>(dst.format(), a, stream);
    case ConvertSource::packed422: return launch<ConvertSource::packed422>(dst.format(), a, stream);
    case ConvertSource::semiplanar420:
      return launch<ConvertSource::semiplanar420>(dst.format(), a, stream);
    case ConvertSource::planar420: return launch<ConvertSource::planar420>(dst.format(), a, stream);
  }
}

}  // namespace warpwise::detail
