#pragma once

#include <cuda/std/type_traits>

#include "warpwise/primitives/gemv/result.cuh"

// The kernel of few columns times x. Strands and chunks are those of order.hpp.
namespace warpwise::kernels::gemv {

/// Starts to copy 16 bytes to an aligned address; those from byte `bytes` on are zero instead.
__device__ inline void gemv_start_copy(float4* to, const unsigned char* from, int bytes) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from), "r"(bytes)
               : "memory");
#else
  float word[4]{};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (4 * i < bytes) word[i] = __ldg(reinterpret_cast<const float*>(from) + i);
  }
  *to = {word[0], word[1], word[2], word[3]};
#endif
}

__device__ inline void gemv_finish_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Copies `strands` strands of `words` 16-byte words each into shared memory, `pitch` words apart.
/// Bytes of the source from `bytes` on become zero.
template <class Words>
__device__ void gemv_copy_strands(float4* to, const unsigned char* from, int64_t bytes, int strands,
                                  Words words, int pitch) {
  const auto copy = [&](int strand, int word) {
    const int64_t at = 16 * (int64_t{strand} * words + word);
    const int there = at + 16 <= bytes ? 16 : at < bytes ? static_cast<int>(bytes - at) : 0;
    gemv_start_copy(to + strand * pitch + word, there > 0 ? from + at : from, there);
  };
  if constexpr (!cuda::std::is_same_v<Words, int>) {
    for (int i = static_cast<int>(threadIdx.x); i < strands * words; i += gemv_strand_threads) {
      copy(i / words, i % words);
    }
  } else {  // `words` is a multiple of 32, and a warp copies each strand
    for (int i = static_cast<int>(threadIdx.x) / 32; i < strands; i += gemv_strand_threads / 32) {
      for (int j = static_cast<int>(threadIdx.x) % 32; j < words; j += 32) copy(i, j);
    }
  }
}

/// Sums few columns of floats. A and x have no gaps and start at multiples of 16 bytes. A block
/// first copies `block_chunks` chunks of all columns to shared memory, so that adjacent threads
/// read adjacent words. The threads then sum strands. A thread takes `own` columns of a strand: all
/// if A has one to three, otherwise four. In the second case the number of columns is a multiple of
/// four, at most gemv_few_columns. The sums of each chunk go to their own list (GemvArguments).
///
/// Shared memory: the block's part of A and of x, then the strands' sums.
/// Grid: x over the chunks.
template <int own>
__global__ void __launch_bounds__(gemv_strand_threads)
    gemv_strands(GemvArguments a, int block_chunks) {
  extern __shared__ float4 strand_words[];
  const int columns = own < 4 ? own : static_cast<int>(a.columns);
  const int across = columns / own;  // threads of a strand
  // Strands are padded, so that threads that read words of several strands use different banks.
  constexpr int x_words = order::strand_rows / 4;
  constexpr int x_pitch = x_words + 1;
  const int words = x_words * columns;
  const int pitch = words + across;
  const int strands = block_chunks * order::chunk_strands;
  float4* const x = strand_words + strands * pitch;
  float* const sums = reinterpret_cast<float*>(x + strands * x_pitch);

  const int64_t first_chunk = int64_t{blockIdx.x} * block_chunks;
  const int64_t first_row = first_chunk * order::chunk_rows;
  const unsigned char* const from_a = a.a + first_row * columns * 4;
  const int64_t bytes = (a.rows - first_row) * 4;
  wait_for_launch();
  if constexpr (own < 4) {
    using Words = cuda::std::integral_constant<int, x_words * own>;
    gemv_copy_strands(strand_words, from_a, bytes * columns, strands, Words(), pitch);
  } else {
    gemv_copy_strands(strand_words, from_a, bytes * columns, strands, words, pitch);
  }
  using XWords = cuda::std::integral_constant<int, x_words>;
  gemv_copy_strands(x, a.x + first_row * 4, bytes, strands, XWords(), x_pitch);
  gemv_finish_copies();
  __syncthreads();
  let_next_begin();

  // The copies put zeros after the last row, which do not change the sums.
  for (int i = static_cast<int>(threadIdx.x); i < strands * across; i += gemv_strand_threads) {
    const int strand = across == 1 ? i : i / across;
    const int at = across == 1 ? 0 : i % across;
    const float4* const from = strand_words + strand * pitch + at;
    float sum[own]{};
#pragma unroll
    for (int w = 0; w < x_words; ++w) {
      const float4 factors = x[strand * x_pitch + w];
      const float factor[4] = {factors.x, factors.y, factors.z, factors.w};
      float element[4 * own];
#pragma unroll
      for (int k = 0; k < own; ++k) {
        const float4 word = own < 4 ? from[w * own + k] : from[(w * 4 + k) * across];
        element[4 * k] = word.x;
        element[4 * k + 1] = word.y;
        element[4 * k + 2] = word.z;
        element[4 * k + 3] = word.w;
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) {
#pragma unroll
        for (int j = 0; j < own; ++j) {
          sum[j] = GemvF32::add_product(sum[j], element[k * own + j], factor[k]);
        }
      }
    }
#pragma unroll
    for (int j = 0; j < own; ++j) sums[strand * columns + at * own + j] = sum[j];
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < block_chunks * columns;
       i += gemv_strand_threads) {
    const int chunk = i / columns;
    const int column = i % columns;
    if ((first_chunk + chunk) * order::chunk_rows >= a.rows) break;
    float total = 0;
#pragma unroll
    for (int s = 0; s < order::chunk_strands; ++s) {
      total = __fadd_rn(total, sums[(chunk * order::chunk_strands + s) * columns + column]);
    }
    gemv_put(a, first_chunk + chunk, columns, column, total);
  }
}

}  // namespace warpwise::kernels::gemv
