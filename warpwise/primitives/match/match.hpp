#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/export.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/primitives/shared/matching.hpp"

namespace warpwise {

/// The displacements first, first + 1 … last along one axis.
struct SearchRange {
  int first = -16;
  int last = 15;

  std::int64_t count() const { return std::int64_t{last} - first + 1; }
};

/// Rule for displacements that move the block across the border of the target image.
enum class MatchBorder : std::uint8_t {
  skip,       ///< not scored
  replicate,  ///< scored; outside the image the edge pixel is repeated
};

/// Names for name_of() and value_named(): "skip", "replicate".
constexpr auto enum_names(MatchBorder) {
  return std::to_array<EnumName<MatchBorder>>(
      {{MatchBorder::skip, "skip"}, {MatchBorder::replicate, "replicate"}});
}
inline constexpr auto all_match_borders = all_values<MatchBorder>();

/// Blocks that match() takes, search ranges, and measure. Sizes are in pixels.
struct MatchOptions {
  std::int64_t block_width = 32;
  std::int64_t block_height = 32;  ///< block_width · block_height ≤ max_match_block_pixels
  std::int64_t stride_x = 0;       ///< distance between blocks; 0 means block_width
  std::int64_t stride_y = 0;       ///< distance between rows of blocks; 0: block_height
  SearchRange search_x = {};       ///< within ±max_match_displacement
  SearchRange search_y = {};
  Measure measure = Measure::sad;
  MatchBorder border = MatchBorder::skip;
};

/// Most pixels of a block: Σ(a − b)² of this number of 8-bit pixels fits 32 bits.
inline constexpr std::int64_t max_match_block_pixels = 65536;

/// The largest displacement along an axis.
inline constexpr int max_match_displacement = 32767;

/// Both components of the displacement of a block without a candidate. A block has none if every
/// displacement of the search ranges leaves the image, with MatchBorder::skip. Its score is the
/// worst one: the greatest u32, or minus infinity.
inline constexpr std::int16_t no_match = std::numeric_limits<std::int16_t>::min();

/// Number of blocks that match() compares. Block (i, j) covers the reference image's pixels from
/// (i · stride_x, j · stride_y) on.
struct MatchGrid {
  std::int64_t columns = 0;
  std::int64_t rows = 0;
};

/// Returns the grid of an image: all whole blocks that fit. Pixels beyond the last whole block, at
/// the right and at the bottom, belong to no block.
///
/// \throws InvalidArgument  the options are out of range, or the image is smaller than one block.
WARPWISE_EXPORT MatchGrid match_grid(std::int64_t width, std::int64_t height,
                                     const MatchOptions& options = {});

/// Returns the element type of match()'s score image: u32 for sad and ssd, f32 for ncc and zncc.
constexpr ElementType match_score_type(Measure measure) {
  return least_is_best(measure) ? ElementType::u32 : ElementType::f32;
}

/// Finds block motion: for each block of `reference`, the displacement (dx, dy) within the search
/// ranges at which `target` is most similar to the block:
///
///     sad   least    Σ |r(x, y) − t(x + dx, y + dy)|
///     ssd   least    Σ (r(x, y) − t(x + dx, y + dy))²
///     ncc   greatest Σ r t / √(Σr² Σt²)
///     zncc  greatest ncc of r and t, each minus its mean over the block; 0 where either is flat
///
/// Sums are over the block's pixels. Among equal scores the first in raster order of (dy, dx) wins.
/// Sums are exact integers. ncc and zncc compare candidates by one double computed from them; the
/// score is that double rounded to float. Every backend gives identical results.
///
/// `reference` and `target` are u8, have one channel and one size, and may be the same image.
/// `displacement` is i16 with two channels, dx and dy. `score`, if given, has one channel of
/// match_score_type(). Both have the size of match_grid(). Any pitch and alignment; no output may
/// overlap another view.
///
/// Runs on the CPU, in parallel on the calling thread's oneTBB arena; returns when done. Each
/// thread copies one block, and the target's pixels for up to 64 × 64 displacements at a time.
/// Source: document E of docs/sources.md, rows E1 and E3.
///
/// \throws InvalidArgument  options out of range, an image smaller than a block, views of a wrong
///                          size, type or number of channels, or views that overlap.
WARPWISE_EXPORT void match(ConstHostView reference, ConstHostView target, HostView displacement,
                           const MatchOptions& options = {}, std::optional<HostView> score = {});

/// Computes match() on a GPU, asynchronously on `stream`, without allocation or synchronisation.
///
/// \throws InvalidArgument  as match() on the CPU.
/// \throws NoCudaDevice  \throws CudaError  a failed launch.
WARPWISE_EXPORT void match(ConstDeviceView reference, ConstDeviceView target,
                           DeviceView displacement, const MatchOptions& options,
                           std::optional<DeviceView> score, gpu::StreamHandle stream);
WARPWISE_EXPORT void match(ConstDeviceView reference, ConstDeviceView target,
                           DeviceView displacement, const MatchOptions& options,
                           gpu::StreamHandle stream);

namespace reference {
/// Computes match() pixel by pixel: the reference for the tests of the fast paths.
/// Arguments are not checked: those that match() refuses are undefined behaviour here.
WARPWISE_EXPORT void match(ConstHostView reference, ConstHostView target, HostView displacement,
                           const MatchOptions& options = {}, std::optional<HostView> score = {});
}  // namespace reference

}  // namespace warpwise
