#pragma once

// Internal to readable.cpp: names of kernels and functions that numba compiles.

#include <optional>
#include <string>
#include <string_view>

namespace warpwise::emulator {

/// Returns "smooth.blur(float32[:, ::1], int64)" for numba's
/// "_ZN6smooth4blurB2v1B…E5ArrayIfLi2E1C7mutable7alignedEx": the Python name and the types, both as
/// numba writes them in signatures. The module `__main__` is left out. Returns nothing for names
/// that numba did not make.
std::optional<std::string> numba_name(std::string_view mangled);

}  // namespace warpwise::emulator
