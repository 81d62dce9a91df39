// Kernels that test arithmetic, run with and without counts, by one and by two threads of the CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "emulator/kernel_test.hpp"
#include "warpwise/base/float16.hpp"

namespace warpwise {
namespace arithmetic_tests {

using emulator::Address;
using test::blocks_for;
using test::Emulated;
using test::Kernels;
using test::random_integers;

/// Returns f(a, b) for each element of two packed words. An element has `bits` bits, with a sign or
/// without.
template <int bits, class F>
std::uint32_t packed(std::uint32_t a, std::uint32_t b, bool is_signed, F f) {
  std::uint32_t result = 0;
  const std::uint32_t kept = (1U << bits) - 1;
  for (int at = 0; at < 32; at += bits) {
    const auto element = [&](std::uint32_t word) {
      const auto raw = static_cast<int>(word >> at & kept);
      return is_signed && raw >= 1 << (bits - 1) ? raw - (1 << bits) : raw;
    };
    result |= (static_cast<std::uint32_t>(f(element(a), element(b))) & kept) << at;
  }
  return result;
}

std::uint32_t dot(std::uint32_t a, std::uint32_t b, std::uint32_t c, bool is_signed, int count,
                  int a_bits, int b_from) {
  for (int k = 0; k < count; ++k) {
    std::int64_t x = a >> (a_bits * k) & ((1U << a_bits) - 1);
    std::int64_t y = b >> (8 * k + b_from) & 0xff;
    if (is_signed && x >= 1 << (a_bits - 1)) x -= 1 << a_bits;
    if (is_signed && y >= 128) y -= 256;
    c += static_cast<std::uint32_t>(x * y);
  }
  return c;
}

TEST_P(Kernels, Packed) {
  Emulated emulated = load("packed");
  const std::size_t count = 1000;
  const auto a = test::random_words(count, 20);
  const auto b = test::random_words(count, 21);
  const auto c = test::random_words(count, 22);
  const Address to = emulated.buffer(std::vector<std::uint32_t>(24 * count));
  run(emulated, "packed", {blocks_for(count, 128)}, {128}, emulated.buffer(a), emulated.buffer(b),
      emulated.buffer(c), to, static_cast<int>(count));
  const auto found = emulated.read<std::uint32_t>(to, 24 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t x = a[i];
    const std::uint32_t y = b[i];
    const std::uint32_t z = c[i];
    const auto bytes = [&](bool is_signed, auto f) { return packed<8>(x, y, is_signed, f); };
    const auto sum = [](std::uint32_t w) {
      return (w & 0xff) + (w >> 8 & 0xff) + (w >> 16 & 0xff) + (w >> 24);
    };
    const std::uint64_t both = std::uint64_t{y} << 32 | x;
    std::uint32_t chosen = 0;
    for (int k = 0; k < 4; ++k)
      chosen |= static_cast<std::uint32_t>(both >> (z >> (4 * k) & 7) * 8 & 0xff) << (8 * k);
    const auto clamped = std::min(z, 32U);
    const auto relu3 =
        std::max(0, std::min({static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)}));
    const std::uint32_t expected[24] = {
        dot(x, y, z, false, 4, 8, 0),
        dot(x, y, z, true, 4, 8, 0),
        dot(x, y, z, false, 2, 16, 0),
        dot(x, y, z, true, 2, 16, 16),
        bytes(false, [](int p, int q) { return p + q; }),
        bytes(false, [](int p, int q) { return p - q; }),
        bytes(false, [](int p, int q) { return std::min(p + q, 255); }),
        bytes(false, [](int p, int q) { return std::abs(p - q); }),
        bytes(true, [](int p, int q) { return std::abs(p - q); }),
        sum(bytes(false, [](int p, int q) { return std::abs(p - q); })),
        sum(bytes(true, [](int p, int q) { return std::abs(p - q); })),
        bytes(false, [](int p, int q) { return p == q ? 255 : 0; }),
        bytes(false, [](int p, int q) { return p > q ? 255 : 0; }),
        bytes(true, [](int p, int q) { return p >= q ? 255 : 0; }),
        bytes(false, [](int p, int q) { return p < q ? 1 : 0; }),
        bytes(false, [](int p, int q) { return (p + q + 1) / 2; }),
        bytes(false, [](int p, int q) { return std::max(p, q); }),
        packed<16>(x, y, true, [](int p, int q) { return std::min(p, q); }),
        chosen,
        (x & 0xffff) | y << 16,
        static_cast<std::uint32_t>(both << (z & 31) >> 32),
        static_cast<std::uint32_t>(clamped == 32 ? both >> 32 : both >> clamped),
        std::max(x + y, z),
        static_cast<std::uint32_t>(relu3)};
    for (std::size_t r = 0; r < 24; ++r) {
      ASSERT_EQ(found[24 * i + r], expected[r])
          << "result " << r << " of " << std::hex << x << " " << y << " " << z;
    }
  }
}

TEST_P(Kernels, Bits) {
  Emulated emulated = load("bits");
  const std::size_t count = 1000;
  const auto a = test::random_words(count, 23);
  const auto b = test::random_words(count, 24);
  const Address to = emulated.buffer(std::vector<std::uint32_t>(14 * count));
  const Address wide = emulated.buffer(std::vector<std::uint64_t>(3 * count));
  run(emulated, "bits", {blocks_for(count, 100)}, {100}, emulated.buffer(a), emulated.buffer(b), to,
      wide, static_cast<int>(count));
  const auto found = emulated.read<std::uint32_t>(to, 14 * count);
  const auto found_wide = emulated.read<std::uint64_t>(wide, 3 * count);
  const auto reversed = [](auto x) {
    decltype(x) result = 0;
    for (std::size_t k = 0; k < 8 * sizeof(x); ++k) result = result << 1 | (x >> k & 1);
    return result;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t x = a[i];
    const std::uint32_t y = b[i];
    const auto sx = static_cast<std::int64_t>(static_cast<std::int32_t>(x));
    const auto sy = static_cast<std::int64_t>(static_cast<std::int32_t>(y));
    const std::uint64_t w = std::uint64_t{x} << 32 | y;
    const auto low24 = [](std::uint32_t v) {
      return std::int64_t{static_cast<std::int32_t>(v << 8) >> 8};
    };
    const std::int64_t odd = static_cast<std::int32_t>(y | 1);
    const std::uint32_t expected[14] = {
        static_cast<std::uint32_t>(std::popcount(x)),
        static_cast<std::uint32_t>(std::countl_zero(x)),
        x == 0 ? 0U : static_cast<std::uint32_t>(std::countr_zero(x)) + 1,
        reversed(x),
        static_cast<std::uint32_t>(std::uint64_t{x} * y >> 32),
        static_cast<std::uint32_t>(sx * sy >> 32),
        static_cast<std::uint32_t>(low24(x) * low24(y)),
        (x > y ? x - y : y - x) + 5,
        static_cast<std::uint32_t>((std::uint64_t{x} + y) >> 1),
        static_cast<std::uint32_t>((sx + sy + 1) >> 1),
        static_cast<std::uint32_t>(std::popcount(w) + std::countl_zero(w)),
        y == 0 ? 0 : x / y + x % y,
        y == 0 ? 0 : static_cast<std::uint32_t>(sx / odd + sx % odd),
        static_cast<std::uint32_t>(std::abs(sx)) >> (y & 31) |
            static_cast<std::uint32_t>(sx >> (y & 31))};
    for (std::size_t r = 0; r < 14; ++r) {
      ASSERT_EQ(found[14 * i + r], expected[r])
          << "result " << r << " of " << std::hex << x << " " << y;
    }
    ASSERT_EQ(found_wide[3 * i], reversed(w));
    ASSERT_EQ(found_wide[3 * i + 1],
              static_cast<std::uint64_t>(static_cast<unsigned __int128>(w) * (w + y) >> 64));
    ASSERT_EQ(found_wide[3 * i + 2], y == 0 ? 0 : w / y + w % y);
  }
}

TEST_P(Kernels, FloatFunctions) {
  Emulated emulated = load("floats");
  const std::size_t count = 300;
  auto a = test::random_floats(count, 25, -20, 20);
  auto b = test::random_floats(count, 26, -5, 5);
  a[3] = std::numeric_limits<float>::infinity();
  a[5] = std::numeric_limits<float>::quiet_NaN();
  b[7] = -std::numeric_limits<float>::infinity();
  const Address to = emulated.buffer(std::vector<float>(22 * count));
  const Address integers = emulated.buffer(std::vector<int>(4 * count));
  run(emulated, "float_functions", {3}, {100}, emulated.buffer(a), emulated.buffer(b), to, integers,
      static_cast<int>(count));
  const auto found = emulated.read<float>(to, 22 * count);
  const auto found_integers = emulated.read<int>(integers, 4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const float x = a[i];
    const float y = b[i];
    const float* out = found.data() + 22 * i;
    const auto exactly = [&](std::size_t r, float expected) {
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(out[r])) << r << " of " << x << " " << y;
      else
        EXPECT_EQ(out[r], expected) << r << " of " << x << " " << y;
    };
    exactly(3, x / y);
    exactly(4, std::sqrt(std::fabs(x)));
    exactly(5, 1 / y);
    exactly(6, std::fmin(x, y));
    exactly(7, std::floor(x) + std::ceil(y) + std::trunc(x) + std::rint(y));
    exactly(8, std::copysign(x, y));
    exactly(9, std::isnan(x) ? 0 : std::clamp(x, 0.0F, 1.0F));
    exactly(14, std::fmod(x, y));
    exactly(15, x / y);
    exactly(17, static_cast<float>(static_cast<long long>(i) << 40 | 1));
    exactly(18, static_cast<float>(static_cast<std::uint8_t>(i)));
    // The CUDA guide bounds the errors of these functions. The largest bound is 4 units in the last
    // place, for powf.
    const auto nearly = [&](std::size_t r, double expected) {
      if (!std::isfinite(expected))
        exactly(r, static_cast<float>(expected));
      else
        EXPECT_NEAR(out[r], expected, 4 * 1.2e-7 * std::fabs(expected) + 1e-37)
            << r << " of " << x << " " << y;
    };
    nearly(10, std::sin(double{x}));
    nearly(11, std::exp(double{y}));
    nearly(12, std::log(std::fabs(double{x})));
    nearly(13, std::pow(std::fabs(double{x}), double{y}));
    nearly(19, std::hypot(double{x}, double{y}));
    nearly(20, std::atan2(double{x}, double{y}));
    nearly(21, std::tanh(double{x}));
    EXPECT_EQ(found_integers[4 * i], std::isnan(x)   ? 0
                                     : std::isinf(x) ? INT32_MAX
                                                     : static_cast<int>(std::rint(x)));
    EXPECT_EQ(found_integers[4 * i + 2],
              (std::isnan(x) ? 1 : 0) | (std::isinf(y) ? 2 : 0) | (std::signbit(x) ? 4 : 0));
  }
}

