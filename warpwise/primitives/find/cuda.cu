#include <cstddef>
#include <string>
#include <type_traits>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/start.hpp"
#include "warpwise/primitives/find/backends.hpp"
#include "warpwise/primitives/find/differences.cuh"
#include "warpwise/primitives/find/launch.hpp"
#include "warpwise/primitives/find/products.cuh"
#include "warpwise/primitives/find/windows.cuh"

namespace warpwise::detail::find {
namespace {

using kernels::find::FindPlace;
using Function = void (*)(kernels::find::FindArguments);

static_assert(sizeof(FindPlace) == sizeof(Finding) &&
              offsetof(FindPlace, x) == offsetof(Finding, x) &&
              offsetof(FindPlace, y) == offsetof(Finding, y) &&
              offsetof(FindPlace, score) == offsetof(Finding, score));

template <Measure measure, bool wide>
Function function_of(FindStep step) {
  using Sum = std::conditional_t<wide, unsigned long long, unsigned>;
  if (step == FindStep::windows)
    return kernels::find::windows_kernel < measure == Measure::zncc, Sum > ;
  return kernels::find::products_kernel<measure, wide>;
}

template <Measure measure>
Function function_of(const FindKernel& kernel) {
  return kernel.wide ? function_of<measure, true>(kernel.step)
                     : function_of<measure, false>(kernel.step);
}

Function function_of(const FindKernel& kernel) {
  switch (kernel.measure) {
    case Measure::sad: return kernels::find::differences_kernel;
    case Measure::ssd: return function_of<Measure::ssd>(kernel);
    case Measure::ncc: return function_of<Measure::ncc>(kernel);
    case Measure::zncc: return function_of<Measure::zncc>(kernel);
  }
  throw Error("find: no kernel of measure " + std::to_string(static_cast<int>(kernel.measure)));
}

}  // namespace

void find_cuda(ConstDeviceView templ, ConstDeviceView image, DeviceView best,
               const std::optional<DeviceView>& map, Measure measure, gpu::StreamHandle stream) {
  gpu::require_device();
  const FindCall call = find_call(templ, image, best, map, measure);
  const FindPlan plan = find_plan(call);
  const gpu::Buffer scratch(plan.scratch_bytes(), stream);
  find_launches(call, plan, scratch.data(), [&](const gpu::Launch<FindKernel>& launch) {
    const char* const name = kernel_name(launch.kernel);
    if (launch.kernel.step == FindStep::best)
      gpu::start(kernels::find::find_best_kernel, launch, name, stream);
    else
      gpu::start(function_of(launch.kernel), launch, name, stream);
  });
}

}  // namespace warpwise::detail::find
