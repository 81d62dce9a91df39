#pragma once

// What no step changes: which pixels a displacement compares, and which displacement is the best.
namespace warpwise::studies {

/// Both images of a pair, without gaps; `count` displacements from 0 on.
struct Stereo {
  const unsigned char* left;
  const unsigned char* right;
  int width;
  int height;
  int half;  ///< of a block's side, rounded down
  int count;

  __device__ int row(int y) const { return min(max(y, 0), height - 1) * width; }
  __device__ int column(int x) const { return min(max(x, 0), width - 1); }

  /// |a − b| of column x, row y, and what displacement d compares with it: from the left image it
  /// lies d to the left in the right one, from the right image d to the right in the left one.
  template <bool from_left>
  __device__ unsigned difference(int x, int y, int d) const {
    const int a = (from_left ? left : right)[row(y) + column(x)];
    const int b = (from_left ? right : left)[row(y) + column(from_left ? x - d : x + d)];
    return abs(a - b);
  }
  template <bool from_left>
  __device__ bool exists(int x, int d) const {
    return from_left ? x >= d : x + d < width;
  }
};

/// Displacements come in ascending order: of equal scores the first stays.
struct Best {
  unsigned score = 0xffffffffu;
  int displacement = 0;

  __device__ void offer(unsigned other, int d) {
    if (other >= score) return;
    score = other;
    displacement = d;
  }
};

}  // namespace warpwise::studies

/// The last kernel of every step: a pixel whose counterpart's best displacement differs by more
/// than one becomes −1. Scratch memory begins with the right image's best displacements.
extern "C" __global__ void check(const unsigned char*, const unsigned char*, short* out,
                                 void* scratch, int width, int height, int, int) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  const int d = out[i];
  if (abs(d - static_cast<const short*>(scratch)[i - d]) > 1) out[i] = -1;
}
