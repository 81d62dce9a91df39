#pragma once

#include "warpwise/base/host_device.hpp"
#include "warpwise/primitives/sobel/arguments.hpp"

// The numbers that the Sobel kernel computes in. Fit for nvcc and NVRTC: no host headers.
//
// An int or a float belongs to one pixel. A SobelPair holds two pixels' numbers as 16-bit floats.
// Its unit is the smallest subnormal, 2^-24. Below 2048 units, numbers are exact, and their bits
// without the sign are the integer: bytes need no conversion and absolute values cost nothing. The
// range covers the sums of Sobel's kernel over bytes, at most 1020, and |dx| + |dy|. Scharr's sums
// reach 4080. Those above 2048 are rounded, which does not change a result that saturates at 255.
namespace warpwise::kernels::sobel {

/// Returns a number of 16 bits in both halves of a word.
WARPWISE_HOST_DEVICE constexpr unsigned in_both(unsigned number) { return number * 0x00010001; }

// 16-bit floats, in both halves of a word.
inline constexpr unsigned half_2 = in_both(0x4000);
inline constexpr unsigned half_3 = in_both(0x4200);
inline constexpr unsigned half_10 = in_both(0x4900);
inline constexpr unsigned minus_2048_units = in_both(0x8800);

__device__ inline unsigned add_halves(unsigned x, unsigned y) {
  unsigned sum;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(x), "r"(y));
  return sum;
}
__device__ inline unsigned subtract_halves(unsigned x, unsigned y) {
  unsigned difference;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(difference) : "r"(x), "r"(y));
  return difference;
}
__device__ inline unsigned multiply_add_halves(unsigned x, unsigned y, unsigned z) {
  unsigned sum;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(x), "r"(y), "r"(z));
  return sum;
}
__device__ inline unsigned absolute_halves(unsigned x) {
  unsigned value;
  asm("abs.f16x2 %0, %1;" : "=r"(value) : "r"(x));
  return value;
}

// Floats are rounded after each operation, as the CPU does it: no fused multiply-add.
__device__ inline int add(int x, int y) { return x + y; }
__device__ inline float add(float x, float y) { return __fadd_rn(x, y); }
template <int centre, int side>
__device__ SobelPair<centre, side> add(SobelPair<centre, side> x, SobelPair<centre, side> y) {
  return {add_halves(x.bits, y.bits)};
}

__device__ inline int subtract(int x, int y) { return x - y; }
__device__ inline float subtract(float x, float y) { return __fsub_rn(x, y); }
template <int centre, int side>
__device__ SobelPair<centre, side> subtract(SobelPair<centre, side> x, SobelPair<centre, side> y) {
  return {subtract_halves(x.bits, y.bits)};
}

/// Returns centre weight · centre + side weight · sides, for differences; smooth() is for pixels.
__device__ inline int weigh(const SobelArguments& a, int centre, int sides) {
  return a.centre * centre + a.side * sides;
}
__device__ inline float weigh(const SobelArguments& a, float centre, float sides) {
  return __fadd_rn(__fmul_rn(static_cast<float>(a.centre), centre),
                   __fmul_rn(static_cast<float>(a.side), sides));
}
__device__ inline SobelPair<2, 1> weigh(const SobelArguments& /*a*/, SobelPair<2, 1> centre,
                                        SobelPair<2, 1> sides) {
  return {multiply_add_halves(half_2, centre.bits, sides.bits)};
}
__device__ inline SobelPair<10, 3> weigh(const SobelArguments& /*a*/, SobelPair<10, 3> centre,
                                         SobelPair<10, 3> sides) {
  return {multiply_add_halves(half_10, centre.bits, multiply_add_halves(half_3, sides.bits, 0))};
}

/// Computes weigh() for pixels, minus a constant that cancels in differences of results. Scharr's
/// sums reach 4080; the constant moves them to -2048 … 2032, where they are exact.
template <class Number>
__device__ Number smooth(const SobelArguments& a, Number centre, Number sides) {
  return weigh(a, centre, sides);
}
template <>
__device__ inline SobelPair<10, 3> smooth(const SobelArguments& /*a*/, SobelPair<10, 3> centre,
                                          SobelPair<10, 3> sides) {
  return {multiply_add_halves(half_10, centre.bits,
                              multiply_add_halves(half_3, sides.bits, minus_2048_units))};
}

/// Computes the root by the fast instruction, with a relative error up to 2^-23.
__device__ inline float fast_root(float n) {
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(n));
  return root;
}

