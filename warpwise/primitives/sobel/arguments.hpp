#pragma once

#include "warpwise/primitives/pixel.hpp"

// What the Sobel kernel takes. For g++, nvcc and NVRTC: no includes but our own.
namespace warpwise::kernels {

enum class SobelSource { u8, rgb, rgba, u16, f32 };
enum class SobelResult { component, l1, l2 };

struct SobelArguments {
  const unsigned char* src;
  unsigned char* dst;
  long long src_pitch;
  long long dst_pitch;
  long long width;
  long long height;
  int centre;  ///< weights of the smoothing, [side centre side]
  int side;
  unsigned grey_high;  ///< weights of the colours, see grey(): one byte for each channel
  unsigned grey_low;
  Border border;
  bool dy;  ///< which component SobelResult::component writes
};

/// How a source's pixels lie in memory and what they are computed in.
template <SobelSource source>
struct SobelPixels {
  using Work = int;
  static constexpr bool colour = source == SobelSource::rgb || source == SobelSource::rgba;
  static constexpr int bytes = source == SobelSource::u8    ? 1
                               : source == SobelSource::u16 ? 2
                               : source == SobelSource::rgb ? 3
                                                            : 4;
  // Adjacent pixels for one thread: loads of 8 to 16 bytes, and few enough registers.
  static constexpr int per_thread = source == SobelSource::u8 ? 8 : 4;
};
template <>
struct SobelPixels<SobelSource::f32> {
  using Work = float;
  static constexpr bool colour = false;
  static constexpr int bytes = 4;
  static constexpr int per_thread = 4;
};

// A warp covers a row's stretch; eight of them below each other read the rows that they share from
// the L1 cache.
inline constexpr int sobel_block_width = 32;
inline constexpr int sobel_block_height = 8;
// Each thread goes down four rows, for which it loads six: all of them in flight at once.
inline constexpr int sobel_rows_per_thread = 4;
inline constexpr int sobel_block_rows = sobel_block_height * sobel_rows_per_thread;

}  // namespace warpwise::kernels
