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

// How find's kernels are launched.
namespace warpwise::detail::find {

enum class FindStep : unsigned char { differences, windows, products, best };

/// A kernel and its template arguments.
struct FindKernel {
  FindStep step;
  Measure measure;
  bool wide = false;  ///< the template has more pixels than 32 bits hold products of
};
constexpr const char* kernel_name(const FindKernel& kernel) {
  switch (kernel.step) {
    case FindStep::differences: return "differences_kernel";
    case FindStep::windows: return "windows_kernel";
    case FindStep::products: return "products_kernel";
    case FindStep::best: return "find_best_kernel";
  }
  return "";
}

/// What find() is called with. `whole` has no scratch memory yet.
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

/// The grid of a kernel whose blocks take tiles of places.
inline gpu::Shape find_grid(const kernels::find::FindArguments& a, int tile_columns,
                            int tile_rows) {
  return {gpu::grid_x(gpu::blocks_for(a.columns, tile_columns)),
          gpu::grid_y(gpu::blocks_for(a.rows, tile_rows))};
}
inline gpu::Shape differences_grid(const kernels::find::FindArguments& a) {
  return find_grid(a, kernels::find::differences_tile_columns,
                   kernels::find::differences_tile_rows);
}
inline gpu::Shape products_grid(const kernels::find::FindArguments& a) {
  return find_grid(a, kernels::find::products_tile_columns, kernels::find::products_tile_rows);
}
/// Rows of places that a block of windows_kernel takes: fewer of a small image, so that all of a
/// large GPU's multiprocessors have blocks. Each block sums anew over the template's height above
/// its first row, four rows in the time of one.
inline std::int64_t windows_rows(const kernels::find::FindArguments& a) {
  constexpr std::int64_t most = 32, wanted_blocks = 2 * 132;
  const std::int64_t least = std::clamp<std::int64_t>(a.templ_height / 4, 8, most);
  const std::int64_t strips = gpu::blocks_for(a.columns, kernels::find::windows_tile_columns);
  return std::clamp(gpu::blocks_for(a.rows, wanted_blocks) * strips, least, most);
}
inline std::int64_t blocks_of(const gpu::Shape& grid) { return std::int64_t{grid.x} * grid.y; }

/// The scratch memory of a call: sums of a band of places, one part behind the other, each at a
/// multiple of 16 bytes, then the best places of the blocks of all bands.
struct FindPlan {
  std::int64_t band_rows = 0;      ///< of places whose sums lie in scratch memory at a time
  std::int64_t scratch_pitch = 0;  ///< elements a row of places
  std::int64_t product_bytes = 0;  ///< 0 where 32 bits hold a sum
  std::int64_t square_bytes = 0;
  std::int64_t sum_bytes = 0;
  std::int64_t candidate_bytes = 0;

  std::int64_t candidates_at() const { return product_bytes + square_bytes + sum_bytes; }
  std::int64_t scratch_bytes() const { return checked_add(candidates_at(), candidate_bytes); }
};

inline FindPlan find_plan(const FindCall& call) {
  // Enough places a band for all of a GPU's multiprocessors to be busy many times over, little
  // enough for images of any size.
  constexpr std::int64_t band_places = std::int64_t{1} << 24;
  // Σb² and Σab over so many pixels fit 32 bits.
  constexpr std::int64_t narrow_area = 0xffffffff / (255 * 255);
  constexpr std::int64_t tile_rows = kernels::find::products_tile_rows;
  const kernels::find::FindArguments& a = call.whole;
  FindPlan plan;
  plan.band_rows = a.rows;
  if (call.measure == Measure::sad) {
    plan.candidate_bytes =
        checked_mul(blocks_of(differences_grid(a)), std::int64_t{sizeof(kernels::find::FindPlace)});
    return plan;
  }
  plan.band_rows =
      std::min(a.rows, gpu::blocks_for(band_places / tile_rows, a.columns) * tile_rows);
  const bool wide = a.templ_width * a.templ_height > narrow_area;
  plan.scratch_pitch =
      gpu::blocks_for(a.columns, kernels::find::windows_columns) * kernels::find::windows_columns;
  const std::int64_t places = checked_mul(plan.scratch_pitch, plan.band_rows);
  plan.product_bytes = checked_mul(places, wide ? 8 : 0);
  plan.square_bytes = checked_mul(places, wide ? 8 : 4);
  plan.sum_bytes = checked_mul(places, call.measure == Measure::zncc ? 4 : 0);
  kernels::find::FindArguments band = a;
  band.rows = plan.band_rows;
  const std::int64_t blocks =
      checked_mul(blocks_of(products_grid(band)), gpu::blocks_for(a.rows, plan.band_rows));
  plan.candidate_bytes = checked_mul(blocks, std::int64_t{sizeof(kernels::find::FindPlace)});
  return plan;
}

/// Calls use(launch) with each launch of a call, in order.
/// \param scratch  plan.scratch_bytes() at a multiple of 16
/// \throws InvalidArgument  more places in a row than a GPU grid takes
template <class Use>
void find_launches(const FindCall& call, const FindPlan& plan, std::byte* scratch, Use use) {
  using kernels::find::FindArguments;
  FindArguments whole = call.whole;
  whole.candidates = reinterpret_cast<kernels::find::FindPlace*>(scratch + plan.candidates_at());
  whole.scratch_pitch = plan.scratch_pitch;
  const bool wide = plan.product_bytes > 0;
  if (wide) whole.products = reinterpret_cast<unsigned long long*>(scratch);
  if (plan.square_bytes > 0) whole.squares = scratch + plan.product_bytes;
  if (plan.sum_bytes > 0) {
    whole.sums = reinterpret_cast<unsigned*>(scratch + plan.product_bytes + plan.square_bytes);
  }
  const auto start = [&](FindStep step, gpu::Shape grid, int threads, const auto&... parameters) {
    use(gpu::Launch<FindKernel>{.kernel = {step, call.measure, wide},
                                .grid = grid,
                                .block = {static_cast<unsigned>(threads)},
                                .parameters = gpu::Parameters::of(parameters...)});
  };
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < whole.rows; row += plan.band_rows) {
    FindArguments band = whole;
    band.first_row = row;
    band.rows = std::min(plan.band_rows, whole.rows - row);
    band.image += row * whole.image_pitch;
    band.image_height -= row;
    if (whole.map != nullptr) band.map += row * whole.map_pitch;
    band.candidates += count;
    if (call.measure == Measure::sad) {
      const gpu::Shape grid = differences_grid(band);
      start(FindStep::differences, grid, kernels::find::differences_threads, band);
      count += blocks_of(grid);
      continue;
    }
    band.windows_rows = windows_rows(band);
    start(FindStep::windows,
          find_grid(band, kernels::find::windows_tile_columns, static_cast<int>(band.windows_rows)),
          kernels::find::windows_threads, band);
    const gpu::Shape grid = products_grid(band);
    start(FindStep::products, grid, kernels::find::find_threads, band);
    count += blocks_of(grid);
  }
  const kernels::find::FindPlace* candidates = whole.candidates;
  start(FindStep::best, {}, kernels::find::find_threads, candidates, count, call.measure,
        call.best);
}

}  // namespace warpwise::detail::find
