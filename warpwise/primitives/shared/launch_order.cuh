#pragma once

// Functions for launches that begin before the launch ahead of them has ended. Fit for nvcc and
// NVRTC: no host headers.
namespace warpwise::kernels {

/// Lets the next launch begin, once all thread blocks have called this or ended. The next launch's
/// kernel calls wait_for_launch before it reads what this launch writes.
__device__ inline void let_next_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Waits until the launch ahead has ended. Its writes are then visible.
__device__ inline void wait_for_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Waits until the launch ahead has ended, and lets the next one begin. A kernel calls it before it
/// reads or writes memory. Blocks of the next launch then start where this launch leaves room.
__device__ inline void follow_launch() {
  wait_for_launch();
  let_next_begin();
}

}  // namespace warpwise::kernels
