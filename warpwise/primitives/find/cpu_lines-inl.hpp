// Fourier transforms of lines of complex numbers in double. Include this file after hwy/highway.h,
// in a file that foreach_target.h compiles once for each target.
#if defined(WARPWISE_PRIMITIVES_FIND_CPU_LINES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WARPWISE_PRIMITIVES_FIND_CPU_LINES_INL_HPP
#undef WARPWISE_PRIMITIVES_FIND_CPU_LINES_INL_HPP
#else
#define WARPWISE_PRIMITIVES_FIND_CPU_LINES_INL_HPP
#endif

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::find::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Number of lines transformed together, one line in each lane. A cache line holds one point of each
// of these lines.
constexpr std::int64_t together = 4;
using Doubles = hn::CappedTag<double, together>;
using DoubleVector = hn::Vec<Doubles>;

/// Complex numbers, one in each lane.
struct ComplexVector {
  DoubleVector re;
  DoubleVector im;

  static ComplexVector load(const double* re, const double* im) {
    return {hn::Load(Doubles(), re), hn::Load(Doubles(), im)};
  }
  void store(double* to_re, double* to_im) const {
    hn::Store(re, Doubles(), to_re);
    hn::Store(im, Doubles(), to_im);
  }
  ComplexVector plus(const ComplexVector& o) const {
    return {hn::Add(re, o.re), hn::Add(im, o.im)};
  }
  ComplexVector minus(const ComplexVector& o) const {
    return {hn::Sub(re, o.re), hn::Sub(im, o.im)};
  }
  /// Multiplies by −i; in an inverse transform by i.
  template <bool inverse>
  ComplexVector turned() const {
    return inverse ? ComplexVector{hn::Neg(im), re} : ComplexVector{im, hn::Neg(re)};
  }
  /// Multiplies by a root of 1; in an inverse transform by its conjugate.
  template <bool inverse>
  ComplexVector times(const ComplexVector& w) const {
    if constexpr (inverse) {
      return {hn::MulAdd(re, w.re, hn::Mul(im, w.im)), hn::MulSub(im, w.re, hn::Mul(re, w.im))};
    } else {
      return {hn::MulSub(re, w.re, hn::Mul(im, w.im)), hn::MulAdd(re, w.im, hn::Mul(im, w.re))};
    }
  }
};

/// Transforms of lines of 2^log_length points. Forward transforms leave the points in a permuted
/// order, which inverse transforms expect. No transform divides by the length.
class LineTransform {
 public:
  explicit LineTransform(int log_length) : length_(std::int64_t{1} << log_length) {
    std::int64_t group = length_;
    while (group > 1) {
      const int radix = passes_.empty() && log_length % 2 == 1 ? 2 : 4;
      passes_.push_back({radix, group / radix, roots_.size()});
      add_roots(group, radix);
      group /= radix;
    }
  }

  std::int64_t length() const { return length_; }

  /// Transforms four lines in place; re[4·n + l] and im[4·n + l] are point n of line l.
  void forward(double* re, double* im) const {
    for (const Pass& pass : passes_) run<false>(pass, re, im);
  }
  void inverse(double* re, double* im) const {
    for (auto pass = passes_.rbegin(); pass != passes_.rend(); ++pass) run<true>(*pass, re, im);
  }

 private:
  struct Pass {
    int radix;
    std::int64_t stride;
    std::size_t roots;  ///< index of the pass's first root
  };

  void add_roots(std::int64_t group, int radix) {
    for (std::int64_t j = 0; j < group / radix; ++j) {
      for (int m = 1; m < radix; ++m) {
        const double angle =
            -2 * std::numbers::pi * static_cast<double>(j * m) / static_cast<double>(group);
        roots_.push_back(std::cos(angle));
        roots_.push_back(std::sin(angle));
      }
    }
  }

  template <bool inverse>
  void run(const Pass& pass, double* re, double* im) const {
    if (pass.radix == 2)
      run<inverse, 2, true>(pass, re, im);
    else if (pass.stride > 1)
      run<inverse, 4, true>(pass, re, im);
    else
      run<inverse, 4, false>(pass, re, im);
  }

  /// Runs one pass. If `roots` is false, all roots are 1.
  template <bool inverse, int radix, bool roots>
  void run(const Pass& pass, double* re, double* im) const {
    const Doubles d;
    const std::int64_t stride = pass.stride * together;
    for (std::int64_t group = 0; group < length_; group += radix * pass.stride) {
      const double* next_root = roots_.data() + pass.roots;
      for (std::int64_t j = 0; j < pass.stride; ++j, next_root += 2 * (radix - 1)) {
        const auto root = [&](int m) {
          return ComplexVector{hn::Set(d, next_root[2 * m - 2]), hn::Set(d, next_root[2 * m - 1])};
        };
        for (std::int64_t l = 0; l < together; l += static_cast<std::int64_t>(hn::Lanes(d))) {
          double* const at_re = re + (group + j) * together + l;
          double* const at_im = im + (group + j) * together + l;
          const auto load = [&](int m) {
            const auto point = ComplexVector::load(at_re + m * stride, at_im + m * stride);
            return inverse && roots && m > 0 ? point.template times<true>(root(m)) : point;
          };
          const auto store = [&](int m, const ComplexVector& point) {
            (inverse || !roots || m == 0 ? point : point.template times<false>(root(m)))
                .store(at_re + m * stride, at_im + m * stride);
          };
          if constexpr (radix == 2) {
            const ComplexVector a = load(0), b = load(1);
            store(0, a.plus(b));
            store(1, a.minus(b));
          } else {
            const ComplexVector a = load(0), b = load(1), c = load(2), d4 = load(3);
            const ComplexVector p = a.plus(c), q = a.minus(c), r = b.plus(d4);
            const ComplexVector s = b.minus(d4).template turned<inverse>();
            store(0, p.plus(r));
            store(1, q.plus(s));
            store(2, p.minus(r));
            store(3, q.minus(s));
          }
        }
      }
    }
  }

  std::int64_t length_;
  std::vector<Pass> passes_;
  std::vector<double> roots_;
};

}  // namespace
}  // namespace warpwise::detail::find::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
