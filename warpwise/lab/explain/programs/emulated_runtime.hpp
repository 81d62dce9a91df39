#pragma once

#include <filesystem>

// Finds the emulated CUDA runtime for code that starts programs on it.
namespace warpwise::lab {

/// Returns true if this process runs on the emulated CUDA runtime.
bool on_emulated_runtime();

/// Returns the folder of the emulated libcudart.so.13.
/// \throws Error  it was not built and installed with Warpwise
std::filesystem::path emulated_runtime_folder();

/// Sets LD_LIBRARY_PATH so that the libraries of `folder` come before other libraries of the same
/// names. The setting holds for programs that this process starts or becomes.
void search_first(const std::filesystem::path& folder);

}  // namespace warpwise::lab
