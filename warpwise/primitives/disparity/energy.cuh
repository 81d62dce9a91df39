#pragma once

#include "warpwise/primitives/disparity/arguments.hpp"
#include "warpwise/primitives/shared/matching.hpp"

// Sums over one image block that ncc and zncc need, and scores as integers that can be compared.
// nvcc and NVRTC compile this file; it includes no host headers.
namespace warpwise::kernels::disparity {

/// Converts an integer to a double: puts it into the low bits of 2^52 and subtracts 2^52. A
/// conversion instruction has a quarter of an addition's rate.
__device__ inline double as_double(unsigned value) {
  return __hiloint2double(0x43300000, static_cast<int>(value)) - 4503599627370496.0;
}

/// Sums over one image block that ncc and zncc need. Every number here is a whole number below
/// 2^53, so each operation is exact.
template <Measure measure>
struct BlockEnergy {
  double spread;  ///< Σa² (ncc), nΣa² − (Σa)² (zncc)
  double total;   ///< Σa, zncc

  __device__ static BlockEnergy of(unsigned squares, unsigned total, double n) {
    if constexpr (measure == Measure::ncc) return {as_double(squares), 0};
    const double sum = as_double(total);
    return {__fma_rn(n, as_double(squares), -__dmul_rn(sum, sum)), sum};
  }
};

/// Computes numerator / √(a · b) of whole numbers, rounded as normalised() of matching.hpp does.
/// The product a · b is 0, or from 1 to 2^96, and the numerator is below 2^48. The steps are those
/// of __dsqrt_rn and __ddiv_rn without their branches for special numbers, so that the computations
/// of several scores overlap. The division starts from the square root's reciprocal.
__device__ inline double normalised_whole(double numerator, double a, double b) {
  const double product = __dmul_rn(a, b);
  double estimate;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(estimate) : "d"(product));
  const double error = __fma_rn(product, -__dmul_rn(estimate, estimate), 1.0);
  const double inverse =
      __fma_rn(__fma_rn(error, 0.375, 0.5), __dmul_rn(estimate, error), estimate);
  const double near = __dmul_rn(product, inverse);
  const double root = __fma_rn(__fma_rn(near, -near, product), 0.5 * inverse, near);
  const double reciprocal = __fma_rn(__fma_rn(-root, inverse, 1.0), inverse, inverse);
  const double quotient = __dmul_rn(numerator, reciprocal);
  const double score = __fma_rn(__fma_rn(-root, quotient, numerator), reciprocal, quotient);
  // Uses a mask, because a condition would become a branch around the whole computation.
  const long long kept = __double2hiint(product) == 0 ? 0 : -1;
  return __longlong_as_double(__double_as_longlong(score) & kept);
}

/// Computes ncc_score() or zncc_score() of matching.hpp, with the same bits.
template <Measure measure>
__device__ double exact_score(unsigned products, const BlockEnergy<measure>& a,
                              const BlockEnergy<measure>& b, double n) {
  double numerator = as_double(products);
  if constexpr (measure == Measure::zncc) {
    numerator = __fma_rn(n, numerator, -__dmul_rn(a.total, b.total));
  }
  return normalised_whole(numerator, a.spread, b.spread);
}

/// Converts scores of one row to orders: unsigned numbers, of which the least is the best.
template <Measure measure>
class ScoreOrder {
 public:
  using Order = unsigned long long;

  __device__ ScoreOrder(const BlockEnergies& e, int64_t tile_x, int64_t y)
      : left_at_(e.at(tile_x, y)), right_at_(left_at_ - 4 * int64_t{threadIdx.x}), energies_(e),
        n_(e.pixels) {
    load(1, right_at_ - 4, right_ + 4);
  }

  /// Moves to the next four pixels.
  __device__ void advance() {
#pragma unroll
    for (int i = 0; i < 4; ++i) right_[i] = right_[4 + i];
    load(0, left_at_, left_);
    load(1, right_at_, right_ + 4);
    left_at_ += 4;
    right_at_ += 4;
  }

  /// Returns the order of the score of pixel i of the current four, at the lane's displacement k.
  template <int i>
  __device__ Order of(int k, unsigned products) const {
    return order(exact_score(products, left_[i], right_[4 + i - k], n_));
  }
  /// Returns the score of the blocks around two pixels of row y, as an order.
  static __device__ Order at(const BlockEnergies& e, unsigned products, int64_t left, int64_t right,
                             int64_t y) {
    const double n = e.pixels;
    return order(
        exact_score(products, block(e, 0, e.at(left, y), n), block(e, 1, e.at(right, y), n), n));
  }
  static __device__ double value(Order order) {
    const auto bits = static_cast<long long>(~order);
    return __longlong_as_double(bits < 0 ? bits ^ sign : ~bits);
  }

 private:
  using Block = BlockEnergy<measure>;
  static constexpr long long sign = static_cast<long long>(1ULL << 63);

  /// Positive doubles are ordered like their bits, negative ones in reverse. There is no −0 here.
  static __device__ Order order(double score) {
    const long long bits = __double_as_longlong(score);
    if constexpr (measure == Measure::ncc) return ~static_cast<Order>(bits ^ sign);
    return ~static_cast<Order>(bits < 0 ? ~bits : bits ^ sign);
  }
  static __device__ Block block(const BlockEnergies& e, int image, int64_t at, double n) {
    return Block::of(e.squares[image][at], measure == Measure::zncc ? e.totals[image][at] : 0, n);
  }
  __device__ void load(int image, int64_t at, Block* to) const {
    const uint4 squares = *reinterpret_cast<const uint4*>(energies_.squares[image] + at);
    uint4 totals{};
    if constexpr (measure == Measure::zncc) {
      totals = *reinterpret_cast<const uint4*>(energies_.totals[image] + at);
    }
    to[0] = Block::of(squares.x, totals.x, n_);
    to[1] = Block::of(squares.y, totals.y, n_);
    to[2] = Block::of(squares.z, totals.z, n_);
    to[3] = Block::of(squares.w, totals.w, n_);
  }

  int64_t left_at_;   ///< index of the next four left pixels
  int64_t right_at_;  ///< index of the right pixels at the lane's first displacement
  const BlockEnergies& energies_;
  double n_;
  Block left_[4];
  Block right_[8];  ///< the right pixels of the four columns before, then of the current four
};

/// For ssd, the sum itself is the order: the least is the best.
template <>
class ScoreOrder<Measure::ssd> {
 public:
  using Order = unsigned;

  __device__ ScoreOrder(const BlockEnergies&, int64_t, int64_t) {}
  __device__ void advance() {}
  template <int i>
  __device__ Order of(int, unsigned sum) const {
    return sum;
  }
  static __device__ double value(Order order) { return order; }
};

}  // namespace warpwise::kernels::disparity
