#include "warpwise/primitives/convert/grey.hpp"

#include "warpwise/primitives/convert/grey_backends.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise {
namespace {

template <class Source, class Destination>
void validate_grey(const Source& src, const Destination& dst) {
  const bool is_taken = src.type() == ElementType::u16 || src.type() == ElementType::f32;
  if (!is_taken || (src.channels() != 3 && src.channels() != 4)) {
    throw InvalidArgument("grey: src has pixels of " +
                          detail::type_text(src.type(), src.channels()) +
                          ", it needs 3 or 4 channels of u16 or f32");
  }
  detail::require_type("grey", "dst", dst, src.type(), 1);
  detail::require_same_size("grey", src, dst);
  detail::require_disjoint("grey", src, dst);
}

}  // namespace

void grey(ConstHostView src, HostView dst) {
  validate_grey(src, dst);
  detail::convert::grey_cpu(src, dst);
}

void grey(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  validate_grey(src, dst);
  detail::convert::grey_cuda(src, dst, stream);
}

}  // namespace warpwise
