#pragma once

#include <cuda/std/cstdint>

#include "warpwise/primitives/gemv/arguments.hpp"
#include "warpwise/primitives/gemv/elements.cuh"
#include "warpwise/primitives/gemv/order.hpp"
#include "warpwise/primitives/shared/launch_order.cuh"

// Clusters and stores of the result, for all kernels of gemv. nvcc and NVRTC compile this file; it
// includes no host headers.
namespace warpwise::kernels::gemv {

namespace order = detail::gemv::order;
using cuda::std::int64_t;

/// Waits for all blocks of the cluster. Their earlier writes are then visible.
__device__ inline void gemv_meet_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
#endif
}

/// Stores to the address that corresponds to `to` in the shared memory of the cluster's first
/// block.
__device__ inline void gemv_store_to_first(float* to, float value) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "{\n"
      " .reg .b32 there;\n"
      " mapa.shared::cluster.u32 there, %0, 0;\n"
      " st.shared::cluster.f32 [there], %1;\n"
      "}" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "f"(value)
      : "memory");
#else
  *to = value;
#endif
}

// --- The result ----------------------------------------------------------------------------------

__device__ inline float gemv_load_y(const unsigned char* y, bool by_float) {
  return by_float
             ? *reinterpret_cast<const float*>(y)
             : __uint_as_float(y[0] | y[1] << 8 | y[2] << 16 | static_cast<unsigned>(y[3]) << 24);
}

__device__ inline void gemv_store_y(unsigned char* y, float value, bool by_float) {
  if (by_float) {
    *reinterpret_cast<float*>(y) = value;
    return;
  }
  const unsigned bits = __float_as_uint(value);
  for (int i = 0; i < 4; ++i) y[i] = static_cast<unsigned char>(bits >> (8 * i));
}

__device__ inline void gemv_finish(const GemvArguments& a, int64_t output, float sum) {
  unsigned char* const y = a.y + output * a.y_stride;
  float value = __fmul_rn(a.alpha, sum);
  if (a.beta != 0) value = __fadd_rn(value, __fmul_rn(a.beta, gemv_load_y(y, a.y_by_float)));
  gemv_store_y(y, value, a.y_by_float);
}

/// Stores an output's partial sum in list `list`. Without lists the sum is complete: finishes y.
__device__ inline void gemv_put(const GemvArguments& a, int64_t list, int64_t outputs,
                                int64_t output, float sum) {
  if (a.sums != nullptr)
    a.sums[list * outputs + output] = sum;
  else
    gemv_finish(a, output, sum);
}

/// Computes y = beta * y for alpha = 0, where A and x are not read.
__global__ void __launch_bounds__(gemv_block_threads) gemv_scale(GemvArguments a, int64_t outputs) {
  int64_t output = int64_t{blockIdx.x} * gemv_block_threads + threadIdx.x;
  for (; output < outputs; output += int64_t{gridDim.x} * gemv_block_threads) {
    unsigned char* const y = a.y + output * a.y_stride;
    const float value = a.beta == 0 ? 0 : __fmul_rn(a.beta, gemv_load_y(y, a.y_by_float));
    gemv_store_y(y, value, a.y_by_float);
  }
}

/// Copies the elements of x, which are `stride` bytes apart, into an array.
template <class Element>
__global__ void __launch_bounds__(gemv_block_threads)
    gemv_gather(const unsigned char* x, int64_t stride, int64_t count, Element* to) {
  int64_t i = int64_t{blockIdx.x} * gemv_block_threads + threadIdx.x;
  for (; i < count; i += int64_t{gridDim.x} * gemv_block_threads) {
    unsigned bits = 0;
#pragma unroll
    for (int b = 0; b < static_cast<int>(sizeof(Element)); ++b) {
      bits |= static_cast<unsigned>(__ldg(x + i * stride + b)) << (8 * b);
    }
    to[i] = static_cast<Element>(bits);
  }
}

__host__ __device__ constexpr int gemv_log2(int power) {
  return power == 1 ? 0 : 1 + gemv_log2(power / 2);
}

}  // namespace warpwise::kernels::gemv
