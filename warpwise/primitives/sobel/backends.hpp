#pragma once

#include "warpwise/primitives/sobel/sobel.hpp"

// The backends that sobel() calls once its arguments are checked.
namespace warpwise::detail::sobel {

/// Returns the options of a call on `src`, whose own order of the channels has precedence.
template <class View>
SobelOptions options_for(const View& src, SobelOptions options) {
  options.channels = src.order().value_or(options.channels);
  return options;
}

/// Computes the result's rows from `first` on into all rows of dst.
void sobel_cpu(ConstHostView src, HostView dst, const SobelOptions& options,
               std::int64_t first = 0);
void sobel_cuda(ConstDeviceView src, DeviceView dst, const SobelOptions& options,
                gpu::StreamHandle stream);
void sobel_cuda(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
                const SobelOptions& options, gpu::StreamHandle stream);

}  // namespace warpwise::detail::sobel
