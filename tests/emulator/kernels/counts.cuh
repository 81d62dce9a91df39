// An inlined function, whose instructions belong to this file's lines.
#pragma once

__device__ __forceinline__ float scaled(const float* from, int i) {
  return 3.0f * from[i];  // mark: inlined load
}
