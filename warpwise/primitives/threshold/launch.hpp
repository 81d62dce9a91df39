#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/threshold/arguments.hpp"
#include "warpwise/primitives/threshold/backends.hpp"

namespace warpwise::detail::threshold {

enum class ThresholdStep : std::uint8_t {
  bands,
  row_sums,
  wide_bands,
  tiles,
  segments,
  scan_segments,
  columns,
  rows
};

/// A kernel of mean and exact_mean with its template arguments.
struct ThresholdKernel {
  ThresholdStep step;
  int pixel_bytes;
  int sum_bytes = 0;         ///< result of column_sum_bytes(); bands and tiles do not use it
  bool writes_mean = false;  ///< used by tiles only
  // Used by threshold_bands and threshold_wide_bands, `parts` only by threshold_bands.
  kernels::threshold::BandSums sums = {};
  int parts = 0;
  int threads = 0;
};
constexpr const char* kernel_name(const ThresholdKernel& kernel) {
  switch (kernel.step) {
    case ThresholdStep::bands: return "threshold_bands";
    case ThresholdStep::row_sums: return "threshold_row_sums";
    case ThresholdStep::wide_bands: return "threshold_wide_bands";
    case ThresholdStep::tiles: return "threshold_tiles";
    case ThresholdStep::segments: return "threshold_segments";
    case ThresholdStep::scan_segments: return "threshold_scan_segments";
    case ThresholdStep::columns: return "threshold_columns";
    case ThresholdStep::rows: return "threshold_rows";
  }
  return "";
}

/// The launches of one call, in one of these sequences:
/// - bands or tiles: threshold_bands or threshold_tiles;
/// - wide bands: threshold_row_sums, then threshold_wide_bands;
/// - sums of columns: threshold_columns, then threshold_rows. For windows higher than a segment,
///   threshold_segments and threshold_scan_segments come before them.
using ThresholdLaunches = gpu::Launches<ThresholdKernel, 4>;

inline kernels::threshold::ThresholdSource source_of(ConstDeviceView src) {
  return {reinterpret_cast<const unsigned char*>(src.data()), src.pitch_bytes(), src.width(),
          src.height()};
}

inline kernels::threshold::ThresholdOutput output_of(DeviceView dst,
                                                     const std::optional<DeviceView>& mean,
                                                     const ThresholdValues& values) {
  kernels::threshold::ThresholdOutput out{};
  out.dst = reinterpret_cast<unsigned char*>(dst.data());
  out.dst_pitch = dst.pitch_bytes();
  if (mean) {
    out.mean = reinterpret_cast<unsigned char*>(mean->data());
    out.mean_pitch = mean->pitch_bytes();
    out.mean_is_float = mean->type() == ElementType::f32;
  }
  out.above = values.above;
  out.below = values.below;
  return out;
}

/// The instance of threshold_bands or threshold_wide_bands for a window, and how its rows lie in
/// shared memory.
struct BandPlan {
  ThresholdKernel kernel;
  int out_at;          ///< unused bytes at the start of a row in shared memory
  std::int64_t strip;  ///< bytes of results in a block's row
  std::int64_t pitch;
  std::int64_t rows;
  std::int64_t shared_bytes;
};

/// Returns the bytes of shared memory that the changes of 16 rows take.
inline std::int64_t band_change_bytes(kernels::threshold::BandSums sums, std::int64_t strip,
                                      std::int64_t pixel_bytes) {
  const int words = pixel_bytes == 2 || sums == kernels::threshold::BandSums::pairs ? 4 : 8;
  return 4 * kernels::threshold::threshold_band_rows * (strip / 8 + 1) * words;
}

/// Plans threshold_bands, for windows whose row has up to 66 bytes.
inline BandPlan band_plan(const WindowRule& rule, std::int64_t pixel_bytes, int threads) {
  using kernels::threshold::BandSums;
  constexpr std::int64_t rows = kernels::threshold::threshold_band_rows;
  const std::int64_t half_bytes = rule.half * pixel_bytes;
  BandPlan plan{};
  // `parts` is the number of groups of 16 bytes in which the windows around 16 bytes of pixels lie.
  // These windows begin at out_at and have 15 bytes more than one window (u16: 14). They end at
  // byte 48 at most, or at byte 80 with 5 parts.
  plan.kernel = {.step = ThresholdStep::bands,
                 .pixel_bytes = static_cast<int>(pixel_bytes),
                 .sums = pixel_bytes == 2 ? BandSums::words : BandSums::pairs,
                 .parts = half_bytes > 16 ? 5 : 3,
                 .threads = threads};
  plan.out_at = static_cast<int>(-half_bytes & 15);
  plan.strip = 4 * threads;
  plan.pitch = plan.strip + 16 * ((plan.kernel.parts - 1) | 1);
  // Whole groups of 16 rows: one group of results, and the groups above and below in its windows.
  plan.rows = (gpu::blocks_for(rule.half, rows) + gpu::blocks_for(rule.half + 1, rows) + 1) * rows;
  plan.shared_bytes =
      plan.rows * plan.pitch + band_change_bytes(plan.kernel.sums, plan.strip, pixel_bytes);
  return plan;
}

/// Plans threshold_wide_bands, for larger windows.
inline BandPlan wide_band_plan(const WindowRule& rule, std::int64_t pixel_bytes, int threads) {
  using kernels::threshold::BandSums;
  const std::int64_t half_bytes = rule.half * pixel_bytes;
  const std::int64_t window_bytes = 2 * half_bytes + pixel_bytes;
  BandPlan plan{};
  plan.kernel = {.step = ThresholdStep::wide_bands,
                 .pixel_bytes = static_cast<int>(pixel_bytes),
                 .sums = pixel_bytes == 2      ? (rule.wide ? BandSums::wide : BandSums::words)
                         : rule.area <= 0xffff ? BandSums::words
                                               : BandSums::large,
                 .threads = threads};
  plan.out_at = static_cast<int>(-half_bytes & 15);
  plan.strip = 4 * threads;
  plan.pitch = ((plan.strip / 16 + (plan.out_at + window_bytes) / 16 + 1) | 1) * 16;
  plan.rows = 2 * kernels::threshold::threshold_band_rows;
  // BandStart runs before there are changes, so it uses their memory. It stores three arrays there:
  // column sums, prefix sums and one sum for each warp.
  const std::int64_t columns = plan.pitch / pixel_bytes;
  const std::int64_t start_bytes =
      4 * std::max(columns, threads * 16 / pixel_bytes) +
      (columns + 4 + threads / 32) * (plan.kernel.sums == BandSums::wide ? 8 : 4);
  // A row of changes ends with unused words, 8 for u8. If these are enough, they hold the row's
  // shares (WideSums), one for each warp. Otherwise the shares get memory of their own.
  const bool have_room = pixel_bytes == 1 && threads <= 256;
  const std::int64_t share_bytes =
      have_room ? 0 : 4 * kernels::threshold::threshold_band_rows * (threads / 32);
  plan.shared_bytes =
      plan.rows * plan.pitch +
      std::max(band_change_bytes(plan.kernel.sums, plan.strip, pixel_bytes) + share_bytes,
               start_bytes);
  return plan;
}

/// Multiprocessors of a large GPU, an H100 or H200.
inline constexpr std::int64_t large_gpu_multiprocessors = 132;

/// Returns the number of blocks of bands or wide bands that a large GPU holds at once.
inline std::int64_t band_blocks_at_once(const ThresholdKernel& kernel,
                                        std::int64_t shared_bytes_of_block) {
  constexpr std::int64_t shared_bytes = 228 << 10;  // of an SM, which reserves 1 KB for each block
  const int threads = kernel.step == ThresholdStep::wide_bands
                          ? kernels::threshold::threshold_wide_band_threads_an_sm
                          : kernels::threshold::threshold_band_threads_an_sm;
  return large_gpu_multiprocessors *
         std::clamp<std::int64_t>(shared_bytes / (shared_bytes_of_block + 1024), 1,
                                  threads / kernel.threads);
}

/// Returns the byte of a row at which the first strip begins: 0, or down to -12 (BandArguments).
inline int band_first_byte(const unsigned char* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const int shift = static_cast<int>(address % 4 == 0 ? -address & 15 : 0);
  return shift - (shift + 15) / 16 * 16;
}

/// Returns the number of strips that cover an image's rows.
inline std::int64_t band_strips(const BandPlan& plan,
                                const kernels::threshold::ThresholdSource& src) {
  return gpu::blocks_for(src.width * plan.kernel.pixel_bytes - band_first_byte(src.data),
                         plan.strip);
}

/// Returns the plan of threshold_bands with the fewest waves of blocks for the strips of `images`.
/// Among plans with equally many waves, it returns the one whose strips have the fewest bytes in
/// all. It returns the first plan even if its shared memory exceeds `shared_limit`.
template <class Images>
BandPlan best_band_plan(const Images& images, const WindowRule& rule, std::int64_t pixel_bytes,
                        std::int64_t shared_limit) {
  BandPlan best{};
  std::pair<double, double> least;
  for (const int threads : kernels::threshold::threshold_band_threads) {
    const BandPlan plan = band_plan(rule, pixel_bytes, threads);
    double rows = 0;
    for (const auto& src : images) {
      rows += static_cast<double>(band_strips(plan, src)) * static_cast<double>(src.height);
    }
    const auto blocks = static_cast<double>(band_blocks_at_once(plan.kernel, plan.shared_bytes));
    const std::pair takes{rows / blocks, rows * static_cast<double>(plan.strip)};
    if (best.strip == 0 || (takes < least && plan.shared_bytes <= shared_limit)) {
      best = plan;
      least = takes;
    }
  }
  return best;
}

/// Returns the height of segments in images that fill a GPU. It is the height that comes closest to
/// a divisor of the window's height plus one. Blocks that run at the same time then share reads: a
/// row enters the windows of one segment about when it leaves those of another.
inline std::int64_t wide_band_rows(std::int64_t half) {
  const auto miss = [half](std::int64_t rows) {
    const std::int64_t beyond = 2 * (half + 1) % rows;
    return std::min(beyond, rows - beyond);
  };
  return *std::ranges::min_element(kernels::threshold::threshold_wide_band_rows, {}, miss);
}

/// Returns the number of rows that threshold_row_sums adds to one sum, for an image of
/// `groups_of_16` times 16 bytes.
inline int row_sum_rows(std::int64_t groups_of_16) {
  using namespace kernels::threshold;
  constexpr std::int64_t step = threshold_row_sum_least_rows;
  return static_cast<int>(
      std::clamp<std::int64_t>(groups_of_16 / threshold_row_sum_all_threads / step * step, step,
                               threshold_row_sum_most_rows));
}

/// Returns the number of rows of each segment of a strip. A segment is a block's work.
inline std::int64_t band_segment_rows(const BandPlan& plan,
                                      const kernels::threshold::ThresholdSource& src,
                                      std::int64_t half, bool is_wide) {
  constexpr std::int64_t rows = kernels::threshold::threshold_band_rows;
  const std::int64_t wanted = band_blocks_at_once(plan.kernel, plan.shared_bytes);
  const std::int64_t strips = band_strips(plan, src);
  const auto whole_bands = [&](std::int64_t height) {
    return gpu::blocks_for(height, rows) * rows;
  };
  if (is_wide) {
    // Segments are so low that the rows of all blocks that run at once, and of their windows, stay
    // in the L2 cache. The GPU starts these blocks in order.
    return whole_bands(
        std::clamp<std::int64_t>(src.height * strips / wanted, 1, wide_band_rows(half)));
  }
  // Segments are so low that there are `wanted` blocks, if the image is large enough. A segment's
  // first sums read the rows above it. In segments below `least_rows`, they would cost more than
  // the additional blocks gain.
  const std::int64_t least_rows = std::max<std::int64_t>(2 * rows, half);
  // Segments that would still be high are halved, so that the last blocks end at similar times.
  const std::int64_t rounds =
      src.height * strips >= 2 * wanted * std::max<std::int64_t>(256, 16 * half) ? 2 : 1;
  const std::int64_t segments = std::clamp<std::int64_t>(
      rounds * wanted / strips, 1, std::max<std::int64_t>(1, src.height / least_rows));
  return whole_bands(gpu::blocks_for(src.height, segments));
}

/// Returns the launch of bands or wide bands. Returns nothing where another kernel has to decide:
/// - if the mean image is wanted;
/// - for u8, if the rule needs 64 bits;
/// - for windows whose rows do not fit `shared_limit` (64 KB hold windows to 63 of u8, 33 of u16);
/// - for images with more than 2^30 bytes a row, or more than 2^30 rows.
///
/// \param shared_limit  the shared memory that a block may ask for
/// \param as            for windows to 66 bytes: the plan to take, or null for the image's best one
/// \param sums          for larger windows: the output of threshold_row_sums
inline std::optional<gpu::Launch<ThresholdKernel>> threshold_band_launch(
    const kernels::threshold::ThresholdSource& src, const kernels::threshold::ThresholdOutput& out,
    const WindowRule& rule, std::int64_t pixel_bytes, std::int64_t shared_limit,
    const BandPlan* as = nullptr, std::byte* sums = nullptr) {
  constexpr std::int64_t longest_side = std::int64_t{1} << 30;
  if ((rule.wide && pixel_bytes == 1) || out.mean != nullptr ||
      src.width > longest_side / pixel_bytes || src.height > longest_side) {
    return {};
  }
  const bool is_wide = rule.half * pixel_bytes > 32;
  constexpr auto& wide_threads = kernels::threshold::threshold_wide_band_threads;
  BandPlan plan = is_wide ? wide_band_plan(rule, pixel_bytes, wide_threads[0])
                  : as == nullptr
                      ? best_band_plan(std::span(&src, 1), rule, pixel_bytes, shared_limit)
                      : *as;
  if (is_wide &&
      band_blocks_at_once(plan.kernel, plan.shared_bytes) < band_blocks_at_once(plan.kernel, 0)) {
    const BandPlan larger = wide_band_plan(rule, pixel_bytes, wide_threads[1]);
    if (larger.shared_bytes <= shared_limit) plan = larger;
  }
  if (plan.shared_bytes > shared_limit) return {};

  const std::int64_t strips = band_strips(plan, src);
  const std::int64_t segment_rows = band_segment_rows(plan, src, rule.half, is_wide);
  const kernels::threshold::BandArguments arguments{.src = src,
                                                    .out = out,
                                                    .half = static_cast<int>(rule.half),
                                                    .area = static_cast<int>(rule.area),
                                                    .bias = rule.bias,
                                                    .first_byte = band_first_byte(src.data),
                                                    .out_at = plan.out_at,
                                                    .pitch = static_cast<int>(plan.pitch),
                                                    .rows = static_cast<int>(plan.rows),
                                                    .segment_rows = static_cast<int>(segment_rows)};
  gpu::Launch<ThresholdKernel> launch{
      .kernel = plan.kernel,
      .grid = {gpu::grid_x(strips), gpu::grid_y(gpu::blocks_for(src.height, segment_rows))},
      .block = {static_cast<unsigned>(plan.kernel.threads)},
      .shared_bytes = static_cast<std::size_t>(plan.shared_bytes),
      .parameters = gpu::Parameters::of(arguments)};
  if (is_wide) {
    launch.parameters = gpu::Parameters::of(kernels::threshold::WideBandArguments{
        arguments, reinterpret_cast<unsigned char*>(sums), 2 * (strips * plan.strip + plan.pitch),
        row_sum_rows(src.height * (strips * plan.strip / 16))});
  }
  return launch;
}

/// Returns the arguments of a launch of threshold_wide_bands.
inline kernels::threshold::WideBandArguments wide_band_arguments(
    const gpu::Launch<ThresholdKernel>& launch) {
  kernels::threshold::WideBandArguments arguments{};
  std::memcpy(&arguments, launch.parameters.bytes().data(), sizeof(arguments));
  return arguments;
}

/// Returns the number of groups of rows whose columns threshold_row_sums adds up.
inline std::int64_t row_sum_groups(const kernels::threshold::WideBandArguments& arguments) {
  return gpu::blocks_for(arguments.band.src.height, arguments.sums_rows);
}

/// Returns the launch of threshold_row_sums that comes before `launch` of threshold_wide_bands.
inline gpu::Launch<ThresholdKernel> row_sum_launch(const gpu::Launch<ThresholdKernel>& launch) {
  const auto arguments = wide_band_arguments(launch);
  constexpr int threads = kernels::threshold::threshold_row_sum_threads;
  constexpr std::int64_t bytes = 32;  // bytes of sums for 16 bytes of pixels
  return {.kernel = {.step = ThresholdStep::row_sums, .pixel_bytes = launch.kernel.pixel_bytes},
          .grid = {gpu::grid_x(gpu::blocks_for(arguments.sums_pitch / bytes, threads)),
                   gpu::grid_y(row_sum_groups(arguments))},
          .block = {threads},
          .parameters = launch.parameters};
}

/// Returns the height of segments at which the images of a batch have, all together, as many blocks
/// as a large GPU holds at once. `strip_rows` counts the rows of all strips of all images. `one` is
/// the launch of any image.
inline std::int64_t band_batch_rows(const gpu::Launch<ThresholdKernel>& one,
                                    std::int64_t strip_rows) {
  const std::int64_t blocks =
      band_blocks_at_once(one.kernel, static_cast<std::int64_t>(one.shared_bytes));
  return gpu::blocks_for(strip_rows, blocks);
}

/// Returns the height of segments for one image of a batch: about `wanted` rows or more. Also, a
/// segment is at least half a window high, because its first sums read the rows above it.
inline std::int64_t band_segment_rows(std::int64_t height, std::int64_t wanted,
                                      const WindowRule& rule) {
  constexpr std::int64_t rows = kernels::threshold::threshold_band_rows;
  const std::int64_t least = std::max<std::int64_t>(2 * rows, rule.half);
  const std::int64_t segments =
      std::max<std::int64_t>(1, std::min(height / wanted, height / least));
  return gpu::blocks_for(gpu::blocks_for(height, segments), rows) * rows;
}

/// Returns the launch of tiles. Returns nothing where another kernel has to decide:
/// - for windows above 255 of u8 or 127 of u16: their areas or sums exceed the kernel's types, and
///   their halo takes more than half of a block's columns;
/// - for images of more than 2^30 pixels a side.
inline std::optional<gpu::Launch<ThresholdKernel>> threshold_tile_launch(
    const kernels::threshold::ThresholdSource& src, const kernels::threshold::ThresholdOutput& out,
    const WindowRule& rule, std::int64_t pixel_bytes) {
  constexpr std::int64_t longest_side = std::int64_t{1} << 30;
  constexpr std::int64_t threads = kernels::threshold::threshold_tile_threads;
  constexpr std::int64_t warps = threads / 32;
  const std::int64_t per_word = 4 / pixel_bytes;
  const std::int64_t halo = rule.half / per_word + 1;
  if (4 * halo > threads || std::max(src.width, src.height) > longest_side) return {};

  // The launch has about `wanted` blocks, if the image is large enough. A large GPU holds this
  // number at once, 4 on each SM.
  constexpr std::int64_t wanted = 4 * large_gpu_multiprocessors;
  // Segments are lowered first. The highest have enough rows to outweigh the sums at their start.
  // Then strips are narrowed, down to 32 words, until there are two blocks for each SM. With a halo
  // above 8 words, most columns of a narrow strip's block would be halo, so narrowing ends at one
  // block for each SM. These numbers were measured on an H200.
  constexpr std::int64_t tile_rows = kernels::threshold::threshold_tile_rows;
  const std::int64_t words = gpu::blocks_for(src.width, per_word);
  const std::int64_t widest = (threads - 2 * halo) / warps * warps;
  const std::int64_t most_rows = std::max<std::int64_t>(2 * tile_rows, 2 * rule.half);
  const std::int64_t fewest_strips = gpu::blocks_for(words, widest);
  const std::int64_t tiles =
      std::clamp<std::int64_t>(gpu::blocks_for(src.height * fewest_strips, wanted * tile_rows), 1,
                               gpu::blocks_for(most_rows, tile_rows));
  const std::int64_t segments = gpu::blocks_for(src.height, tiles * tile_rows);
  const std::int64_t strips = std::clamp((halo > 8 ? 1 : 2) * large_gpu_multiprocessors / segments,
                                         fewest_strips, std::max(fewest_strips, words / 32));
  const std::int64_t strip = gpu::blocks_for(gpu::blocks_for(words, strips), warps) * warps;

  const kernels::threshold::TileArguments arguments{src,
                                                    out,
                                                    static_cast<int>(rule.half),
                                                    static_cast<int>(rule.area),
                                                    static_cast<int>(rule.bias),
                                                    static_cast<int>(strip),
                                                    static_cast<int>(halo),
                                                    static_cast<int>(tiles * tile_rows)};
  return gpu::Launch<ThresholdKernel>{
      .kernel = {.step = ThresholdStep::tiles,
                 .pixel_bytes = static_cast<int>(pixel_bytes),
                 .writes_mean = out.mean != nullptr},
      .grid = {gpu::grid_x(gpu::blocks_for(words, strip)), gpu::grid_y(segments)},
      .block = {kernels::threshold::threshold_tile_threads},
      .parameters = gpu::Parameters::of(arguments)};
}

/// Returns true if bands are faster than the other way: tiles (`by_tiles`) or sums of columns.
/// - Wide bands are always faster than sums of columns. They are faster than tiles for windows
///   above 160 bytes if they fill the GPU (docs/decisions/2026-11-29-threshold-roofs.md).
/// - Bands of small windows are slower with fewer than two blocks for each SM. They are slower also
///   in segments below 5/4 of a window, because each segment first reads a window's rows.
inline bool bands_are_faster(const gpu::Launch<ThresholdKernel>& bands, const WindowRule& rule,
                             std::int64_t height, bool by_tiles) {
  const bool is_wide = bands.kernel.step == ThresholdStep::wide_bands;
  const std::int64_t fewest_blocks = is_wide ? 112 : 2 * large_gpu_multiprocessors;
  const std::int64_t window = 2 * rule.half + 1;
  const bool are_enough = std::int64_t{bands.grid.x} * bands.grid.y >= fewest_blocks;
  return is_wide ? !by_tiles || (are_enough && window * bands.kernel.pixel_bytes > 160)
                 : are_enough && 5 * window * bands.grid.y <= 4 * height;
}

/// Returns the launch of bands, wide bands or tiles; nothing where sums of columns have to decide.
/// Only wide bands need scratch memory, for the results of threshold_row_sums.
inline std::optional<gpu::Launch<ThresholdKernel>> threshold_one_launch(
    const kernels::threshold::ThresholdSource& src, const kernels::threshold::ThresholdOutput& out,
    const WindowRule& rule, std::int64_t pixel_bytes, std::int64_t shared_limit,
    std::byte* scratch = nullptr) {
  const auto tiles = threshold_tile_launch(src, out, rule, pixel_bytes);
  const auto bands =
      threshold_band_launch(src, out, rule, pixel_bytes, shared_limit, nullptr, scratch);
  if (bands && bands_are_faster(*bands, rule, src.height, tiles.has_value())) return bands;
  return tiles;
}

/// The scratch memory of sums of columns. It starts at a multiple of 16, and so does each part.
struct ThresholdScratch {
  std::int64_t pitch = 0;          ///< elements between rows of sums
  std::int64_t column_bytes = 0;   ///< bytes of the column sums
  std::int64_t segment_bytes = 0;  ///< bytes of the segments' sums, which follow; 0: not needed
};

/// Returns the bytes of a column's sum, always 8 for u16. Tiles take the u16 windows whose sums fit
/// 32 bits, except in images of more than 2^30 pixels a side, which are too rare for more kernels.
inline int column_sum_bytes(const WindowRule& rule, std::int64_t pixel_bytes) {
  return rule.wide || pixel_bytes == 2 ? 8 : 4;
}

inline ThresholdScratch threshold_scratch(const kernels::threshold::ThresholdSource& src,
                                          const WindowRule& rule, std::int64_t pixel_bytes) {
  // Rows of sums are padded to whole vectors of the scan.
  constexpr std::int64_t group = kernels::threshold::threshold_scan_columns;
  ThresholdScratch scratch;
  scratch.pitch = gpu::blocks_for(src.width, group) * group;
  const std::int64_t row_bytes = checked_mul(scratch.pitch, column_sum_bytes(rule, pixel_bytes));
  scratch.column_bytes = checked_mul(row_bytes, src.height);
  // Windows lower than a segment are added up directly.
  if (2 * rule.half + 1 > kernels::threshold::threshold_segment_rows) {
    scratch.segment_bytes = checked_mul(
        row_bytes, gpu::blocks_for(src.height, kernels::threshold::threshold_segment_rows));
  }
  return scratch;
}

/// Returns the bytes of scratch memory that threshold_launches() takes.
/// \throws InvalidArgument  a row wider than a GPU grid, a size beyond 64 bits
inline std::int64_t threshold_scratch_bytes(const kernels::threshold::ThresholdSource& src,
                                            const kernels::threshold::ThresholdOutput& out,
                                            const WindowRule& rule, std::int64_t pixel_bytes,
                                            std::int64_t shared_limit) {
  if (const auto one = threshold_one_launch(src, out, rule, pixel_bytes, shared_limit)) {
    if (one->kernel.step != ThresholdStep::wide_bands) return 0;
    const auto arguments = wide_band_arguments(*one);
    return checked_mul(arguments.sums_pitch, row_sum_groups(arguments));
  }
  const ThresholdScratch scratch = threshold_scratch(src, rule, pixel_bytes);
  return checked_add(scratch.column_bytes, scratch.segment_bytes);
}

/// Returns the launches of mean and exact_mean.
/// \throws InvalidArgument  as threshold_scratch_bytes()
inline ThresholdLaunches threshold_launches(const kernels::threshold::ThresholdSource& src,
                                            const kernels::threshold::ThresholdOutput& out,
                                            const WindowRule& rule, std::int64_t pixel_bytes,
                                            std::int64_t shared_limit, std::byte* scratch) {
  ThresholdLaunches launches;
  if (const auto one = threshold_one_launch(src, out, rule, pixel_bytes, shared_limit, scratch)) {
    if (one->kernel.step == ThresholdStep::wide_bands) launches.add(row_sum_launch(*one));
    launches.add(*one);
    return launches;
  }
  const ThresholdScratch parts = threshold_scratch(src, rule, pixel_bytes);
  const bool by_segments = parts.segment_bytes != 0;
  const kernels::threshold::ColumnArguments down{
      src, scratch, parts.pitch, by_segments ? scratch + parts.column_bytes : nullptr, rule.half};
  const kernels::threshold::RowArguments along{src,       out,       scratch,  parts.pitch,
                                               rule.half, rule.area, rule.bias};
  const unsigned across =
      gpu::grid_x(gpu::blocks_for(parts.pitch, kernels::threshold::threshold_block_threads));
  const unsigned segments =
      gpu::grid_y(gpu::blocks_for(src.height, kernels::threshold::threshold_segment_rows));
  const auto add = [&](ThresholdStep step, gpu::Shape grid, const auto& arguments) {
    launches.add({.kernel = {.step = step,
                             .pixel_bytes = static_cast<int>(pixel_bytes),
                             .sum_bytes = column_sum_bytes(rule, pixel_bytes)},
                  .grid = grid,
                  .block = {kernels::threshold::threshold_block_threads},
                  .parameters = gpu::Parameters::of(arguments)});
  };
  if (by_segments) {
    add(ThresholdStep::segments, {across, segments}, down);
    add(ThresholdStep::scan_segments, {across}, down);
  }
  add(ThresholdStep::columns, {across, segments}, down);
  add(ThresholdStep::rows, {gpu::grid_y(src.height)}, along);
  return launches;
}

}  // namespace warpwise::detail::threshold
