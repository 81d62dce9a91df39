#pragma once

#include <cuda/std/cstdint>

#include "warpwise/primitives/convert/arguments.hpp"
#include "warpwise/primitives/shared/launch_order.cuh"

// The conversion kernel. For nvcc and NVRTC: no host headers.
//
// There are two paths through the same steps. The path "whole" is for aligned frames, where all
// four pixels of all of a thread's rows are inside. It accesses whole vectors, and issues all loads
// before the first store. The other path, for ends of rows and unaligned frames, goes row by row
// and accesses only bytes inside the row.
namespace warpwise::kernels::convert {

/// Four neighbours in a row: their channels in memory order, and alpha.
struct FourPixels {
  int channel[3][4];
  int alpha[4];
};

__device__ inline unsigned low_address(const unsigned char* p) {
  return static_cast<unsigned>(reinterpret_cast<cuda::std::uintptr_t>(p));
}

/// Returns one byte of the words, by one instruction.
template <int words>
__device__ inline int byte_of(const unsigned (&w)[words], int index) {
  return static_cast<int>(__byte_perm(w[index / 4], 0, 0x4440 + index % 4));
}

/// Loads words. p must be aligned to their total size if that is a power of two, else to 4 bytes.
template <int words>
__device__ inline void load_vector(const unsigned char* p, unsigned (&w)[words]) {
  if constexpr (words == 4) {
    const uint4 v = *reinterpret_cast<const uint4*>(p);
    w[0] = v.x, w[1] = v.y, w[2] = v.z, w[3] = v.w;
  } else if constexpr (words == 2) {
    const uint2 v = *reinterpret_cast<const uint2*>(p);
    w[0] = v.x, w[1] = v.y;
  } else {
#pragma unroll
    for (int i = 0; i < words; ++i) w[i] = reinterpret_cast<const unsigned*>(p)[i];
  }
}

template <int words>
__device__ inline void store_vector(unsigned char* p, const unsigned (&w)[words]) {
  if constexpr (words == 4) {
    *reinterpret_cast<uint4*>(p) = {w[0], w[1], w[2], w[3]};
  } else {
#pragma unroll
    for (int i = 0; i < words; ++i) reinterpret_cast<unsigned*>(p)[i] = w[i];
  }
}

/// Loads bytes [offset, offset + 4 · words) of a row, and zeros beyond its end. Unless `whole`,
/// there are three cases:
/// - aligned words are loaded directly;
/// - unaligned words inside the row are put together from aligned words by shifts;
/// - at the ends of the row, single bytes are loaded.
template <bool whole, int words>
__device__ inline void load_words(const unsigned char* row, cuda::std::int64_t offset,
                                  cuda::std::int64_t row_bytes, unsigned (&w)[words]) {
  constexpr int bytes = 4 * words;
  const unsigned char* p = row + offset;
  const unsigned misalignment = low_address(p) & 3;
  if constexpr (whole) {
    load_vector(p, w);
  } else if (misalignment == 0 && offset + bytes <= row_bytes) {
#pragma unroll
    for (int i = 0; i < words; ++i) w[i] = reinterpret_cast<const unsigned*>(p)[i];
  } else if (offset >= 3 && offset + bytes + 3 <= row_bytes) {
    const auto* aligned = reinterpret_cast<const unsigned*>(p - misalignment);
    unsigned before = aligned[0];
#pragma unroll
    for (int i = 0; i < words; ++i) {
      const unsigned after = aligned[i + 1];
      w[i] = __funnelshift_r(before, after, misalignment * 8);
      before = after;
    }
  } else {
#pragma unroll
    for (int i = 0; i < words; ++i) w[i] = 0;
#pragma unroll
    for (int i = 0; i < bytes; ++i) {
      if (offset + i < row_bytes) w[i / 4] |= static_cast<unsigned>(p[i]) << (i % 4 * 8);
    }
  }
}

/// Stores the first `valid` bytes of the words.
template <bool whole, int words>
__device__ inline void store_words(unsigned char* p, int valid, const unsigned (&w)[words]) {
  if constexpr (whole) {
    store_vector(p, w);
  } else if (valid == 4 * words && (low_address(p) & 3) == 0) {
#pragma unroll
    for (int i = 0; i < words; ++i) reinterpret_cast<unsigned*>(p)[i] = w[i];
  } else {
#pragma unroll
    for (int i = 0; i < 4 * words; ++i) {
      if (i < valid) p[i] = static_cast<unsigned char>(w[i / 4] >> (i % 4 * 8));
    }
  }
}

__device__ inline void swap_channels(ConvertSwap swap, FourPixels& p) {
  if (swap == ConvertSwap::none) return;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int first = p.channel[0][i], middle = p.channel[1][i], last = p.channel[2][i];
    p.channel[0][i] = swap == ConvertSwap::first_and_last ? last : first;
    p.channel[1][i] = swap == ConvertSwap::last_two ? last : middle;
    p.channel[2][i] = swap == ConvertSwap::last_two ? middle : first;
  }
}

