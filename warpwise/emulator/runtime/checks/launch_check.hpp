#pragma once

#include <cuda_runtime_api.h>

// Check::runtime for launches: a program must check their errors.
namespace warpwise::emulator::runtime {

/// Records a failed `kernel<<<...>>>()`, which does not return its error to the program.
void note_failed_launch(const void* function, cudaError_t error);

/// Records that this thread has read its last error.
void note_question();

/// Reports failed launches whose error was never read, and launches that were never waited for.
/// Called at the program's end.
void report_unchecked_launches();

}  // namespace warpwise::emulator::runtime

extern "C" {
/// Reports the host's accesses without synchronisation since the last CUDA call. Without this call,
/// the next CUDA call reports them. The pytest plugin makes this call after each part of a test.
void warpwise_emulated_report_touches();
}
