#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "warpwise/base/checked.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/find/arguments.hpp"
#include "warpwise/primitives/find/find.hpp"
#include "warpwise/primitives/find/plan.hpp"

// Launches of find's kernels.
namespace warpwise::detail::find {

enum class FindStep : unsigned char {
  differences,
  segments,
  windows,
  products,
  roots,
  template_rows,
  template_columns,
  image_rows,
  columns,
  transform_scores,
  best
};

/// A kernel and its template arguments.
struct FindKernel {
  FindStep step;
  Measure measure;
  bool wide = false;  ///< true if 32 bits cannot hold the template's sum of products
  /// groups of 16 rows of places that a warp of products_kernel scores
  int groups = kernels::find::products_groups;
};
constexpr const char* kernel_name(const FindKernel& kernel) {
  switch (kernel.step) {
    case FindStep::differences: return "differences_kernel";
    case FindStep::segments: return "segments_kernel";
    case FindStep::windows: return "windows_kernel";
    case FindStep::products: return "products_kernel";
    case FindStep::roots: return "roots_kernel";
    case FindStep::template_rows: return "template_rows_kernel";
    case FindStep::template_columns: return "template_columns_kernel";
    case FindStep::image_rows: return "image_rows_kernel";
    case FindStep::columns: return "columns_kernel";
    case FindStep::transform_scores: return "transform_scores_kernel";
    case FindStep::best: return "find_best_kernel";
  }
  return "";
}

/// Arguments of a call of find(). `whole` covers all places and has no scratch memory yet.
struct FindCall {
  kernels::find::FindArguments whole;
  Measure measure;
  unsigned char* best;
};

inline FindCall find_call(ConstDeviceView templ, ConstDeviceView image, DeviceView best,
                          const std::optional<DeviceView>& map, Measure measure) {
  kernels::find::FindArguments a{};
  a.templ = reinterpret_cast<const unsigned char*>(templ.data());
  a.image = reinterpret_cast<const unsigned char*>(image.data());
  a.templ_pitch = templ.pitch_bytes();
  a.templ_width = templ.width();
  a.templ_height = templ.height();
  a.image_pitch = image.pitch_bytes();
  a.image_width = image.width();
  a.image_height = image.height();
  a.columns = image.width() - templ.width() + 1;
  a.rows = image.height() - templ.height() + 1;
  if (map) {
    a.map = reinterpret_cast<unsigned char*>(map->data());
    a.map_pitch = map->pitch_bytes();
    a.integers = map->type() == ElementType::u32;
  }
  return {a, measure, reinterpret_cast<unsigned char*>(best.data())};
}

/// Returns the grid of a kernel whose blocks take tiles of places.
inline gpu::Shape find_grid(const kernels::find::FindArguments& a, int tile_columns,
                            int tile_rows) {
  return {gpu::grid_x(gpu::blocks_for(a.columns, tile_columns)),
          gpu::grid_y(gpu::blocks_for(a.rows, tile_rows))};
}
inline gpu::Shape differences_grid(const kernels::find::FindArguments& a) {
  return find_grid(a, kernels::find::differences_tile_columns,
                   kernels::find::differences_tile_rows);
}
/// \param groups  groups of 16 rows of places that a warp of products_kernel scores
inline gpu::Shape products_grid(const kernels::find::FindArguments& a, int groups) {
  return find_grid(a, kernels::find::products_tile_columns,
                   kernels::find::products_tile_rows(groups));
}
/// Returns true if segments_kernel sums the image's columns in groups of windows_rows rows.
/// windows_kernel then adds these sums instead of single rows. For templates of few rows they are
/// not worth a launch.
inline bool segments_pay(const kernels::find::FindArguments& a) { return a.templ_height >= 48; }
/// Returns the number of rows of places that a thread block of windows_kernel takes. In small
/// images it takes fewer, so that all multiprocessors of a large GPU have thread blocks. A thread
/// block begins by summing the image's rows under its first row of places. Without
/// segments_kernel's sums, four of these rows take as long as one row of places. The result is then
/// at least a quarter of the template's height.
inline std::int64_t windows_rows(const kernels::find::FindArguments& a) {
  constexpr std::int64_t most = kernels::find::windows_most_rows, wanted_blocks = 2 * 132;
  const std::int64_t least =
      segments_pay(a) ? 8 : std::clamp<std::int64_t>(a.templ_height / 4, 8, most);
  const std::int64_t strips = gpu::blocks_for(a.columns, kernels::find::windows_tile_columns);
  return std::clamp(gpu::blocks_for(a.rows, wanted_blocks) * strips, least, most);
}
inline std::int64_t blocks_of(const gpu::Shape& grid) { return std::int64_t{grid.x} * grid.y; }
/// Returns the number of groups of 16 rows of places that a warp of products_kernel scores. There
/// are few if a large GPU would otherwise have fewer thread blocks than multiprocessors.
inline int products_groups_of(const kernels::find::FindArguments& a, bool wide) {
  constexpr std::int64_t wanted_blocks = 132;
  return !wide && blocks_of(products_grid(a, kernels::find::products_groups)) < wanted_blocks
             ? kernels::find::products_few_groups
             : kernels::find::products_groups;
}

/// Returns the number of a tile's rows that a block of a transform's kernel takes.
inline std::int64_t transform_block_rows(const TransformTiles& tiles) {
  return kernels::find::transform_points >> tiles.log_width;
}
inline gpu::Shape transform_scores_grid(const TransformTiles& tiles) {
  return {gpu::grid_x(gpu::blocks_for(tiles.rows, transform_block_rows(tiles))),
          gpu::grid_y(tiles.pairs())};
}

/// Layout of the transforms' scratch memory: the byte offsets of its parts. The roots of 1 begin at
/// offset 0.
struct TransformMemory {
  static constexpr std::int64_t warps = kernels::find::transform_threads / 32;
  std::int64_t part_count;  ///< number of warps that sum parts of the template
  std::int64_t templ_at, image_at, sums_at, bytes;

