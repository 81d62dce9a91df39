#include <algorithm>
#include <cstddef>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/find/backends.hpp"
#include "warpwise/primitives/find/differences.cuh"
#include "warpwise/primitives/find/products.cuh"
#include "warpwise/primitives/find/windows.cuh"

namespace warpwise::detail::find {
namespace {

using kernels::find::find_threads;
using kernels::find::FindArguments;
using kernels::find::FindPlace;

static_assert(sizeof(FindPlace) == sizeof(Finding) &&
              offsetof(FindPlace, x) == offsetof(Finding, x) &&
              offsetof(FindPlace, y) == offsetof(Finding, y) &&
              offsetof(FindPlace, score) == offsetof(Finding, score));

// Places whose sums lie in scratch memory at a time: enough for all of a GPU's multiprocessors to
// be busy many times over, little enough for images of any size.
constexpr std::int64_t band_places = std::int64_t{1} << 24;
// Σb² and Σab over so many pixels fit 32 bits.
constexpr std::int64_t narrow_area = 0xffffffff / (255 * 255);

const unsigned char* pointer(ConstDeviceView view) {
  return reinterpret_cast<const unsigned char*>(view.data());
}

dim3 grid_of(const FindArguments& a, int tile_columns, int tile_rows) {
  return {gpu::grid_x(gpu::blocks_for(a.columns, tile_columns)),
          gpu::grid_y(gpu::blocks_for(a.rows, tile_rows))};
}

void launch(void (*kernel)(FindArguments), dim3 grid, int threads, const char* name,
            const FindArguments& a, gpu::StreamHandle stream) {
  kernel<<<grid, threads, 0, stream>>>(a);
  gpu::check_launch(name);
}

dim3 products_grid(const FindArguments& a) {
  return grid_of(a, kernels::find::products_tile_columns, kernels::find::products_tile_rows);
}

template <Measure measure, bool wide>
void launch_products(const FindArguments& a, gpu::StreamHandle stream) {
  using Sum = std::conditional_t<wide, unsigned long long, unsigned>;
  constexpr bool with_sums = measure == Measure::zncc;
  launch(kernels::find::windows_kernel<with_sums, Sum>,
         grid_of(a, kernels::find::windows_tile_columns, kernels::find::windows_tile_rows),
         kernels::find::windows_threads, "windows_kernel", a, stream);
  launch(kernels::find::products_kernel<measure, wide>, products_grid(a), find_threads,
         "products_kernel", a, stream);
}

template <Measure measure>
void launch_products(const FindArguments& a, gpu::StreamHandle stream) {
  if (a.products != nullptr)
    launch_products<measure, true>(a, stream);
  else
    launch_products<measure, false>(a, stream);
}

void launch_products(Measure measure, const FindArguments& a, gpu::StreamHandle stream) {
  switch (measure) {
    case Measure::sad: break;
    case Measure::ssd: return launch_products<Measure::ssd>(a, stream);
    case Measure::ncc: return launch_products<Measure::ncc>(a, stream);
    case Measure::zncc: return launch_products<Measure::zncc>(a, stream);
  }
}

void launch_best(const FindArguments& a, std::int64_t candidates, Measure measure, DeviceView best,
                 gpu::StreamHandle stream) {
  kernels::find::find_best_kernel<<<1, find_threads, 0, stream>>>(
      a.candidates, candidates, measure, reinterpret_cast<unsigned char*>(best.data()));
  gpu::check_launch("find_best_kernel");
}

gpu::Buffer candidates_buffer(FindArguments& a, std::int64_t count, gpu::StreamHandle stream) {
  gpu::Buffer buffer(checked_mul(count, std::int64_t{sizeof(FindPlace)}), stream);
  a.candidates = reinterpret_cast<FindPlace*>(buffer.data());
  return buffer;
}

void find_by_differences(FindArguments a, DeviceView best, gpu::StreamHandle stream) {
  const dim3 grid =
      grid_of(a, kernels::find::differences_tile_columns, kernels::find::differences_tile_rows);
  const std::int64_t blocks = std::int64_t{grid.x} * grid.y;
  const gpu::Buffer candidates = candidates_buffer(a, blocks, stream);
  launch(kernels::find::differences_kernel, grid, kernels::find::differences_threads,
         "differences_kernel", a, stream);
  launch_best(a, blocks, Measure::sad, best, stream);
}

/// Sums, squares and, for large templates, what products carry, of a band of places.
gpu::Buffer scratch_buffer(FindArguments& a, std::int64_t band_rows, Measure measure,
                           gpu::StreamHandle stream) {
  const bool wide = a.templ_width * a.templ_height > narrow_area;
  a.scratch_pitch =
      gpu::blocks_for(a.columns, kernels::find::windows_columns) * kernels::find::windows_columns;
  const std::int64_t places = checked_mul(a.scratch_pitch, band_rows);
  const std::int64_t products = wide ? 8 : 0, squares = wide ? 8 : 4;
  const std::int64_t sums = measure == Measure::zncc ? 4 : 0;
  gpu::Buffer buffer(checked_mul(places, products + squares + sums), stream);
  std::byte* at = buffer.data();
  if (wide) a.products = reinterpret_cast<unsigned long long*>(at);
  at += places * products;
  a.squares = at;
  at += places * squares;
  a.sums = reinterpret_cast<unsigned*>(at);
  return buffer;
}

void find_by_products(FindArguments whole, Measure measure, DeviceView best,
                      gpu::StreamHandle stream) {
  constexpr std::int64_t tile_rows = kernels::find::products_tile_rows;
  const std::int64_t band_rows =
      std::min(whole.rows, gpu::blocks_for(band_places / tile_rows, whole.columns) * tile_rows);
  const gpu::Buffer scratch = scratch_buffer(whole, band_rows, measure, stream);
  FindArguments first = whole;
  first.rows = band_rows;
  const dim3 grid = products_grid(first);
  const std::int64_t blocks = std::int64_t{grid.x} * grid.y;
  const std::int64_t bands = gpu::blocks_for(whole.rows, band_rows);
  const gpu::Buffer candidates = candidates_buffer(whole, checked_mul(blocks, bands), stream);
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < whole.rows; row += band_rows) {
    FindArguments band = whole;
    band.first_row = row;
    band.rows = std::min(band_rows, whole.rows - row);
    band.image += row * whole.image_pitch;
    band.image_height -= row;
    if (whole.map != nullptr) band.map += row * whole.map_pitch;
    band.candidates += count;
    launch_products(measure, band, stream);
    const dim3 used = products_grid(band);
    count += std::int64_t{used.x} * used.y;
  }
  launch_best(whole, count, measure, best, stream);
}

}  // namespace

void find_cuda(ConstDeviceView templ, ConstDeviceView image, DeviceView best,
               const std::optional<DeviceView>& map, Measure measure, gpu::StreamHandle stream) {
  gpu::require_device();
  FindArguments a{};
  a.templ = pointer(templ);
  a.image = pointer(image);
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
  if (measure == Measure::sad)
    find_by_differences(a, best, stream);
  else
    find_by_products(a, measure, best, stream);
}

}  // namespace warpwise::detail::find
