#include <cstdint>
#include <optional>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/gemv/backends.hpp"
#include "warpwise/primitives/gemv/kernel.cuh"
#include "warpwise/primitives/gemv/launch.hpp"

namespace warpwise::detail {
namespace {

using kernels::GemvAccess;
using kernels::GemvArguments;

template <class T>
constexpr int size = static_cast<int>(sizeof(typename T::Element));

/// What a product is launched with; `lists` sums of each output follow, unless there is one.
struct Plan {
  GemvRowsShape shape{};
  GemvRowsLaunch rows{};
  GemvColumnsLaunch columns{};
  std::int64_t lists = 1;
};

Plan plan(const GemvArguments& a, GemvAccess access, int element_size, bool transpose) {
  Plan made;
  if (transpose) {
    int device = 0;
    int multiprocessors = 0;
    gpu::check(cudaGetDevice(&device), "cudaGetDevice");
    gpu::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
               "cudaDeviceGetAttribute");
    made.columns = gemv_columns_launch(a, access, element_size, multiprocessors);
    made.lists = made.columns.lists;
  } else {
    made.shape = gemv_rows_shape(access, element_size, a.columns);
    made.rows = gemv_rows_launch(a, made.shape, access, element_size);
    made.lists = made.rows.sets;
  }
  return made;
}

template <class T, GemvAccess access, int steps, int pieces>
void launch_rows(const GemvArguments& a, const GemvRowsLaunch& launch, gpu::StreamHandle stream) {
  constexpr int at_once = gemv_rows_shape(gemv_elements(access, size<T>), steps, pieces).at_once;
  kernels::gemv_rows<T, access, steps, pieces, at_once>
      <<<launch.grid, kernels::gemv_block_threads, 0, stream>>>(a, launch.sets, launch.log_team,
                                                                launch.turns);
  gpu::check_launch("gemv_rows");
}

template <class T, GemvAccess access>
void launch_product(const GemvArguments& a, const Plan& plan, bool transpose,
                    gpu::StreamHandle stream) {
  if (transpose) {
    const GemvColumnsLaunch& launch = plan.columns;
    kernels::gemv_columns<T, access>
        <<<dim3(launch.tiles, launch.sets), static_cast<unsigned>(launch.threads),
           static_cast<std::size_t>(launch.shared_bytes), stream>>>(a, launch.log_strand_threads,
                                                                    launch.lanes);
    return gpu::check_launch("gemv_columns");
  }
  // The shapes that gemv_rows_shape gives.
  if constexpr (access != GemvAccess::byte) {
    if (plan.shape.steps == 2) return launch_rows<T, access, 2, 1>(a, plan.rows, stream);
  }
  if constexpr (gemv_elements(access, size<T>) > 1) {
    if (plan.shape.pieces == 2) return launch_rows<T, access, 8, 2>(a, plan.rows, stream);
  }
  if (plan.shape.pieces == 1) return launch_rows<T, access, 8, 1>(a, plan.rows, stream);
  launch_rows<T, access, 8, 4>(a, plan.rows, stream);
}

template <class T>
void launch_product(const GemvArguments& a, GemvAccess access, const Plan& plan, bool transpose,
                    gpu::StreamHandle stream) {
  switch (access) {
    case GemvAccess::vector:
      return launch_product<T, GemvAccess::vector>(a, plan, transpose, stream);
    case GemvAccess::half_vector:
      if constexpr (size<T> == 2) {
        return launch_product<T, GemvAccess::half_vector>(a, plan, transpose, stream);
      }
      break;
    case GemvAccess::element:
      return launch_product<T, GemvAccess::element>(a, plan, transpose, stream);
    case GemvAccess::byte: return launch_product<T, GemvAccess::byte>(a, plan, transpose, stream);
  }
}

void launch_product(ElementType type, const GemvArguments& a, GemvAccess access, const Plan& plan,
                    bool transpose, gpu::StreamHandle stream) {
  switch (type) {
    case ElementType::f16:
      return launch_product<kernels::GemvF16>(a, access, plan, transpose, stream);
    case ElementType::bf16:
      return launch_product<kernels::GemvBF16>(a, access, plan, transpose, stream);
    default: return launch_product<kernels::GemvF32>(a, access, plan, transpose, stream);
  }
}

void launch_gather(const VectorOf<ConstDeviceView>& x, std::int64_t element_size, std::byte* to,
                   gpu::StreamHandle stream) {
  const unsigned grid = gemv_grid(gpu::blocks_for(x.size, kernels::gemv_block_threads));
  const auto* const from = reinterpret_cast<const unsigned char*>(x.data);
  if (element_size == 2) {
    kernels::gemv_gather<<<grid, kernels::gemv_block_threads, 0, stream>>>(
        from, x.stride_bytes, x.size, reinterpret_cast<unsigned short*>(to));
  } else {
    kernels::gemv_gather<<<grid, kernels::gemv_block_threads, 0, stream>>>(
        from, x.stride_bytes, x.size, reinterpret_cast<unsigned*>(to));
  }
  gpu::check_launch("gemv_gather");
}

void launch_sums(const GemvArguments& a, std::int64_t lists, std::int64_t outputs,
                 gpu::StreamHandle stream) {
  for_each_gemv_sum(a.sums, lists, outputs, [&](const GemvSumLaunch& launch) {
    const dim3 grid(launch.grid_x, launch.grid_y);
    if (launch.at_once == 8) {
      kernels::gemv_sum<8><<<grid, kernels::gemv_block_threads, 0, stream>>>(
          a, launch.sums, launch.count, outputs, launch.to);
    } else {
      kernels::gemv_sum<32><<<grid, kernels::gemv_block_threads, 0, stream>>>(
          a, launch.sums, launch.count, outputs, launch.to);
    }
    gpu::check_launch("gemv_sum");
  });
}

}  // namespace

