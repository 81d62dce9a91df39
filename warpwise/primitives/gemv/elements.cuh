#pragma once

#include "warpwise/primitives/gemv/arguments.hpp"

// The elements of gemv: their products, sums and loads. nvcc and NVRTC compile this file; it
// includes no host headers.
namespace warpwise::kernels::gemv {

struct GemvF32 {
  using Element = float;
  static __device__ float widen(Element element) { return element; }
  static __device__ float add_product(float sum, float a, float b) {
    return __fadd_rn(sum, __fmul_rn(a, b));
  }
};

struct GemvF16 {
  using Element = unsigned short;
  static __device__ float widen(Element element) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(element));
    return value;
  }
  static __device__ void widen_pair(unsigned pair, float* to) {
    to[0] = widen(static_cast<Element>(pair));
    to[1] = widen(static_cast<Element>(pair >> 16));
  }
  // A product of two f16 numbers is exact in a float, because each has 11 significant bits. A fused
  // multiply-add therefore gives the same bits as a product and a sum.
  static __device__ float add_product(float sum, float a, float b) { return __fmaf_rn(a, b, sum); }
};

struct GemvBF16 {
  using Element = unsigned short;
  static __device__ float widen(Element element) {
    return __uint_as_float(static_cast<unsigned>(element) << 16);
  }
  static __device__ void widen_pair(unsigned pair, float* to) {
    to[0] = __uint_as_float(pair << 16);
    to[1] = __uint_as_float(pair & 0xffff0000U);
  }
  // A product may overflow or become subnormal in a float, so it is rounded before the sum.
  static __device__ float add_product(float sum, float a, float b) {
    return __fadd_rn(sum, __fmul_rn(a, b));
  }
};

/// Loads one element if `inside`. It is predicated: branches would keep loads from overlapping.
__device__ inline void gemv_load_if(bool inside, const void* from, float& to) {
  asm volatile(
      "{\n"
      " .reg .pred inside;\n"
      " setp.ne.u32 inside, %2, 0;\n"
      " @inside ld.global.nc.f32 %0, [%1];\n"
      "}"
      : "+f"(to)
      : "l"(__cvta_generic_to_global(from)), "r"(static_cast<unsigned>(inside)));
}

__device__ inline void gemv_load_if(bool inside, const void* from, unsigned short& to) {
  asm volatile(
      "{\n"
      " .reg .pred inside;\n"
      " setp.ne.u32 inside, %2, 0;\n"
      " @inside ld.global.nc.u16 %0, [%1];\n"
      "}"
      : "+h"(to)
      : "l"(__cvta_generic_to_global(from)), "r"(static_cast<unsigned>(inside)));
}

// Loads one element of A if `inside`. A is read once, so the load bypasses the first-level cache.
// L2 fetches the whole line of 128 bytes, even if neighbouring threads read only half of it.
__device__ inline void gemv_load_line_if(bool inside, const void* from, float& to) {
  asm volatile(
      "{\n"
      " .reg .pred inside;\n"
      " setp.ne.u32 inside, %2, 0;\n"
      " @inside ld.global.nc.L1::no_allocate.L2::128B.f32 %0, [%1];\n"
      "}"
      : "+f"(to)
      : "l"(__cvta_generic_to_global(from)), "r"(static_cast<unsigned>(inside)));
}

__device__ inline void gemv_load_line_if(bool inside, const void* from, unsigned short& to) {
  asm volatile(
      "{\n"
      " .reg .pred inside;\n"
      " setp.ne.u32 inside, %2, 0;\n"
      " @inside ld.global.nc.L1::no_allocate.L2::128B.u16 %0, [%1];\n"
      "}"
      : "+h"(to)
      : "l"(__cvta_generic_to_global(from)), "r"(static_cast<unsigned>(inside)));
}

__device__ inline void gemv_load_if(bool inside, const void* from, uint2& to) {
  asm volatile(
      "{\n"
      " .reg .pred inside;\n"
      " setp.ne.u32 inside, %3, 0;\n"
      " @inside ld.global.nc.L1::no_allocate.L2::128B.v2.u32 {%0, %1}, [%2];\n"
      "}"
      : "+r"(to.x), "+r"(to.y)
      : "l"(__cvta_generic_to_global(from)), "r"(static_cast<unsigned>(inside)));
}

__device__ inline void gemv_load_if(bool inside, const void* from, uint4& to) {
  asm volatile(
      "{\n"
      " .reg .pred inside;\n"
      " setp.ne.u32 inside, %5, 0;\n"
      " @inside ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];\n"
      "}"
      : "+r"(to.x), "+r"(to.y), "+r"(to.z), "+r"(to.w)
      : "l"(__cvta_generic_to_global(from)), "r"(static_cast<unsigned>(inside)));
}

/// The word that one load fetches from a row, and its conversion to floats.
template <class T, GemvAccess access>
struct GemvLoad {
  using Word = typename T::Element;
  static constexpr int elements = 1;
  static __device__ void load_if(bool inside, const unsigned char* from, Word& to) {
    if constexpr (access == GemvAccess::element) {
      gemv_load_if(inside, from, to);
    } else if (inside) {
      unsigned bits = 0;
#pragma unroll
      for (int i = 0; i < static_cast<int>(sizeof(Word)); ++i) {
        bits |= static_cast<unsigned>(__ldg(from + i)) << (8 * i);
      }
      if constexpr (sizeof(Word) == 4)
        to = __uint_as_float(bits);
      else
        to = static_cast<Word>(bits);
    }
  }
  static __device__ void widen(Word word, float (&to)[1]) { to[0] = T::widen(word); }
};

template <class T>
struct GemvLoad<T, GemvAccess::vector> {
  using Word = uint4;
  static constexpr int elements = 16 / static_cast<int>(sizeof(typename T::Element));
  static __device__ void load_if(bool inside, const unsigned char* from, Word& to) {
    gemv_load_if(inside, from, to);
  }
  static __device__ void widen(Word word, float (&to)[elements]) {
    if constexpr (elements == 4) {
      to[0] = __uint_as_float(word.x);
      to[1] = __uint_as_float(word.y);
      to[2] = __uint_as_float(word.z);
      to[3] = __uint_as_float(word.w);
    } else {
      T::widen_pair(word.x, to);
      T::widen_pair(word.y, to + 2);
      T::widen_pair(word.z, to + 4);
      T::widen_pair(word.w, to + 6);
    }
  }
};

template <class T>
struct GemvLoad<T, GemvAccess::half_vector> {
  using Word = uint2;
  static constexpr int elements = 4;
  static __device__ void load_if(bool inside, const unsigned char* from, Word& to) {
    gemv_load_if(inside, from, to);
  }
  static __device__ void widen(Word word, float (&to)[elements]) {
    T::widen_pair(word.x, to);
    T::widen_pair(word.y, to + 2);
  }
};

/// Loads a word of A if `inside`. Words of several elements bypass the first-level cache; if
/// `lines`, single elements do so too. The bypass pays if neighbouring threads read neighbouring
/// elements. Rows must also be so long that few cache lines hold elements of two rows.
template <class T, GemvAccess access, bool lines>
__device__ void gemv_load_a_if(bool inside, const unsigned char* from,
                               typename GemvLoad<T, access>::Word& to) {
  if constexpr (lines && access == GemvAccess::element)
    gemv_load_line_if(inside, from, to);
  else
    GemvLoad<T, access>::load_if(inside, from, to);
}

}  // namespace warpwise::kernels::gemv
