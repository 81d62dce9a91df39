#include "warpwise/primitives/threshold/threshold.hpp"

#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/shared/batch.hpp"
#include "warpwise/primitives/shared/validate.hpp"
#include "warpwise/primitives/threshold/backends.hpp"

namespace warpwise {
namespace {

template <class Source, class Destination>
void validate(const Source& src, const Destination& dst, const ThresholdOptions& options,
              const std::optional<Destination>& mean) {
  detail::require_enumerator("threshold", "method", options.method, all_threshold_methods);
  if ((src.type() != ElementType::u8 && src.type() != ElementType::u16) || src.channels() != 1) {
    throw InvalidArgument("threshold: src has pixels of " +
                          detail::type_text(src.type(), src.channels()) +
                          ", it needs 1 x u8 or 1 x u16");
  }
  detail::require_same_size("threshold", src, dst);
  detail::require_type("threshold", "dst", dst, src.type(), 1);
  detail::require_disjoint("threshold", src, dst);
  if (mean) {
    detail::require_same_size("threshold's mean image", src, *mean);
    detail::require_type("threshold", "the mean image", *mean,
                         mean->type() == ElementType::f32 ? ElementType::f32 : src.type(), 1);
    detail::require_disjoint("threshold", src, *mean, "src and the mean image");
    detail::require_disjoint("threshold", *mean, dst, "the mean image and dst");
  }
  detail::threshold::validate_threshold_options(options, src.type());
}

template <class Source, class Destination>
void validate(std::span<const Source> src, std::span<const Destination> dst,
              const ThresholdOptions& options) {
  detail::validate_batch("threshold", src, dst, [&](const Source& from, const Destination& to) {
    validate(from, to, options, std::optional<Destination>{});
    detail::require_type_of_first("src", from, src[0]);
  });
}

}  // namespace

void threshold(ConstHostView src, HostView dst, const ThresholdOptions& options,
               std::optional<HostView> mean) {
  validate(src, dst, options, mean);
  if (options.method == ThresholdMethod::gaussian) {
    detail::threshold::threshold_cpu(src, dst,
                                     detail::threshold::gaussian_rule(options, src.type()), mean);
  } else {
    detail::threshold::threshold_cpu(src, dst, detail::threshold::window_rule(options, src.type()),
                                     mean);
  }
}

void threshold(ConstDeviceView src, DeviceView dst, const ThresholdOptions& options,
               std::optional<DeviceView> mean, gpu::StreamHandle stream) {
  validate(src, dst, options, mean);
  if (options.method == ThresholdMethod::gaussian) {
    detail::threshold::threshold_cuda(
        src, dst, detail::threshold::gaussian_rule(options, src.type()), mean, stream);
  } else {
    detail::threshold::threshold_cuda(src, dst, detail::threshold::window_rule(options, src.type()),
                                      mean, stream);
  }
}

void threshold(ConstDeviceView src, DeviceView dst, const ThresholdOptions& options,
               gpu::StreamHandle stream) {
  threshold(src, dst, options, std::nullopt, stream);
}

void threshold(std::span<const ConstHostView> src, std::span<const HostView> dst,
               const ThresholdOptions& options) {
  validate(src, dst, options);
  if (src.empty()) return;
  const auto by = [&](const auto& rule) {
    detail::for_each_image(
        src, [&](auto i) { detail::threshold::threshold_cpu(src[i], dst[i], rule, {}); });
  };
  const ElementType type = src[0].type();
  options.method == ThresholdMethod::gaussian ? by(detail::threshold::gaussian_rule(options, type))
                                              : by(detail::threshold::window_rule(options, type));
}

void threshold(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
               const ThresholdOptions& options, gpu::StreamHandle stream) {
  validate(src, dst, options);
  gpu::require_device();
  if (src.empty()) return;
  const auto by = [&](const auto& rule) {
    detail::threshold::threshold_cuda(src, dst, rule, stream);
  };
  const ElementType type = src[0].type();
  options.method == ThresholdMethod::gaussian ? by(detail::threshold::gaussian_rule(options, type))
                                              : by(detail::threshold::window_rule(options, type));
}

}  // namespace warpwise
