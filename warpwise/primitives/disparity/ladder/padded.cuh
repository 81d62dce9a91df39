#pragma once

#include "pairs.cuh"

// Copies of both images with their borders, which kernels read without clamping and without
// unaligned loads. In mirrored copies, matching from the right image is the same as matching from
// the left one.
namespace warpwise::ladders {

constexpr int displacements = 128;  ///< displacements of a warp, four a lane
constexpr int tile_width = 48;

/// Column x of an image is byte origin + x − half of a copy's row. The last column of pixel 0's
/// block thus begins a word, at `origin`. Row y of an image is row y + half + 1 of a copy.
struct PaddedCopies {
  int origin;
  int pitch;
  int rows;
  unsigned char* pixels;

  __device__ explicit PaddedCopies(const DisparityProblem& p)
      : origin((displacements + 2 * p.half + 19) / 16 * 16),
        pitch((p.width + origin + tile_width + 23) / 16 * 16), rows(p.height + 2 * p.half + 1) {
    // The copies follow the best displacements: 2 bytes a left pixel, up to 4 a right pixel.
    const long long best = 6LL * p.width * p.height;
    pixels = static_cast<unsigned char*>(p.scratch) + (best + 15) / 16 * 16;
  }
  /// Returns a row of a copy. Copies 0 and 1 are the left and the right image; 2 and 3 are the
  /// right and the left image, mirrored.
  __device__ unsigned char* row(int copy, int y) const {
    return pixels + (static_cast<long long>(copy) * rows + y) * pitch;
  }
};

/// Writes four bytes of a copy for each thread.
__device__ inline void pad(const DisparityProblem& p, int copies) {
  const PaddedCopies padded(p);
  const int words = padded.pitch / 4;
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int u = static_cast<int>(i % words) * 4;
  const int v = static_cast<int>(i / words % padded.rows);
  const int copy = static_cast<int>(i / words / padded.rows);
  if (copy >= copies) return;
  const bool mirrored = copy >= 2;
  const bool left = copy % 3 == 0;
  const int y = min(max(v - p.half - 1, 0), p.height - 1);
  const unsigned char* row = left ? p.left + y * p.left_pitch : p.right + y * p.right_pitch;
  unsigned word = 0;
  for (int k = 0; k < 4; ++k) {
    const int x = min(max(u + k - padded.origin + p.half, 0), p.width - 1);
    word |= static_cast<unsigned>(row[mirrored ? p.width - 1 - x : x]) << (8 * k);
  }
  *reinterpret_cast<unsigned*>(padded.row(copy, v) + u) = word;
}

}  // namespace warpwise::ladders
