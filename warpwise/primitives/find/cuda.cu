#include <cstddef>
#include <string>
#include <type_traits>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/limit.hpp"
#include "warpwise/gpu/start_with.hpp"
#include "warpwise/primitives/find/backends.hpp"
#include "warpwise/primitives/find/differences.cuh"
#include "warpwise/primitives/find/launch.hpp"
#include "warpwise/primitives/find/products.cuh"
#include "warpwise/primitives/find/transforms.cuh"
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
Function instance_of(const FindKernel& kernel) {
  using Sum = std::conditional_t<wide, unsigned long long, unsigned>;
  if (kernel.step == FindStep::windows)
    return kernels::find::windows_kernel < measure == Measure::zncc, Sum > ;
  using kernels::find::products_groups;
  if constexpr (!wide) {
    if (kernel.groups != products_groups) {
      return kernels::find::products_kernel<measure, wide, kernels::find::products_few_groups>;
    }
  }
  return kernels::find::products_kernel<measure, wide, products_groups>;
}

template <Measure measure>
Function function_of(const FindKernel& kernel) {
  return kernel.wide ? instance_of<measure, true>(kernel) : instance_of<measure, false>(kernel);
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

using Transform = void (*)(kernels::find::FindArguments, kernels::find::FindTransform);

template <bool wide>
Transform scores_of(Measure measure) {
  using kernels::find::transform_scores_kernel;
  using Sum = std::conditional_t<wide, unsigned long long, unsigned>;
  switch (measure) {
    case Measure::sad: break;
    case Measure::ssd: return transform_scores_kernel<Measure::ssd, Sum>;
    case Measure::ncc: return transform_scores_kernel<Measure::ncc, Sum>;
    case Measure::zncc: return transform_scores_kernel<Measure::zncc, Sum>;
  }
  __builtin_unreachable();
}

/// Returns the kernel of a step of transforms; null for other steps.
Transform transform_of(const FindKernel& kernel) {
  switch (kernel.step) {
    case FindStep::template_rows: return kernels::find::template_rows_kernel;
    case FindStep::template_columns: return kernels::find::template_columns_kernel;
    case FindStep::image_rows: return kernels::find::image_rows_kernel;
    case FindStep::columns: return kernels::find::columns_kernel;
    case FindStep::transform_scores:
      return kernel.wide ? scores_of<true>(kernel.measure) : scores_of<false>(kernel.measure);
    case FindStep::differences:
    case FindStep::segments:
    case FindStep::windows:
    case FindStep::products:
    case FindStep::roots:
    case FindStep::best: break;
  }
  return nullptr;
}

std::optional<TransformTiles> tiles_of(const FindCall& call, bool always_transforms) {
  if (call.measure == Measure::sad) return {};
  const kernels::find::FindArguments& a = call.whole;
  const std::optional<TransformTiles> tiles = transform_tiles(a, band_rows(a));
  if (!tiles || always_transforms) return tiles;
  const int ratio = gpu::device_limit(cudaDevAttrSingleToDoublePrecisionPerfRatio);
  return transforms_pay(a, band_rows(a), *tiles, ratio) ? tiles : std::nullopt;
}

bool is_for_hopper() {
  static gpu::HopperCode code;
  return code.is_for_hopper(kernels::find::roots_kernel, "roots_kernel");
}

}  // namespace

void find_cuda(ConstDeviceView templ, ConstDeviceView image, DeviceView best,
               const std::optional<DeviceView>& map, Measure measure, gpu::StreamHandle stream,
               bool always_transforms) {
  gpu::require_device();
  const FindCall call = find_call(templ, image, best, map, measure);
  const FindPlan plan = find_plan(call, tiles_of(call, always_transforms));
  const gpu::Buffer scratch(plan.scratch_bytes(), stream);
  find_launches(call, plan, scratch.data(), [&](const gpu::Launch<FindKernel>& launch) {
    const auto start = [&](auto* kernel) {
      gpu::start_early(is_for_hopper(), kernel, launch, kernel_name(launch.kernel), stream);
    };
    if (launch.kernel.step == FindStep::best)
      start(kernels::find::find_best_kernel);
    else if (launch.kernel.step == FindStep::segments)
      start(kernels::find::segments_kernel);
    else if (launch.kernel.step == FindStep::roots)
      start(kernels::find::roots_kernel);
    else if (const Transform transform = transform_of(launch.kernel))
      start(transform);
    else
      start(function_of(launch.kernel));
  });
}

}  // namespace warpwise::detail::find
