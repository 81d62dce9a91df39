#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "warpwise/lab/predict/device_profile.hpp"

namespace warpwise::lab {

/// Measures the current GPU with the kernels of micro_kernels.cu. Each kernel runs several times,
/// and the median counts. All kernels together take some seconds. A figure's source says if the
/// figure is measured, comes from the driver or the rules, or is assumed.
/// \param done  called with each figure when it is known
/// \throws NoCudaDevice, CudaError, CompileError, Unsupported, IoError
DeviceProfile measure_profile(const std::function<void(std::string_view, double)>& done =
                                  [](std::string_view, double) {});

/// Writes a profile as parse_device_profile() reads it.
std::string json_of(const DeviceProfile& profile);

}  // namespace warpwise::lab
