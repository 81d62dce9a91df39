#pragma once

#include <cuda/std/cstdint>

#include "warpwise/primitives/convert/arguments.hpp"

// The conversion kernel. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels {

/// Four neighbours in a row: R G B or Y Cb Cr, and alpha.
struct FourPixels {
  int channel[3][4];
  int alpha[4];
};

__device__ inline unsigned low_address(const unsigned char* p) {
  return static_cast<unsigned>(reinterpret_cast<cuda::std::uintptr_t>(p));
}

template <int words>
__device__ inline int byte_of(const unsigned (&w)[words], int index) {
  return static_cast<int>(w[index / 4] >> (index % 4 * 8) & 255);
}

/// Bytes [offset, offset + 4 · words) of a row, zero beyond its end. Words where they are aligned;
/// inside the row otherwise aligned words shifted into place; at its ends byte by byte.
template <int words>
__device__ inline void load_words(const unsigned char* row, cuda::std::int64_t offset,
                                  cuda::std::int64_t row_bytes, unsigned (&w)[words]) {
  constexpr int bytes = 4 * words;
  const unsigned char* p = row + offset;
  const unsigned misalignment = low_address(p) & 3;
  if (misalignment == 0 && offset + bytes <= row_bytes) {
    if (words == 4 && (low_address(p) & 15) == 0) {
      const uint4 v = *reinterpret_cast<const uint4*>(p);
      w[0] = v.x, w[1 % words] = v.y, w[2 % words] = v.z, w[3 % words] = v.w;
    } else {
#pragma unroll
      for (int i = 0; i < words; ++i) w[i] = reinterpret_cast<const unsigned*>(p)[i];
    }
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

/// The first `valid` bytes of the words.
template <int words>
__device__ inline void store_words(unsigned char* p, int valid, const unsigned (&w)[words]) {
  if (words == 4 && valid == 16 && (low_address(p) & 15) == 0) {
    *reinterpret_cast<uint4*>(p) = {w[0], w[1 % words], w[2 % words], w[3 % words]};
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

/// Three neighbouring samples of Cb and Cr; the third is read for linear interpolation only.
struct ChromaSamples {
  int c[2][3];
};

/// Samples [s, s + 3) of a chroma row of 4:2:0; beyond the last one, the last one again.
template <ConvertSource source>
__device__ inline ChromaSamples load_chroma(const ConvertArguments& a, cuda::std::int64_t row,
                                            cuda::std::int64_t s) {
  const cuda::std::int64_t last = (a.width - 1) / 2;
  const cuda::std::int64_t second = s + 1 < last ? s + 1 : last;
  const cuda::std::int64_t third = s + 2 < last ? s + 2 : last;
  ChromaSamples samples{};
  if constexpr (source == ConvertSource::semiplanar420) {
    const unsigned char* chroma = a.src[1] + row * a.src_pitch[1];
    unsigned w[1];
    load_words(chroma, 2 * s, 2 * (last + 1), w);
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      samples.c[c][0] = byte_of(w, c);
      samples.c[c][1] = s < last ? byte_of(w, 2 + c) : byte_of(w, c);
      if (a.linear_chroma) samples.c[c][2] = chroma[2 * third + c];
    }
  } else {
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      const unsigned char* chroma = a.src[1 + c] + row * a.src_pitch[1 + c];
      samples.c[c][0] = chroma[s];
      samples.c[c][1] = chroma[second];
      if (a.linear_chroma) samples.c[c][2] = chroma[third];
    }
  }
  return samples;
}

/// Brings samples to four pixels. `far_samples` are of the second nearest row, in 4:2:2 of the
/// same.
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

__device__ inline void load_packed422(const ConvertArguments& a, const unsigned char* row,
                                      cuda::std::int64_t x, FourPixels& p) {
  const cuda::std::int64_t last = (a.width - 1) / 2;
  unsigned w[2];
  load_words(row, 2 * x, 4 * (last + 1), w);
  const bool second = x / 2 < last;
  const cuda::std::int64_t third = x / 2 + 2 < last ? x / 2 + 2 : last;
  ChromaSamples samples{};
#pragma unroll
  for (int c = 0; c < 2; ++c) {
    const int at = 2 * c + (a.luma_is_odd ? 0 : 1);
    samples.c[c][0] = static_cast<int>(w[0] >> (8 * at) & 255);
    samples.c[c][1] = static_cast<int>(w[second ? 1 : 0] >> (8 * at) & 255);
    if (a.linear_chroma) samples.c[c][2] = row[4 * third + at];
  }
  const int luma_shift = a.luma_is_odd ? 8 : 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    p.channel[0][i] = static_cast<int>(w[i / 2] >> (i % 2 * 16 + luma_shift) & 255);
  }
  spread_chroma(a.linear_chroma, samples, samples, p);
}

template <ConvertSource source>
__device__ inline void load_pixels(const ConvertArguments& a, cuda::std::int64_t x,
                                   cuda::std::int64_t y, FourPixels& p) {
  const unsigned char* row = a.src[0] + y * a.src_pitch[0];
#pragma unroll
  for (int i = 0; i < 4; ++i) p.alpha[i] = 255;
  if constexpr (source == ConvertSource::packed3 || source == ConvertSource::packed4) {
    constexpr int bytes = source == ConvertSource::packed3 ? 3 : 4;
    unsigned w[bytes];
    load_words(row, bytes * x, bytes * a.width, w);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int c = 0; c < 3; ++c) p.channel[c][i] = byte_of(w, bytes * i + c);
      if (bytes == 4 && a.keep_alpha) p.alpha[i] = static_cast<int>(w[i % bytes] >> 24);
    }
    swap_channels(a.src_swap, p);
  } else if constexpr (source == ConvertSource::packed422) {
    load_packed422(a, row, x, p);
  } else {
    unsigned w[1];
    load_words(row, x, a.width, w);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int c = 0; c < 3; ++c) p.channel[c][i] = byte_of(w, i);
    }
    if constexpr (source != ConvertSource::gray) {
      const ChromaSamples near_samples = load_chroma<source>(a, y / 2, x / 2);
      ChromaSamples far_samples{};
      if (a.linear_chroma) {
        // Even rows of luma lie below the sample above, odd ones above the sample below.
        const cuda::std::int64_t last = (a.height - 1) / 2;
        const cuda::std::int64_t other = y / 2 + (y % 2 == 0 ? -1 : 1);
        far_samples = load_chroma<source>(a, other < 0 ? 0 : other > last ? last : other, x / 2);
      }
      spread_chroma(a.linear_chroma, near_samples, far_samples, p);
      swap_channels(a.src_swap, p);
    }
  }
}

