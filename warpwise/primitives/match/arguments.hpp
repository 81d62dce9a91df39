#pragma once

// What the match kernel takes. For g++, nvcc and NVRTC: no includes.
namespace warpwise::kernels::match {

/// What a thread block holds in shared memory is limited: a large search area goes in tiles, a
/// large block in parts.
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
  long long rows;  ///< of the grid of blocks
  long long stride_x;
  long long stride_y;
  int block_width;
  int block_height;
  int first_x, last_x;  ///< the search ranges, inclusive
  int first_y, last_y;
  int tile_groups_x;  ///< groups of candidates that a thread block scores at once, one a thread
  int tile_groups_y;
  int part_width;  ///< of the block that is summed at once, a multiple of 4 or the whole width
  int part_height;
  int area_pitch;  ///< of the target's pixels in shared memory: in words, with eight rows in fours
  int column_pitch;  ///< with eight rows, of the block's there, column by column, in words
  bool skip_outside;
};

inline constexpr int match_max_threads = 256;
// A thread scores 4 columns of so many rows of candidates: the four byte shifts of a target word
// serve four rows, so that 16 packed operations need 3 shared loads and 3 shifts. With eight the
// shifts lie in shared memory: 32 operations then need a load of 16 bytes and a quarter of one.
inline constexpr int match_group = 4;
inline constexpr int match_tall_group = 8;
// match_products_kernel compares so many columns and rows of candidates with so many of the block
// at a time.
inline constexpr int match_products_side = 32;
inline constexpr int match_products_threads = 128;
// What stands for a block without candidate: match.hpp's no_match.
inline constexpr int match_none = -32768;

}  // namespace warpwise::kernels::match
