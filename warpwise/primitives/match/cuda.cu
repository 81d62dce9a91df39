#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/start_with.hpp"
#include "warpwise/primitives/match/backends.hpp"
#include "warpwise/primitives/match/differences.cuh"
#include "warpwise/primitives/match/kernel.cuh"
#include "warpwise/primitives/match/launch.hpp"
#include "warpwise/primitives/match/products.cuh"
#include "warpwise/primitives/match/rejection.cuh"

namespace warpwise::detail::match {
namespace {

using Function = void (*)(kernels::match::MatchArguments);

Function function_of(MatchKernel kernel) {
  using kernels::match::match_kernel;
  using kernels::match::match_products_kernel;
  if (kernel.way == MatchKernel::tall) return kernels::match::match_tall_kernel;
  if (kernel.way == MatchKernel::rejecting) return kernels::match::match_rejecting_kernel;
  if (kernel.way == MatchKernel::rejecting_tall) return kernels::match::match_rejecting_tall_kernel;
  if (kernel.way == MatchKernel::products) {
    switch (kernel.measure) {
      case Measure::sad: break;
      case Measure::ssd: return match_products_kernel<Measure::ssd>;
      case Measure::ncc: return match_products_kernel<Measure::ncc>;
      case Measure::zncc: return match_products_kernel<Measure::zncc>;
    }
    __builtin_unreachable();
  }
  switch (kernel.measure) {
    case Measure::sad: return match_kernel<Measure::sad>;
    case Measure::ssd: return match_kernel<Measure::ssd>;
    case Measure::ncc: return match_kernel<Measure::ncc>;
    case Measure::zncc: return match_kernel<Measure::zncc>;
  }
  __builtin_unreachable();
}

bool is_for_hopper() {
  static gpu::HopperCode code;
  return code.is_for_hopper(kernels::match::match_tall_kernel, "match_tall_kernel");
}

}  // namespace

void match_cuda(ConstDeviceView reference, ConstDeviceView target, DeviceView displacement,
                const MatchOptions& options, std::optional<DeviceView> score,
                gpu::StreamHandle stream) {
  gpu::require_device();
  kernels::match::MatchArguments images{};
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
  const auto launch = match_launch(images, {displacement.width(), displacement.height()}, options);
  gpu::start_early(is_for_hopper(), function_of(launch.kernel), launch, kernel_name(launch.kernel),
                   stream);
}

}  // namespace warpwise::detail::match
