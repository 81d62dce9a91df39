#pragma once

// Declarations that races.cu and lane_races.cu share.

#include <cooperative_groups.h>
#include <mma.h>

using byte = unsigned char;

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

__device__ void wait_for(int* flag) {
  while (*static_cast<volatile int*>(flag) == 0) {
  }
}
