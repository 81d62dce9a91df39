#pragma once

#include <filesystem>
#include <string>
#include <vector>

// Finds the CUDA compilers of this machine.
namespace warpwise::lab {

struct Toolchain {
  std::filesystem::path nvcc;                          ///< empty: there is none
  std::filesystem::path ptxas;                         ///< empty: there is none
  std::filesystem::path nvdisasm;                      ///< empty: there is none
  std::vector<std::filesystem::path> nvrtc_libraries;  ///< tried in this order
  std::vector<std::filesystem::path> include_folders;  ///< the toolkit's headers, for NVRTC
  std::vector<std::filesystem::path> cupti_libraries;  ///< tried in this order
  std::vector<std::filesystem::path> searched;         ///< searched folders, for an error's message
};

/// Searches, in this order:
/// - the folders of a toolkit: $WARPWISE_CUDA_HOME alone if it is set; else $CUDA_HOME, $CUDA_PATH,
///   the toolkits of $CUDACXX and of the nvcc in $PATH, /usr/local/cuda
/// - the loader's own folders, for NVRTC and CUPTI (not with $WARPWISE_CUDA_HOME)
/// - nvrtc_cache() and cupti_cache()
///
/// The disassembler nvdisasm comes from a toolkit, or from $PATH (not with $WARPWISE_CUDA_HOME).
Toolchain find_toolchain();

/// Returns the folder for NVRTC and headers that scripts/get-nvrtc.sh fills:
/// $XDG_CACHE_HOME/warpwise/nvrtc, where ~/.cache replaces a missing $XDG_CACHE_HOME. Empty if
/// $HOME is missing too.
std::filesystem::path nvrtc_cache();

/// Returns the folder for CUPTI that scripts/get-cupti.sh fills: "cupti" beside nvrtc_cache().
std::filesystem::path cupti_cache();

}  // namespace warpwise::lab
