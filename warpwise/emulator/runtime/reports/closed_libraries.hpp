#pragma once

#include <string>

// NVIDIA's libraries that hold only machine code: cuBLAS, cuFFT, cuDNN, NPP, …
namespace warpwise::emulator::runtime {

/// Returns the file name of the closed library that contains an address; empty if none does.
std::string closed_library_of(const void* address);

/// Returns the reason why it is not run, in one line.
std::string why_not_run(const std::string& library);

/// If the current call comes from a closed library, says on standard error that it is not run. Says
/// so once for each library, and keeps it for the reports.
void note_closed_caller();

/// Says the same of a CUDA runtime that is not the emulated one, which makes the current call. A
/// runtime within a closed library is not told again.
void note_real_runtime();

}  // namespace warpwise::emulator::runtime
