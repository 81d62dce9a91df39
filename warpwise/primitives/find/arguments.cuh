#pragma once

#include <cuda/std/cstdint>

// What the kernels of find take. Fit for nvcc and NVRTC: no host headers of their own.
namespace warpwise::kernels::find {

using cuda::std::int64_t;

inline constexpr int find_threads = 256;

/// The device's name for Finding.
struct FindPlace {
  int64_t x;
  int64_t y;
  double score;
};

/// A band of places, whose rows are counted from the band's first one on: `image` and `map` begin
/// there.
struct FindArguments {
  const unsigned char* templ;
  const unsigned char* image;
  unsigned char* map;     ///< u32 or f32 at any alignment, or null
  FindPlace* candidates;  ///< the best place of each block of threads
  // Scratch memory of windows_kernel and products_kernel, scratch_pitch elements a row of places.
  unsigned* sums;                ///< the image's Σb at each place, for zncc
  void* squares;                 ///< Σb², u32 or, where that may not hold it, u64
  unsigned long long* products;  ///< what products_kernel carries beyond 32 bits; null if nothing
  int64_t scratch_pitch;
  int64_t templ_pitch;
  int64_t templ_width;
  int64_t templ_height;
  int64_t image_pitch;
  int64_t image_width;
  int64_t image_height;
  int64_t map_pitch;
  int64_t first_row;  ///< of the band
  int64_t columns;    ///< of places
  int64_t rows;
  bool integers;  ///< whether the map is u32
};

}  // namespace warpwise::kernels::find
