#pragma once

// Words that begin at four adjacent bytes, for kernels. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels {

/// Returns the four words that start at bytes 0 to 3 of `low`; `high` follows `low` in memory.
__device__ inline uint4 shifts_of(unsigned low, unsigned high) {
  return {low, __funnelshift_r(low, high, 8), __funnelshift_r(low, high, 16),
          __funnelshift_r(low, high, 24)};
}

/// Four words that start at adjacent bytes, as an array.
struct ShiftedWords {
  unsigned at[4];
};

/// Loads the four words that start in word[0]. \tparam masked  true to keep only bits of `mask`
template <bool masked>
__device__ inline ShiftedWords load_shifts(const unsigned* word, unsigned mask) {
  const uint4 shifts = shifts_of(word[0], word[1]);
  ShiftedWords words{{shifts.x, shifts.y, shifts.z, shifts.w}};
  if constexpr (masked) {
    for (unsigned& shifted : words.at) shifted &= mask;
  }
  return words;
}

}  // namespace warpwise::kernels
