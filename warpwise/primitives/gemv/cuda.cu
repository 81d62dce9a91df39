#include <cstdint>
#include <optional>
#include <string>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/limit.hpp"
#include "warpwise/gpu/start_with.hpp"
#include "warpwise/primitives/gemv/backends.hpp"
#include "warpwise/primitives/gemv/kernel.cuh"
#include "warpwise/primitives/gemv/launch.hpp"

namespace warpwise::detail::gemv {
namespace {

using kernels::gemv::GemvAccess;
using kernels::gemv::GemvArguments;

using RowsFunction = void (*)(GemvArguments, int, int, bool, std::int64_t);
using ColumnsFunction = void (*)(GemvArguments, int, int);

template <class T>
constexpr int size = static_cast<int>(sizeof(typename T::Element));

template <class T, GemvAccess access, int steps, int pieces>
RowsFunction rows_function() {
  constexpr int at_once = gemv_rows_shape(gemv_elements(access, size<T>), steps, pieces).at_once;
  return kernels::gemv::gemv_rows<T, access, steps, pieces, at_once>;
}

/// Returns the kernel for a shape that gemv_rows_shape() returned.
template <class T, GemvAccess access>
RowsFunction rows_function(const GemvRowsShape& shape) {
  if constexpr (access != GemvAccess::byte) {
    if (shape.steps == 2) return rows_function<T, access, 2, 1>();
  }
  if constexpr (gemv_elements(access, size<T>) > 1) {
    if (shape.pieces == 2) return rows_function<T, access, 8, 2>();
  }
  return shape.pieces == 1 ? rows_function<T, access, 8, 1>() : rows_function<T, access, 8, 4>();
}

bool is_for_hopper() {
  static gpu::HopperCode code;
  return code.is_for_hopper(kernels::gemv::gemv_sum, kernel_name(GemvStep::sum));
}

template <class... Values>
void start_product(void (*kernel)(Values...), const gpu::Launch<GemvKernel>& launch,
                   gpu::StreamHandle stream) {
  const char* const name = kernel_name(launch.kernel.step);
  if (launch.kernel.cluster == 1) {
    return gpu::start_early(is_for_hopper(), kernel, launch, name, stream);
  }
  const gpu::Shape cluster = launch.kernel.step == GemvStep::rows
                                 ? gpu::Shape{launch.kernel.cluster, 1}
                                 : gpu::Shape{1, launch.kernel.cluster};
  gpu::start_with(gpu::in_clusters(cluster), kernel, launch, name, stream);
}

template <class T, GemvAccess access>
void start_product(const gpu::Launch<GemvKernel>& launch, gpu::StreamHandle stream) {
  if (launch.kernel.step == GemvStep::rows) {
    return start_product(rows_function<T, access>(launch.kernel.shape), launch, stream);
  }
  if constexpr (access == GemvAccess::element) {
    if (launch.kernel.lines) {
      const ColumnsFunction columns = kernels::gemv::gemv_columns<T, access, true>;
      return start_product(columns, launch, stream);
    }
  }
  const ColumnsFunction columns = kernels::gemv::gemv_columns<T, access, false>;
  start_product(columns, launch, stream);
}

template <class T>
auto short_columns_function(int width) {
  return width == 32   ? kernels::gemv::gemv_short_columns<T, 32>
         : width == 16 ? kernels::gemv::gemv_short_columns<T, 16>
                       : kernels::gemv::gemv_short_columns<T, 8>;
}

auto strands_function(int width) {
  return width == 1   ? kernels::gemv::gemv_strands<1>
         : width == 2 ? kernels::gemv::gemv_strands<2>
         : width == 3 ? kernels::gemv::gemv_strands<3>
                      : kernels::gemv::gemv_strands<4>;
}

template <class T>
void start_product(const gpu::Launch<GemvKernel>& launch, gpu::StreamHandle stream) {
  const char* const name = kernel_name(launch.kernel.step);
  if (launch.kernel.step == GemvStep::narrow) {
    return gpu::start_early(is_for_hopper(), kernels::gemv::gemv_narrow<T>, launch, name, stream);
  }
  if (launch.kernel.step == GemvStep::short_columns) {
    return gpu::start_early(is_for_hopper(), short_columns_function<T>(launch.kernel.width), launch,
                            name, stream);
  }
  switch (launch.kernel.access) {
    case GemvAccess::vector: return start_product<T, GemvAccess::vector>(launch, stream);
    case GemvAccess::half_vector:
      if constexpr (size<T> == 2) {
        return start_product<T, GemvAccess::half_vector>(launch, stream);
      } else {
        throw Error("gemv: loads of 8 bytes are for f16 and bf16, not for f32");
      }
    case GemvAccess::element: return start_product<T, GemvAccess::element>(launch, stream);
    case GemvAccess::byte: return start_product<T, GemvAccess::byte>(launch, stream);
  }
}

void start_product(const gpu::Launch<GemvKernel>& launch, gpu::StreamHandle stream) {
  switch (launch.kernel.type) {
    case ElementType::f16: return start_product<kernels::gemv::GemvF16>(launch, stream);
    case ElementType::bf16: return start_product<kernels::gemv::GemvBF16>(launch, stream);
    case ElementType::f32: return start_product<kernels::gemv::GemvF32>(launch, stream);
    case ElementType::u8:
    case ElementType::u16:
    case ElementType::i16:
    case ElementType::u32:
    case ElementType::i32: break;
  }
  throw Error("gemv: there is no kernel for a matrix of " +
              std::string(name_of(launch.kernel.type)));
}

void start(const gpu::Launch<GemvKernel>& launch, gpu::StreamHandle stream) {
  const auto as = [&](auto* kernel) {
    gpu::start(kernel, launch, kernel_name(launch.kernel.step), stream);
  };
  const auto early = [&](auto* kernel) {
    gpu::start_early(is_for_hopper(), kernel, launch, kernel_name(launch.kernel.step), stream);
  };
  switch (launch.kernel.step) {
    case GemvStep::scale: return as(kernels::gemv::gemv_scale);
    case GemvStep::gather:
      return size_of(launch.kernel.type) == 2 ? as(kernels::gemv::gemv_gather<unsigned short>)
                                              : as(kernels::gemv::gemv_gather<unsigned>);
    case GemvStep::rows:
    case GemvStep::narrow:
    case GemvStep::columns:
    case GemvStep::short_columns: return start_product(launch, stream);
    case GemvStep::strands: return early(strands_function(launch.kernel.width));
    case GemvStep::sum: return early(kernels::gemv::gemv_sum);
    case GemvStep::sum_few: return early(kernels::gemv::gemv_sum_few);
  }
}

/// Returns true if the largest cluster can run on the stream's multiprocessors. It needs one GPC. A
/// stream that is limited to a part of the GPU may have too few multiprocessors in each.
bool clusters_fit(gpu::StreamHandle stream) {
  cudaLaunchAttribute cluster = gpu::in_clusters({1, gemv_most_cluster});
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1, gemv_most_cluster);
  config.blockDim = dim3(kernels::gemv::gemv_most_column_threads);
  config.dynamicSmemBytes = 32 << 10;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  int count = 0;
  const ColumnsFunction kernel =
      kernels::gemv::gemv_columns<kernels::gemv::GemvF32, GemvAccess::vector, false>;
  gpu::check(cudaOccupancyMaxActiveClusters(&count, reinterpret_cast<const void*>(kernel), &config),
             "cudaOccupancyMaxActiveClusters");
  return count > 0;
}

}  // namespace

void gemv_cuda(ConstDeviceView a, ConstDeviceView x, DeviceView y, const GemvOptions& options,
               gpu::StreamHandle stream) {
  gpu::require_device();
  const GemvCall call = gemv_call(a, x, y, options);
  if (options.alpha == 0) return start(gemv_scale_launch(call), stream);
  const int multiprocessors = gpu::device_limit(cudaDevAttrMultiProcessorCount);
  GemvPlan plan = gemv_plan(call, multiprocessors, is_for_hopper());
  if (plan.has_cluster() && !clusters_fit(stream)) plan = gemv_plan(call, multiprocessors);
  std::optional<gpu::Buffer> scratch;
  if (plan.scratch_bytes() > 0) scratch.emplace(plan.scratch_bytes(), stream);
  for (const auto& launch : gemv_launches(call, plan, scratch ? scratch->data() : nullptr)) {
    start(launch, stream);
  }
}

}  // namespace warpwise::detail::gemv
