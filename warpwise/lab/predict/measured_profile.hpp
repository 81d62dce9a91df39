#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "warpwise/lab/predict/device_profile.hpp"

namespace warpwise::lab {

/// Measures the current GPU with the kernels of micro_kernels.cu, each several times, the median
/// counts; takes some seconds. The sources name what was measured, what the driver says, and what
/// is of the rules. \param done  is told of each figure when it is there
/// \throws NoCudaDevice, CudaError, CompileError, Unsupported
DeviceProfile measure_profile(const std::function<void(std::string_view, double)>& done =
                                  [](std::string_view, double) {});

/// As parse_device_profile() reads it.
std::string json_of(const DeviceProfile& profile);

}  // namespace warpwise::lab
