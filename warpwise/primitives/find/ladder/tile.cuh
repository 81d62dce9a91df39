#pragma once

#include "places.cuh"
#include "warpwise/primitives/shared/unaligned.cuh"

// Used by the rungs with shared memory: the places of a block of threads, and the copying of pixels
// into shared memory.
namespace warpwise::ladders {

/// The places of a thread block: `width` × `height` places from (x, y) on.
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

/// Returns a pixel of the image, or the nearest one if it is outside. No place needs pixels
/// outside, but a tile may reach there.
__device__ inline unsigned char image_pixel(const FindProblem& p, long long x, long long y) {
  return p.image[min(y, p.height - 1) * p.image_pitch + min(x, p.width - 1)];
}

/// Returns pixels x to x + 3 of the image, the first lowest. Pixels outside are arbitrary.
__device__ inline unsigned image_word(const FindProblem& p, long long x, long long y) {
  return kernels::load_word(p.image + min(y, p.height - 1) * p.image_pitch, x, p.width);
}

/// Returns pixels x to x + 3 of the template, the first lowest; zeros outside.
__device__ inline unsigned templ_word(const FindProblem& p, int x, int y) {
  return kernels::load_word(p.templ + y * p.templ_pitch, x, p.side);
}

/// A part of the template and the area below a tile's places, in words of shared memory.
struct Words {
  int templ_words;  ///< words in a row
  int area_words;
  unsigned* templ;
  unsigned* area;

  /// \param across  words that a row of the area has more than a row of the template
  __device__ Words(const FindProblem& p, unsigned* shared, int across)
      : templ_words((p.side + 3) / 4), area_words(templ_words + across), templ(shared),
        area(shared + min(p.side, PART_ROWS) * templ_words) {}

  /// Copies `rows` rows of the template, from row `part` on, and rows + below rows of the area into
  /// shared memory. All threads must call it.
  __device__ void load(const FindProblem& p, const Tile& tile, int part, int rows, int below) {
    __syncthreads();  // waits until all threads have summed the previous part
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

/// Returns a mask of the template's bytes in a row's last word, if `side` is no multiple of 4.
__device__ inline unsigned last_word_mask(int side) { return (1u << (8 * (side % 4))) - 1; }

}  // namespace warpwise::ladders
