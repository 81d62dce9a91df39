#pragma once

#include "warpwise/primitives/disparity/arguments.hpp"

// Types that the sweep's rows of every measure use.
// nvcc and NVRTC compile this file; it includes no host headers.
namespace warpwise::kernels::disparity {

/// Tile columns at which each displacement of a lane, 0 … 3, has a right pixel inside the image.
struct SliceReach {
  int slots;     ///< displacement k is tried if k < slots
  int opens;     ///< displacement k has a right pixel from tile column opens + k on
  int open_end;  ///< from this tile column on, all displacements have right pixels
  int end;       ///< first tile column beyond the image, at most tile_width + 4

  __device__ SliceReach(int candidates, int64_t width, int tile_width, int64_t tile_x, int slice,
                        int lane) {
    // Number of columns to the left, limited to the number of displacements.
    const int room = static_cast<int>(min(tile_x, int64_t{candidates}));
    const int first = slice_displacements * slice + 4 * lane;
    slots = candidates - first;
    opens = first - room;
    open_end = candidates - room;
    end = static_cast<int>(min(width - tile_x, int64_t{tile_width} + 4));
  }

  __device__ bool opened(int k, int column) const { return k < slots && column >= opens + k; }
};

/// Scores of a pixel just before and after its best displacement, or at a slice's first and last.
template <class Score>
struct Beside {
  Score before, after;
};

/// A slice's results in one row of the tile, in shared memory.
template <class Row>
struct SliceLines {
  typename Row::Score* scores;          ///< scores of one pixel, one for each slot
  typename Row::Kept* remaining;        ///< best of right pixels inside the slice at the row's end
  typename Row::Entry* entries;         ///< one for each column
  Beside<typename Row::Score>* beside;  ///< scores beside each column's best; only for sub-pixel
  Beside<typename Row::Score>* ends;    ///< each column's scores at slots 0, 127; for sub-pixel

  /// Keeps the scores beside slot `best` and at the ends of the slice.
  __device__ void keep_beside(int best, int column) const {
    beside[column] = {scores[max(best - 1, 0)], scores[min(best + 1, slice_displacements - 1)]};
    ends[column] = {scores[0], scores[slice_displacements - 1]};
  }

  static __host__ __device__ constexpr int bytes(int tile_width) {
    const int kept = slice_displacements * static_cast<int>(sizeof(typename Row::Kept));
    const int entries = tile_width * static_cast<int>(sizeof(typename Row::Entry));
    const int scores =
        static_cast<int>(sizeof(typename Row::Score)) * (slice_displacements + 4 * tile_width);
    return kept + entries + (Row::refines ? scores : 0);
  }
  __device__ SliceLines(unsigned char* at, int tile_width) {
    remaining = reinterpret_cast<typename Row::Kept*>(at);
    entries = reinterpret_cast<typename Row::Entry*>(remaining + slice_displacements);
    scores = reinterpret_cast<typename Row::Score*>(entries + tile_width);
    beside = reinterpret_cast<Beside<typename Row::Score>*>(scores + slice_displacements);
    ends = beside + tile_width;
  }
};

}  // namespace warpwise::kernels::disparity