/// Three neighbouring samples of two channels of chroma. The third is used only for linear
/// interpolation.
struct ChromaSamples {
  int c[2][3];
};

/// Loads samples [s, s + 3) of a 4:2:0 chroma row; beyond the end it repeats the last sample.
template <ConvertSource source, bool whole>
__device__ inline ChromaSamples load_chroma(const ConvertArguments& a, cuda::std::int64_t row,
                                            cuda::std::int64_t s) {
  const cuda::std::int64_t last = (a.width - 1) / 2;
  const bool has_second = whole || s < last;
  const cuda::std::int64_t third = s + 2 < last ? s + 2 : last;
  const bool linear = !whole && a.linear_chroma;
  ChromaSamples samples{};
  if constexpr (source == ConvertSource::semiplanar420) {
    const unsigned char* chroma = a.src[1] + row * a.src_pitch[1];
    unsigned w[1];
    load_words<whole>(chroma, 2 * s, 2 * (last + 1), w);
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      samples.c[c][0] = byte_of(w, c);
      samples.c[c][1] = has_second ? byte_of(w, 2 + c) : byte_of(w, c);
      if (linear) samples.c[c][2] = chroma[2 * third + c];
    }
  } else {
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      const unsigned char* chroma = a.src[1 + c] + row * a.src_pitch[1 + c];
      if constexpr (whole) {
        const uchar2 two = *reinterpret_cast<const uchar2*>(chroma + s);
        samples.c[c][0] = two.x;
        samples.c[c][1] = two.y;
      } else {
        samples.c[c][0] = chroma[s];
        samples.c[c][1] = chroma[has_second ? s + 1 : s];
      }
      if (linear) samples.c[c][2] = chroma[third];
    }
  }
  return samples;
}

/// Computes the chroma of four pixels from samples. `far_samples` are from the second nearest row
/// of chroma; in 4:2:2 they equal `near_samples`.
__device__ inline void spread_chroma(bool linear, const ChromaSamples& near_samples,
                                     const ChromaSamples& far_samples, FourPixels& p) {
#pragma unroll
  for (int c = 0; c < 2; ++c) {
    const auto& n = near_samples.c[c];
    const auto& f = far_samples.c[c];
    if (linear) {
      const int q0 = 3 * n[0] + f[0], q1 = 3 * n[1] + f[1], q2 = 3 * n[2] + f[2];
      p.channel[1 + c][0] = (2 * q0 + 4) >> 3;
      p.channel[1 + c][1] = (q0 + q1 + 4) >> 3;
      p.channel[1 + c][2] = (2 * q1 + 4) >> 3;
      p.channel[1 + c][3] = (q1 + q2 + 4) >> 3;
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) p.channel[1 + c][i] = n[i / 2];
    }
  }
}

template <bool whole>
__device__ inline void load_packed422(const ConvertArguments& a, const unsigned char* row,
                                      cuda::std::int64_t x, FourPixels& p) {
  const cuda::std::int64_t last = (a.width - 1) / 2;
  unsigned w[2];
  load_words<whole>(row, 2 * x, 4 * (last + 1), w);
  const unsigned luma_first = a.luma_is_odd ? 0x2301 : 0x3210;  // swaps bytes if chroma is first
#pragma unroll
  for (unsigned& two : w) two = __byte_perm(two, 0, luma_first);
  const bool has_second = whole || x / 2 < last;
  const cuda::std::int64_t third = x / 2 + 2 < last ? x / 2 + 2 : last;
  const bool linear = !whole && a.linear_chroma;
  ChromaSamples samples{};
#pragma unroll
  for (int c = 0; c < 2; ++c) {
    samples.c[c][0] = byte_of(w, 1 + 2 * c);
    samples.c[c][1] = has_second ? byte_of(w, 5 + 2 * c) : samples.c[c][0];
    if (linear) samples.c[c][2] = row[4 * third + 2 * c + (a.luma_is_odd ? 0 : 1)];
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) p.channel[0][i] = byte_of(w, 2 * i);
  spread_chroma(linear, samples, samples, p);
}

