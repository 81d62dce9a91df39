// A function that is inlined: its instructions count for lines of this file.
#pragma once

__device__ __forceinline__ float scaled(const float* from, int i) {
  return 3.0f * from[i];  // mark: inlined load
}
