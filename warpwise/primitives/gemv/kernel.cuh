#pragma once

#include <cuda/std/cstdint>

#include "warpwise/primitives/gemv/arguments.hpp"
#include "warpwise/primitives/gemv/order.hpp"

// The kernels of gemv. Fit for nvcc and NVRTC: no host headers. Every product and every sum is
// rounded by itself, in the order of order.hpp.
namespace warpwise::kernels {

namespace order = detail::gemv_order;
using cuda::std::int64_t;

// --- Elements ------------------------------------------------------------------------------------

struct GemvF32 {
  using Element = float;
  using Four = float4;
  static __device__ float widen(Element element) { return element; }
};

struct GemvF16 {
  using Element = unsigned short;
  using Four = ushort4;
  static __device__ float widen(Element element) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(element));
    return value;
  }
};

struct GemvBF16 {
  using Element = unsigned short;
  using Four = ushort4;
  static __device__ float widen(Element element) {
    return __uint_as_float(static_cast<unsigned>(element) << 16);
  }
};

template <class Element>
__device__ Element gemv_load_bytes(const unsigned char* from) {
  unsigned bits = 0;
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(Element)); ++i) {
    bits |= static_cast<unsigned>(__ldg(from + i)) << (8 * i);
  }
  if constexpr (sizeof(Element) == 4)
    return __uint_as_float(bits);
  else
    return static_cast<Element>(bits);
}

template <class T, GemvAccess access>
__device__ typename T::Element gemv_load(const unsigned char* from) {
  using Element = typename T::Element;
  if constexpr (access == GemvAccess::byte)
    return gemv_load_bytes<Element>(from);
  else
    return __ldg(reinterpret_cast<const Element*>(from));
}

/// The four elements from `from` on; zeros in place of those that are not among the next `left`.
template <class T, GemvAccess access>
__device__ typename T::Four gemv_load_four(const unsigned char* from, int left) {
  typename T::Four four{};
  if constexpr (access == GemvAccess::four) {
    if (left > 0) four = __ldg(reinterpret_cast<const typename T::Four*>(from));
  } else {
    constexpr int size = sizeof(typename T::Element);
    if (left > 0) four.x = gemv_load<T, access>(from);
    if (left > 1) four.y = gemv_load<T, access>(from + size);
    if (left > 2) four.z = gemv_load<T, access>(from + 2 * size);
    if (left > 3) four.w = gemv_load<T, access>(from + 3 * size);
  }
  return four;
}

template <class T>
__device__ float4 gemv_widen(typename T::Four four) {
  return {T::widen(four.x), T::widen(four.y), T::widen(four.z), T::widen(four.w)};
}

