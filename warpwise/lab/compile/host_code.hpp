#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwise::lab {

struct DeviceCode {
  std::string text;                   ///< as long as the source, with every line in its place
  std::vector<std::string> left_out;  ///< names of the functions that are now blank
};

/// Blanks the functions that only the host calls, since NVRTC accepts none. They are those outside
/// of classes without __global__ or __device__, or a macro of this file that stands for these. It
/// knows no types and sees no included files. It is therefore a second try after the whole file.
DeviceCode without_host_functions(std::string_view source);

}  // namespace warpwise::lab
