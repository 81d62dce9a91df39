#pragma once

#include "warpwise/primitives/match/kernel.cuh"

// The match kernel for sad of many candidates. It is bound by packed differences, and byte shifts
// compete for the same units. Shared memory therefore holds each word at all four shifts, which one
// 16-byte load fetches together. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels::match {

/// Calls store(row, four, next) for rows first_row, first_row + step … with four pixels from column
/// `corner` on and the next four. A row outside [top, bottom] gets the nearest row's pixels.
/// \tparam plain  the rows begin at multiples of 4 bytes and lie in [top, bottom]
template <bool with_next, bool plain, class Store>
__device__ inline void load_column(const unsigned char* corner, cuda::std::int64_t pitch,
                                   int first_row, int rows, int step, int top, int bottom,
                                   Store store) {
  constexpr int batch = 8;  // rows in flight
  constexpr int around = 1 + (with_next ? 1 : 0) + (plain ? 0 : 1);
  for (int first = first_row; first < rows; first += batch * step) {
    unsigned words[batch][3] = {};
    unsigned shift[batch] = {};
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const int row = first + b * step;
      if (row >= rows) break;
      const unsigned char* from = corner + (plain ? row : min(max(row, top), bottom)) * pitch;
      if constexpr (!plain) {
        const auto address = reinterpret_cast<cuda::std::uintptr_t>(from);
        shift[b] = static_cast<unsigned>(address) * 8;  // a funnel shift uses its low 5 bits
        from = reinterpret_cast<const unsigned char*>(address & ~cuda::std::uintptr_t{3});
      }
#pragma unroll
      for (int i = 0; i < around; ++i) {
        words[b][i] = __ldg(reinterpret_cast<const unsigned*>(from) + i);
      }
    }
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const int row = first + b * step;
      if (row >= rows) break;
      const unsigned(&w)[3] = words[b];
      if constexpr (plain)
        store(row, w[0], w[1]);
      else
        store(row, __funnelshift_r(w[0], w[1], shift[b]),
              with_next ? __funnelshift_r(w[1], w[2], shift[b]) : 0);
    }
  }
}

/// Passes rows × words words of four pixels from (x, y) on to store(row, word, four, next four),
/// all threads together. Outside the image the edge pixel is repeated.
/// \tparam with_next  false: the next four pixels are not loaded; 0 is passed in their place
template <bool with_next, class Store>
__device__ inline void load_pixels(const MatchImage& image, cuda::std::int64_t x,
                                   cuda::std::int64_t y, int words, int rows, Store store) {
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  const int side_by_side = min(words, threads);
  const int step = threads / side_by_side;
  const int first_row = thread / side_by_side;
  if (first_row >= step) return;
  // The first and the last row of the image that may be loaded, relative to y. Rows outside get the
  // nearest of them. If all rows lie above the image, both are greater than rows - 1.
  const int top = y < 0 ? static_cast<int>(-y) : 0;
  const int last = max(rows - 1, top);
  const int bottom = y + last < image.height ? last : static_cast<int>(image.height - 1 - y);
  for (int word = thread % side_by_side; word < words; word += side_by_side) {
    const cuda::std::int64_t at = x + 4 * word;
    // The aligned words around the pixels start up to 3 bytes before them.
    if (at < 3 || at + (with_next ? 12 : 8) > image.width) {
      for (int row = first_row; row < rows; row += step) {
        store(row, word, load_four(image, at, y + row),
              with_next ? load_four(image, at + 4, y + row) : 0);
      }
      continue;
    }
    const unsigned char* const corner = image.data + y * image.pitch + at;
    const bool is_aligned =
        ((reinterpret_cast<cuda::std::uintptr_t>(corner) | image.pitch) & 3) == 0;
    if (is_aligned && top == 0 && bottom == rows - 1) {
      load_column<with_next, true>(
          corner, image.pitch, first_row, rows, step, top, bottom,
          [&](int row, unsigned four, unsigned next) { store(row, word, four, next); });
    } else {
      load_column<with_next, false>(
          corner, image.pitch, first_row, rows, step, top, bottom,
          [&](int row, unsigned four, unsigned next) { store(row, word, four, next); });
    }
  }
}

