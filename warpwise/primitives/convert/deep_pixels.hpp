#pragma once

#include <cstring>

#include "warpwise/base/host_device.hpp"

// The arithmetic of convert_deep() and round_to_8_bits(), on the host and in kernels. No compiler
// may fuse a product and a sum, because the CPU's and the GPU's results would then differ.
namespace warpwise::kernels::convert {

/// Places of a component's samples, in bytes: sample (x, y) is at data + y * pitch + x * step.
template <class Byte>
struct Places {
  Byte* data;
  long long pitch;
  long long step;

  WARPWISE_HOST_DEVICE Byte* at(long long x, long long y) const {
    return data + y * pitch + x * step;
  }
};
using SourcePlaces = Places<const unsigned char>;
using ResultPlaces = Places<unsigned char>;

/// Codes of 16 bits: black, the span of luma up to white, and the span of chroma around neutral.
struct DeepCodes {
  double black;
  double luma;
  double chroma;
};
inline constexpr double neutral_code = 32768;
inline constexpr double largest_code = 65535;

enum class DeepSource : long long { grey, rgb, yuv };

/// This type must have no padding: __builtin_clear_padding() of GCC 12 clears the wrong bytes of a
/// type that has an array of structures.
struct DeepArguments {
  SourcePlaces src[3];  ///< R, G and B, or Y, Cb and Cr; for grey, three times the same
  ResultPlaces dst[3];
  long long width;
  long long height;
  short across;  ///< columns and rows of a block: the pixels that share chroma in planes of `dst`,
  short down;    ///< or in `src` if `dst` is RGB
  short across_of_src;  ///< columns and rows of pixels that share chroma in `src`
  short down_of_src;
  DeepSource source;
  double red_weight;  ///< in luma
  double blue_weight;
  DeepCodes from;  ///< of `src`
  DeepCodes to;    ///< of the planes of `dst`
};

/// Loads a sample of u16, byte by byte unless `aligned`.
template <bool aligned>
WARPWISE_HOST_DEVICE inline int load_code(const unsigned char* p) {
  if constexpr (aligned) return *reinterpret_cast<const unsigned short*>(p);
  unsigned short code = 0;
  memcpy(&code, p, sizeof(code));
  return code;
}
template <bool aligned>
WARPWISE_HOST_DEVICE inline void store_code(unsigned char* p, unsigned short code) {
  if constexpr (aligned) {
    *reinterpret_cast<unsigned short*>(p) = code;
  } else {
    memcpy(p, &code, sizeof(code));
  }
}

/// Rounds half up and saturates. An exact half may be computed up to 2^-34 too low, so 2^-33 is
/// added. Apart from halves, only values of green can lie this close below a half.
WARPWISE_HOST_DEVICE inline unsigned short rounded_code(double code) {
  const double half_up = code + (0.5 + 0x1p-33);
  if (half_up <= 0) return 0;
  return half_up >= largest_code ? 65535 : static_cast<unsigned short>(half_up);
}

/// The pixels of a block, which share chroma: columns and rows from `first` to before `last`.
struct DeepBlock {
  long long first_x, last_x, first_y, last_y;
};
WARPWISE_HOST_DEVICE inline DeepBlock block_at(const DeepArguments& a, long long x, long long y) {
  const long long last_x = (x + 1) * a.across;
  const long long last_y = (y + 1) * a.down;
  return {x * a.across, last_x < a.width ? last_x : a.width, y * a.down,
          last_y < a.height ? last_y : a.height};
}

/// Computes the RGB of block (x, y).
template <bool aligned>
WARPWISE_HOST_DEVICE inline void block_to_rgb(const DeepArguments& a, long long x, long long y) {
  double cb = 0;
  double cr = 0;
  if (a.source == DeepSource::yuv) {
    cb = (load_code<aligned>(a.src[1].at(x, y)) - neutral_code) / a.from.chroma;
    cr = (load_code<aligned>(a.src[2].at(x, y)) - neutral_code) / a.from.chroma;
  }
  const double green_weight = 1 - a.red_weight - a.blue_weight;
  const double red_less_luma = 2 * (1 - a.red_weight) * cr;
  const double blue_less_luma = 2 * (1 - a.blue_weight) * cb;
  const DeepBlock block = block_at(a, x, y);
  for (long long row = block.first_y; row < block.last_y; ++row) {
    for (long long column = block.first_x; column < block.last_x; ++column) {
      const int first = load_code<aligned>(a.src[0].at(column, row));
      if (a.source == DeepSource::rgb) {
        const int second = load_code<aligned>(a.src[1].at(column, row));
        const int third = load_code<aligned>(a.src[2].at(column, row));
        store_code<aligned>(a.dst[0].at(column, row), static_cast<unsigned short>(first));
        store_code<aligned>(a.dst[1].at(column, row), static_cast<unsigned short>(second));
        store_code<aligned>(a.dst[2].at(column, row), static_cast<unsigned short>(third));
        continue;
      }
      const double luma = (first - a.from.black) / a.from.luma;
      const double red = luma + red_less_luma;
      const double blue = luma + blue_less_luma;
      const double green = (luma - a.red_weight * red - a.blue_weight * blue) / green_weight;
      store_code<aligned>(a.dst[0].at(column, row), rounded_code(largest_code * red));
      store_code<aligned>(a.dst[1].at(column, row), rounded_code(largest_code * green));
      store_code<aligned>(a.dst[2].at(column, row), rounded_code(largest_code * blue));
    }
  }
}

/// A pixel's luma, as a code of `dst` minus black, and its chroma. Chroma from RGB is a number from
/// -0.5 to 0.5. Chroma from YUV is an integer, the code minus neutral_code, so that sums are exact.
struct LumaAndChroma {
  double luma;
  double cb;
  double cr;
};

template <bool aligned>
WARPWISE_HOST_DEVICE inline LumaAndChroma luma_and_chroma(const DeepArguments& a, long long column,
                                                          long long row) {
  if (a.source == DeepSource::yuv) {
    const long long x = column / a.across_of_src;
    const long long y = row / a.down_of_src;
    const double luma = load_code<aligned>(a.src[0].at(column, row)) - a.from.black;
    return {a.to.luma * luma / a.from.luma, load_code<aligned>(a.src[1].at(x, y)) - neutral_code,
            load_code<aligned>(a.src[2].at(x, y)) - neutral_code};
  }
  const auto colour = [&](int channel) {
    return (load_code<aligned>(a.src[channel].at(column, row)) - a.from.black) / a.from.luma;
  };
  const double red = colour(0);
  const double green = colour(1);
  const double blue = colour(2);
  const double luma =
      a.red_weight * red + (1 - a.red_weight - a.blue_weight) * green + a.blue_weight * blue;
  return {a.to.luma * luma, (blue - luma) / (2 * (1 - a.blue_weight)),
          (red - luma) / (2 * (1 - a.red_weight))};
}

/// Computes the luma of each pixel of block (x, y), and the chroma that they share.
template <bool aligned>
WARPWISE_HOST_DEVICE inline void block_to_planes(const DeepArguments& a, long long x, long long y) {
  double cb = 0;
  double cr = 0;
  int count = 0;
  const DeepBlock block = block_at(a, x, y);
  for (long long row = block.first_y; row < block.last_y; ++row) {
    for (long long column = block.first_x; column < block.last_x; ++column, ++count) {
      const LumaAndChroma pixel = luma_and_chroma<aligned>(a, column, row);
      store_code<aligned>(a.dst[0].at(column, row), rounded_code(a.to.black + pixel.luma));
      cb += pixel.cb;
      cr += pixel.cr;
    }
  }
  const double divisor = a.source == DeepSource::yuv ? count * a.from.chroma : count;
  store_code<aligned>(a.dst[1].at(x, y), rounded_code(neutral_code + a.to.chroma * cb / divisor));
  store_code<aligned>(a.dst[2].at(x, y), rounded_code(neutral_code + a.to.chroma * cr / divisor));
}

/// The rule that computes a byte from the samples of a component.
enum class ByteRule : int {
  limited,      ///< a code of 16 bits in limited range
  full,         ///< a code of 16 bits in full range
  full_chroma,  ///< a code of chroma of 16 bits in full range; 32768 is neutral
  mean,         ///< the mean of bytes
  unused,       ///< no sample: 255
};

/// Rounds a code of 16 bits to 8, half up.
WARPWISE_HOST_DEVICE constexpr unsigned char byte_of(int code, ByteRule rule) {
  if (rule == ByteRule::limited) {
    const int byte = (code + 128) >> 8;
    return static_cast<unsigned char>(byte < 255 ? byte : 255);
  }
  // Numerator and denominator are doubled, so that the half that rounds is an integer.
  const int shifted = rule == ByteRule::full ? code : code - 32768;
  const int neutral = rule == ByteRule::full ? 0 : 128;
  return static_cast<unsigned char>((2 * 255 * shifted + 65535 + 2 * 65535 * neutral) /
                                    (2 * 65535));
}

/// One component of a frame of bytes. A read beyond the last sample of `src` returns that sample.
struct ByteArguments {
  SourcePlaces src;
  ResultPlaces dst;
  long long columns;  ///< of `dst`
  long long rows;
  long long last_x;  ///< of `src`
  long long last_y;
  int across;  ///< columns and rows of samples of `src` that make a sample of `dst`
  int down;
  ByteRule rule;
};

}  // namespace warpwise::kernels::convert
