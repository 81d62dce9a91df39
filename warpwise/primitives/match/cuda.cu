#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/match/backends.hpp"
#include "warpwise/primitives/match/kernel.cuh"
#include "warpwise/primitives/match/launch.hpp"

namespace warpwise::detail {
namespace {

template <Measure measure>
void run(const MatchLaunch& launch, gpu::StreamHandle stream) {
  kernels::match_kernel<measure>
      <<<dim3(launch.grid_x, launch.grid_y), launch.threads,
         static_cast<std::size_t>(launch.shared_bytes), stream>>>(launch.arguments);
  gpu::check_launch("match_kernel");
}

}  // namespace

void match_cuda(ConstDeviceView reference, ConstDeviceView target, DeviceView displacement,
                const MatchOptions& options, std::optional<DeviceView> score,
                gpu::StreamHandle stream) {
  gpu::require_device();
  kernels::MatchArguments images{};
  images.reference = reinterpret_cast<const unsigned char*>(reference.data());
  images.target = reinterpret_cast<const unsigned char*>(target.data());
  images.displacement = reinterpret_cast<unsigned char*>(displacement.data());
  images.score = score ? reinterpret_cast<unsigned char*>(score->data()) : nullptr;
  images.reference_pitch = reference.pitch_bytes();
  images.target_pitch = target.pitch_bytes();
  images.displacement_pitch = displacement.pitch_bytes();
  images.score_pitch = score ? score->pitch_bytes() : 0;
  images.width = reference.width();
  images.height = reference.height();
  const MatchLaunch launch =
      match_launch(images, {displacement.width(), displacement.height()}, options);
  switch (options.measure) {
    case Measure::sad: return run<Measure::sad>(launch, stream);
    case Measure::ssd: return run<Measure::ssd>(launch, stream);
    case Measure::ncc: return run<Measure::ncc>(launch, stream);
    case Measure::zncc: return run<Measure::zncc>(launch, stream);
  }
}

}  // namespace warpwise::detail
