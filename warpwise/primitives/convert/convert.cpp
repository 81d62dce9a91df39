#include "warpwise/primitives/convert/convert.hpp"

#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/convert/backends.hpp"
#include "warpwise/primitives/shared/batch.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise {
namespace {

/// Requires that no plane of `dst` overlaps a plane of `src` or another plane of `dst`.
template <class Source, class Destination>
void require_disjoint_planes(const Source& src, const Destination& dst) {
  for (int s = 0; s < plane_count(src.format()); ++s) {
    for (int d = 0; d < plane_count(dst.format()); ++d) {
      detail::require_disjoint("convert", detail::memory_of(src, s), detail::memory_of(dst, d),
                               "src and dst");
    }
  }
  for (int d = 1; d < plane_count(dst.format()); ++d) {
    for (int other = 0; other < d; ++other) {
      detail::require_disjoint("convert", detail::memory_of(dst, other), detail::memory_of(dst, d),
                               "two planes of dst");
    }
  }
}

template <class Source, class Destination>
detail::convert::Conversion validate(const Source& src, const Destination& dst,
                                     const ConvertOptions& options) {
  const auto conversion = detail::convert::resolve(src.format(), dst.format(), options);
  detail::require_same_size("convert", src, dst);
  require_disjoint_planes(src, dst);
  return conversion;
}

/// Checks the arguments of a batch. Returns nothing if there are no frames.
template <class Source, class Destination>
std::optional<detail::convert::Conversion> validate(std::span<const Source> src,
                                                    std::span<const Destination> dst,
                                                    const ConvertOptions& options) {
  std::optional<detail::convert::Conversion> conversion;
  detail::validate_batch("convert", src, dst, [&](const Source& from, const Destination& to) {
    conversion = validate(from, to, options);
    detail::require_type_of_first("src", from, src[0]);
    detail::require_type_of_first("dst", to, dst[0]);
  });
  return conversion;
}

}  // namespace

void convert(ConstHostFrame src, HostFrame dst, const ConvertOptions& options) {
  detail::convert::convert_cpu(src, dst, validate(src, dst, options));
}

void convert(ConstDeviceFrame src, DeviceFrame dst, const ConvertOptions& options,
             gpu::StreamHandle stream) {
  detail::convert::convert_cuda(src, dst, validate(src, dst, options), stream);
}

void convert(std::span<const ConstHostFrame> src, std::span<const HostFrame> dst,
             const ConvertOptions& options) {
  const auto conversion = validate(src, dst, options);
  detail::for_each_image(
      src, [&](auto i) { detail::convert::convert_cpu(src[i], dst[i], *conversion); });
}

void convert(std::span<const ConstDeviceFrame> src, std::span<const DeviceFrame> dst,
             const ConvertOptions& options, gpu::StreamHandle stream) {
  const auto conversion = validate(src, dst, options);
  gpu::require_device();
  if (conversion) detail::convert::convert_cuda(src, dst, *conversion, stream);
}

}  // namespace warpwise
