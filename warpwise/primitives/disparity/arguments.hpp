#pragma once

#ifdef __CUDACC_RTC__
#include <cuda/std/cstdint>
#else
#include <cstdint>
#endif

#include "warpwise/base/host_device.hpp"
#include "warpwise/primitives/shared/matching.hpp"

// What the kernels of disparity take, and how much a block of each does. For g++, nvcc and NVRTC.
namespace warpwise::kernels::disparity {

#ifdef __CUDACC_RTC__
using cuda::std::int64_t;
#else
using std::int64_t;
#endif

/// Of disparity_pad_kernel and disparity_match_kernel.
inline constexpr int disparity_threads = 256;

/// Both images of a pair, and one geometry for their copies: column x of an image is byte x + left
/// of a copy's row, row y is row y + top.
struct PadArguments {
  const unsigned char* src[2];
  int64_t src_pitch[2];
  unsigned char* dst[2];  ///< at multiples of 4, as dst_pitch is
  int64_t dst_pitch;
  int64_t dst_rows;
  int64_t width;
  int64_t height;
  int64_t left;
  int64_t top;
  /// SweepArguments::right_best, of which all bits are set here: so many pairs of pixels, or 0.
  unsigned long long* right_best;
  int64_t right_pairs;
};

inline constexpr int energy_threads = 128;
inline constexpr int energy_widest_half = 127;

/// Sums over the blocks around each pixel of both images: of squares (ncc, zncc) and of the pixels
/// themselves (zncc). Rows hold zeros on both sides of the image.
struct BlockEnergies {
  const unsigned* squares[2];
  const unsigned* totals[2];
  int64_t pitch;   ///< in elements
  int64_t origin;  ///< element of pixel 0 in a row, a multiple of 4
  int pixels;      ///< of a block

  WARPWISE_HOST_DEVICE int64_t at(int64_t x, int64_t y) const { return y * pitch + origin + x; }
};

/// Where BlockEnergies come from and go to.
struct EnergyArguments {
  const unsigned char* image[2];  ///< padded, from the corner of the border on
  int64_t pitch;
  int64_t width;
  int64_t height;
  int64_t strip_height;
  int half;
  unsigned* squares[2];
  unsigned* totals[2];  ///< or null
  int64_t map_pitch;
  int64_t map_origin;
};

/// Displacements of a warp, four a lane: a slice. A slot is a displacement less its slice's first.
inline constexpr int slice_displacements = 128;
/// Lanes that have columns in shared memory where the range is one of the usual 64 or 65, whose
/// sums take 16 bytes a lane: more warps fit it then.
inline constexpr int few_lanes = 17;
/// A warp for each slice of the largest range.
inline constexpr int sweep_max_threads = 256;

struct SweepArguments {
  const unsigned* left;  ///< the padded images, in words
  const unsigned* right;
  int64_t pitch;   ///< of both, in words
  int64_t origin;  ///< word in a row of the columns that enter the blocks of pixels 0 … 3
  int64_t width;
  int64_t height;
  int64_t strip_height;
  int tile_width;  ///< a multiple of 4
  int half;
  int candidates;        ///< displacements 0 … candidates − 1
  short* best;           ///< of the left image's pixels, width × height, without gaps
  unsigned char* value;  ///< f32 at any alignment
  int64_t value_pitch;
  /// Of the right image's pixels likewise: the displacement is in the low half. All bits are set
  /// before the sweep.
  unsigned long long* right_best;
  BlockEnergies energies;  ///< ncc and zncc
};

/// The largest block whose sums fit keys, by half its width.
WARPWISE_HOST_DEVICE constexpr int largest_keyed_half(Measure measure) {
  if (!least_is_best(measure)) return -1;
  return measure == Measure::sad ? 127 : 7;
}

/// Bytes of shared memory that a slice of the sweep takes: the sums of each column, and what it
/// found in one row.
WARPWISE_HOST_DEVICE constexpr int slice_bytes(Measure measure, bool keyed, bool subpixel,
                                               int lanes, int half, int tile_width) {
  const int sums = measure == Measure::sad ? 8 : 16;  // a lane's, of a column
  const int score = least_is_best(measure) ? 4 : 8;
  const int kept = keyed ? 4 : least_is_best(measure) ? 12 : 16;  // of a right pixel
  const int entry = keyed ? 8 : least_is_best(measure) ? 20 : 32;
  const int scores = subpixel ? score * (slice_displacements + 4 * tile_width) : 0;
  return lanes * sums * (1 + 2 * half + tile_width) + slice_displacements * kept +
         tile_width * entry + scores;
}

/// Right: short, or unsigned long long as in SweepArguments::right_best.
template <class Right>
struct CheckArguments {
  const short* left;  ///< the best displacements, width × height, without gaps
  const Right* right;
  unsigned char* dst;
  int64_t dst_pitch;
  int64_t width;
  int64_t height;
  int check;
};

// A block of threads scores a tile of pixels, a displacement after the other. Sums over columns are
// slid down by disparity_run rows, sums over rows along by as many pixels, by one thread each.
inline constexpr int disparity_run = 8;
inline constexpr int disparity_tile_width = 64;
inline constexpr int disparity_tile_height = 32;
static_assert(disparity_tile_width * disparity_tile_height == disparity_threads * disparity_run);

/// Elements between the rows of column sums: odd, so that a warp's 32 rows lie in 32 banks.
WARPWISE_HOST_DEVICE constexpr int disparity_sums_stride(int half) {
  return (disparity_tile_width + 2 * half) | 1;
}

/// Two padded images of one shape; width and height are those of the images themselves.
struct PaddedPair {
  const unsigned char* base;    ///< whose pixels are matched
  const unsigned char* search;  ///< to those of this one
  int64_t pitch;
  int64_t width;
  int64_t height;
  int half;
};

struct MatchArguments {
  PaddedPair images;
  int candidates;          ///< displacements 0 … candidates − 1
  int direction;           ///< 1: x is matched to x − d; −1: to x + d
  BlockEnergies energies;  ///< of the left and the right image
  short* best;             ///< width × height, without gaps
  unsigned char* value;    ///< f32 at any alignment, or null
  int64_t value_pitch;
  bool subpixel;
};

}  // namespace warpwise::kernels::disparity
