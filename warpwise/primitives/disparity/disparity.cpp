#include "warpwise/primitives/disparity/disparity.hpp"

#include "warpwise/primitives/disparity/backends.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise {
namespace {

void validate(const DisparityOptions& options) {
  if (options.block < 1 || options.block > max_disparity_block || options.block % 2 == 0) {
    throw InvalidArgument("disparity: the block has " + std::to_string(options.block) +
                          " pixels a side; it must have an odd number from 1 to " +
                          std::to_string(max_disparity_block));
  }
  if (options.max_disparity < 0 || options.max_disparity > max_disparity_range) {
    throw InvalidArgument("disparity: max_disparity is " + std::to_string(options.max_disparity) +
                          "; it must be 0 to " + std::to_string(max_disparity_range));
  }
  if (options.measure > Measure::zncc)
    throw InvalidArgument("disparity: there is no measure of number " +
                          std::to_string(static_cast<int>(options.measure)));
}

template <class Source, class Destination>
void validate(const Source& left, const Source& right, const Destination& dst,
              const DisparityOptions& options) {
  validate(options);
  detail::require_type("disparity", "left", left, ElementType::u8, 1);
  detail::require_type("disparity", "right", right, ElementType::u8, 1);
  detail::require_type("disparity", "dst", dst, ElementType::f32, 1);
  if (left.width() != right.width() || left.height() != right.height()) {
    throw InvalidArgument("disparity: left is " + detail::size_text(left.width(), left.height()) +
                          ", right is " + detail::size_text(right.width(), right.height()) +
                          "; they must be of one size");
  }
  detail::require_same_size("disparity", left, dst);
  detail::require_disjoint("disparity", left, dst);
  detail::require_disjoint("disparity", right, dst);
}

}  // namespace

void disparity(ConstHostView left, ConstHostView right, HostView dst,
               const DisparityOptions& options) {
  validate(left, right, dst, options);
  detail::disparity::disparity_cpu(left, right, dst, options);
}

void disparity(ConstDeviceView left, ConstDeviceView right, DeviceView dst,
               const DisparityOptions& options, gpu::StreamHandle stream) {
  validate(left, right, dst, options);
  detail::disparity::disparity_cuda(left, right, dst, options, stream);
}

}  // namespace warpwise