  TransformMemory(const kernels::find::FindArguments& a, const TransformTiles& tiles)
      : part_count(warps * gpu::blocks_for(a.templ_height, transform_block_rows(tiles))),
        templ_at(kernels::find::transform_points * point_bytes),
        image_at(templ_at + tiles.pixels() * point_bytes),
        sums_at(image_at + tiles.pairs() * tiles.pixels() * point_bytes),
        bytes(sums_at + (warps + part_count) * sums_bytes) {}

 private:
  static constexpr std::int64_t point_bytes = sizeof(kernels::find::Complex);
  static constexpr std::int64_t sums_bytes = sizeof(kernels::find::TemplateSums);
};

inline kernels::find::FindTransform transform_arguments(const kernels::find::FindArguments& a,
                                                        const TransformTiles& tiles,
                                                        std::byte* scratch) {
  const TransformMemory memory(a, tiles);
  kernels::find::FindTransform t{};
  t.roots = reinterpret_cast<kernels::find::Complex*>(scratch);
  t.templ = reinterpret_cast<kernels::find::Complex*>(scratch + memory.templ_at);
  t.image = reinterpret_cast<kernels::find::Complex*>(scratch + memory.image_at);
  t.templ_sums = reinterpret_cast<kernels::find::TemplateSums*>(scratch + memory.sums_at);
  t.part_count = memory.part_count;
  t.tile_columns = tiles.columns;
  t.tile_rows = tiles.rows;
  t.tiles_x = tiles.across;
  t.tiles = tiles.count;
  t.log_width = tiles.log_width;
  t.log_height = tiles.log_height;
  return t;
}

/// Layout of a call's scratch memory. The sums of a band of places come first, in parts at
/// multiples of 16 bytes; then the transforms' memory; last the best places of all thread blocks.
struct FindPlan {
  std::optional<TransformTiles> transform;  ///< a band's tiles; nothing: no transforms
  int groups = 0;                  ///< argument of products_grid; 0: products_kernel does not run
  std::int64_t band_rows = 0;      ///< rows of places whose sums are in scratch memory at a time
  bool wide = false;               ///< true if 32 bits cannot hold a sum
  std::int64_t scratch_pitch = 0;  ///< elements in a row of places
  std::int64_t product_bytes = 0;  ///< for products_kernel's sums, only if 32 bits cannot hold them
  std::int64_t square_bytes = 0;   ///< for Σb² at each place
  std::int64_t sum_bytes = 0;      ///< for Σb at each place, only for zncc
  std::int64_t windows_rows = 0;   ///< rows of places of a thread block of windows_kernel
  std::int64_t segment_count = 0;  ///< groups of image rows that segments_kernel sums, or 0
  std::int64_t segment_pitch = 0;
  std::int64_t segment_bytes = 0;
  std::int64_t transform_bytes = 0;
  std::int64_t candidate_bytes = 0;

