// Sums of products in vectors of the CPU, compared with plain sums of random and special numbers.

#include "warpwise/emulator/instructions/matrices/matrix_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "warpwise/emulator/instructions/lanes/narrow_floats.hpp"
#include "warpwise/emulator/instructions/lanes/numbers.hpp"

namespace warpwise::emulator::tensor {
namespace {

constexpr int no_exponent = -4096;

int exponent_of(float value, int smallest) {
  if (value == 0) return no_exponent;
  const int biased = static_cast<int>(std::bit_cast<std::uint32_t>(value) >> 23 & 255);
  return std::max(biased - 127, smallest);
}

/// Computes a sum as the matrix unit does: in the order of the depth, with doubles.
double plain_sum(const FloatProduct& p, const std::vector<float>& a, const std::vector<float>& b,
                 float c) {
  bool is_finite = std::isfinite(c);
  int largest = exponent_of(c, -126);
  double sum = c;
  for (std::size_t k = 0; k < a.size(); ++k) {
    is_finite = is_finite && std::isfinite(a[k]) && std::isfinite(b[k]);
    largest =
        std::max(largest, exponent_of(a[k], p.smallest_of_a) + exponent_of(b[k], p.smallest_of_b));
    sum += static_cast<double>(a[k]) * b[k];
  }
  if (!is_finite || largest <= no_exponent / 2) return sum;
  const double scale = std::ldexp(1.0, p.fraction_bits - largest);
  sum = static_cast<int>(c * scale);
  for (std::size_t k = 0; k < a.size(); ++k)
    sum += static_cast<int>(static_cast<double>(a[k]) * b[k] * scale);
  return sum * std::ldexp(1.0, largest - p.fraction_bits);
}

float toward_zero(double x) {
  constexpr auto smallest = static_cast<double>(std::numeric_limits<float>::denorm_min());
  if (x > -smallest && x < 0) return 0;
  const auto nearest = static_cast<float>(x);
  if (x != x) return std::bit_cast<float>(0x7fffffffU);
  if (std::fabs(x) >= std::ldexp(1.0, 128) ||
      std::fabs(static_cast<double>(nearest)) <= std::fabs(x))
    return nearest;
  return std::nextafter(nearest, 0.0F);
}

enum class Kind { half, bfloat, tf32, e4m3, e5m2 };

/// Makes numbers of one kind, many of them special.
class Numbers {
 public:
  explicit Numbers(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_()) % n; }

  /// Chooses the spread of exponents for the next matrix, and how many numbers are special.
  void choose() {
    spread_ = below(5);
    special_ = below(3) == 0 ? 1 + below(60) : 0;
  }
  float next(Kind kind) {
    if (special_ != 0 && below(special_) == 0) return special(kind);
    const auto bits = static_cast<std::uint32_t>(random_());
    if (spread_ == 0) return of_bits(kind, bits);
    constexpr int spreads[] = {0, 1, 8, 30, 300};
    const auto width = static_cast<std::uint32_t>(spreads[spread_]);
    const int exponent = static_cast<int>(below(width)) - static_cast<int>(width) / 2;
    const float fraction = 1 + static_cast<float>(bits >> 22) * 0x1p-10F;
    const auto value = std::ldexp((bits & 1) != 0 ? -fraction : fraction, exponent);
    return rounded(kind, value);
  }
  float addend() {
    const std::uint32_t choice = below(8);
    if (choice < 2) return choice == 0 ? 0.0F : -0.0F;
    if (special_ != 0 && below(special_) == 0)
      return std::bit_cast<float>(static_cast<std::uint32_t>(random_()));
    return std::ldexp(static_cast<float>(below(1U << 24)) - 0x1p23F,
                      static_cast<int>(below(60)) - 50);
  }

 private:
  static float rounded(Kind kind, float value) {
    switch (kind) {
      case Kind::half: return static_cast<float>(decode(encode(value, half_format), half_format));
      case Kind::e4m3:
        return static_cast<float>(narrow_value(narrow_bits(value, e4m3_format), e4m3_format));
      case Kind::e5m2:
        return static_cast<float>(narrow_value(narrow_bits(value, e5m2_format), e5m2_format));
      default:
        return of_bits(kind, kind == Kind::bfloat ? std::bit_cast<std::uint32_t>(value) >> 16
                                                  : std::bit_cast<std::uint32_t>(value));
    }
  }
  static float of_bits(Kind kind, std::uint32_t bits) {
    switch (kind) {
      case Kind::half:
        return static_cast<float>(decode(static_cast<std::uint16_t>(bits), half_format));
      case Kind::bfloat: return std::bit_cast<float>(bits << 16);
      case Kind::tf32: return std::bit_cast<float>(bits & 0xffffe000U);
      case Kind::e4m3: return static_cast<float>(narrow_value(bits, e4m3_format));
      default: return static_cast<float>(narrow_value(bits, e5m2_format));
    }
  }
  float special(Kind kind) {
    const float infinity = std::numeric_limits<float>::infinity();
    const float numbers[] = {
        0.0F,      -0.0F,         rounded(kind, 0x1p-14F), rounded(kind, -0x1p-24F), infinity,
        -infinity, std::nanf(""), rounded(kind, 65504),    rounded(kind, 0x1p-130F)};
    const float number = numbers[below(9)];
    return std::isinf(number) && kind == Kind::e4m3 ? 448.0F : number;
  }

