#include "warpwise/primitives/convert/convert.hpp"

#include "warpwise/primitives/convert/backends.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise {
namespace {

/// Every plane of one frame against every plane of the other.
template <class Source, class Destination>
void require_disjoint_planes(const Source& src, const Destination& dst) {
  const auto view_of = [](const auto& frame, int p) {
    using View = typename std::remove_cvref_t<decltype(frame)>::View;
    const auto& plane = frame.plane(p);
    return View(plane.data, ElementType::u8, plane_row_bytes(frame.format(), p, frame.width()),
                plane_rows(frame.format(), p, frame.height()), 1, plane.pitch_bytes);
  };
  for (int s = 0; s < plane_count(src.format()); ++s) {
    for (int d = 0; d < plane_count(dst.format()); ++d) {
      detail::require_disjoint("convert", view_of(src, s), view_of(dst, d));
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

}  // namespace

void convert(ConstHostFrame src, HostFrame dst, const ConvertOptions& options) {
  detail::convert::convert_cpu(src, dst, validate(src, dst, options));
}

void convert(ConstDeviceFrame src, DeviceFrame dst, const ConvertOptions& options,
             gpu::StreamHandle stream) {
  detail::convert::convert_cuda(src, dst, validate(src, dst, options), stream);
}

}  // namespace warpwise
