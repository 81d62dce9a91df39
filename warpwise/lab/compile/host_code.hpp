#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwise::lab {

struct DeviceCode {
  std::string text;                   ///< as long as the source, every line where it was
  std::vector<std::string> left_out;  ///< the names of the functions that are blanks now
};

/// CUDA C++ without the functions that only the host calls, for NVRTC, which takes none: those
/// defined or declared outside of classes with neither __global__ nor __device__, nor a macro of
/// this file that stands for these. It knows no types and sees no included files, so it is a second
/// try after the whole file.
DeviceCode without_host_functions(std::string_view source);

}  // namespace warpwise::lab
