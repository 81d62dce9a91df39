#pragma once

#include <string>

// NVIDIA's libraries that hold only machine code: cuBLAS, cuFFT, cuDNN, NPP, …
namespace warpwise::emulator::runtime {

/// Returns the file name of the closed library that contains an address; empty if none does.
std::string closed_library_of(const void* address);

/// Returns the reason why a library is not run, in one line.
std::string why_not_run(const std::string& library);

/// If a closed library makes the current call, says on standard error that the library is not run.
/// Names each library once, and adds it to the reports.
void note_closed_caller();

/// Does the same as note_closed_caller() if a CUDA runtime other than the emulated one makes the
/// current call. Leaves out a runtime that is part of a closed library.
void note_real_runtime();

}  // namespace warpwise::emulator::runtime
