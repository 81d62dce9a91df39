// Idea: integer matrix units compute the products. One matrix is a row of the template, shifted to
//   each of 8 adjacent places; the other matrix is unchanged rows of the image. An instruction
//   adds, at 16 × 8 places, the products of 32 columns of the image.
// Expected: 4096 products an instruction instead of 128. The template's matrix has side + 31
//   columns, rounded up to a multiple of 32. A place uses `side` of them, half for a side of 32.
// Next limit: loads from shared memory.
//   Each row of the template needs one load of the image's 16 × 32 pixels, and six loads of the
//   template, for four matrix instructions.
//   Also, every score takes a quotient and a root of
//   doubles.
#include "candidates.cuh"
#include "running_sums.cuh"
#include "tile.cuh"
#include "warpwise/primitives/shared/toeplitz.cuh"

using namespace warpwise::ladders;

// A warp scores 16 rows of 32 places. A thread block has 4 × 2 warps.
constexpr int threads = 256;
constexpr int tile_width = 4 * 32;
constexpr int tile_height = 2 * 16;
// Part of the template in shared memory at a time: its rows, and its matrix's steps of 32 columns.
constexpr int part_rows = 32;
constexpr int part_steps = 2;
// Words in a row. A row is an odd multiple of 16 bytes, so that 8 rows are in different banks.
constexpr int area_words = 8 * (4 + part_steps - 1) + 4;
constexpr int templ_words = 8 * (part_steps + 1);

struct Shared {
  alignas(16) unsigned area[tile_height + part_rows][area_words];
  warpwise::kernels::ToeplitzRow<templ_words> templ[part_rows];
};

/// Copies a part of the template, from row `row` and step `step` on, and the image below the tile.
__device__ void load(const FindProblem& p, const Tile& tile, int row, int step, Shared& shared) {
  const auto pixels = [&](int x, int y) {
    return x >= 0 && x < p.side && y < p.side ? templ_word(p, x, y) : 0u;
  };
  for (int i = threadIdx.x; i < part_rows * templ_words; i += threads) {
    const int y = row + i / templ_words;
    const int x = 32 * step + 4 * (i % templ_words - 8);
    shared.templ[i / templ_words].set(i % templ_words, pixels(x - 4, y), pixels(x, y));
  }
  for (int i = threadIdx.x; i < (tile_height + part_rows) * area_words; i += threads) {
    shared.area[i / area_words][i % area_words] =
        image_word(p, tile.x + 32 * step + 4 * (i % area_words), tile.y + row + i / area_words);
  }
}

extern "C" __global__ void search(FindProblem p) {
  using namespace warpwise::kernels;
  __shared__ Shared shared;
  const Tile tile(p, tile_width, tile_height);
  const int lane = threadIdx.x % 32;
  const int warp_x = threadIdx.x / 32 % 4 * 32;
  const int warp_y = threadIdx.x / 128 * 16;
  MatrixSums sums[4] = {};
  for (int row = 0; row < p.side; row += part_rows) {
    for (int step = 0; 32 * step < p.side + 31; step += part_steps) {
      load(p, tile, row, step, shared);
      __syncthreads();
      for (int j = 0; j < min(part_rows, p.side - row); ++j) {
        for (int k = 0; k < part_steps; ++k) {
          const MatrixPair image = load_pair(&shared.area[warp_y + j][warp_x / 4 + 8 * k] +
                                             toeplitz_pixels(area_words, 8));
          const unsigned* templ = shared.templ[j].lane(k);
#pragma unroll
          for (int n = 0; n < 4; ++n)
            multiply_add(sums[n], image, templ[6 - 2 * n], templ[10 - 2 * n]);
        }
      }
      __syncthreads();
    }
  }

  const RunningSums known(p);
  Best best;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const long long x = tile.x + warp_x + i / 4 * 8 + lane % 4 * 2 + i % 2;
    const long long y = tile.y + warp_y + lane / 4 + i / 2 % 2 * 8;
    if (x >= p.columns || y >= p.rows) continue;
    const long long place = y * p.columns + x;
    best.offer(score_of(p, sums[i / 4].at[i % 4], *known.templ, known.windows[place]), place);
  }
  store_candidate(p, best_of_block<threads>(best));
}

extern "C" __global__ void choose(FindProblem p) {
  choose_best(p, candidates_of(p), tiles_of(p, tile_width, tile_height));
}
