#pragma once

#include <cstdint>

#include "warpwise/base/error.hpp"

namespace warpwise {

/// Returns a * b for sizes in bytes or elements. Throws InvalidArgument when a factor is negative
/// or the product exceeds int64.
inline std::int64_t checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) {
    throw InvalidArgument("the size " + std::to_string(a) + " x " + std::to_string(b) +
                          " does not fit in 64 bits");
  }
  return product;
}

/// Returns a + b for sizes. Throws InvalidArgument when a summand is negative or the sum exceeds
/// int64.
inline std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum)) {
    throw InvalidArgument("the size " + std::to_string(a) + " + " + std::to_string(b) +
                          " does not fit in 64 bits");
  }
  return sum;
}

}  // namespace warpwise
