#pragma once

#include <cmath>

// ncc and zncc for the references alone: what they check computes with matching.hpp, these write
// the formulas out once more.
namespace warpwise::reference {

/// Σab / √(Σa² Σb²), 0 where a block is all zero.
inline double ncc(long long ab, long long aa, long long bb) {
  if (aa == 0 || bb == 0) return 0;
  return static_cast<double>(ab) / std::sqrt(static_cast<double>(aa) * static_cast<double>(bb));
}

/// The same of n pixels less their means: n Σ(a − Σa/n)(b − Σb/n) = n Σab − Σa Σb, exactly.
inline double zncc(long long n, long long a, long long b, long long ab, long long aa,
                   long long bb) {
  return ncc(n * ab - a * b, n * aa - a * a, n * bb - b * b);
}

}  // namespace warpwise::reference
