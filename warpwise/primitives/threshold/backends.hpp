#pragma once

#include <vector>

#include "warpwise/primitives/threshold/threshold.hpp"

// What threshold() calls once its arguments are checked and its rule is reduced to numbers.
namespace warpwise::detail::threshold {

/// The two values that dst is made of.
struct ThresholdValues {
  std::uint32_t above = 0;
  std::uint32_t below = 0;
};

/// mean and exact_mean in integers, without a division: a pixel is above when
/// pixel * area + bias - sum >= 0, where sum is the sum over its window.
struct WindowRule {
  std::int64_t half = 0;  ///< the window reaches from -half to +half
  std::int64_t area = 1;
  std::int64_t bias = 0;
  bool wide = false;  ///< whether the expression needs 64 bits; 32 are enough otherwise
  ThresholdValues values;
};

/// gaussian: a pixel is above when pixel + shift > round(mean).
struct GaussianRule {
  std::vector<float> weights;  ///< of the centre, then outwards: window / 2 + 1 of them
  std::int32_t shift = 0;
  ThresholdValues values;
};

/// \throws InvalidArgument  an option outside of what threshold() takes.
void validate_threshold_options(const ThresholdOptions& options, ElementType type);

/// Both of options that are valid for pixels of `type`.
WindowRule window_rule(const ThresholdOptions& options, ElementType type);
GaussianRule gaussian_rule(const ThresholdOptions& options, ElementType type);

void threshold_cpu(ConstHostView src, HostView dst, const WindowRule& rule,
                   std::optional<HostView> mean);
void threshold_cpu(ConstHostView src, HostView dst, const GaussianRule& rule,
                   std::optional<HostView> mean);
void threshold_cuda(ConstDeviceView src, DeviceView dst, const WindowRule& rule,
                    std::optional<DeviceView> mean, gpu::StreamHandle stream);
void threshold_cuda(ConstDeviceView src, DeviceView dst, const GaussianRule& rule,
                    std::optional<DeviceView> mean, gpu::StreamHandle stream);

}  // namespace warpwise::detail::threshold
