#pragma once

#include "warpwise/primitives/threshold/kernel.cuh"

// Sums along rows of pixels, computed by the matrix units: 16 rows of 32 bytes times a band matrix
// of 0, 1 and -1. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels::threshold {

/// Returns sum + the dot product of `pair`, two signed 16-bit numbers, and two bytes of `weights`.
__device__ inline int plus_change(int sum, unsigned pair, unsigned weights) {
  int result;
  asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(pair), "r"(weights), "r"(sum));
  return result;
}

/// Returns less (bias minus the window's sum) plus byte k of a word times area, of up to 16 bits. A
/// dot product takes two bytes; the factor of the other byte is 0.
__device__ inline int band_excess(int less, unsigned word, int k, unsigned area) {
  int result;
  const unsigned factor = k % 2 == 0 ? area : area << 16;
  if (k < 2) {
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(factor), "r"(word), "r"(less));
  } else {
    asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(factor), "r"(word), "r"(less));
  }
  return result;
}

/// Returns four weights: each weight of `ones` whose index is in [begin, end), and 0 for the
/// others. `at` is the index of the first weight.
__device__ inline unsigned weights_between(unsigned ones, int at, int begin, int end) {
  const int first = min(max(begin - at, 0), 4);
  const int last = min(max(end - at, 0), 4);
  if (first >= last) return 0;
  return ones & 0xffffffffU << 8 * first & 0xffffffffU >> 8 * (4 - last);
}

/// Returns four weights, 1 for each byte that column n = lane / 4 of the products adds up. For u8
/// these are all bytes. For u16 an even n adds up pixels' low bytes, and an odd n their high bytes.
template <class Pixel>
__device__ inline unsigned band_ones() {
  if constexpr (sizeof(Pixel) == 1) return 0x01010101;
  return threadIdx.x / 4 % 2 == 0 ? 0x00010001 : 0x01000100;
}

/// Returns a lane's part of 16 rows by 8 columns of weights: lane 4 n + t has column n in rows 4 t
/// … 4 t + 3. Column 0 adds up `bytes` bytes of a row, from byte `begin` on. The columns of each
/// further pixel begin one pixel later.
template <class Pixel>
__device__ inline unsigned band_weights(int begin, int bytes) {
  const int n = static_cast<int>(threadIdx.x) % 32 / 4;
  const int at = static_cast<int>(threadIdx.x) % 4 * 4;
  const int first = begin + n / int{sizeof(Pixel)} * int{sizeof(Pixel)};
  return weights_between(band_ones<Pixel>(), at, first, first + bytes);
}

/// Replaces the weights of 1 by -1.
__device__ inline unsigned negative(unsigned weights) { return weights * 255; }

/// 16 bytes of each of 16 rows that enter the windows, and of 16 rows that leave them. For load(),
/// lane l below 16 gives the address of entering row l, and lane l + 16 that of leaving row l.
struct BandBytes {
  unsigned in[2];
  unsigned out[2];

  __device__ void load(unsigned shared_address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(in[0]), "=r"(in[1]), "=r"(out[0]), "=r"(out[1])
                 : "r"(shared_address)
                 : "memory");
  }
};

/// Adds the products of 16 bytes of 16 rows with 8 columns of weights. Lane l has the sums of
/// columns 2 (l % 4) and 2 (l % 4) + 1, in rows l / 4 and l / 4 + 8.
__device__ inline void add_products(int (&sums)[4], const unsigned (&bytes)[2], unsigned weights) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(bytes[0]), "r"(bytes[1]), "r"(weights));
#else
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+r"(sums[2 * i]), "+r"(sums[2 * i + 1])
        : "r"(bytes[i]), "r"(weights));
  }
#endif
}

/// Adds two products with 8 columns of weights: of the entering rows' bytes with `in`, and of the
/// leaving rows' bytes with `out`. Lanes have the sums as in add_products(). From CC 8.0 on, one
/// instruction does both: it takes a leaving row's bytes as 16 more bytes of an entering row.
__device__ inline void add_change_with(int (&sums)[4], const BandBytes& bytes, unsigned in,
                                       unsigned out) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(bytes.in[0]), "r"(bytes.in[1]), "r"(bytes.out[0]), "r"(bytes.out[1]), "r"(in),
        "r"(out));
#else
  add_products(sums, bytes.in, in);
  add_products(sums, bytes.out, out);
#endif
}

/// Adds the products of the entering rows with `weights`, and of the leaving rows with the negative
/// weights.
__device__ inline void add_change(int (&sums)[4], const BandBytes& bytes, unsigned weights) {
  add_change_with(sums, bytes, weights, negative(weights));
}

}  // namespace warpwise::kernels::threshold
