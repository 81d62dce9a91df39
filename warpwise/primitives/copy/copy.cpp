#include "warpwise/primitives/copy/copy.hpp"

#include "warpwise/primitives/copy/backends.hpp"
#include "warpwise/primitives/shared/batch.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise {
namespace {

template <class Source, class Destination>
void validate(const Source& src, const Destination& dst) {
  detail::require_same_size("copy", src, dst);
  detail::require_type("copy", "dst", dst, src.type(), src.channels());
  detail::require_disjoint("copy", src, dst);
}

template <class Source, class Destination>
void validate(std::span<const Source> src, std::span<const Destination> dst) {
  detail::validate_batch("copy", src, dst,
                         [](const auto& from, const auto& to) { validate(from, to); });
}

}  // namespace

void copy(ConstHostView src, HostView dst) {
  validate(src, dst);
  detail::copy::copy_cpu(src, dst);
}

void copy(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  validate(src, dst);
  detail::copy::copy_cuda(src, dst, stream);
}

void copy(std::span<const ConstHostView> src, std::span<const HostView> dst) {
  validate(src, dst);
  detail::for_each_image(src, [&](auto i) { detail::copy::copy_cpu(src[i], dst[i]); });
}

void copy(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
          gpu::StreamHandle stream) {
  validate(src, dst);
  detail::copy::copy_cuda(src, dst, stream);
}

}  // namespace warpwise
