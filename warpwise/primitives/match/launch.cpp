#include "warpwise/primitives/match/launch.hpp"

#include <algorithm>
#include <iterator>

namespace warpwise::detail::match {
namespace {

using gpu::blocks_for;

static_assert(kernels::match::match_none == no_match);

// Shared memory that every GPU gives a thread block by default, minus the kernel's own static
// memory.
constexpr std::int64_t shared_bytes = 48 * 1024 - 256;
// Wider tiles than this gain nothing and leave no room for the block.
constexpr std::int64_t max_tile_groups_x = 64;
constexpr std::int64_t max_shifted_tile_groups_x = 32;
// Sizes of a block's parts: narrower and lower ones load the area around them too often.
constexpr std::int64_t part_widths[] = {256, 128, 64};
constexpr std::int64_t good_part_height = 32;

/// Divides `total` into equal pieces of at most `most`; returns their size.
std::int64_t piece_of(std::int64_t total, std::int64_t most) {
  return blocks_for(total, blocks_for(total, most));
}

/// Layout of a kernel of differences: candidates of a thread and pixels in shared memory.
struct Scheme {
  int group;        ///< rows of four candidates that a thread scores
  bool is_shifted;  ///< each word of the area is stored at its four shifts
};

/// Returns the pitch of the target's area in shared memory, in words. If each word is stored at its
/// four shifts, the unit is four words. Shared memory serves such loads for eight threads at a
/// time. They read adjacent addresses, so any pitch avoids bank conflicts. Otherwise the pitch puts
/// the rows of neighbouring groups, `group` rows apart, into different banks.
std::int64_t area_pitch(const kernels::match::MatchArguments& a, std::int64_t block_words,
                        const Scheme& scheme) {
  if (scheme.is_shifted) return block_words + a.tile_groups_x - 1;
  const int group = scheme.group;
  std::int64_t pitch = block_words + a.tile_groups_x;
  while (pitch % (32 / group) != blocks_for(a.tile_groups_x, group) % (32 / group)) ++pitch;
  return pitch;
}

/// Returns the number of words from one column of the block to the next in shared memory. Each
/// column begins at a multiple of 16 bytes, and eight adjacent columns begin in different banks.
std::int64_t column_pitch(std::int64_t rows) { return 8 * blocks_for(rows, 8) + 4; }

std::int64_t words_of_part(const kernels::match::MatchArguments& a, std::int64_t block_words,
                           std::int64_t rows, const Scheme& scheme) {
  const std::int64_t area = area_pitch(a, block_words, scheme) *
                            (rows + std::int64_t{scheme.group} * a.tile_groups_y - 1);
  return scheme.is_shifted ? 4 * area + block_words * column_pitch(rows)
                           : area + block_words * rows;
}

/// Returns how many rows of a part of the block fit in shared memory, with the area around them.
std::int64_t rows_that_fit(const kernels::match::MatchArguments& a, std::int64_t block_words,
                           const Scheme& scheme) {
  const auto fit = [&](std::int64_t rows) {
    return words_of_part(a, block_words, rows, scheme) <= shared_bytes / 4;
  };
  std::int64_t rows = 0;
  for (std::int64_t step = 1 << 16; step > 0; step /= 2) {
    if (fit(rows + step)) rows += step;
  }
  return rows;
}

void choose_tile(kernels::match::MatchArguments& a, const Scheme& scheme) {
  const std::int64_t groups_x = blocks_for(a.last_x - a.first_x + 1, 4);
  const std::int64_t groups_y = blocks_for(a.last_y - a.first_y + 1, scheme.group);
  const std::int64_t tile_x =
      piece_of(groups_x, scheme.is_shifted ? max_shifted_tile_groups_x : max_tile_groups_x);
  a.tile_groups_x = static_cast<int>(tile_x);
  a.tile_groups_y =
      static_cast<int>(piece_of(groups_y, kernels::match::match_max_threads / tile_x));
  // Shortens the tall tile of a narrow search, which would leave no room for the block.
  const std::int64_t narrowest =
      blocks_for(std::min<std::int64_t>(a.block_width, part_widths[std::size(part_widths) - 1]), 4);
  const std::int64_t rows = std::min<std::int64_t>(a.block_height, good_part_height);
  while (a.tile_groups_y > 1 && rows_that_fit(a, narrowest, scheme) < rows) --a.tile_groups_y;
  a.tile_groups_y = static_cast<int>(piece_of(groups_y, a.tile_groups_y));
}

std::int64_t warps_of_tile(const kernels::match::MatchArguments& a) {
  return blocks_for(std::int64_t{a.tile_groups_x} * a.tile_groups_y, 32);
}

/// Returns the estimated cost of comparing one word of the image block with all candidates, summed
/// over all warps. A packed difference costs 1.
std::int64_t cost_of_row(kernels::match::MatchArguments a, const Scheme& scheme) {
  const std::int64_t loads_and_shifts = scheme.is_shifted ? 1 : 5;
  choose_tile(a, scheme);
  const std::int64_t tiles = blocks_for(a.last_x - a.first_x + 1, 4 * a.tile_groups_x) *
                             blocks_for(a.last_y - a.first_y + 1, scheme.group * a.tile_groups_y);
  return tiles * warps_of_tile(a) * (4 * scheme.group + loads_and_shifts);
}

/// Returns true if a thread block scores all candidates at once, or enough of them to hide latency
/// with its warps.
bool has_full_tiles(kernels::match::MatchArguments a, const Scheme& scheme) {
  choose_tile(a, scheme);
  return warps_of_tile(a) >= 4 || (4 * a.tile_groups_x > a.last_x - a.first_x &&
                                   scheme.group * a.tile_groups_y > a.last_y - a.first_y);
}

/// Returns true if match_rejecting_kernel can take the block, and if the test for rejection is
/// cheap compared with the block's sums. The tile and the part have been chosen.
bool rejection_pays(const kernels::match::MatchArguments& a) {
  constexpr int enough_pixels = 1024;
  return a.part_width == a.block_width && a.part_height == a.block_height &&
         a.block_width % 16 == 0 && a.block_height % kernels::match::match_tall_group == 0 &&
         a.block_width * a.block_height >= enough_pixels;
}

/// Chooses the part of the block; returns the bytes of shared memory.
std::int64_t choose_part(kernels::match::MatchArguments& a, const Scheme& scheme) {
  const std::int64_t height = a.block_height;
  std::int64_t width = a.block_width;
  for (const std::int64_t narrower : part_widths) {
    if (rows_that_fit(a, blocks_for(width, 4), scheme) >= std::min(height, good_part_height)) break;
    width = std::min(width, narrower);
  }
  const std::int64_t words = blocks_for(width, 4);
  a.part_width = static_cast<int>(width);
  a.part_height =
      static_cast<int>(piece_of(height, std::min(height, rows_that_fit(a, words, scheme))));
  a.area_pitch = static_cast<int>(area_pitch(a, words, scheme));
  a.column_pitch = static_cast<int>(column_pitch(a.part_height));
  return 4 * words_of_part(a, words, a.part_height, scheme);
}

/// Returns how many times faster match_products_kernel is than match_kernel with full tiles of
/// candidates and full parts of blocks. Incomplete ones take match_products_kernel as long as
/// full ones. Measured on an H200.
int gain_of_products(Measure measure) {
  switch (measure) {
    case Measure::sad: return 0;
    case Measure::ssd: return 4;
    case Measure::ncc: return 5;
    case Measure::zncc: return 8;
  }
  __builtin_unreachable();
}

/// Returns true if match_products_kernel is faster; sad has no products.
bool products_pay(const kernels::match::MatchArguments& a, Measure measure) {
  constexpr std::int64_t side = kernels::match::match_products_side;
  const auto filled = [](std::int64_t size) {
    return static_cast<double>(size) / static_cast<double>(side * blocks_for(size, side));
  };
  return gain_of_products(measure) * filled(std::int64_t{a.last_x} - a.first_x + 1) *
             filled(std::int64_t{a.last_y} - a.first_y + 1) * filled(a.block_width) *
             filled(a.block_height) >
         1;
}

}  // namespace

gpu::Launch<MatchKernel> match_launch(const kernels::match::MatchArguments& images, MatchGrid grid,
                                      const MatchOptions& options) {
  kernels::match::MatchArguments a = images;
  a.rows = grid.rows;
  a.stride_x = options.stride_x;
  a.stride_y = options.stride_y;
  a.block_width = static_cast<int>(options.block_width);
  a.block_height = static_cast<int>(options.block_height);
  a.first_x = options.search_x.first;
  a.last_x = options.search_x.last;
  a.first_y = options.search_y.first;
  a.last_y = options.search_y.last;
  a.skip_outside = options.border == MatchBorder::skip;
  if (products_pay(a, options.measure)) {
    return {.kernel = {options.measure, MatchKernel::products},
            .grid = {gpu::grid_x(grid.columns), gpu::grid_y(grid.rows)},
            .block = {kernels::match::match_products_threads},
            .parameters = gpu::Parameters::of(a)};
  }
  using kernels::match::match_group;
  constexpr Scheme tall{kernels::match::match_tall_group, true};
  constexpr Scheme shifted{match_group, true};
  constexpr Scheme sums{match_group, false};
  const bool is_tall = options.measure == Measure::sad &&
                       cost_of_row(a, tall) < cost_of_row(a, sums) && has_full_tiles(a, tall);
  MatchKernel::Way way = is_tall ? MatchKernel::tall : MatchKernel::sums;
  const auto choose = [](kernels::match::MatchArguments& chosen, const Scheme& scheme) {
    choose_tile(chosen, scheme);
    return choose_part(chosen, scheme);
  };
  std::int64_t shared = choose(a, is_tall ? tall : sums);
  if (is_tall && rejection_pays(a)) {
    way = MatchKernel::rejecting_tall;
    // Two warps of a thread block hide each other's latency. A thread with fewer candidates can
    // also reject all of them more often.
    kernels::match::MatchArguments fewer_rows = a;
    const std::int64_t their_shared = choose(fewer_rows, shifted);
    if (warps_of_tile(a) == 1 && rejection_pays(fewer_rows)) {
      way = MatchKernel::rejecting;
      a = fewer_rows;
      shared = their_shared;
    }
  }
  const auto threads = static_cast<unsigned>(warps_of_tile(a) * 32);
  return {.kernel = {options.measure, way},
          .grid = {gpu::grid_x(grid.columns), gpu::grid_y(grid.rows)},
          .block = {threads},
          .shared_bytes = static_cast<std::size_t>(shared),
          .parameters = gpu::Parameters::of(a)};
}

}  // namespace warpwise::detail::match