__device__ inline float gemv_add_product(float sum, float a, float b) {
  return __fadd_rn(sum, __fmul_rn(a, b));
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

/// y = beta * y, for a product that counts nothing.
__global__ void __launch_bounds__(gemv_block_threads) gemv_scale(GemvArguments a, int64_t outputs) {
  int64_t output = int64_t{blockIdx.x} * gemv_block_threads + threadIdx.x;
  for (; output < outputs; output += int64_t{gridDim.x} * gemv_block_threads) {
    unsigned char* const y = a.y + output * a.y_stride;
    const float value = a.beta == 0 ? 0 : __fmul_rn(a.beta, gemv_load_y(y, a.y_by_float));
    gemv_store_y(y, value, a.y_by_float);
  }
}

// --- Rows times x --------------------------------------------------------------------------------

/// Eight threads sum a piece of a row, four columns in each step of 32; `pieces` (1, 2 or 4) such
/// groups side by side a chunk of a row. x stays in registers while `rows_each` rows pass.
///
/// steps: of 32 columns in a piece; 8, or fewer for a matrix that narrow, for more rows at once.
/// Grid: strides over tiles of one chunk and (32 / pieces) * rows_each rows.
template <class T, GemvAccess access, int steps>
__global__ void __launch_bounds__(gemv_block_threads, 2)
    gemv_rows(GemvArguments a, int pieces, int rows_each) {
  constexpr int at_once = gemv_rows_by_loads / steps;
  constexpr int size = sizeof(typename T::Element);
  const int group = static_cast<int>(threadIdx.x) / 8;
  const int lane = static_cast<int>(threadIdx.x) % 8;
  const int slots = gemv_block_threads / 8 / pieces;
  const int slot = group / pieces;
  const int piece = group % pieces;
  const int64_t chunks = (a.columns + order::chunk_columns - 1) / order::chunk_columns;
  const int64_t tile_rows = int64_t{slots} * rows_each;
  const int64_t tiles = (a.rows + tile_rows - 1) / tile_rows * chunks;

  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int64_t chunk = tile % chunks;
    const int64_t first_row = tile / chunks * tile_rows + slot;
    const int64_t column = chunk * order::chunk_columns + piece * order::piece_columns + lane * 4;
    const int64_t columns_left = a.columns - column;
    const int left =
        static_cast<int>(columns_left < order::piece_columns ? columns_left : order::piece_columns);
    float4 x[steps];
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      const unsigned char* const from = a.x + (column + 32 * k) * a.x_stride;
      typename T::Four four{};
      if (a.x_by_four && left - 32 * k >= 4) {
        four = __ldg(reinterpret_cast<const typename T::Four*>(from));
      } else {
        constexpr GemvAccess single =
            access == GemvAccess::byte ? GemvAccess::byte : GemvAccess::element;
        if (left > 32 * k) four.x = gemv_load<T, single>(from);
        if (left > 32 * k + 1) four.y = gemv_load<T, single>(from + a.x_stride);
        if (left > 32 * k + 2) four.z = gemv_load<T, single>(from + 2 * a.x_stride);
        if (left > 32 * k + 3) four.w = gemv_load<T, single>(from + 3 * a.x_stride);
      }
      x[k] = gemv_widen<T>(four);
    }

    for (int i = 0; i < rows_each; i += at_once) {
      typename T::Four element[at_once][steps];
#pragma unroll
      for (int r = 0; r < at_once; ++r) {
        const int64_t row = first_row + int64_t{i + r} * slots;
        const bool inside = i + r < rows_each && row < a.rows;
        const unsigned char* const from = a.a + row * a.pitch + column * size;
#pragma unroll
        for (int k = 0; k < steps; ++k) {
          element[r][k] =
              gemv_load_four<T, access>(from + 32 * k * size, inside ? left - 32 * k : 0);
        }
      }
#pragma unroll
      for (int r = 0; r < at_once; ++r) {
        float4 sum{0, 0, 0, 0};
#pragma unroll
        for (int k = 0; k < steps; ++k) {
          const float4 wide = gemv_widen<T>(element[r][k]);
          sum.x = gemv_add_product(sum.x, wide.x, x[k].x);
          sum.y = gemv_add_product(sum.y, wide.y, x[k].y);
          sum.z = gemv_add_product(sum.z, wide.z, x[k].z);
          sum.w = gemv_add_product(sum.w, wide.w, x[k].w);
        }
        const auto add_from = [&sum](int distance) {
          sum.x = __fadd_rn(sum.x, __shfl_xor_sync(0xffffffffU, sum.x, distance));
          sum.y = __fadd_rn(sum.y, __shfl_xor_sync(0xffffffffU, sum.y, distance));
          sum.z = __fadd_rn(sum.z, __shfl_xor_sync(0xffffffffU, sum.z, distance));
          sum.w = __fadd_rn(sum.w, __shfl_xor_sync(0xffffffffU, sum.w, distance));
        };
        if (pieces > 1) add_from(8);
        if (pieces > 2) add_from(16);
        // Lane l holds the order's lanes 4 l to 4 l + 3: a distance of 16 there is one of 4 here.
        add_from(4);
        add_from(2);
        add_from(1);
        const float total = __fadd_rn(__fadd_rn(sum.x, sum.z), __fadd_rn(sum.y, sum.w));
        const int64_t row = first_row + int64_t{i + r} * slots;
        if (lane == 0 && piece == 0 && i + r < rows_each && row < a.rows) {
          if (a.sums != nullptr)
            a.sums[chunk * a.rows + row] = total;
          else
            gemv_finish(a, row, total);
        }
      }
    }
  }
}

// --- Columns times x -----------------------------------------------------------------------------

inline constexpr int gemv_tile_elements = gemv_block_threads * 4;

