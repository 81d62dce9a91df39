#pragma once

#include <cuda_runtime_api.h>

// Check::runtime of launches: that the program asks how they went.
namespace warpwise::emulator::runtime {

/// A `kernel<<<...>>>()` was refused; its call returns nothing that the program sees.
void note_failed_launch(const void* function, cudaError_t error);

/// This thread has asked for its last error.
void note_question();

/// Reports failed launches whose error nobody has asked for, and launches that nobody has waited
/// for; at the program's end.
void report_unchecked_launches();

}  // namespace warpwise::emulator::runtime
