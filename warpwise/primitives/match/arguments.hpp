#pragma once

// Arguments of the match kernel. For g++, nvcc and NVRTC: no includes.
namespace warpwise::kernels::match {

/// Arguments of the match kernel. Shared memory is limited, so a thread block processes a large
/// search area in tiles, and a large block of pixels in parts.
struct MatchArguments {
  const unsigned char* reference;
  const unsigned char* target;
  unsigned char* displacement;
  unsigned char* score;  ///< may be null
  long long reference_pitch;
  long long target_pitch;
  long long displacement_pitch;
  long long score_pitch;
  long long width;  ///< of both images
  long long height;
  long long rows;  ///< rows of image blocks
  long long stride_x;
  long long stride_y;
  int block_width;
  int block_height;
  int first_x, last_x;  ///< search ranges, inclusive
  int first_y, last_y;
  int tile_groups_x;  ///< groups of candidates that a thread block scores at once, one a thread
  int tile_groups_y;
  /// width of the image block's part that is summed at once: a multiple of 4, or the whole width
  int part_width;
  int part_height;
  /// distance between rows of the target's pixels in shared memory, in words. The kernels of
  /// differences.cuh and rejection.cuh store each word at its four byte shifts. Their unit is
  /// four words.
  int area_pitch;
  /// distance between columns of the image block in shared memory, in words. A column is one word
  /// wide. Only the kernels of those two files store the block by columns.
  int column_pitch;
  bool skip_outside;
};

inline constexpr int match_max_threads = 256;
// Height of the group of candidates that a thread scores; its width is 4.
//
// In match_kernel, the height is four. The four byte shifts of a target word serve all rows of the
// group, so 16 packed operations need 3 shared loads and 3 shifts. match_tall_kernel has the height
// eight and finds the shifts in shared memory: 32 operations need 1.25 loads of 16 bytes.
inline constexpr int match_group = 4;
inline constexpr int match_tall_group = 8;
// Side of the tiles of match_products_kernel: it compares 32 × 32 candidates with 32 × 32 pixels of
// the block at a time.
inline constexpr int match_products_side = 32;
inline constexpr int match_products_threads = 128;
// Displacement of a block without a candidate: match.hpp's no_match.
inline constexpr int match_none = -32768;

}  // namespace warpwise::kernels::match