/// Every thread sums four columns of a strand; `strand_threads` (a power of two up to 32) side by
/// side make a tile's width, so that the threads of a narrow matrix spread over more rows.
///
/// Grid: strides over tiles of 4 * strand_threads columns and 256 / strand_threads strands.
template <class T, GemvAccess access>
__global__ void __launch_bounds__(gemv_block_threads, access == GemvAccess::four ? 3 : 2)
    gemv_columns(GemvArguments a, int strand_threads) {
  constexpr int size = sizeof(typename T::Element);
  constexpr GemvAccess single = access == GemvAccess::byte ? GemvAccess::byte : GemvAccess::element;
  __shared__ float4 strand_sums[gemv_block_threads];

  const int strand = static_cast<int>(threadIdx.x) / strand_threads;
  const int tile_columns = 4 * strand_threads;
  const int tile_strands = gemv_block_threads / strand_threads;
  const int tile_chunks = tile_strands / order::chunk_strands;
  const int64_t across = (a.columns + tile_columns - 1) / tile_columns;
  const int64_t tile_rows = int64_t{tile_strands} * order::strand_rows;
  const int64_t tiles = (a.rows + tile_rows - 1) / tile_rows * across;

  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int64_t first_column = tile % across * tile_columns;
    const int64_t first_chunk = tile / across * tile_chunks;
    const int64_t column = first_column + static_cast<int>(threadIdx.x) % strand_threads * 4;
    const int left = static_cast<int>(a.columns - column < 4 ? a.columns - column : 4);
    const int64_t first_row = tile / across * tile_rows + int64_t{strand} * order::strand_rows;
    float4 sum{0, 0, 0, 0};
#pragma unroll 1  // one batch's registers, for more blocks on a multiprocessor
    for (int i = 0; i < order::strand_rows; i += gemv_strand_batch) {
      typename T::Four element[gemv_strand_batch];
      typename T::Element x[gemv_strand_batch];
#pragma unroll
      for (int b = 0; b < gemv_strand_batch; ++b) {
        const int64_t row = first_row + i + b;
        const bool inside = row < a.rows;
        element[b] =
            gemv_load_four<T, access>(a.a + row * a.pitch + column * size, inside ? left : 0);
        x[b] = 0;
        if (inside) x[b] = gemv_load<T, single>(a.x + row * a.x_stride);
      }
#pragma unroll
      for (int b = 0; b < gemv_strand_batch; ++b) {
        const float4 wide = gemv_widen<T>(element[b]);
        const float factor = T::widen(x[b]);
        sum.x = gemv_add_product(sum.x, wide.x, factor);
        sum.y = gemv_add_product(sum.y, wide.y, factor);
        sum.z = gemv_add_product(sum.z, wide.z, factor);
        sum.w = gemv_add_product(sum.w, wide.w, factor);
      }
    }
    strand_sums[threadIdx.x] = sum;
    __syncthreads();

    // The strands of a chunk one after the other: an eighth of the tile's sums is left.
    if (threadIdx.x < gemv_tile_elements / order::chunk_strands) {
      const float* const sums = reinterpret_cast<const float*>(strand_sums);
      const int chunk = static_cast<int>(threadIdx.x) / tile_columns;
      const int at = static_cast<int>(threadIdx.x) % tile_columns;
      float total = 0;
#pragma unroll
      for (int s = 0; s < order::chunk_strands; ++s) {
        total = __fadd_rn(total, sums[(chunk * order::chunk_strands + s) * tile_columns + at]);
      }
      const int64_t output = first_column + at;
      const bool inside = output < a.columns && (first_chunk + chunk) * order::chunk_rows < a.rows;
      if (inside && a.sums != nullptr) a.sums[(first_chunk + chunk) * a.columns + output] = total;
      if (inside && a.sums == nullptr) gemv_finish(a, output, total);
    }
    __syncthreads();  // the next tile writes the sums again
  }
}

// --- Sums of chunks ------------------------------------------------------------------------------

/// Sums `count` sums of each output, a group of 1024 at a time, into to[group * outputs + output],
/// or, where `to` is null (one group), into y.
///
/// Block: 32 outputs by 8 warps; warp w sums the order's lanes w, w + 8, w + 16, w + 24.
/// Grid: x strides over the outputs, y over the groups.
__global__ void __launch_bounds__(gemv_block_threads)
    gemv_sum(GemvArguments a, const float* sums, int64_t count, int64_t outputs, float* to) {
  constexpr int warps = gemv_block_threads / gemv_sum_outputs;
  __shared__ float part[warps][gemv_sum_outputs];
  const int at = static_cast<int>(threadIdx.x) % gemv_sum_outputs;
  const int warp = static_cast<int>(threadIdx.x) / gemv_sum_outputs;

  for (int64_t group = blockIdx.y; group * order::group < count; group += gridDim.y) {
    const int64_t rest = count - group * order::group;
    const int terms = static_cast<int>(rest < order::group ? rest : order::group);
    for (int64_t first = int64_t{blockIdx.x} * gemv_sum_outputs; first < outputs;
         first += int64_t{gridDim.x} * gemv_sum_outputs) {
      const int64_t output = first + at;
      const float* const from = sums + group * order::group * outputs + output;
      float lane[4] = {0, 0, 0, 0};
      if (output < outputs) {
#pragma unroll 4
        for (int c = warp; c < terms; c += order::lanes) {
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            if (c + j * warps < terms) {
              lane[j] = __fadd_rn(lane[j], from[(c + j * warps) * outputs]);
            }
          }
        }
      }
      part[warp][at] = __fadd_rn(__fadd_rn(lane[0], lane[2]), __fadd_rn(lane[1], lane[3]));
      __syncthreads();
      if (warp == 0 && output < outputs) {
        const float even =
            __fadd_rn(__fadd_rn(part[0][at], part[4][at]), __fadd_rn(part[2][at], part[6][at]));
        const float odd =
            __fadd_rn(__fadd_rn(part[1][at], part[5][at]), __fadd_rn(part[3][at], part[7][at]));
        const float total = __fadd_rn(even, odd);
        if (to != nullptr)
          to[group * outputs + output] = total;
        else
          gemv_finish(a, output, total);
      }
      __syncthreads();  // the next outputs write the parts again
    }
  }
}

}  // namespace warpwise::kernels
