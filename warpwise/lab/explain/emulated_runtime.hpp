#pragma once

#include <filesystem>

// Where the emulated CUDA runtime lies, for what starts programs on it.
namespace warpwise::lab {

/// Whether this process runs on the emulated CUDA runtime.
bool on_emulated_runtime();

/// The folder that its libcudart.so.13 is in.
/// \throws Error  it was not built and installed with Warpwise
std::filesystem::path emulated_runtime_folder();

/// Sets LD_LIBRARY_PATH so that what this process starts, or becomes, finds the libraries of
/// `folder` before others of their names.
void search_first(const std::filesystem::path& folder);

}  // namespace warpwise::lab
