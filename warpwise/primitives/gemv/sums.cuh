#pragma once

#include "warpwise/primitives/gemv/result.cuh"

// Kernels that add up the lists of partial sums that blocks have written (GemvArguments).
namespace warpwise::kernels::gemv {

/// Returns the sum of `count` lanes: lane i adds lane i + count / 2, then i + count / 4, and so on.
template <int count>
__device__ float gemv_halves(float* lanes) {
  if constexpr (count == 1) {
    return lanes[0];
  } else {
#pragma unroll
    for (int i = 0; i < count / 2; ++i) lanes[i] = __fadd_rn(lanes[i], lanes[i + count / 2]);
    return gemv_halves<count / 2>(lanes);
  }
}

/// Adds `count` partial sums of each output, a group of 1024 at a time. A group's sum goes to
/// to[group * outputs + output], or to y if `to` is null, which requires a single group.
///
/// Block: 8 threads for each of 32 outputs. Thread t sums the lanes t, t + 8, ... of order.hpp.
/// Grid: x strides over the outputs, y over the groups.
__global__ void __launch_bounds__(gemv_block_threads)
    gemv_sum(GemvArguments a, const float* sums, int64_t count, int64_t outputs, float* to) {
  constexpr int at_once = 32;
  constexpr int threads = gemv_block_threads / at_once;
  constexpr int own = order::lanes / threads;
  __shared__ float part[threads][at_once];
  const int at = static_cast<int>(threadIdx.x) % at_once;
  const int thread = static_cast<int>(threadIdx.x) / at_once;

  wait_for_launch();
  for (int64_t group = blockIdx.y; group * order::group < count; group += gridDim.y) {
    const int64_t rest = count - group * order::group;
    const int terms = static_cast<int>(rest < order::group ? rest : order::group);
    for (int64_t first = int64_t{blockIdx.x} * at_once; first < outputs;
         first += int64_t{gridDim.x} * at_once) {
      const int64_t output = first + at;
      const float* const from = sums + group * order::group * outputs + output;
      float lane[own]{};
      if (output < outputs) {
#pragma unroll(32 / own)
        for (int c = thread; c < terms; c += order::lanes) {
#pragma unroll
          for (int j = 0; j < own; ++j) {
            if (c + j * threads < terms) {
              lane[j] = __fadd_rn(lane[j], from[(c + j * threads) * outputs]);
            }
          }
        }
      }
      part[thread][at] = gemv_halves<own>(lane);
      __syncthreads();
      if (thread == 0 && output < outputs) {
        float total[threads];
#pragma unroll
        for (int t = 0; t < threads; ++t) total[t] = part[t][at];
        const float sum = gemv_halves<threads>(total);
        if (to != nullptr)
          to[group * outputs + output] = sum;
        else
          gemv_finish(a, output, sum);
      }
      __syncthreads();  // waits before the next outputs overwrite the parts
    }
  }
}

/// Returns the sum of a warp's lanes, in every lane. Adds lanes 16 apart first, then 8, 4, 2 and 1.
__device__ inline float gemv_halves_of_warp(float lane) {
#pragma unroll
  for (int half = order::lanes / 2; half > 0; half /= 2) {
    lane = __fadd_rn(lane, __shfl_xor_sync(0xffffffffU, lane, half));
  }
  return lane;
}

/// Sums up to 1024 terms in the lanes of a warp.
template <class Load>
__device__ inline float gemv_sum_of_warp(int count, Load load) {
  constexpr int most = order::group / order::lanes;
  const int lane = static_cast<int>(threadIdx.x) % order::lanes;
  float term[most]{};
#pragma unroll
  for (int i = 0; i < most; ++i) {
    if (lane + i * order::lanes < count) term[i] = load(lane + i * order::lanes);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < most; ++i) {
    if (lane + i * order::lanes < count) sum = __fadd_rn(sum, term[i]);
  }
  return gemv_halves_of_warp(sum);
}

/// Sums all lists of few outputs in one launch. A warp sums each group of an output's lists; then
/// one warp sums the groups' sums, at most 1024.
///
/// Shared memory: with several groups, a float for each group of each output; with one group none.
/// A kernel with more shared memory than its predecessor would wait until that kernel has left a
/// multiprocessor.
/// Block: 2^log_warps warps for each of the block's outputs; the size of the block says how many
/// outputs it has.
/// Grid: x over the outputs.
__global__ void __launch_bounds__(gemv_most_sum_threads)
    gemv_sum_few(GemvArguments a, const float* sums, int64_t count, int64_t outputs,
                 int log_warps) {
  extern __shared__ float group_sums[];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int in_block = warp >> log_warps, member = warp & ((1 << log_warps) - 1);
  const int groups = static_cast<int>((count + order::group - 1) / order::group);
  const int64_t output = int64_t{blockIdx.x} * (blockDim.x / 32 >> log_warps) + in_block;
  float* const own = group_sums + in_block * groups;
  wait_for_launch();
  float sum = 0;
  for (int group = member; output < outputs && group < groups; group += 1 << log_warps) {
    const int64_t first = int64_t{group} * order::group;
    const float* const from = sums + first * outputs + output;
    sum = gemv_sum_of_warp(
        static_cast<int>(count - first < order::group ? count - first : order::group),
        [&](int i) { return from[i * outputs]; });
    if (lane == 0 && groups > 1) own[group] = sum;
  }
  if (groups > 1) {
    __syncthreads();
    if (member == 0) sum = gemv_sum_of_warp(groups, [&](int i) { return own[i]; });
  }
  if (lane == 0 && member == 0 && output < outputs) gemv_finish(a, output, sum);
}

}  // namespace warpwise::kernels::gemv
