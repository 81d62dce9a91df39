#pragma once

#include <string>

// NVIDIA's libraries that hold machine code alone: cuBLAS, cuFFT, cuDNN, NPP, …
namespace warpwise::emulator::runtime {

/// The file's name of the closed library that an address of code or data lies in; empty where it is
/// in none.
std::string closed_library_of(const void* address);

/// Why it is not run, in one line.
std::string why_not_run(const std::string& library);

/// Says on standard error, once for each, that a closed library is not run, where the call that is
/// being made comes from one; and keeps it for the reports.
void note_closed_caller();

}  // namespace warpwise::emulator::runtime
