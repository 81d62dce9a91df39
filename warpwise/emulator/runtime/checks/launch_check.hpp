#pragma once

#include <cuda_runtime_api.h>

// Check::runtime for launches: the program must ask for their errors.
namespace warpwise::emulator::runtime {

/// Records a failed `kernel<<<...>>>()`, whose error the program does not see.
void note_failed_launch(const void* function, cudaError_t error);

/// Records that this thread has asked for its last error.
void note_question();

/// Reports failed launches whose error was never asked for, and launches that were never waited
/// for. Called at the program's end.
void report_unchecked_launches();

}  // namespace warpwise::emulator::runtime