  std::int64_t segments_at() const { return product_bytes + square_bytes + sum_bytes; }
  std::int64_t transform_at() const { return segments_at() + segment_bytes; }
  std::int64_t candidates_at() const { return transform_at() + transform_bytes; }
  std::int64_t scratch_bytes() const { return checked_add(candidates_at(), candidate_bytes); }
};

/// Returns the number of rows of places whose sums are in scratch memory at a time.
inline std::int64_t band_rows(const kernels::find::FindArguments& a) {
  // A band has enough places to keep all of a GPU's multiprocessors busy many times over, and takes
  // little memory for images of any size.
  constexpr std::int64_t band_places = std::int64_t{1} << 24;
  constexpr std::int64_t tile_rows =
      kernels::find::products_tile_rows(kernels::find::products_groups);
  return std::min(a.rows, gpu::blocks_for(band_places / tile_rows, a.columns) * tile_rows);
}

/// Plans a call's scratch memory.
/// \param transform  a band's tiles, if the products of ssd, ncc or zncc are summed by transforms;
///                   nothing: by matrix units
inline FindPlan find_plan(const FindCall& call,
                          const std::optional<TransformTiles>& transform = {}) {
  // Largest number of pixels for which Σb² and Σab fit 32 bits.
  constexpr std::int64_t narrow_area = 0xffffffff / (255 * 255);
  const kernels::find::FindArguments& a = call.whole;
  FindPlan plan;
  plan.band_rows = a.rows;
  if (call.measure == Measure::sad) {
    plan.candidate_bytes =
        checked_mul(blocks_of(differences_grid(a)), std::int64_t{sizeof(kernels::find::FindPlace)});
    return plan;
  }
  plan.band_rows = band_rows(a);
  plan.transform = transform;
  plan.wide = a.templ_width * a.templ_height > narrow_area;
  plan.scratch_pitch =
      gpu::blocks_for(a.columns, kernels::find::windows_columns) * kernels::find::windows_columns;
  const std::int64_t places = checked_mul(plan.scratch_pitch, plan.band_rows);
  plan.product_bytes = checked_mul(places, plan.wide && !transform ? 8 : 0);
  plan.square_bytes = checked_mul(places, plan.wide ? 8 : 4);
  plan.sum_bytes = checked_mul(places, call.measure == Measure::zncc ? 4 : 0);
  if (transform) plan.transform_bytes = TransformMemory(a, *transform).bytes;
  kernels::find::FindArguments band = a;
  band.rows = plan.band_rows;
  plan.windows_rows = windows_rows(band);
  if (segments_pay(a)) {
    plan.segment_count = gpu::blocks_for(band.rows + a.templ_height - 1, plan.windows_rows);
    plan.segment_pitch = gpu::blocks_for(a.image_width, 4) * 4;
    plan.segment_bytes = checked_mul(checked_mul(plan.segment_count, plan.segment_pitch),
                                     std::int64_t{sizeof(kernels::find::WindowSegment)});
  }
  if (!transform) plan.groups = products_groups_of(band, plan.wide);
  const gpu::Shape grid =
      transform ? transform_scores_grid(*transform) : products_grid(band, plan.groups);
  const std::int64_t blocks = checked_mul(blocks_of(grid), gpu::blocks_for(a.rows, plan.band_rows));
  plan.candidate_bytes = checked_mul(blocks, std::int64_t{sizeof(kernels::find::FindPlace)});
  return plan;
}

/// Returns a call's arguments with pointers to its kernels' parts of scratch memory.
inline kernels::find::FindArguments find_arguments_in(const FindCall& call, const FindPlan& plan,
                                                      std::byte* scratch) {
  kernels::find::FindArguments whole = call.whole;
  whole.candidates = reinterpret_cast<kernels::find::FindPlace*>(scratch + plan.candidates_at());
  whole.scratch_pitch = plan.scratch_pitch;
  if (plan.product_bytes > 0) whole.products = reinterpret_cast<unsigned long long*>(scratch);
  if (plan.square_bytes > 0) whole.squares = scratch + plan.product_bytes;
  if (plan.sum_bytes > 0) {
    whole.sums = reinterpret_cast<unsigned*>(scratch + plan.product_bytes + plan.square_bytes);
  }
  if (plan.segment_count > 0) {
    whole.segments = reinterpret_cast<kernels::find::WindowSegment*>(scratch + plan.segments_at());
    whole.segment_pitch = plan.segment_pitch;
  }
  return whole;
}

/// Gives the launches of a call to use(launch), in order.
template <class Use>
class FindLauncher {
 public:
  FindLauncher(const FindCall& call, const FindPlan& plan, std::byte* scratch, Use& use)
      : call_(call), plan_(plan), whole_(find_arguments_in(call, plan, scratch)), use_(use) {
    if (plan.transform) {
      transform_ = transform_arguments(whole_, *plan.transform, scratch + plan.transform_at());
    }
  }