__device__ inline int saturated(int value) { return value < 0 ? 0 : value > 255 ? 255 : value; }

__device__ inline int linear_row(const ConvertArguments& a, int row, int x0, int x1, int x2) {
  int sum = a.high_offset[row];
  if (a.two_levels) {
    sum += (a.low[row][0] * x0 + a.low[row][1] * x1 + a.low[row][2] * x2 + a.low_offset[row]) >>
           a.low_bits;
  }
  sum += a.high[row][0] * x0 + a.high[row][1] * x1 + a.high[row][2] * x2;
  return saturated(sum >> a.high_bits);
}

template <int channels>
__device__ inline void transform(const ConvertArguments& a, FourPixels& p) {
  if (a.transform == ConvertTransform::none) return;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int x0 = p.channel[0][i], x1 = p.channel[1][i], x2 = p.channel[2][i];
    const int scaled = (x0 * 257 * a.luma_scale >> 16) - a.luma_black;
    const int first = scaled < 0 ? 0 : scaled;
    const int y = linear_row(a, 0, first, x1, x2);
    p.channel[0][i] = y;
    if (channels == 1) continue;
    if (a.transform == ConvertTransform::linear) {
      p.channel[1][i] = linear_row(a, 1, first, x1, x2);
      p.channel[2][i] = linear_row(a, 2, first, x1, x2);
    } else {
      p.channel[1][i] = saturated(((x2 - y) * a.cb_factor + a.chroma_offset) >> 14);
      p.channel[2][i] = saturated(((x0 - y) * a.cr_factor + a.chroma_offset) >> 14);
    }
  }
}

/// Four bytes, the first in the lowest place.
__device__ inline unsigned pack(int b0, int b1, int b2, int b3) {
  return static_cast<unsigned>(b0 | b1 << 8 | b2 << 16 | b3 << 24);
}

template <ConvertDestination destination>
__device__ inline void store_pixels(const ConvertArguments& a, cuda::std::int64_t x,
                                    cuda::std::int64_t y, FourPixels& p) {
  const cuda::std::int64_t left = a.width - x;
  const int valid = left < 4 ? static_cast<int>(left) : 4;
  const auto& c = p.channel;
  const auto at = [&](int plane, int bytes) {
    return a.dst[plane] + y * a.dst_pitch[plane] + bytes * x;
  };
  if constexpr (destination == ConvertDestination::packed3) {
    swap_channels(a.dst_swap, p);
    const unsigned w[3] = {pack(c[0][0], c[1][0], c[2][0], c[0][1]),
                           pack(c[1][1], c[2][1], c[0][2], c[1][2]),
                           pack(c[2][2], c[0][3], c[1][3], c[2][3])};
    store_words(at(0, 3), 3 * valid, w);
  } else if constexpr (destination == ConvertDestination::packed4) {
    swap_channels(a.dst_swap, p);
    unsigned w[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) w[i] = pack(c[0][i], c[1][i], c[2][i], p.alpha[i]);
    store_words(at(0, 4), 4 * valid, w);
  } else {
    constexpr int planes = destination == ConvertDestination::gray ? 1 : 3;
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) {
      const auto& v = c[plane];
      const unsigned w[1] = {pack(v[0], v[1], v[2], v[3])};
      store_words(at(plane, 1), valid, w);
    }
  }
}

/// Grid: x covers the width by convert_block_pixels, y strides over convert_block_rows rows.
template <ConvertSource source, ConvertDestination destination>
__global__ void __launch_bounds__(convert_block_width* convert_block_height)
    convert_kernel(const __grid_constant__ ConvertArguments a) {
  const cuda::std::int64_t x =
      (cuda::std::int64_t{blockIdx.x} * convert_block_width + threadIdx.x) *
      convert_pixels_per_thread;
  if (x >= a.width) return;
  const cuda::std::int64_t step = cuda::std::int64_t{gridDim.y} * convert_block_rows;
  cuda::std::int64_t y = (cuda::std::int64_t{blockIdx.y} * convert_block_height + threadIdx.y) *
                         convert_rows_per_thread;
  for (; y < a.height; y += step) {
    FourPixels p[convert_rows_per_thread];
#pragma unroll
    for (int r = 0; r < convert_rows_per_thread; ++r) {
      if (y + r < a.height) load_pixels<source>(a, x, y + r, p[r]);
    }
#pragma unroll
    for (int r = 0; r < convert_rows_per_thread; ++r) {
      if (y + r >= a.height) break;
      transform<destination == ConvertDestination::gray ? 1 : 3>(a, p[r]);
      store_pixels<destination>(a, x, y + r, p[r]);
    }
  }
}

}  // namespace warpwise::kernels
