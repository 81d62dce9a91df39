#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwise::lab {

struct DeviceCode {
  std::string text;                   ///< as long as the source, with every line in its place
  std::vector<std::string> left_out;  ///< names of the functions that are now blank
};

/// Blanks the functions that only the host calls, since NVRTC accepts none. A function counts as
/// host code if it is outside of classes and has neither __global__ nor __device__, nor a macro of
/// this file that stands for one of them. The search knows no types and sees no included files. The
/// whole file is therefore compiled first, and this text only if that fails.
DeviceCode without_host_functions(std::string_view source);

}  // namespace warpwise::lab
