#include "warpwise/gpu/allow_shared.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/limit.hpp"
#include "warpwise/gpu/start_with.hpp"
#include "warpwise/primitives/disparity/backends.hpp"
#include "warpwise/primitives/disparity/energy_maps.cuh"
#include "warpwise/primitives/disparity/launch.hpp"
#include "warpwise/primitives/disparity/padded.cuh"
#include "warpwise/primitives/disparity/sweep.cuh"
#include "warpwise/primitives/disparity/tiles.cuh"

namespace warpwise::detail::disparity {
namespace {

using SweepFunction = void (*)(kernels::disparity::SweepArguments);

template <Measure measure, bool keyed, bool checked, bool subpixel, int lanes>
SweepFunction sweep_function() {
  using Row = typename kernels::disparity::SweepRow<measure, keyed, checked, subpixel, lanes>::Type;
  using Memory = kernels::disparity::SliceMemory<Row, lanes>;
  using kernels::disparity::slice_bytes;
  static_assert(Memory::bytes(0, 0) == slice_bytes(measure, keyed, subpixel, lanes, 0, 0));
  static_assert(Memory::bytes(7, 40) == slice_bytes(measure, keyed, subpixel, lanes, 7, 40));
  return kernels::disparity::disparity_sweep_kernel<measure, keyed, checked, subpixel, lanes>;
}

template <Measure measure, bool keyed>
SweepFunction sweep_function(const DisparityKernel& kernel) {
  if constexpr (measure != Measure::sad) {
    if (kernel.lanes != 32) {
      return sweep_function<measure, keyed, true, false, kernels::disparity::few_lanes>();
    }
  }
  if (!kernel.checked) {
    return kernel.subpixel ? sweep_function<measure, keyed, false, true, 32>()
                           : sweep_function<measure, keyed, false, false, 32>();
  }
  return kernel.subpixel ? sweep_function<measure, keyed, true, true, 32>()
                         : sweep_function<measure, keyed, true, false, 32>();
}

SweepFunction sweep_function(const DisparityKernel& kernel) {
  switch (kernel.measure) {
    case Measure::sad: return sweep_function<Measure::sad, true>(kernel);
    case Measure::ssd:
      return kernel.keyed ? sweep_function<Measure::ssd, true>(kernel)
                          : sweep_function<Measure::ssd, false>(kernel);
    case Measure::ncc: return sweep_function<Measure::ncc, false>(kernel);
    case Measure::zncc: return sweep_function<Measure::zncc, false>(kernel);
  }
  __builtin_unreachable();  // disparity() refuses other measures
}

/// Returns the number of a sweep's thread blocks that a multiprocessor holds.
int resident_blocks(const DisparityKernel& kernel, int threads, int shared_bytes) {
  const SweepFunction function = sweep_function(kernel);
  gpu::allow_shared(reinterpret_cast<const void*>(function), static_cast<std::size_t>(shared_bytes),
                    "disparity_sweep");
  int blocks = 0;
  gpu::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads,
                                                           static_cast<std::size_t>(shared_bytes)),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks;
}

bool is_for_hopper() {
  static gpu::HopperCode code;
  return code.is_for_hopper(kernels::disparity::disparity_pad_kernel, "disparity_pad_kernel");
}

void start(const gpu::Launch<DisparityKernel>& launch, gpu::StreamHandle stream) {
  const DisparityKernel& kernel = launch.kernel;
  const auto as = [&](auto* function) {
    gpu::start_early(is_for_hopper(), function, launch, kernel_name(kernel), stream);
  };
  switch (kernel.step) {
    case DisparityStep::pad: return as(kernels::disparity::disparity_pad_kernel);
    case DisparityStep::energies: return as(kernels::disparity::disparity_energy_kernel);
    case DisparityStep::sweep: return as(sweep_function(kernel));
    case DisparityStep::tiles:
      switch (kernel.measure) {
        case Measure::sad: return as(kernels::disparity::disparity_match_kernel<Measure::sad>);
        case Measure::ssd: return as(kernels::disparity::disparity_match_kernel<Measure::ssd>);
        case Measure::ncc: return as(kernels::disparity::disparity_match_kernel<Measure::ncc>);
        case Measure::zncc: return as(kernels::disparity::disparity_match_kernel<Measure::zncc>);
      }
      return;
    case DisparityStep::check:
      return kernel.swept ? as(kernels::disparity::disparity_check_kernel<unsigned long long>)
                          : as(kernels::disparity::disparity_check_kernel<short>);
  }
}

}  // namespace

void disparity_cuda(ConstDeviceView left, ConstDeviceView right, DeviceView dst,
                    const DisparityOptions& options, gpu::StreamHandle stream) {
  gpu::require_device();
  const DisparityCall call{left, right, dst, options};
  const DisparityPlan plan =
      disparity_plan(call, gpu::device_limit(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  const gpu::Buffer scratch(plan.scratch_bytes, stream);
  for (const auto& launch :
       disparity_launches(call, plan, scratch.data(),
                          gpu::device_limit(cudaDevAttrMultiProcessorCount), resident_blocks)) {
    start(launch, stream);
  }
}

}  // namespace warpwise::detail::disparity
