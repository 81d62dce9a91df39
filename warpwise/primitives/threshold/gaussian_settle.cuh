#pragma once

#include "warpwise/primitives/threshold/kernel.cuh"

// Pixels whose Gaussian mean is too near to where their result turns over for sums of integers to
// decide: their means are added up in floats, as every backend does it. Fit for nvcc and NVRTC: no
// host headers.
namespace warpwise::kernels::threshold {

/// Which of 16 columns or rows is row `row` of 8 of half `half` of a product: of rows 2 t and
/// 2 t + 1 of both halves, which are a lane's, all are among 4 t … 4 t + 3. The halves change
/// places in between, so that 8 rows of one half lie in as many banks.
__device__ inline int weighed_place(int row, int half) {
  return row / 2 * 4 + (half ^ row / 4) * 2 + row % 2;
}

/// Decides columns × rows pixels from (x, y) on, of which some may lie beyond the image or in row
/// `end` and below. Called by a warp; `sums` holds `columns` floats of each row of the windows.
template <int columns, int rows>
__device__ void settle(const GaussianProductArguments& a, float* sums, int x, int y, int end) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int width = static_cast<int>(a.src.width);
#pragma unroll 1
  for (int r = lane; r < rows + 2 * a.half; r += 32) {
    const unsigned char* const row =
        a.src.data + clamp_index(y - a.half + r, a.src.height) * a.src.pitch;
    float sum[columns];
    weigh(
        a.weights, a.half,
        [&](int i) { return static_cast<float>(row[min(max(x + i, 0), width - 1)]); }, sum);
#pragma unroll
    for (int k = 0; k < columns; ++k) sums[r * columns + k] = sum[k];
  }
  __syncwarp();
#pragma unroll 1
  for (int i = lane; i < columns * rows; i += 32) {
    const int to_x = x + i % columns;
    const int to_y = y + i / columns;
    const float* const own = sums + a.half * columns + i;
    float sum[1];
    weigh(a.weights, a.half, [&](int k) { return own[k * columns]; }, sum);
    if (to_x >= 0 && to_x < width && to_y < end) {
      decide_weighed<unsigned char>(a, to_x, to_y, sum[0]);
    }
  }
  __syncwarp();  // the sums may be replaced
}

/// The pixels that a warp could not decide, in shared memory.
template <int groups>
struct Doubts {
  static constexpr int columns = 4;  ///< that settle() takes at once of a tile
  float sums[columns * 16 * groups];
  int2 places[threshold_doubts];
  int count;

  /// Keeps those of a warp's 16×16 pixels whose excess is doubtful, or settles the whole tile where
  /// that is less work. Called by a warp.
  /// \param kept  so far
  /// \return  with the new ones
  __device__ int add(const GaussianProductArguments& a, const unsigned (&excess)[2][4], int tile,
                     int y, int end, int kept) {
    // What a row of a window costs a lane is the same for four pixels in it as for one.
    constexpr int most_apart = 8;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int width = static_cast<int>(a.src.width);
    const auto place = [&](int i) {
      return make_int2(tile + weighed_place(lane % 4 * 2 + i % 2, i / 2 % 2),
                       y + weighed_place(lane / 4, i / 4));
    };
    unsigned votes[8];
    int found = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int2 at = place(i);
      votes[i] = __ballot_sync(
          ~0U, excess[i / 4][i % 4] <= a.doubt && at.x >= 0 && at.x < width && at.y < end);
      found += __popc(votes[i]);
    }
    if (found > most_apart || kept + found > threshold_doubts) {
#pragma unroll 1
      for (int x = tile; x < tile + 16; x += columns) settle<columns, 16>(a, sums, x, y, end);
      return kept;
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (votes[i] >> lane & 1) places[kept + __popc(votes[i] & ((1U << lane) - 1))] = place(i);
      kept += __popc(votes[i]);
    }
    return kept;
  }
};

static_assert(sizeof(Doubts<2>) == threshold_doubt_bytes(2) &&
              sizeof(Doubts<8>) == threshold_doubt_bytes(8));

/// Settles what the block's warps have kept, `count` of this one; each takes its share of all.
/// Called by the whole block; afterwards shared memory may be replaced.
template <int groups>
__device__ void settle_doubts(const GaussianProductArguments& a, Doubts<groups>* doubts,
                              int count) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) doubts[warp].count = count;
  __syncthreads();
  int i = warp;
#pragma unroll 1
  for (int of = 0; of < threshold_warps; ++of) {
    for (; i < doubts[of].count; i += threshold_warps) {
      const int2 at = doubts[of].places[i];
      settle<1, 1>(a, doubts[warp].sums, at.x, at.y, at.y + 1);
    }
    i -= doubts[of].count;
  }
  __syncthreads();
}

}  // namespace warpwise::kernels::threshold