TEST_P(Kernels, DoubleFunctions) {
  Emulated emulated = load("floats");
  const std::size_t count = 100;
  std::vector<double> a(count);
  std::vector<double> b(count);
  std::vector<std::int64_t> integers(count);
  std::mt19937_64 random(27);
  std::uniform_real_distribution<double> distribution(-30, 30);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = distribution(random);
    b[i] = distribution(random);
    integers[i] = static_cast<std::int64_t>(random());
  }
  const Address to = emulated.buffer(std::vector<double>(8 * count));
  const Address at = emulated.buffer(integers);
  run(emulated, "double_functions", {4}, {32}, emulated.buffer(a), emulated.buffer(b), to, at,
      static_cast<int>(count));
  const auto found = emulated.read<double>(to, 8 * count);
  const auto found_integers = emulated.read<std::int64_t>(at, count);
  for (std::size_t i = 0; i < count; ++i) {
    const double* out = found.data() + 8 * i;
    EXPECT_EQ(out[1], std::fma(a[i], b[i], 0.25));
    EXPECT_EQ(out[2], a[i] / b[i]);
    EXPECT_EQ(out[3], std::sqrt(std::fabs(a[i])));
    EXPECT_EQ(out[4], std::fmax(a[i], b[i]) - std::fmin(a[i], b[i]));
    EXPECT_NEAR(out[5], std::exp(a[i]), 4 * 2.3e-16 * std::exp(a[i]));
    EXPECT_EQ(out[6], static_cast<float>(a[i]));
    EXPECT_EQ(out[7], static_cast<double>(integers[i]));
    const auto bits = std::bit_cast<std::uint64_t>(b[i]);
    EXPECT_EQ(found_integers[i], std::llrint(a[i]) + static_cast<std::int32_t>(bits) +
                                     static_cast<std::int32_t>(bits >> 32));
  }
}