  std::mt19937 random_;
  std::uint32_t spread_ = 0;
  std::uint32_t special_ = 0;
};

struct Case {
  std::string name;
  Kind a;
  Kind b;
  int smallest_of_a;
  int smallest_of_b;
  int depth;
  int fraction_bits;
  Finish finish;
};

std::uint32_t products() {
  const char* const text = std::getenv("WARPWISE_MATRIX_PRODUCTS");
  return text == nullptr ? 300 : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

/// Returns the bits of a result. All NaN of doubles give the same bits.
template <class T>
auto bits(T value) {
  if constexpr (sizeof(T) == 8)
    return value != value ? 0 : std::bit_cast<std::uint64_t>(value);
  else
    return std::bit_cast<std::uint32_t>(value);
}

class MatrixSum : public testing::TestWithParam<const MatrixLoops*> {};

TEST_P(MatrixSum, SumsOfFloatsHaveTheBitsOfPlainOnes) {
  const Case cases[] = {
      {"half", Kind::half, Kind::half, -14, -14, 16, 25, Finish::truncate},
      {"half to half", Kind::half, Kind::half, -14, -14, 16, 25, Finish::to_odd},
      {"half of 8", Kind::half, Kind::half, -14, -14, 8, 25, Finish::truncate},
      {"bfloat", Kind::bfloat, Kind::bfloat, -126, -126, 16, 25, Finish::truncate},
      {"tf32", Kind::tf32, Kind::tf32, -126, -126, 8, 25, Finish::truncate},
      {"e4m3", Kind::e4m3, Kind::e5m2, -6, -14, 32, 13, Finish::truncate_more},
      {"e5m2", Kind::e5m2, Kind::e4m3, -14, -6, 32, 13, Finish::to_odd}};
  Numbers numbers(1);
  for (const Case& each : cases) {
    for (std::uint32_t n = 0; n < products(); ++n) {
      const ProductSize size{8 + 8 * static_cast<int>(numbers.below(2)),
                             8 + 8 * static_cast<int>(numbers.below(2)), each.depth};
      alignas(64) float a[16 * most_depth];
      alignas(64) float b[16 * most_depth];
      alignas(64) float sums[256];
      numbers.choose();
      for (int i = 0; i < size.rows * size.depth; ++i) a[i] = numbers.next(each.a);
      numbers.choose();
      for (int i = 0; i < size.columns * size.depth; ++i) b[i] = numbers.next(each.b);
      // Makes rows whose products cancel except for a small rest.
      if (numbers.below(4) == 0) {
        for (int i = 0; i < size.rows * size.depth; ++i)
          if (i / group_lines % 2 != 0) a[i] = -a[i - group_lines];
        for (int i = 0; i < size.columns * size.depth; ++i)
          b[i] = i / group_lines % 2 == 0 || numbers.below(9) == 0 ? b[i] : b[i - group_lines];
      }
      for (float& sum : sums) sum = numbers.addend();
      std::vector<float> expected(sums, sums + 256);
      const FloatProduct product{.size = size,
                                 .a = a,
                                 .b = b,
                                 .sums = sums,
                                 .smallest_of_a = each.smallest_of_a,
                                 .smallest_of_b = each.smallest_of_b,
                                 .fraction_bits = each.fraction_bits,
                                 .finish = each.finish};
      GetParam()->add_floats(product);
      std::uint16_t halves[256];
      GetParam()->to_halves(sums, 256, halves);
      for (int row = 0; row < size.rows; ++row) {
        for (int column = 0; column < size.columns; ++column) {
          std::vector<float> of_a;
          std::vector<float> of_b;
          for (int k = 0; k < size.depth; ++k) {
            of_a.push_back(a[place_in_groups(row, k, size.depth)]);
            of_b.push_back(b[place_in_groups(column, k, size.depth)]);
          }
          const std::size_t at = place_in_groups(column, row, size.rows);
          const double sum = plain_sum(product, of_a, of_b, expected[at]);
          std::uint32_t should = 0;
          std::uint32_t is = 0;
          if (each.finish == Finish::to_odd) {
            should = encode(sum, half_format);
            is = halves[at];
          } else {
            const float result = toward_zero(sum);
            should = bits(result);
            if (each.finish == Finish::truncate_more && std::isfinite(result)) should &= ~0x3ffU;
            is = bits(sums[at]);
          }
          ASSERT_EQ(is, should) << each.name << ", product " << n << ", row " << row << ", column "
                                << column;
        }
      }
    }
  }
}

TEST_P(MatrixSum, SumsOfIntegersAndDoubles) {
  std::mt19937 random(2);
  for (std::uint32_t n = 0; n < products(); ++n) {
    const ProductSize size{16, 8, 32};
    alignas(64) float a[16 * 32];
    alignas(64) float b[8 * 32];
    alignas(64) double c[16 * 32];
    alignas(64) double d[8 * 32];
    alignas(64) std::int32_t sums[128];
    alignas(64) double doubles[128];
    const int low = n % 2 == 0 ? -128 : 0;
    const int all = n % 3 == 0 ? 1 : 256;  // 1: all elements of A are equal to `low`
    for (float& x : a) x = static_cast<float>(low + static_cast<int>(random()) % all);
    for (float& x : b) x = static_cast<float>(static_cast<int>(random() % 256));
    for (double& x : c)
      x = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 90) - 45);
    for (double& x : d)
      x = std::ldexp(-static_cast<double>(random()), static_cast<int>(random() % 90) - 45);
    for (std::int32_t& x : sums)
      x = static_cast<std::int32_t>(
          random() % 3 == 0 ? random() : (random() % 2 == 0 ? 0x7fffff00U : 0x800000ffU));
    for (double& x : doubles) x = static_cast<double>(random());
    const std::vector<std::int32_t> integers_before(sums, sums + 128);
    const std::vector<double> doubles_before(doubles, doubles + 128);
    GetParam()->add_integers(size, a, b, sums, n % 5 != 0);
    GetParam()->add_doubles(size, c, d, doubles);
    for (std::size_t i = 0; i < 128; ++i) {
      std::int64_t sum = integers_before[i];
      double of_doubles = doubles_before[i];
      for (std::size_t k = 0; k < 32; ++k) {
        sum += static_cast<std::int64_t>(a[(i / 64 * 32 + k) * 8 + i / 8 % 8] * b[k * 8 + i % 8]);
        of_doubles = std::fma(c[(i / 64 * 32 + k) * 8 + i / 8 % 8], d[k * 8 + i % 8], of_doubles);
      }
      if (n % 5 != 0) {
        sum = std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                       std::numeric_limits<std::int32_t>::max());
      }
      ASSERT_EQ(sums[i], static_cast<std::int32_t>(sum));
      ASSERT_EQ(bits(doubles[i]), bits(of_doubles));
    }
  }
}