  void launch_all() {
    if (plan_.transform) transform_template();
    std::int64_t count = 0;
    for (std::int64_t row = 0; row < whole_.rows; row += plan_.band_rows) {
      Arguments band = whole_;
      band.first_row = row;
      band.rows = std::min(plan_.band_rows, whole_.rows - row);
      band.image += row * whole_.image_pitch;
      band.image_height -= row;
      if (whole_.map != nullptr) band.map += row * whole_.map_pitch;
      band.candidates += count;
      count += call_.measure == Measure::sad ? differences(band) : scores(band);
    }
    const kernels::find::FindPlace* candidates = whole_.candidates;
    start(FindStep::best, {}, kernels::find::find_threads, candidates, count, call_.measure,
          call_.best);
  }

 private:
  using Arguments = kernels::find::FindArguments;

  template <class... Parameters>
  void launch(FindStep step, gpu::Shape grid, int threads, std::size_t shared_bytes,
              const Parameters&... parameters) {
    use_(gpu::Launch<FindKernel>{.kernel = {step, call_.measure, plan_.wide, plan_.groups},
                                 .grid = grid,
                                 .block = {static_cast<unsigned>(threads)},
                                 .shared_bytes = shared_bytes,
                                 .parameters = gpu::Parameters::of(parameters...)});
  }
  template <class... Parameters>
  void start(FindStep step, gpu::Shape grid, int threads, const Parameters&... parameters) {
    launch(step, grid, threads, 0, parameters...);
  }
  void start_transform(FindStep step, gpu::Shape grid, const Arguments& a) {
    constexpr std::size_t bytes = kernels::find::transform_points * sizeof(kernels::find::Complex);
    launch(step, grid, kernels::find::transform_threads, bytes, a, transform_);
  }
  unsigned transform_columns() const {
    return gpu::grid_x(plan_.transform->pixels() / kernels::find::transform_points);
  }

  void transform_template() {
    using namespace kernels::find;
    start(FindStep::roots, {transform_points / transform_threads}, transform_threads, transform_);
    const std::int64_t rows = transform_block_rows(*plan_.transform);
    start_transform(FindStep::template_rows,
                    {gpu::grid_x(gpu::blocks_for(whole_.templ_height, rows))}, whole_);
    start_transform(FindStep::template_columns, {transform_columns()}, whole_);
  }

  // The next functions launch the kernels of a band and return how many candidates they write.
  std::int64_t differences(const Arguments& band) {
    const gpu::Shape grid = differences_grid(band);
    start(FindStep::differences, grid, kernels::find::differences_threads, band);
    return blocks_of(grid);
  }
  std::int64_t scores(Arguments band) {
    band.windows_rows = plan_.windows_rows;
    if (plan_.segment_count > 0) {
      constexpr int columns = 4 * kernels::find::windows_threads;
      start(FindStep::segments,
            {gpu::grid_x(gpu::blocks_for(plan_.segment_pitch, columns)),
             gpu::grid_y(plan_.segment_count)},
            kernels::find::windows_threads, band, plan_.segment_count);
    }
    start(FindStep::windows,
          find_grid(band, kernels::find::windows_tile_columns, static_cast<int>(band.windows_rows)),
          kernels::find::windows_threads, band);
    if (plan_.transform) return transform_scores(band);
    const gpu::Shape grid = products_grid(band, plan_.groups);
    start(FindStep::products, grid, kernels::find::find_threads, band);
    return blocks_of(grid);
  }
  std::int64_t transform_scores(const Arguments& band) {
    // The last band may have fewer tiles.
    transform_.tiles = plan_.transform->across * gpu::blocks_for(band.rows, transform_.tile_rows);
    const gpu::Shape columns{transform_columns(), gpu::grid_y((transform_.tiles + 1) / 2)};
    start_transform(FindStep::image_rows, columns, band);
    start_transform(FindStep::columns, columns, band);
    const gpu::Shape grid{transform_scores_grid(*plan_.transform).x, columns.y};
    start_transform(FindStep::transform_scores, grid, band);
    return blocks_of(grid);
  }

  const FindCall& call_;
  const FindPlan& plan_;
  const Arguments whole_;
  kernels::find::FindTransform transform_{};
  Use& use_;
};

/// Calls use(launch) with each launch of a call, in order.
/// \param scratch  memory of plan.scratch_bytes() bytes at a multiple of 16
/// \throws InvalidArgument  more places in a row than a GPU grid takes
template <class Use>
void find_launches(const FindCall& call, const FindPlan& plan, std::byte* scratch, Use use) {
  FindLauncher<Use>(call, plan, scratch, use).launch_all();
}

}  // namespace warpwise::detail::find