/// Tests halves that are eighths of moderate size, so that the format holds the results exactly.
TEST_P(Kernels, Halves) {
  Emulated emulated = load("half");
  const std::size_t count = 100;
  const std::vector<int> x = random_integers(count, 28, -40, 40);
  const std::vector<int> y = random_integers(count, 29, -40, 40);
  const auto bits = [](double value) { return to_float16(static_cast<float>(value)).bits; };
  std::vector<std::uint16_t> a;
  std::vector<std::uint16_t> b;
  for (std::size_t i = 0; i < count; ++i) {
    a.push_back(bits(x[i] / 8.0));
    b.push_back(bits(y[i] / 8.0));
  }
  const Address to = emulated.buffer(std::vector<std::uint16_t>(8 * count));
  const Address wide = emulated.buffer(std::vector<float>(count));
  run(emulated, "half_single", {2}, {64}, emulated.buffer(a), emulated.buffer(b), to, wide,
      static_cast<int>(count));
  const auto found = emulated.read<std::uint16_t>(to, 8 * count);
  const auto found_wide = emulated.read<float>(wide, count);
  const auto without_sign_of_zero = [](unsigned h) { return h == 0x8000 ? 0U : h; };
  for (std::size_t i = 0; i < count; ++i) {
    const double p = x[i] / 8.0;
    const double q = y[i] / 8.0;
    const double expected[8] = {p + q, p - q,        p * q,         p * q + p,
                                -q,    std::fabs(p), p < q ? q : p, p * 3 + q};
    for (std::size_t r = 0; r < 8; ++r) {
      EXPECT_EQ(without_sign_of_zero(found[8 * i + r]), without_sign_of_zero(bits(expected[r])))
          << r << " of " << p << " " << q;
    }
    EXPECT_EQ(found_wide[i], static_cast<float>(std::trunc(p)) + 0.0999755859375F);
  }
}