TEST_P(MatrixSum, EveryHalf) {
  alignas(64) static std::array<std::uint16_t, 65536> codes;
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint16_t>(i);
  alignas(64) static std::array<float, 65536> numbers;
  GetParam()->from_halves(codes.data(), codes.size(), numbers.data());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const double number = decode(codes[i], half_format);
    if (number != number)
      EXPECT_TRUE(std::isnan(numbers[i]));
    else
      EXPECT_EQ(bits(numbers[i]), bits(static_cast<float>(number)));
  }
  // Makes numbers between neighbouring halves, on both sides of the middle.
  std::vector<float> between;
  for (const float number : numbers) {
    if (!std::isfinite(number)) continue;
    for (const int ulps : {-1, 0, 1}) {
      const auto next = static_cast<float>(
          (number + decode(encode(number * 1.001 + 0x1p-24, half_format), half_format)) / 2);
      between.push_back(std::bit_cast<float>(bits(next) + static_cast<std::uint32_t>(ulps)));
    }
  }
  std::vector<std::uint16_t> rounded(between.size());
  GetParam()->to_halves(between.data(), between.size(), rounded.data());
  for (std::size_t i = 0; i < between.size(); ++i)
    EXPECT_EQ(rounded[i], encode(between[i], half_format)) << between[i];
}

INSTANTIATE_TEST_SUITE_P(OfThisCpu, MatrixSum, testing::Values(&matrix_loops()));
INSTANTIATE_TEST_SUITE_P(OfAnyCpu, MatrixSum, testing::Values(&portable_matrix_loops()));

}  // namespace
}  // namespace warpwise::emulator::tensor
