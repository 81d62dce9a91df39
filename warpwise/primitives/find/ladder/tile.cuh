#pragma once

#include "places.cuh"
#include "warpwise/primitives/shared/unaligned.cuh"

// What the rungs with shared memory share: the places of a block of threads, and pixels on their
// way into shared memory.
namespace warpwise::ladders {

/// The places of a block: `width` × `height` from (x, y) on.
struct Tile {
  long long x;
  long long y;

  __device__ Tile(const FindProblem& p, int width, int height) {
    const long long across = (p.columns + width - 1) / width;
    x = blockIdx.x % across * width;
    y = blockIdx.x / across * height;
  }
};

__device__ inline long long tiles_of(const FindProblem& p, int width, int height) {
  return (p.columns + width - 1) / width * ((p.rows + height - 1) / height);
}

/// A pixel of the image, or the nearest one: what lies outside belongs to no place, but a tile of
/// places may reach there.
__device__ inline unsigned char image_pixel(const FindProblem& p, long long x, long long y) {
  return p.image[min(y, p.height - 1) * p.image_pitch + min(x, p.width - 1)];
}

/// Pixels x to x + 3, the first lowest. What lies outside is anything.
__device__ inline unsigned image_word(const FindProblem& p, long long x, long long y) {
  return kernels::load_word(p.image + min(y, p.height - 1) * p.image_pitch, x, p.width);
}

/// Likewise of the template, zeros outside.
__device__ inline unsigned templ_word(const FindProblem& p, int x, int y) {
  return kernels::load_word(p.templ + y * p.templ_pitch, x, p.side);
}

/// A part of the template and the area below a tile's places, in words of shared memory.
struct Words {
  int templ_words;  ///< of a row
  int area_words;
  unsigned* templ;
  unsigned* area;

  /// \param across  words of the area beside those of a window
  __device__ Words(const FindProblem& p, unsigned* shared, int across)
      : templ_words((p.side + 3) / 4), area_words(templ_words + across), templ(shared),
        area(shared + min(p.side, PART_ROWS) * templ_words) {}

  /// Brings `rows` rows from row `part` on into shared memory, `below` more of the area. To be
  /// called by all threads.
  __device__ void load(const FindProblem& p, const Tile& tile, int part, int rows, int below) {
    __syncthreads();  // the part before is summed
    for (int y = threadIdx.y; y < rows; y += BLOCK_Y) {
#pragma unroll 1
      for (int x = threadIdx.x; x < templ_words; x += BLOCK_X) {
        templ[y * templ_words + x] = templ_word(p, 4 * x, part + y);
      }
    }
    for (int y = threadIdx.y; y < rows + below; y += BLOCK_Y) {
#pragma unroll 1
      for (int x = threadIdx.x; x < area_words; x += BLOCK_X) {
        area[y * area_words + x] = image_word(p, tile.x + 4 * x, tile.y + part + y);
      }
    }
    __syncthreads();
  }
};

/// The bytes of a row's last word that belong to the template, where its side is no multiple of 4.
__device__ inline unsigned last_word_mask(int side) { return (1u << (8 * (side % 4))) - 1; }

}  // namespace warpwise::ladders
