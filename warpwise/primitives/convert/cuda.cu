#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/start_with.hpp"
#include "warpwise/primitives/convert/backends.hpp"
#include "warpwise/primitives/convert/batch.cuh"
#include "warpwise/primitives/convert/kernel.cuh"
#include "warpwise/primitives/convert/launch.hpp"
#include "warpwise/primitives/shared/batch_launch.hpp"

namespace warpwise::detail::convert {
namespace {

using kernels::convert::ConvertArithmetic;
using kernels::convert::ConvertDestination;
using kernels::convert::ConvertSource;

/// Returns true if a conversion can need this arithmetic. Convention opencv rounds luma from RGB to
/// YCrCb; libyuv and opencv scale luma from YUV to RGB.
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

/// Calls `use` with a kernel's template arguments. Throws if no conversion needs this arithmetic.
template <ConvertSource source, ConvertDestination destination, ConvertArithmetic arithmetic,
          class Use>
void with(const Use& use) {
  if constexpr (is_needed(source, destination, arithmetic)) {
    use.template operator()<source, destination, arithmetic>();
  } else {
    throw Error("convert: no conversion between these formats needs this arithmetic");
  }
}

template <ConvertSource source, ConvertDestination destination, class Use>
void with(ConvertArithmetic arithmetic, const Use& use) {
  using enum ConvertArithmetic;
  switch (arithmetic) {
    case none: return with<source, destination, none>(use);
    case one_level: return with<source, destination, one_level>(use);
    case two_levels: return with<source, destination, two_levels>(use);
    case scaled_luma: return with<source, destination, scaled_luma>(use);
    case rounded_luma: return with<source, destination, rounded_luma>(use);
  }
}

template <ConvertSource source, class Use>
void with(ConvertDestination destination, ConvertArithmetic arithmetic, const Use& use) {
  using enum ConvertDestination;
  switch (destination) {
    case gray: return with<source, gray>(arithmetic, use);
    case packed3: return with<source, packed3>(arithmetic, use);
    case packed4: return with<source, packed4>(arithmetic, use);
    case planar3: return with<source, planar3>(arithmetic, use);
  }
}

template <class Use>
void with(const ConvertKernel& kernel, const Use& use) {
  using enum ConvertSource;
  switch (kernel.source) {
    case gray: return with<gray>(kernel.destination, kernel.arithmetic, use);
    case packed3: return with<packed3>(kernel.destination, kernel.arithmetic, use);
    case packed4: return with<packed4>(kernel.destination, kernel.arithmetic, use);
    case packed422: return with<packed422>(kernel.destination, kernel.arithmetic, use);
    case semiplanar420: return with<semiplanar420>(kernel.destination, kernel.arithmetic, use);
    case planar420: return with<planar420>(kernel.destination, kernel.arithmetic, use);
  }
}

/// Copies the arguments of one frame to the 32-bit members of a batch's image. Returns nothing if a
/// size or a pitch does not fit 32 bits.
template <int src_planes, int dst_planes>
std::optional<kernels::convert::ConvertImage<src_planes, dst_planes>> batch_image(
    const kernels::convert::ConvertArguments& a) {
  kernels::convert::ConvertImage<src_planes, dst_planes> image{};
  bool fits = fit_batch(a.width, a.height);
  for (int p = 0; p < src_planes; ++p) {
    image.src[p] = a.src[p];
    image.src_pitch[p] = static_cast<int>(a.src_pitch[p]);
    fits &= fit_batch(a.src_pitch[p]);
  }
  for (int p = 0; p < dst_planes; ++p) {
    image.dst[p] = a.dst[p];
    image.dst_pitch[p] = static_cast<int>(a.dst_pitch[p]);
    fits &= fit_batch(a.dst_pitch[p]);
  }
  image.width = static_cast<int>(a.width);
  image.height = static_cast<int>(a.height);
  image.aligned = a.aligned;
  if (!fits) return {};
  return image;
}

bool is_for_hopper() {
  using namespace kernels::convert;
  static gpu::HopperCode code;
  return code.is_for_hopper(
      convert_kernel<ConvertSource::gray, ConvertDestination::gray, ConvertArithmetic::none>,
      "convert_kernel");
}

}  // namespace

void convert_cuda(ConstDeviceFrame src, DeviceFrame dst, const Conversion& conversion,
                  gpu::StreamHandle stream) {
  gpu::require_device();
  const auto launch = convert_launch(src, dst, conversion);
  with(launch.kernel,
       [&]<ConvertSource source, ConvertDestination destination, ConvertArithmetic arithmetic>() {
         gpu::start_early(is_for_hopper(),
                          kernels::convert::convert_kernel<source, destination, arithmetic>, launch,
                          kernel_name(launch.kernel), stream);
       });
}

void convert_cuda(std::span<const ConstDeviceFrame> src, std::span<const DeviceFrame> dst,
                  const Conversion& conversion, gpu::StreamHandle stream) {
  const ConvertRule rule = convert_rule(conversion);
  with(rule.kernel,
       [&]<ConvertSource source, ConvertDestination destination, ConvertArithmetic arithmetic>() {
         using namespace kernels::convert;
         using Image = ConvertImage<planes_of(source), planes_of(destination)>;
         const auto describe = [&](std::size_t i) -> std::optional<BatchImage<Image>> {
           const ConvertArguments a = with_frames(rule.arguments, src[i], dst[i]);
           const auto image = batch_image<planes_of(source), planes_of(destination)>(a);
           if (!image) return {};
           const auto [across, down] = convert_blocks(rule.kernel, a);
           return BatchImage<Image>{*image, across, down};
         };
         start_batches(
             convert_batch_kernel<source, destination, arithmetic>, rule.arguments, src.size(),
             {convert_block_width, convert_block_height}, describe,
             [&](auto i) { convert_cuda(src[i], dst[i], conversion, stream); },
             "convert_batch_kernel", stream);
       });
}

}  // namespace warpwise::detail::convert
