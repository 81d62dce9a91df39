#pragma once

// Internal to the emulator: the CPU's rounding mode, and the flushing and saturation of operands
// and results. Files that include this are compiled with -frounding-math.

#include <bit>
#include <cfenv>
#include <cstdint>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/instructions/lanes/numbers.hpp"

namespace warpwise::emulator {

/// Sets the CPU's rounding mode. The destructor sets it to round to nearest again.
class RoundingMode {
 public:
  explicit RoundingMode(Rounding rounding) : changed_(rounding != Rounding::nearest) {
    static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    if (changed_) std::fesetround(modes[static_cast<int>(rounding)]);
  }
  ~RoundingMode() {
    if (changed_) std::fesetround(FE_TONEAREST);
  }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  bool changed_;
};

/// Flushes an operand if the operation's flags say so.
template <class T>
T before(T x, FloatFlags flags) {
  if constexpr (sizeof(T) == 4) {
    if (flags.flush != 0) return flush_to_zero(x);
  }
  return x;
}

/// Saturates and flushes a result by the flags. A NaN of single precision becomes 0x7fffffff.
template <class T>
T after(T x, FloatFlags flags) {
  if (flags.saturate != 0) x = saturated(x);
  if constexpr (sizeof(T) == 4) {
    if (flags.flush != 0) x = flush_to_zero(x);
    return canonical_nan(x);
  }
  return x;
}

inline double quiet(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | std::uint64_t{1} << 51);
}

}  // namespace warpwise::emulator