void gemv_cuda(ConstDeviceView a, ConstDeviceView x, DeviceView y, const GemvOptions& options,
               gpu::StreamHandle stream) {
  gpu::require_device();
  const VectorOf<ConstDeviceView> factor(x);
  const VectorOf<DeviceView> result(y);
  GemvArguments arguments{
      .a = reinterpret_cast<const unsigned char*>(a.data()),
      .x = reinterpret_cast<const unsigned char*>(factor.data),
      .y = reinterpret_cast<unsigned char*>(result.data),
      .pitch = a.pitch_bytes(),
      .rows = a.height(),
      .columns = a.width(),
      .y_stride = result.stride_bytes,
      .sums = nullptr,
      .alpha = options.alpha,
      .beta = options.beta,
      .y_by_float = gemv_aligned(result.data, result.stride_bytes, sizeof(float))};
  if (options.alpha == 0) {
    const unsigned grid = gemv_grid(gpu::blocks_for(result.size, kernels::gemv_block_threads));
    kernels::gemv_scale<<<grid, kernels::gemv_block_threads, 0, stream>>>(arguments, result.size);
    gpu::check_launch("gemv_scale");
    return;
  }
  const GemvAccess access = gemv_access(arguments, a.pixel_bytes());
  std::optional<gpu::Buffer> gathered;
  if (!gemv_reads_x(factor.data, factor.stride_bytes, access, a.pixel_bytes(), options.transpose)) {
    gathered.emplace(factor.size * a.pixel_bytes(), stream);
    launch_gather(factor, a.pixel_bytes(), gathered->data(), stream);
    arguments.x = reinterpret_cast<const unsigned char*>(gathered->data());
  }
  const Plan planned =
      plan(arguments, access, static_cast<int>(a.pixel_bytes()), options.transpose);
  std::optional<gpu::Buffer> scratch;
  if (planned.lists > 1) {
    scratch.emplace(gemv_scratch_bytes(planned.lists, result.size), stream);
    arguments.sums = reinterpret_cast<float*>(scratch->data());
  }
  launch_product(a.type(), arguments, access, planned, options.transpose, stream);
  launch_sums(arguments, planned.lists, result.size, stream);
}

}  // namespace warpwise::detail
