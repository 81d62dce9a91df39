#pragma once

#include "problem.hpp"

// Shared by all rungs: the pixels that a displacement compares, the choice of the best
// displacement, and the check.
namespace warpwise::ladders {

/// Returns |a − b| of the pixel (x, y) and its counterpart at displacement d. A left pixel's
/// counterpart is d columns to the left in the right image. A right pixel's counterpart is d
/// columns to the right in the left image.
template <bool from_left>
__device__ unsigned difference(const DisparityProblem& p, int x, int y, int d) {
  const auto pixel = [&](const unsigned char* image, long long pitch, int column) {
    return static_cast<int>(
        image[min(max(y, 0), p.height - 1) * pitch + min(max(column, 0), p.width - 1)]);
  };
  const int a = pixel(p.left, p.left_pitch, from_left ? x : x + d);
  const int b = pixel(p.right, p.right_pitch, from_left ? x - d : x);
  return abs(a - b);
}

template <bool from_left>
__device__ bool exists(const DisparityProblem& p, int x, int d) {
  return from_left ? x >= d : x + d < p.width;
}

/// The best displacement so far. Displacements ascend: among equal scores the first stays.
struct Best {
  unsigned score = 0xffffffffu;
  int displacement = 0;

  __device__ void offer(unsigned other, int d) {
    if (other >= score) return;
    score = other;
    displacement = d;
  }
};

/// Scratch memory begins with the best displacements of the left image's pixels. The best
/// displacements of the right image's pixels follow.
__device__ inline short* left_best(const DisparityProblem& p) {
  return static_cast<short*>(p.scratch);
}
__device__ inline short* right_best(const DisparityProblem& p) {
  return left_best(p) + p.width * p.height;
}
template <bool from_left>
__device__ short* best_of(const DisparityProblem& p) {
  return from_left ? left_best(p) : right_best(p);
}

/// Writes pixel i: its displacement d, or −1 if `counterpart` differs from d by more than 1.
__device__ inline void write_checked(const DisparityProblem& p, int i, int d, int counterpart) {
  auto* row = reinterpret_cast<float*>(p.dst + i / p.width * p.dst_pitch);
  row[i % p.width] = abs(d - counterpart) > 1 ? -1.0f : static_cast<float>(d);
}

}  // namespace warpwise::ladders

/// Checks all pixels. It is the last kernel of most rungs.
extern "C" __global__ void check(warpwise::ladders::DisparityProblem p) {
  using namespace warpwise::ladders;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.width * p.height) return;
  const int d = left_best(p)[i];
  write_checked(p, i, d, right_best(p)[i - d]);
}
