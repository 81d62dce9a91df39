#pragma once

#include <algorithm>
#include <cmath>

#include "warpwise/base/view.hpp"

// Used by references only. The code under test computes with matching.hpp; the references write the
// formulas out again.
namespace warpwise::reference {

/// Returns the image's pixel nearest to (x, y).
inline int clamped_pixel(ConstHostView image, std::int64_t x, std::int64_t y) {
  x = std::clamp<std::int64_t>(x, 0, image.width() - 1);
  y = std::clamp<std::int64_t>(y, 0, image.height() - 1);
  return load<std::uint8_t>(image.row(y), x);
}

/// Computes Σab / √(Σa² Σb²), 0 where a block is all zero.
inline double ncc(long long ab, long long aa, long long bb) {
  if (aa == 0 || bb == 0) return 0;
  return static_cast<double>(ab) / std::sqrt(static_cast<double>(aa) * static_cast<double>(bb));
}

/// Does the same for n pixels minus their means: n Σ(a − Σa/n)(b − Σb/n) = n Σab − Σa Σb, exactly.
inline double zncc(long long n, long long a, long long b, long long ab, long long aa,
                   long long bb) {
  return ncc(n * ab - a * b, n * aa - a * a, n * bb - b * b);
}

}  // namespace warpwise::reference