/// Adds the differences of the next rows of a column of the image block, one word wide, to the
/// sums: `group` rows if `whole`, otherwise `rows`. `window` holds the target's words of `group`
/// rows in registers. Each new row's words replace those of the oldest row.
template <bool masked, bool whole, int group>
__device__ inline void add_difference_rows(const unsigned* block, const uint4* area, int area_pitch,
                                           int rows, unsigned mask, uint4 (&window)[group],
                                           unsigned (&sums)[4 * group]) {
  unsigned own[group];
#pragma unroll
  for (int i = 0; whole && i < group; i += 4) {
    const uint4 four = *reinterpret_cast<const uint4*>(block + i);
    own[i] = four.x, own[i + 1] = four.y, own[i + 2] = four.z, own[i + 3] = four.w;
  }
#pragma unroll
  for (int i = 0; i < group; ++i) {
    if (!whole && i >= rows) break;
    if constexpr (!whole) own[i] = block[i];
    uint4 entering = area[i * area_pitch];
    if constexpr (masked) {
      own[i] &= mask;
      entering = {entering.x & mask, entering.y & mask, entering.z & mask, entering.w & mask};
    }
    window[(i + group - 1) % group] = entering;
#pragma unroll
    for (int k = 0; k < group; ++k) {
      const uint4 shifts = window[(i + k) % group];
      sums[4 * k] = add_differences(own[i], shifts.x, sums[4 * k]);
      sums[4 * k + 1] = add_differences(own[i], shifts.y, sums[4 * k + 1]);
      sums[4 * k + 2] = add_differences(own[i], shifts.z, sums[4 * k + 2]);
      sums[4 * k + 3] = add_differences(own[i], shifts.w, sums[4 * k + 3]);
    }
  }
}

/// Adds the differences of a column of the image block, one word wide, to the sums.
/// \tparam masked  only the bytes in `mask` belong to the block
/// \tparam whole   `rows` is a multiple of `group`
template <bool masked, int group, bool whole = false>
__device__ inline void add_difference_column(const unsigned* block, const uint4* area,
                                             int area_pitch, int rows, unsigned mask,
                                             unsigned (&sums)[4 * group]) {
  uint4 window[group];
#pragma unroll
  for (int i = 0; i < group - 1; ++i) {
    window[i] = *area;
    if constexpr (masked) {
      window[i] = {window[i].x & mask, window[i].y & mask, window[i].z & mask, window[i].w & mask};
    }
    area += area_pitch;
  }
#pragma unroll 1
  for (; rows >= group; rows -= group) {
    add_difference_rows<masked, true>(block, area, area_pitch, rows, mask, window, sums);
    block += group;
    area += group * area_pitch;
  }
  if constexpr (!whole) {
    if (rows > 0)
      add_difference_rows<masked, false>(block, area, area_pitch, rows, mask, window, sums);
  }
}

/// Copies a part of an image block and a tile's search area around it to shared memory, all threads
/// together. Waits first until all threads have read the old content.
/// \param x, y            the part's place in the reference image
/// \param area_x, area_y  the part's place in the target at the tile's first candidate
template <int group>
__device__ inline void load_part(const MatchArguments& a, cuda::std::int64_t x,
                                 cuda::std::int64_t y, cuda::std::int64_t area_x,
                                 cuda::std::int64_t area_y, int width, int height, unsigned* block,
                                 uint4* area) {
  const MatchImage reference{a.reference, a.reference_pitch, a.width, a.height};
  const MatchImage target{a.target, a.target_pitch, a.width, a.height};
  const int words = (width + 3) / 4;
  __syncthreads();
  load_pixels<false>(reference, x, y, words, height,
                     [&](int row, int word, unsigned four, unsigned /*next*/) {
                       block[word * a.column_pitch + row] = four;
                     });
  load_pixels<true>(target, area_x, area_y, words + a.tile_groups_x - 1,
                    height + group * a.tile_groups_y - 1,
                    [&](int row, int word, unsigned four, unsigned next) {
                      area[row * a.area_pitch + word] = shifts_of(four, next);
                    });
  __syncthreads();
}

/// Returns the image block's place in shared memory, behind the search area.
template <int group>
__device__ inline unsigned* block_behind(uint4* area, const MatchArguments& a) {
  return reinterpret_cast<unsigned*>(area +
                                     (a.part_height + group * a.tile_groups_y - 1) * a.area_pitch);
}

