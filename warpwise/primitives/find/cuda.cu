#include <cstddef>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/find/backends.hpp"
#include "warpwise/primitives/find/kernel.cuh"

namespace warpwise::detail::find {
namespace {

static_assert(sizeof(kernels::find::FindPlace) == sizeof(Finding) &&
              offsetof(kernels::find::FindPlace, x) == offsetof(Finding, x) &&
              offsetof(kernels::find::FindPlace, y) == offsetof(Finding, y) &&
              offsetof(kernels::find::FindPlace, score) == offsetof(Finding, score));

const unsigned char* pointer(ConstDeviceView view) {
  return reinterpret_cast<const unsigned char*>(view.data());
}

template <Measure measure>
void launch(dim3 grid, const kernels::find::FindArguments& arguments, gpu::StreamHandle stream) {
  kernels::find::find_kernel<measure><<<grid, kernels::find::find_threads, 0, stream>>>(arguments);
  gpu::check_launch("find_kernel");
}

void launch(Measure measure, dim3 grid, const kernels::find::FindArguments& arguments,
            gpu::StreamHandle stream) {
  switch (measure) {
    case Measure::sad: return launch<Measure::sad>(grid, arguments, stream);
    case Measure::ssd: return launch<Measure::ssd>(grid, arguments, stream);
    case Measure::ncc: return launch<Measure::ncc>(grid, arguments, stream);
    case Measure::zncc: return launch<Measure::zncc>(grid, arguments, stream);
  }
}

}  // namespace

void find_cuda(ConstDeviceView templ, ConstDeviceView image, DeviceView best,
               const std::optional<DeviceView>& map, Measure measure, gpu::StreamHandle stream) {
  gpu::require_device();
  kernels::find::FindArguments arguments{};
  arguments.templ = pointer(templ);
  arguments.image = pointer(image);
  arguments.templ_pitch = templ.pitch_bytes();
  arguments.templ_width = templ.width();
  arguments.templ_height = templ.height();
  arguments.image_pitch = image.pitch_bytes();
  arguments.image_width = image.width();
  arguments.image_height = image.height();
  arguments.columns = image.width() - templ.width() + 1;
  arguments.rows = image.height() - templ.height() + 1;
  if (map) {
    arguments.map = reinterpret_cast<unsigned char*>(map->data());
    arguments.map_pitch = map->pitch_bytes();
    arguments.integers = map->type() == ElementType::u32;
  }
  const dim3 grid(gpu::grid_x(gpu::blocks_for(arguments.columns, kernels::find::find_tile_columns)),
                  gpu::grid_y(gpu::blocks_for(arguments.rows, kernels::find::find_tile_rows)));
  const std::int64_t blocks = std::int64_t{grid.x} * grid.y;
  const gpu::Buffer candidates(checked_mul(blocks, std::int64_t{sizeof(kernels::find::FindPlace)}),
                               stream);
  arguments.candidates = reinterpret_cast<kernels::find::FindPlace*>(candidates.data());
  launch(measure, grid, arguments, stream);
  kernels::find::find_best_kernel<<<1, kernels::find::find_threads, 0, stream>>>(
      arguments.candidates, blocks, measure, reinterpret_cast<unsigned char*>(best.data()));
  gpu::check_launch("find_best_kernel");
}

}  // namespace warpwise::detail::find