/// Loads pixels [x, x + 4) of row y + r. If r is not 0, y must be even: in 4:2:0, two rows of the
/// thread then share a row of chroma, y / 2 + r / 2, which is loaded only once.
template <ConvertSource source, bool whole>
__device__ inline void load_pixels(const ConvertArguments& a, cuda::std::int64_t x,
                                   cuda::std::int64_t y, int r, FourPixels& p) {
  const unsigned char* row = a.src[0] + (y + r) * a.src_pitch[0];
#pragma unroll
  for (int i = 0; i < 4; ++i) p.alpha[i] = 255;
  if constexpr (source == ConvertSource::packed3 || source == ConvertSource::packed4) {
    constexpr int bytes = source == ConvertSource::packed3 ? 3 : 4;
    unsigned w[bytes];
    load_words<whole>(row, bytes * x, bytes * a.width, w);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int c = 0; c < 3; ++c) p.channel[c][i] = byte_of(w, bytes * i + c);
      if (bytes == 4 && a.keep_alpha) p.alpha[i] = static_cast<int>(w[i % bytes] >> 24);
    }
  } else if constexpr (source == ConvertSource::packed422) {
    load_packed422<whole>(a, row, x, p);
  } else {
    unsigned w[1];
    load_words<whole>(row, x, a.width, w);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int c = 0; c < 3; ++c) p.channel[c][i] = byte_of(w, i);
    }
    if constexpr (source != ConvertSource::gray) {
      const bool linear = !whole && a.linear_chroma;
      const ChromaSamples near_samples = load_chroma<source, whole>(a, y / 2 + r / 2, x / 2);
      ChromaSamples far_samples{};
      if (linear) {
        // The second nearest chroma row is above an even row of luma and below an odd one.
        const cuda::std::int64_t last = (a.height - 1) / 2;
        const cuda::std::int64_t other = y / 2 + (y % 2 == 0 ? -1 : 1);
        far_samples = load_chroma<source, whole>(a,
                                                 other < 0      ? 0
                                                 : other > last ? last
                                                                : other,
                                                 x / 2);
      }
      spread_chroma(linear, near_samples, far_samples, p);
    }
  }
}

__device__ inline int saturated(int value) { return value < 0 ? 0 : value > 255 ? 255 : value; }

/// Computes k · x + sum by one instruction. Otherwise the compiler reorders a sum of products and
/// adds the offset by a separate instruction.
__device__ inline int multiply_add(int k, int x, int sum) {
  int result;
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(k), "r"(x), "r"(sum));
  return result;
}

/// Computes k · (x0, x1, x2) + offset. The first channel is added last, so that pixels with the
/// same chroma share the sum of the rest.
__device__ inline int weighted_sum(const int (&k)[3], int offset, int x0, int x1, int x2) {
  return multiply_add(k[0], x0, multiply_add(k[1], x1, multiply_add(k[2], x2, offset)));
}

/// Computes one row of the linear map, without saturation.
template <ConvertArithmetic arithmetic>
__device__ inline int linear_row(const ConvertArguments& a, int row, int x0, int x1, int x2) {
  const int sum = weighted_sum(a.high[row], a.high_offset[row], x0, x1, x2);
  if constexpr (arithmetic == ConvertArithmetic::two_levels) {
    const int rest = weighted_sum(a.low[row], a.low_offset[row], x0, x1, x2);
    return (sum + (rest >> convert_level_bits)) >> convert_level_bits;
  } else {
    return sum >> a.high_bits;
  }
}

/// Transforms pixel i. pack() must saturate the resulting channels.
template <ConvertArithmetic arithmetic, int channels>
__device__ inline void transform_pixel(const ConvertArguments& a, int i, FourPixels& p) {
  int x0 = p.channel[0][i];
  const int x1 = p.channel[1][i], x2 = p.channel[2][i];
  if constexpr (arithmetic == ConvertArithmetic::scaled_luma) {
    const int scaled = (x0 * a.luma_scale >> 16) - a.luma_black;
    x0 = scaled < 0 ? 0 : scaled;
  }
  const int first = linear_row<arithmetic>(a, 0, x0, x1, x2);
  p.channel[0][i] = first;
#pragma unroll
  for (int row = 1; row < channels; ++row) {
    if constexpr (arithmetic == ConvertArithmetic::rounded_luma) {
      const int sum = weighted_sum(a.high[row], a.high_offset[row], x0, x1, x2);
      p.channel[row][i] = multiply_add(a.luma_factor[row], saturated(first), sum) >> a.high_bits;
    } else {
      p.channel[row][i] = linear_row<arithmetic>(a, row, x0, x1, x2);
    }
  }
}