/// Computes the sums of this thread's group. Its first candidate is (group_x, group_y) groups into
/// the tile at (tile_x, tile_y) of the target. Threads without a group only help to load.
template <int group>
__device__ inline void sum_differences(const MatchArguments& a, cuda::std::int64_t x,
                                       cuda::std::int64_t y, cuda::std::int64_t tile_x,
                                       cuda::std::int64_t tile_y, int group_x, int group_y,
                                       unsigned (&sums)[4 * group]) {
  extern __shared__ uint4 match_shifts[];
  uint4* area = match_shifts;
  unsigned* block = block_behind<group>(area, a);
  for (int part_y = 0; part_y < a.block_height; part_y += a.part_height) {
    for (int part_x = 0; part_x < a.block_width; part_x += a.part_width) {
      const int width = min(a.part_width, a.block_width - part_x);
      const int height = min(a.part_height, a.block_height - part_y);
      load_part<group>(a, x + part_x, y + part_y, tile_x + part_x, tile_y + part_y, width, height,
                       block, area);
      if (group_y >= a.tile_groups_y) continue;
      const uint4* corner = area + group * group_y * a.area_pitch + group_x;
      for (int word = 0; word < width / 4; ++word) {
        add_difference_column<false, group>(block + word * a.column_pitch, corner + word,
                                            a.area_pitch, height, 0, sums);
      }
      if (width % 4 != 0) {
        add_difference_column<true, group>(block + width / 4 * a.column_pitch, corner + width / 4,
                                           a.area_pitch, height, (1u << (8 * (width % 4))) - 1,
                                           sums);
      }
    }
  }
}

/// The least of a thread's sums, and its index. least_of() looks at `columns` × `rows` candidates.
struct LeastOfGroup {
  unsigned score;
  int number;
};

template <int group>
__device__ inline LeastOfGroup least_of(const unsigned (&sums)[4 * group], int columns, int rows) {
  // A sum has at most 24 bits (65,536 pixels times 255), so a word also has room for the
  // candidate's index below it. The least word then has the first of equal sums.
  unsigned least = 0xffffffffU;
  if (columns >= 4 && rows >= group) {
#pragma unroll
    for (int k = 0; k < 4 * group; ++k) {
      least = min(least, sums[k] * (4 * group) + static_cast<unsigned>(k));
    }
  } else {
#pragma unroll
    for (int k = 0; k < 4 * group; ++k) {
      if (k % 4 < columns && k / 4 < rows)
        least = min(least, sums[k] * (4 * group) + static_cast<unsigned>(k));
    }
  }
  return {least / (4 * group), static_cast<int>(least % (4 * group))};
}

/// Matches the image blocks of column blockIdx.x, in every gridDim.y-th row from blockIdx.y on.
/// \tparam group  rows of 4 candidates that a thread scores
template <int group>
__device__ inline void match_differences(const MatchArguments& a) {
  const int group_x = static_cast<int>(threadIdx.x) % a.tile_groups_x;
  const int group_y = static_cast<int>(threadIdx.x) / a.tile_groups_x;
  for (cuda::std::int64_t row = blockIdx.y; row < a.rows; row += gridDim.y) {
    const cuda::std::int64_t x = blockIdx.x * a.stride_x;
    const cuda::std::int64_t y = row * a.stride_y;
    const MatchCandidates candidates(a, x, y);
    MatchBest<unsigned, true> best{worst_match<Measure::sad>()};
    for (int tile_y = 0; tile_y < candidates.rows; tile_y += group * a.tile_groups_y) {
      for (int tile_x = 0; tile_x < candidates.columns; tile_x += 4 * a.tile_groups_x) {
        unsigned sums[4 * group] = {};
        sum_differences<group>(a, x, y, x + candidates.first_x + tile_x,
                               y + candidates.first_y + tile_y, group_x, group_y, sums);
        const int column = tile_x + 4 * group_x, line = tile_y + group * group_y;
        const int columns = candidates.columns - column, rows = candidates.rows - line;
        if (group_y >= a.tile_groups_y || columns <= 0 || rows <= 0) continue;
        const LeastOfGroup least = least_of<group>(sums, columns, rows);
        best.offer(least.score,
                   static_cast<unsigned>(line + least.number / 4) * candidates.columns + column +
                       least.number % 4);
      }
    }
    best = best_of_block(best);
    if (threadIdx.x == 0) store_match(a, row, candidates, best);
  }
}

/// Computes sad; a thread has twice as many candidates as in match_kernel.
__global__ void __launch_bounds__(match_max_threads, 2) match_tall_kernel(MatchArguments a) {
  wait_for_launch();
  match_differences<match_tall_group>(a);
}

}  // namespace warpwise::kernels::match
