#pragma once

#ifdef __CUDACC_RTC__
#include <cuda/std/cstdint>
#else
#include <cstdint>
#endif

#include "warpwise/base/host_device.hpp"
#include "warpwise/primitives/shared/matching.hpp"

// Arguments of disparity's kernels, and how much work a thread block of each kernel has. Compiled
// by g++, nvcc and NVRTC.
namespace warpwise::kernels::disparity {

#ifdef __CUDACC_RTC__
using cuda::std::int64_t;
#else
using std::int64_t;
#endif

/// Threads of a thread block of disparity_pad_kernel and disparity_match_kernel.
inline constexpr int disparity_threads = 256;

/// Both images of a pair, and the common geometry of their copies. Pixel (x, y) of an image is byte
/// x + left of row y + top of its copy.
struct PadArguments {
  const unsigned char* src[2];
  int64_t src_pitch[2];
  unsigned char* dst[2];  ///< addresses at multiples of 4, as is dst_pitch
  int64_t dst_pitch;
  int64_t dst_rows;
  int64_t width;
  int64_t height;
  int64_t left;
  int64_t top;
  /// The array SweepArguments::right_best, all bits of which this kernel sets.
  unsigned long long* right_best;
  int64_t right_pairs;  ///< half its number of elements, rounded up; 0 if no sweep writes the array
};

inline constexpr int energy_threads = 128;
inline constexpr int energy_widest_half = 127;

/// Sums over the image block around each pixel, for both images: sums of squares (ncc, zncc) and of
/// the pixels themselves (zncc). Rows hold zeros on both sides of the image.
struct BlockEnergies {
  const unsigned* squares[2];
  const unsigned* totals[2];
  int64_t pitch;   ///< in elements
  int64_t origin;  ///< element of pixel 0 in a row, a multiple of 4
  int pixels;      ///< number of pixels in a block

  WARPWISE_HOST_DEVICE int64_t at(int64_t x, int64_t y) const { return y * pitch + origin + x; }
};

/// Arguments of the kernel that computes BlockEnergies from the padded images.
struct EnergyArguments {
  const unsigned char* image[2];  ///< padded images, from the corner of the border on
  int64_t pitch;
  int64_t width;
  int64_t height;
  int64_t strip_height;
  int half;
  unsigned* squares[2];
  unsigned* totals[2];  ///< null for ncc
  int64_t map_pitch;
  int64_t map_origin;
};

/// Number of displacements in a slice, which one warp handles: four a lane. A slot is a
/// displacement minus the first one of its slice.
inline constexpr int slice_displacements = 128;
/// Number of lanes that the usual ranges of 64 or 65 displacements need, four displacements a lane.
/// In some kernels only these lanes have column sums in shared memory, so that more warps fit;
/// sweep_lanes() chooses them.
inline constexpr int few_lanes = 17;
/// Most threads of a thread block of the sweep: a warp for each slice of the largest range.
inline constexpr int sweep_max_threads = 256;

struct SweepArguments {
  const unsigned* left;  ///< padded images, as words
  const unsigned* right;
  int64_t pitch;  ///< pitch of both padded images, in words
  /// Index of a word in each row. Its first byte is the last column of pixel 0's image block, its
  /// other bytes are those of pixels 1 to 3.
  int64_t origin;
  int64_t width;
  int64_t height;
  int64_t strip_height;
  int tile_width;  ///< a multiple of 4
  int half;
  int candidates;        ///< displacements 0 … candidates − 1
  short* best;           ///< best displacements of the left pixels, width × height, without gaps
  unsigned char* value;  ///< disparities in f32, at any alignment
  int64_t value_pitch;
  /// Best displacements of the right pixels, width × height, without gaps. The low half of an
  /// element is the displacement. The high half is its score, or, for ncc and zncc, the sum of
  /// products in the score. All bits are set before the sweep, which means no displacement.
  unsigned long long* right_best;
  BlockEnergies energies;  ///< block sums for ncc and zncc
};

/// Returns half the side, rounded down, of the largest image block for which the sweep can use the
/// 32-bit keys of key_row.cuh. A key combines a sum and a displacement. Returns −1 for ncc and
/// zncc, which have no keys.
WARPWISE_HOST_DEVICE constexpr int largest_keyed_half(Measure measure) {
  if (!least_is_best(measure)) return -1;
  return measure == Measure::sad ? 127 : 7;
}

/// Returns the bytes of shared memory for a slice of the sweep: the sums of its columns, and the
/// results of one row.
WARPWISE_HOST_DEVICE constexpr int slice_bytes(Measure measure, bool keyed, bool subpixel,
                                               int lanes, int half, int tile_width) {
  const int sums = measure == Measure::sad ? 8 : 16;  // bytes of a lane's sums of a column
  const int score = least_is_best(measure) ? 4 : 8;
  const int kept = keyed ? 4 : least_is_best(measure) ? 12 : 16;  // bytes for a right pixel
  const int entry = keyed ? 8 : least_is_best(measure) ? 20 : 32;
  const int scores = subpixel ? score * (slice_displacements + 4 * tile_width) : 0;
  return lanes * sums * (1 + 2 * half + tile_width) + slice_displacements * kept +
         tile_width * entry + scores;
}

/// Arguments of the kernel that checks disparities. `Right` is the type of a right pixel's best
/// displacement: short, or unsigned long long as in SweepArguments::right_best.
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

// A thread block of disparity_match_kernel scores a tile of pixels, one displacement after the
// other. A thread slides a column's sum down disparity_run rows, then a block's sum along
// disparity_run pixels of a row.
inline constexpr int disparity_run = 8;
inline constexpr int disparity_tile_width = 64;
inline constexpr int disparity_tile_height = 32;
static_assert(disparity_tile_width * disparity_tile_height == disparity_threads * disparity_run);

/// Returns the number of elements between rows of column sums. It is odd: a warp's 32 rows are then
/// in 32 banks.
WARPWISE_HOST_DEVICE constexpr int disparity_sums_stride(int half) {
  return (disparity_tile_width + 2 * half) | 1;
}

/// Two padded images of one shape; width and height are the size of the images without padding.
struct PaddedPair {
  const unsigned char* base;    ///< the image whose pixels are matched
  const unsigned char* search;  ///< the image in which their matches are searched
  int64_t pitch;
  int64_t width;
  int64_t height;
  int half;
};

struct MatchArguments {
  PaddedPair images;
  int candidates;          ///< displacements 0 … candidates − 1
  int direction;           ///< 1: x is matched to x − d; −1: to x + d
  BlockEnergies energies;  ///< block sums of the left and the right image
  short* best;             ///< width × height, without gaps
  unsigned char* value;    ///< disparities in f32 at any alignment, or null
  int64_t value_pitch;
  bool subpixel;
};

}  // namespace warpwise::kernels::disparity