template <ConvertArithmetic arithmetic, int channels>
__device__ inline void transform(const ConvertArguments& a, FourPixels& p) {
  if constexpr (arithmetic == ConvertArithmetic::none) {
    swap_channels(a.swap, p);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) transform_pixel<arithmetic, channels>(a, i, p);
  }
}

/// Saturates four numbers to bytes of a word, the first lowest. Takes two instructions; each
/// saturates two numbers and shifts its last operand up by two bytes.
__device__ inline unsigned pack(int b0, int b1, int b2, int b3) {
  unsigned upper, all;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(upper) : "r"(b3), "r"(b2), "r"(0));
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(all) : "r"(b1), "r"(b0), "r"(upper));
  return all;
}

template <ConvertDestination destination, bool whole>
__device__ inline void store_pixels(const ConvertArguments& a, cuda::std::int64_t x,
                                    cuda::std::int64_t y, const FourPixels& p) {
  const cuda::std::int64_t left = a.width - x;
  const int valid = whole || left >= 4 ? 4 : static_cast<int>(left);
  const auto& c = p.channel;
  const auto at = [&](int plane, int bytes) {
    return a.dst[plane] + y * a.dst_pitch[plane] + bytes * x;
  };
  if constexpr (destination == ConvertDestination::packed3) {
    const unsigned w[3] = {pack(c[0][0], c[1][0], c[2][0], c[0][1]),
                           pack(c[1][1], c[2][1], c[0][2], c[1][2]),
                           pack(c[2][2], c[0][3], c[1][3], c[2][3])};
    store_words<whole>(at(0, 3), 3 * valid, w);
  } else if constexpr (destination == ConvertDestination::packed4) {
    unsigned w[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) w[i] = pack(c[0][i], c[1][i], c[2][i], p.alpha[i]);
    store_words<whole>(at(0, 4), 4 * valid, w);
  } else {
    constexpr int planes = destination == ConvertDestination::gray ? 1 : 3;
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) {
      const auto& v = c[plane];
      const unsigned w[1] = {pack(v[0], v[1], v[2], v[3])};
      store_words<whole>(at(plane, 1), valid, w);
    }
  }
}

/// Converts pixels [x, x + 4) of rows [y, y + rows).
template <ConvertSource source, ConvertDestination destination, ConvertArithmetic arithmetic,
          bool whole, int rows>
__device__ inline void convert_rows(const ConvertArguments& a, cuda::std::int64_t x,
                                    cuda::std::int64_t y) {
  FourPixels p[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r) load_pixels<source, whole>(a, x, y, r, p[r]);
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    transform<arithmetic, destination == ConvertDestination::gray ? 1 : 3>(a, p[r]);
    store_pixels<destination, whole>(a, x, y + r, p[r]);
  }
}

/// Converts a frame. Grid: x covers the width by convert_block_pixels, y strides over the rows.
template <ConvertSource source, ConvertDestination destination, ConvertArithmetic arithmetic>
__global__ void __launch_bounds__(convert_block_width* convert_block_height)
    convert_kernel(const __grid_constant__ ConvertArguments a) {
  constexpr int whole_rows =
      source == ConvertSource::packed3 ? convert_packed3_rows : convert_other_rows;
  const int rows = a.aligned ? whole_rows : 1;
  const cuda::std::int64_t x =
      (cuda::std::int64_t{blockIdx.x} * convert_block_width + threadIdx.x) *
      convert_pixels_per_thread;
  wait_for_launch();
  if (x >= a.width) return;
  const bool whole = a.aligned && x + convert_pixels_per_thread <= a.width;
  const cuda::std::int64_t step = cuda::std::int64_t{gridDim.y} * blockDim.y * rows;
  cuda::std::int64_t y = (cuda::std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y) * rows;
  for (; y < a.height; y += step) {
    if (whole && y + whole_rows <= a.height) {
      convert_rows<source, destination, arithmetic, true, whole_rows>(a, x, y);
    } else {
      // Hides x from the compiler. Otherwise all threads would compute, ahead of the loop, values
      // that only this path needs.
      cuda::std::int64_t here = x;
      asm volatile("" : "+l"(here));
#pragma unroll 1  // unrolling is not worth its registers
      for (int r = 0; r < rows && y + r < a.height; ++r) {
        convert_rows<source, destination, arithmetic, false, 1>(a, here, y + r);
      }
    }
  }
}

}  // namespace warpwise::kernels::convert
