#include <algorithm>
#include <optional>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/disparity/backends.hpp"
#include "warpwise/primitives/disparity/kernel.cuh"

namespace warpwise::detail::disparity {
namespace {

/// An image with its border in scratch memory and, where a measure needs them, its own sums.
class Side {
 public:
  Side(ConstDeviceView image, int half, Measure measure, gpu::StreamHandle stream)
      : pitch_(checked_add(image.width(), 2 * half)),
        pixels_(checked_mul(pitch_, checked_add(image.height(), 2 * half)), stream) {
    const kernels::disparity::PadArguments arguments{
        pointer(image), image.pitch_bytes(), data(), pitch_, image.width(), image.height(), half};
    const dim3 grid(gpu::grid_x(gpu::blocks_for(pitch_, kernels::disparity::disparity_threads)),
                    gpu::grid_y(image.height() + 2 * half));
    kernels::disparity::
        disparity_pad_kernel<<<grid, kernels::disparity::disparity_threads, 0, stream>>>(arguments);
    gpu::check_launch("disparity_pad_kernel");
    const std::int64_t map_bytes = checked_mul(checked_mul(image.width(), image.height()), 4);
    if (!least_is_best(measure)) squares_.emplace(map_bytes, stream);
    if (measure == Measure::zncc) sum_.emplace(map_bytes, stream);
  }

  unsigned char* data() const { return reinterpret_cast<unsigned char*>(pixels_.data()); }
  std::int64_t pitch() const { return pitch_; }
  kernels::disparity::EnergyMaps energy() const { return {map(sum_), map(squares_)}; }

 private:
  static const unsigned char* pointer(ConstDeviceView view) {
    return reinterpret_cast<const unsigned char*>(view.data());
  }
  static unsigned* map(const std::optional<gpu::Buffer>& buffer) {
    return buffer ? reinterpret_cast<unsigned*>(buffer->data()) : nullptr;
  }

  std::int64_t pitch_;
  gpu::Buffer pixels_;
  std::optional<gpu::Buffer> sum_;
  std::optional<gpu::Buffer> squares_;
};

dim3 grid_of_tiles(const kernels::disparity::PaddedPair& p) {
  return {gpu::grid_x(gpu::blocks_for(p.width, kernels::disparity::disparity_tile_width)),
          gpu::grid_y(gpu::blocks_for(p.height, kernels::disparity::disparity_tile_height))};
}

std::size_t shared_bytes(const kernels::disparity::PaddedPair& p) {
  return sizeof(unsigned) * kernels::disparity::disparity_tile_height *
         static_cast<std::size_t>(kernels::disparity::disparity_sums_stride(p.half));
}

void sum_energy(const Side& side, kernels::disparity::PaddedPair p, gpu::StreamHandle stream) {
  p.base = p.search = side.data();
  kernels::disparity::disparity_energy_kernel<<<
      grid_of_tiles(p), kernels::disparity::disparity_threads, shared_bytes(p), stream>>>(
      p, side.energy());
  gpu::check_launch("disparity_energy_kernel");
}

template <Measure measure>
void launch(const kernels::disparity::MatchArguments& a, gpu::StreamHandle stream) {
  kernels::disparity::disparity_match_kernel<measure>
      <<<grid_of_tiles(a.images), kernels::disparity::disparity_threads, shared_bytes(a.images),
         stream>>>(a);
  gpu::check_launch("disparity_match_kernel");
}

void match(Measure measure, const kernels::disparity::MatchArguments& a, gpu::StreamHandle stream) {
  switch (measure) {
    case Measure::sad: return launch<Measure::sad>(a, stream);
    case Measure::ssd: return launch<Measure::ssd>(a, stream);
    case Measure::ncc: return launch<Measure::ncc>(a, stream);
    case Measure::zncc: return launch<Measure::zncc>(a, stream);
  }
}

short* displacements(const gpu::Buffer& buffer) { return reinterpret_cast<short*>(buffer.data()); }

}  // namespace

void disparity_cuda(ConstDeviceView left, ConstDeviceView right, DeviceView dst,
                    const DisparityOptions& options, gpu::StreamHandle stream) {
  gpu::require_device();
  const int half = options.block / 2;
  const Side left_side(left, half, options.measure, stream);
  const Side right_side(right, half, options.measure, stream);
  const kernels::disparity::PaddedPair images{
      left_side.data(), right_side.data(), left_side.pitch(), left.width(), left.height(), half};
  if (!least_is_best(options.measure)) {
    sum_energy(left_side, images, stream);
    sum_energy(right_side, images, stream);
  }
  const std::int64_t best_bytes =
      checked_mul(checked_mul(left.width(), left.height()), std::int64_t{sizeof(short)});
  const gpu::Buffer best(best_bytes, stream);
  const kernels::disparity::MatchArguments from_left{images,
                                                     options.max_disparity + 1,
                                                     1,
                                                     left_side.energy(),
                                                     right_side.energy(),
                                                     displacements(best),
                                                     reinterpret_cast<unsigned char*>(dst.data()),
                                                     dst.pitch_bytes(),
                                                     options.subpixel};
  match(options.measure, from_left, stream);
  if (options.check < 0) return;

  const gpu::Buffer best_from_right(best_bytes, stream);
  kernels::disparity::MatchArguments from_right = from_left;
  std::swap(from_right.images.base, from_right.images.search);
  std::swap(from_right.base_energy, from_right.search_energy);
  from_right.direction = -1;
  from_right.best = displacements(best_from_right);
  from_right.value = nullptr;
  match(options.measure, from_right, stream);

  const kernels::disparity::CheckArguments check{
      displacements(best), displacements(best_from_right),
      from_left.value,     from_left.value_pitch,
      left.width(),        left.height(),
      options.check};
  const dim3 grid(gpu::grid_x(gpu::blocks_for(left.width(), kernels::disparity::disparity_threads)),
                  gpu::grid_y(left.height()));
  kernels::disparity::
      disparity_check_kernel<<<grid, kernels::disparity::disparity_threads, 0, stream>>>(check);
  gpu::check_launch("disparity_check_kernel");
}

}  // namespace warpwise::detail::disparity
