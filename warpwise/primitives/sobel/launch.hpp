#pragma once

#include <cstdint>

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/shared/pixel.hpp"
#include "warpwise/primitives/sobel/arguments.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"

namespace warpwise::detail::sobel {

/// The images that sobel_kernel reads and writes: addresses, pitches in bytes, and the size.
struct SobelImages {
  const unsigned char* src;
  unsigned char* dst;
  std::int64_t src_pitch;
  std::int64_t dst_pitch;
  std::int64_t width;
  std::int64_t height;
};

/// Type of the numbers that a thread computes with. A pair is two 16-bit numbers in a word: one
/// type for Sobel's weights, one for Scharr's.
enum class SobelNumber : std::uint8_t { integer, real, sobel_pair, scharr_pair };

/// The template arguments of sobel_kernel.
struct SobelChoice {
  kernels::sobel::SobelSource source;
  ElementType out;
  kernels::sobel::SobelResult result;
  SobelNumber number;
  bool few_rows = false;  ///< true for images with few thread blocks; only for u8 in sobel_pairs
};
constexpr const char* kernel_name(const SobelChoice&) { return "sobel_kernel"; }

/// Chooses the template arguments for these types and options. Numbers are computed in pairs if
/// that is exact.
inline SobelChoice sobel_choice(ElementType src, int channels, ElementType dst,
                                const SobelOptions& options) {
  using kernels::sobel::SobelResult;
  using kernels::sobel::SobelSource;
  const bool scharr = options.kernel == SobelKernel::scharr;
  SobelChoice choice{.source = SobelSource::u8,
                     .out = dst,
                     .result = options.output != SobelOutput::magnitude ? SobelResult::component
                               : options.norm == Norm::l1               ? SobelResult::l1
                                                                        : SobelResult::l2,
                     .number = SobelNumber::integer};
  if (src == ElementType::f32) {
    choice.source = SobelSource::f32;
    choice.number = SobelNumber::real;
  } else if (src == ElementType::u16) {
    choice.source = SobelSource::u16;
  } else {
    if (channels == 3) choice.source = SobelSource::rgb;
    if (channels == 4) choice.source = SobelSource::rgba;
    if (!scharr) {
      choice.number = SobelNumber::sobel_pair;
    } else if (dst == ElementType::u8) {
      choice.number = SobelNumber::scharr_pair;
    }
  }
  return choice;
}

/// Pixels and rows per thread of sobel_kernel.
struct SobelShare {
  int pixels;
  int rows;
};

template <kernels::sobel::SobelSource source>
constexpr SobelShare sobel_share(SobelNumber number) {
  const auto share_of = [](auto thread) {
    return SobelShare{decltype(thread)::pixels, decltype(thread)::rows};
  };
  using kernels::sobel::SobelPair;
  using kernels::sobel::SobelThread;
  switch (number) {
    case SobelNumber::sobel_pair: return share_of(SobelThread<source, SobelPair<2, 1>>{});
    case SobelNumber::scharr_pair: return share_of(SobelThread<source, SobelPair<10, 3>>{});
    case SobelNumber::real: return share_of(SobelThread<source, float>{});
    case SobelNumber::integer: return share_of(SobelThread<source, int>{});
  }
  __builtin_unreachable();
}

constexpr SobelShare sobel_share(const SobelChoice& choice) {
  using enum kernels::sobel::SobelSource;
  if (choice.few_rows) {
    using Thread = kernels::sobel::SobelThread<u8, kernels::sobel::SobelPair<2, 1>, true>;
    return {Thread::pixels, Thread::rows};
  }
  switch (choice.source) {
    case u8: return sobel_share<u8>(choice.number);
    case rgb: return sobel_share<rgb>(choice.number);
    case rgba: return sobel_share<rgba>(choice.number);
    case u16: return sobel_share<u16>(choice.number);
    case f32: return sobel_share<f32>(choice.number);
  }
  __builtin_unreachable();
}

inline kernels::sobel::SobelArguments sobel_arguments(const SobelImages& images,
                                                      const SobelOptions& options) {
  const bool scharr = options.kernel == SobelKernel::scharr;
  constexpr unsigned red = 2 * 9798, green = 2 * 19235, blue = 2 * 3735;
  const bool red_first = options.channels == ChannelOrder::rgb;
  return {.src = images.src,
          .dst = images.dst,
          .src_pitch = images.src_pitch,
          .dst_pitch = images.dst_pitch,
          .width = images.width,
          .height = images.height,
          .centre = scharr ? 10 : 2,
          .side = scharr ? 3 : 1,
          .grey_first = (red_first ? red : blue) | green << 16,
          .grey_third = red_first ? blue : red,
          .row_above = border_index(-1, images.height, options.border),
          .row_below = border_index(images.height, images.height, options.border),
          .column_before = border_index(-1, images.width, options.border),
          .column_behind = border_index(images.width, images.width, options.border),
          .dy = options.output == SobelOutput::dy};
}

/// Size of the grid in thread blocks.
struct SobelBlocks {
  std::int64_t across;
  std::int64_t down;
};

inline SobelBlocks sobel_blocks(std::int64_t width, std::int64_t height,
                                const SobelChoice& choice) {
  const SobelShare share = sobel_share(choice);
  return {gpu::blocks_for(gpu::blocks_for(width, share.pixels), kernels::sobel::sobel_block_width),
          gpu::blocks_for(height, kernels::sobel::sobel_block_height * share.rows)};
}

/// Returns true if an image has so few thread blocks that a thread should have few rows. Measured
/// on an H200: with many rows, 1920x1080 has 272 thread blocks and takes 5.0 us, with few rows
/// 3.8 us; 2048x1536 has 384 thread blocks and takes 4.4 us, with few rows 4.9 us.
inline bool sobel_takes_few_rows(const SobelImages& images, const SobelChoice& choice) {
  if (choice.source != kernels::sobel::SobelSource::u8 || choice.number != SobelNumber::sobel_pair)
    return false;
  const auto [across, down] = sobel_blocks(images.width, images.height, choice);
  return across * down < 300;
}

/// Returns the launch that computes sobel() of one image.
/// \throws InvalidArgument  a row wider than a GPU grid
inline gpu::Launch<SobelChoice> sobel_launch(const SobelImages& images, SobelChoice choice,
                                             const SobelOptions& options) {
  choice.few_rows = sobel_takes_few_rows(images, choice);
  const auto [across, down] = sobel_blocks(images.width, images.height, choice);
  return {.kernel = choice,
          .grid = {gpu::grid_x(across), gpu::grid_y(down)},
          .block = {kernels::sobel::sobel_block_width, kernels::sobel::sobel_block_height},
          .parameters = gpu::Parameters::of(sobel_arguments(images, options))};
}

}  // namespace warpwise::detail::sobel
