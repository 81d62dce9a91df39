#pragma once

#include <cstdint>

#include "warpwise/primitives/shared/tuning.hpp"

// Parameters of threshold's launch that `warpwise tune` may choose.
namespace warpwise::detail::threshold {

/// Kinds for mean and exact_mean, one for each instance of the kernels. Bands have one for windows
/// up to 33 and one up to 65 of u8, or 17 and 33 of u16; tiles take windows up to 255, or 127.
inline constexpr std::string_view kinds[] = {"u8-33",  "u8-65",  "u8-255",  "u8-more",
                                             "u16-17", "u16-33", "u16-127", "u16-more"};
constexpr int kind_of(std::int64_t half, std::int64_t pixel_bytes) {
  const std::int64_t half_bytes = half * pixel_bytes;
  return (half_bytes <= 16   ? 0
          : half_bytes <= 32 ? 1
          : half_bytes < 128 ? 2
                             : 3) +
         (pixel_bytes == 2 ? 4 : 0);
}

/// 0: threshold_one_launch decides. Otherwise, where the kernel can run: 1: bands, 2: tiles, 3:
///    sums of columns.
inline constexpr int kernel_choices[] = {0, 1, 2, 3};
inline constexpr tuning::Tunable kernel_tunable{
    "threshold", "kernel", "0: chosen by a rule, 1: bands, 2: tiles, 3: columns", kinds,
    kernel_choices};
inline constexpr int band_percent_choices[] = {100, 50, 75, 150, 200, 300};
inline constexpr tuning::Tunable band_percent_tunable{
    "threshold", "band_percent", "blocks of bands, as a percentage of those that a large GPU holds",
    kinds, band_percent_choices};
inline constexpr int tile_block_choices[] = {512, 264, 396, 792, 1056};
inline constexpr tuning::Tunable tile_blocks_tunable{
    "threshold", "tile_blocks", "approximate number of blocks of tiles", kinds, tile_block_choices};

inline constexpr const tuning::Tunable* tunables[] = {&kernel_tunable, &band_percent_tunable,
                                                      &tile_blocks_tunable};

/// One value of each tunable.
struct Tuning {
  int kernel = kernel_choices[0];
  int band_percent = band_percent_choices[0];
  int tile_blocks = tile_block_choices[0];
};

}  // namespace warpwise::detail::threshold
