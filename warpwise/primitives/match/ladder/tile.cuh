#pragma once

#include "candidates.cuh"

// Shared by the rungs with shared memory: the division of a block's candidates among thread blocks,
// and the copies of pixels to shared memory.
namespace warpwise::ladders {

/// The candidates that a thread block scores: `width` × `height` ones of image block `number`.
struct Tile {
  long long number;
  int x;  ///< first column among the candidates of the search area
  int y;

  __device__ Tile(const MatchProblem& p, int width, int height) {
    const unsigned tiles_x = (p.search + width - 1) / width;
    const unsigned tiles_y = (p.search + height - 1) / height;
    number = blockIdx.x / (tiles_x * tiles_y);
    const unsigned tile = blockIdx.x % (tiles_x * tiles_y);
    x = static_cast<int>(tile % tiles_x) * width;
    y = static_cast<int>(tile / tiles_x) * height;
  }
};

/// Returns the address of a block's scores, where the kernel argmin expects them.
__device__ inline Score* scores_of(const MatchProblem& p, long long number) {
  return static_cast<Score*>(p.scratch) + number * p.search * p.search;
}

struct Image {
  const unsigned char* data;
  long long pitch;
  long long width;
  long long height;

  __device__ const unsigned char* row(long long y) const {
    return data + (y < 0 ? 0 : y < height ? y : height - 1) * pitch;
  }

  /// Returns the nearest pixel of the image. Pixels outside belong to no candidate, but a tile of
  /// candidates may reach there.
  __device__ unsigned pixel(long long x, long long y) const {
    return row(y)[x < 0 ? 0 : x < width ? x : width - 1];
  }

  /// Returns pixels x to x + 3, the first in the lowest byte.
  __device__ unsigned four_pixels(long long x, long long y) const {
    return pixel(x, y) | pixel(x + 1, y) << 8 | pixel(x + 2, y) << 16 | pixel(x + 3, y) << 24;
  }
};

__device__ inline Image reference_image(const MatchProblem& p) {
  return {p.reference, p.reference_pitch, p.width, p.height};
}

__device__ inline Image target_image(const MatchProblem& p) {
  return {p.target, p.target_pitch, p.width, p.height};
}

/// Returns c + Σ|a − b| over the four bytes of a word: one instruction on most GPUs.
__device__ inline unsigned add_differences(unsigned a, unsigned b, unsigned c) {
  unsigned sum;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  return sum;
}

/// Returns the mask of the block's bytes in a row's last word, if its width is no multiple of 4.
__device__ inline unsigned last_word_mask(int size) { return (1u << (8 * (size % 4))) - 1; }

}  // namespace warpwise::ladders