/// Computes sqrt(dx² + dy²) rounded half up, for components below 2^20.
__device__ inline int rounded_root(int dx, int dy) {
  const float x = __int2float_rn(dx);
  const float y = __int2float_rn(dy);
  // The root is below 2^21 and off by less than 1/2 before rounding, so by at most one after it.
  // Comparing n - root² with the root gives the correction; 32 bits hold the difference exactly.
  const int root = __float2int_rn(fast_root(x * x + y * y));
  const auto square = [](int z) { return static_cast<unsigned>(z) * static_cast<unsigned>(z); };
  const int above = static_cast<int>(square(dx) + square(dy) - square(root));
  if (above > root) return root + 1;
  return root > 0 && above <= -root ? root - 1 : root;
}

/// Computes |dx| + |dy| or sqrt(dx² + dy²).
template <SobelResult result>
__device__ int magnitude(int dx, int dy) {
  if constexpr (result == SobelResult::l1)
    return abs(dx) + abs(dy);
  else
    return rounded_root(dx, dy);
}

template <SobelResult result>
__device__ float magnitude(float dx, float dy) {
  if constexpr (result == SobelResult::l1)
    return __fadd_rn(fabsf(dx), fabsf(dy));
  else
    return __fsqrt_rn(__fadd_rn(__fmul_rn(dx, dx), __fmul_rn(dy, dy)));
}

/// Converts the bits of a 16-bit float to a float.
__device__ inline float widen_half(unsigned bits) {
  float value;
  asm("{ .reg .b16 lower, upper; mov.b32 {lower, upper}, %1; cvt.f32.f16 %0, lower; }"
      : "=f"(value)
      : "r"(bits));
  return value;
}

/// Computes sqrt(dx² + dy²) of numbers in units of 2^-24, as a whole number in a word's lower half.
template <class Out>
__device__ unsigned root_of_halves(unsigned dx, unsigned dy) {
  constexpr float unit = 0x1p-24F;
  const float x = widen_half(dx);
  const float y = widen_half(dy);
  const float n = x * x + y * y;  // exact, unless the result is saturated
  // From 1/2 on, the last place of a float is one unit: adding 1/2 rounds to whole units.
  float sum = 0.5F + fast_root(n);
  // The root of a whole number is at least 1 / (8 r) away from r - 1/2, where rounding changes. For
  // r <= 256 that is 16 times the error of fast_root(); a larger root may be off by one.
  if constexpr (sizeof(Out) > 1) {
    const float root = sum - 0.5F;
    const float above = __fmaf_rn(-root, root, n);
    if (above > root * unit)
      sum += unit;
    else if (root > 0 && above <= -root * unit)
      sum -= unit;
  }
  return __float_as_uint(sum);
}

/// Computes the results of two pixels as whole numbers in the halves of a word.
template <class Out, SobelResult result, int centre, int side>
__device__ unsigned pair_of_results(const SobelArguments& a, SobelPair<centre, side> dx,
                                    SobelPair<centre, side> dy) {
  if constexpr (result == SobelResult::component) {
    // A half of 0 to 2047 units has this number as its bits: 1024 units are added, then taken off.
    const unsigned positive = add_halves(a.dy ? dy.bits : dx.bits, in_both(1024));
    return (positive + in_both(0x8000 - 1024)) ^ in_both(0x8000);
  } else {
    unsigned value;
    if constexpr (result == SobelResult::l1) {
      value = add_halves(absolute_halves(dx.bits), absolute_halves(dy.bits));
    } else {
      value = __byte_perm(root_of_halves<Out>(dx.bits, dy.bits),
                          root_of_halves<Out>(dx.bits >> 16, dy.bits >> 16), 0x5410);
    }
    return sizeof(Out) == 1 ? __vminu2(value, in_both(255)) : value;
  }
}

/// Returns the bits of a result in the low bits of a word.
template <class Out>
__device__ unsigned result_bits(int value) {
  if constexpr (sizeof(Out) == 1)
    return static_cast<unsigned>(value < 255 ? value : 255);
  else if constexpr (sizeof(Out) == 2)
    return static_cast<unsigned>(value < 0xffff ? value : 0xffff) & 0xffff;
  else
    return static_cast<unsigned>(value);
}
template <class Out>
__device__ unsigned result_bits(float value) {
  return __float_as_uint(value);
}

}  // namespace warpwise::kernels::sobel
