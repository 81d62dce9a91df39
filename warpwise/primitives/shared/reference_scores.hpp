#pragma once

#include <algorithm>
#include <cmath>

#include "warpwise/base/error.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/primitives/shared/matching.hpp"

// Formulas of the reference implementations only. The code under test computes with matching.hpp,
// and the references write the same formulas out independently.
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

/// Computes ncc of n pixels minus their means: n Σ(a − Σa/n)(b − Σb/n) = n Σab − Σa Σb, exactly.
inline double zncc(long long n, long long a, long long b, long long ab, long long aa,
                   long long bb) {
  return ncc(n * ab - a * b, n * aa - a * a, n * bb - b * b);
}

/// Sums over the pixels of two blocks.
struct BlockSums {
  long long sad = 0, ssd = 0, n = 0, a = 0, b = 0, ab = 0, aa = 0, bb = 0;

  /// Adds a pixel of each block.
  void add(int p, int q) {
    sad += p > q ? p - q : q - p;
    ssd += (p - q) * (p - q);
    n += 1;
    a += p;
    b += q;
    ab += p * q;
    aa += p * p;
    bb += q * q;
  }

  double score(Measure measure) const {
    switch (measure) {
      case Measure::sad: return static_cast<double>(sad);
      case Measure::ssd: return static_cast<double>(ssd);
      case Measure::ncc: return ncc(ab, aa, bb);
      case Measure::zncc: return zncc(n, a, b, ab, aa, bb);
    }
    throw InvalidArgument("reference: no such measure");
  }
};

}  // namespace warpwise::reference