TEST_P(Kernels, HalfPairs) {
  Emulated emulated = load("half");
  const std::size_t count = 100;
  const std::vector<int> x = random_integers(2 * count, 30, -40, 40);
  const std::vector<int> y = random_integers(2 * count, 31, -40, 40);
  const auto bits = [](double value) {
    const unsigned h = to_float16(static_cast<float>(value)).bits;
    return h == 0x8000 ? 0U : h;
  };
  std::vector<std::uint16_t> a;
  std::vector<std::uint16_t> b;
  for (std::size_t i = 0; i < 2 * count; ++i) {
    a.push_back(static_cast<std::uint16_t>(bits(x[i] / 8.0)));
    b.push_back(static_cast<std::uint16_t>(bits(y[i] / 8.0)));
  }
  const Address to = emulated.buffer(std::vector<std::uint16_t>(8 * count));
  run(emulated, "half_pair", {1}, {128}, emulated.buffer(a), emulated.buffer(b), to,
      static_cast<int>(count));
  const auto found = emulated.read<std::uint16_t>(to, 8 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const double p[2] = {x[2 * i] / 8.0, x[2 * i + 1] / 8.0};
    const double q[2] = {y[2 * i] / 8.0, y[2 * i + 1] / 8.0};
    const double expected[8] = {
        p[0] + q[0], p[1] + q[1], p[0] * q[0] + 0.5,       p[1] * q[1] - 1.5,
        p[0] * q[1], p[0] * q[1], p[1] > q[1] ? 1.0 : 0.0, p[0] > q[0] ? 1.0 : 0.0};
    for (std::size_t r = 0; r < 8; ++r) {
      const unsigned h = found[8 * i + r];
      EXPECT_EQ(h == 0x8000 ? 0U : h, bits(expected[r])) << r;
    }
  }
}

TEST_P(Kernels, Bfloats) {
  Emulated emulated = load("bfloat16");
  const std::size_t count = 100;
  const std::vector<int> x = random_integers(count, 32, -11, 11);
  const std::vector<int> y = random_integers(count, 33, -11, 11);
  const auto bits = [](double value) { return to_bfloat16(static_cast<float>(value)).bits; };
  std::vector<std::uint16_t> a;
  std::vector<std::uint16_t> b;
  for (std::size_t i = 0; i < count; ++i) {
    a.push_back(bits(x[i] / 4.0));
    b.push_back(bits(y[i] / 4.0));
  }
  const Address from = emulated.buffer(a);
  const Address other = emulated.buffer(b);
  const Address to = emulated.buffer(std::vector<std::uint16_t>(4 * count));
  const Address wide = emulated.buffer(std::vector<float>(count));
  run(emulated, "bfloat16_single", {2}, {64}, from, other, to, wide, static_cast<int>(count));
  const auto found = emulated.read<std::uint16_t>(to, 4 * count);
  const auto found_wide = emulated.read<float>(wide, count);
  const auto value = [](unsigned h) { return to_float(BFloat16{static_cast<std::uint16_t>(h)}); };
  for (std::size_t i = 0; i < count; ++i) {
    const double p = x[i] / 4.0;
    const double q = y[i] / 4.0;
    const double expected[4] = {p + q, p * q, p * q + p, p - q};
    for (std::size_t r = 0; r < 4; ++r)
      EXPECT_EQ(value(found[4 * i + r]), value(bits(expected[r]))) << r;
    EXPECT_EQ(found_wide[i], std::min(p, q));
  }
  run(emulated, "bfloat16_pair", {1}, {64}, from, other, to, static_cast<int>(count / 2));
  const auto pairs = emulated.read<std::uint16_t>(to, 2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const double p = x[i] / 4.0;
    const double q = y[i] / 4.0;
    EXPECT_EQ(value(pairs[i / 2 * 4 + i % 2]), value(bits(p * q + q)));
    EXPECT_EQ(value(pairs[i / 2 * 4 + 2 + i % 2]), i % 2 == 0 ? p : q);
  }
}

}  // namespace arithmetic_tests
}  // namespace warpwise
