#pragma once

#include <filesystem>
#include <string>
#include <vector>

// Where the CUDA compilers of this machine are.
namespace warpwise::lab {

struct Toolchain {
  std::filesystem::path nvcc;                          ///< empty: there is none
  std::filesystem::path ptxas;                         ///< empty: there is none
  std::filesystem::path nvdisasm;                      ///< empty: there is none
  std::vector<std::filesystem::path> nvrtc_libraries;  ///< to be tried in this order
  std::vector<std::filesystem::path> include_folders;  ///< with the toolkit's headers, for NVRTC
  std::vector<std::filesystem::path> cupti_libraries;  ///< to be tried in this order
  std::vector<std::filesystem::path> searched;         ///< for the message when nothing was found
};

/// Searches, in this order, the folders of a toolkit: $WARPWISE_CUDA_HOME alone where it is set,
/// else $CUDA_HOME, $CUDA_PATH, what $CUDACXX and the nvcc in $PATH belong to, /usr/local/cuda;
/// then the loader's own places for NVRTC and CUPTI (not with $WARPWISE_CUDA_HOME); then
/// nvrtc_cache() and cupti_cache(). The disassembler nvdisasm comes from a toolkit, or from $PATH
/// (not with $WARPWISE_CUDA_HOME).
Toolchain find_toolchain();

/// Where scripts/get-nvrtc.sh puts NVRTC and headers: $XDG_CACHE_HOME/warpwise/nvrtc, or ~/.cache
/// for $XDG_CACHE_HOME. Empty without a home.
std::filesystem::path nvrtc_cache();

/// Where scripts/get-cupti.sh puts CUPTI: "cupti" beside nvrtc_cache().
std::filesystem::path cupti_cache();

}  // namespace warpwise::lab
