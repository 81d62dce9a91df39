// Compares matrix products with plain loops, and tests that unsupported forms are refused.

#include <gtest/gtest.h>

#include "warpwise/emulator/instructions/matrices/tensor_testing.hpp"

namespace warpwise::emulator {
namespace {

TEST(Tensor, ProductsOfFloats) {
  for (const int depth : {8, 16}) {
    // The types hold the integers exactly, and floats hold the sums.
    const Matrix a = distinct(16, depth, -100, 1);
    const Matrix b = distinct(depth, 8, -30, 2);
    const Matrix c = distinct(16, 8, 1000, 3);
    EXPECT_EQ(multiply(depth, "f16", "f32", a, b, c).values, product(a, b, c).values) << depth;
    EXPECT_EQ(multiply(depth, "bf16", "f32", a, b, c).values, product(a, b, c).values) << depth;
    // Halves hold whole numbers exactly below 2048, so each row of A has only one entry.
    Matrix few(16, depth);
    for (int r = 0; r < 16; ++r) few.at(r, (5 * r + 3) % depth) = r + 1;
    const Matrix small = distinct(depth, 8, -60, 4);
    EXPECT_EQ(multiply(depth, "f16", "f16", few, small, distinct(16, 8, -64, 5)).values,
              product(few, small, distinct(16, 8, -64, 5)).values)
        << depth;
  }
}

/// Encodes a normal number that the type holds.
std::uint32_t as_narrow(double x, const std::string& type) {
  if (x == 0) return 0;
  const int fraction_bits = type == "e4m3" ? 3 : 2;
  const int bias = type == "e4m3" ? 7 : 15;
  const int exponent = std::ilogb(x);
  const double fraction = std::fabs(x) / std::ldexp(1.0, exponent) - 1;
  return (x < 0 ? 0x80U : 0U) | static_cast<std::uint32_t>(exponent + bias) << fraction_bits |
         static_cast<std::uint32_t>(fraction * (1 << fraction_bits));
}

/// Returns D of an mma of 8-bit floats.
Matrix multiply_narrow(int depth, const std::string& of_a, const std::string& of_b,
                       const std::string& sum, const Matrix& a, const Matrix& b, const Matrix& c) {
  std::array<In, 32> in{};
  const bool halves = sum == "f16";
  const int sums = halves ? 2 : 4;
  put(
      in, 0, 4, depth / 2, a, [&](double x) { return as_narrow(x, of_a); },
      depth == 16 ? byte_a_k16 : byte_a_k32);
  put(in, 4, 4, depth / 4, b, [&](double x) { return as_narrow(x, of_b); }, byte_b);
  put(in, 8, halves ? 2 : 1, 4, c, halves ? as_half : as_float, sum_m16n8);
  const Outcome outcome = run(
      "mma.sync.aligned.m16n8k" + std::to_string(depth) + ".row.col." + sum + "." + of_a + "." +
          of_b + "." + sum + " " + registers("%d", 0, sums) + ", " + registers("%p", 0, depth / 8) +
          ", " + registers("%p", 4, depth / 16) + ", " + registers("%p", 8, sums) + ";",
      in);
  EXPECT_TRUE(outcome.result.faults.empty());
  return sums_of(outcome, halves);
}

TEST(Tensor, ProductsOfNarrowFloats) {
  std::mt19937 random(7);
  const auto whole = [&](int rows, int columns, int most) {
    Matrix m(rows, columns);
    for (double& x : m.values) x = static_cast<int>(random() % (2 * most + 1)) - most;
    return m;
  };
  for (const int depth : {16, 32}) {
    for (const std::string of_a : {"e4m3", "e5m2"}) {
      for (const std::string of_b : {"e4m3", "e5m2"}) {
        for (const std::string sum : {"f32", "f16"}) {
          const Matrix a = whole(16, depth, of_a == "e4m3" ? 15 : 7);
          const Matrix b = whole(depth, 8, 4);
          const Matrix c = whole(16, 8, 9);
          EXPECT_EQ(multiply_narrow(depth, of_a, of_b, sum, a, b, c).values,
                    product(a, b, c).values)
              << depth << of_a << of_b << sum;
        }
      }
    }
  }
}

// CC 9.0 computes a product of narrow floats as two products of halves, and adds c with a separate
// rounding.
TEST(Tensor, SumsOfNarrowFloatsAreRoundedToNearest) {
  Matrix a(16, 16);
  Matrix b(16, 8);
  Matrix c(16, 8);
  const double unit = std::ldexp(1.0, -17);  // one unit in the last place of 64
  a.at(3, 2) = std::ldexp(1.0, -6);
  b.at(2, 5) = std::ldexp(1.5, -11);
  c.at(3, 5) = 64;
  EXPECT_EQ(multiply_narrow(16, "e4m3", "e5m2", "f32", a, b, c).at(3, 5), 64 + 2 * unit);
  b.at(2, 5) = std::ldexp(1.0, -12);
  EXPECT_EQ(multiply_narrow(16, "e4m3", "e5m2", "f32", a, b, c).at(3, 5), 64);
}

/// Returns the sum of `terms` and c, which an mma computes as products of the terms and 1.
double sum_of(const std::string& type, const std::string& sum, const std::vector<double>& terms,
              double c) {
  Matrix a(16, 16);
  Matrix b(16, 8);
  Matrix addend(16, 8);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    a.at(9, static_cast<int>(k)) = 1;
    b.at(static_cast<int>(k), 5) = terms[k];
  }
  addend.at(9, 5) = c;
  return multiply(16, type, sum, a, b, addend).at(9, 5);
}

TEST(Tensor, SumsAreCutOffAsOnHopper) {
  const auto power = [](int e) { return std::ldexp(1.0, e); };
  // A term below 2^-25 of the largest term is dropped. The sum of the larger terms is cut off once.
  EXPECT_EQ(sum_of("bf16", "f32", {power(-26), power(-26), power(-26), power(-26)}, 1), 1);
  EXPECT_EQ(sum_of("bf16", "f32", {power(-25), power(-25), power(-25), power(-25)}, 1),
            1 + power(-23));
  EXPECT_EQ(sum_of("bf16", "f32", {power(-25), power(-25), power(-25)}, 1),
            1);  // cut off, not rounded
  EXPECT_EQ(sum_of("bf16", "f32", {-power(-25)}, 1), 1 - power(-24));
  EXPECT_EQ(sum_of("f16", "f32", {-1, 1.5}, power(25)), power(25));
  EXPECT_EQ(sum_of("f16", "f32", {}, -0.0), 0);
  // Halves are rounded to nearest.
  EXPECT_EQ(sum_of("f16", "f16", {0.75}, 2048), 2048);
  EXPECT_EQ(sum_of("f16", "f16", {1.25}, 2048), 2050);
  EXPECT_EQ(sum_of("f16", "f16", {1}, 2050), 2052);
}

TEST(Tensor, NumbersThatAreNotFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sum_of("f16", "f32", {inf, 1}, -5), inf);
  EXPECT_EQ(sum_of("bf16", "f32", {1}, -inf), -inf);
  EXPECT_TRUE(std::isnan(sum_of("f16", "f32", {inf, -inf}, 0)));
  EXPECT_TRUE(std::isnan(sum_of("f16", "f32", {1}, std::nan(""))));
  const double large = std::ldexp(1.0, 127);
  EXPECT_EQ(sum_of("bf16", "f32", {large, large}, 0), inf);
  EXPECT_EQ(sum_of("f16", "f16", {60000, 60000}, 0), inf);
  EXPECT_EQ(sum_of("f16", "f32", {std::ldexp(1.0, -24)}, 0),
            std::ldexp(1.0, -24));  // subnormal halves count
}

/// Returns D of an mma of bytes: A in %p0 ..., B in %p4 ..., C in %p8 ...
Matrix multiply_bytes(int rows, int depth, const std::string& of_a, const std::string& of_b,
                      bool saturates, const Matrix& a, const Matrix& b, const Matrix& c) {
  std::array<In, 32> in{};
  const int sums = rows / 4;
  put(in, 0, 4, rows * depth / 32, a, as_byte,
      rows == 8     ? byte_a_m8
      : depth == 16 ? byte_a_k16
                    : byte_a_k32);
  put(in, 4, 4, depth / 4, b, as_byte, byte_b);
  put(in, 8, 1, sums, c, as_integer, rows == 8 ? sum_m8n8 : sum_m16n8);
  const Outcome outcome =
      run("mma.sync.aligned.m" + std::to_string(rows) + "n8k" + std::to_string(depth) +
              ".row.col." + (saturates ? "satfinite." : "") + "s32." + of_a + "." + of_b + ".s32 " +
              registers("%d", 0, sums) + ", " + registers("%p", 0, rows * depth / 128) + ", " +
              registers("%p", 4, depth / 16) + ", " + registers("%p", 8, sums) + ";",
          in);
  Matrix d(rows, 8);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < sums; ++i) {
      const auto [row, column] = (rows == 8 ? sum_m8n8 : sum_m16n8)(lane >> 2, lane % 4, i);
      d.at(row, column) = static_cast<std::int32_t>(
          outcome.lanes[static_cast<std::size_t>(lane)][static_cast<std::size_t>(i)]);
    }
  }
  return d;
}

/// Returns bytes of a type. Bytes repeat only if the matrix has more than 256 elements.
Matrix bytes(int rows, int columns, const std::string& type, unsigned seed) {
  Matrix m = distinct(rows, columns, 0, seed);
  for (double& v : m.values) v = std::fmod(v, 256) - (type == "s8" ? 128 : 0);
  return m;
}

TEST(Tensor, ProductsOfBytes) {
  unsigned seed = 0;
  for (const auto& [rows, depth] : {std::pair{8, 16}, {16, 16}, {16, 32}}) {
    for (const std::string of_a : {"s8", "u8"}) {
      for (const std::string of_b : {"s8", "u8"}) {
        const Matrix a = bytes(rows, depth, of_a, ++seed);
        const Matrix b = bytes(depth, 8, of_b, ++seed);
        const Matrix c = distinct(rows, 8, -1000, ++seed);
        for (const bool saturates : {false, true}) {
          EXPECT_EQ(multiply_bytes(rows, depth, of_a, of_b, saturates, a, b, c).values,
                    product(a, b, c).values)
              << rows << "x8x" << depth << of_a << of_b;
        }
      }
    }
  }
  Matrix a(16, 32);
  Matrix b(32, 8);
  Matrix c(16, 8);
  a.at(3, 20) = 127;
  b.at(20, 6) = 1;
  c.at(3, 6) = 2147483647.0;
  EXPECT_EQ(multiply_bytes(16, 32, "s8", "s8", true, a, b, c).at(3, 6), 2147483647.0);
  EXPECT_EQ(multiply_bytes(16, 32, "s8", "s8", false, a, b, c).at(3, 6), -2147483648.0 + 126);
  a.at(3, 20) = -127;
  c.at(3, 6) = -2147483648.0;
  EXPECT_EQ(multiply_bytes(16, 32, "s8", "s8", true, a, b, c).at(3, 6), -2147483648.0);
}

TEST(Tensor, OperandsMayShareRegisters) {
  // D is in the registers of C, as compilers write it.
  std::array<In, 32> in{};
  const Matrix a = distinct(16, 8, -20, 6);
  const Matrix b = distinct(8, 8, -20, 7);
  const Matrix c = distinct(16, 8, 0, 8);
  put(in, 0, 2, 4, a, as_half, half_a_k8);
  put(in, 4, 2, 2, b, as_half, half_b);
  put(in, 8, 1, 4, c, as_float, sum_m16n8);
  const std::string mma =
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%p8, %p9, %p10, %p11}, {%p0, %p1}, {%p4}, "
      "{%p8, %p9, %p10, %p11};\n";
  const Outcome outcome = run(mma + mma + "mov.b32 %d0, %p8; mov.b32 %d3, %p11;", in);
  const Matrix twice = product(a, b, product(a, b, c));
  for (int lane = 0; lane < 32; ++lane) {
    const Out& words = outcome.lanes[static_cast<std::size_t>(lane)];
    EXPECT_EQ(std::bit_cast<float>(words[0]), twice.at(lane >> 2, lane % 4 * 2));
    EXPECT_EQ(std::bit_cast<float>(words[3]), twice.at((lane >> 2) + 8, lane % 4 * 2 + 1));
  }
}

TEST(Tensor, OtherFormsAreRefusedByName) {
  const std::string four = "{%d0, %d1, %d2, %d3}";
  const std::string in = "{%p0, %p1, %p2, %p3}";
  for (const std::string& body :
       {"mma.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 " + four + ", " + in +
            ", {%p4, %p5}, " + in + ";",
        std::string("mma.sync.aligned.m8n8k4.row.col.f32.tf32.tf32.f32 {%d0, %d1}, {%p0}, {%p1}, "
                    "{%p2, %p3};"),
        std::string("mma.sync.aligned.m8n8k64.row.col.s32.s4.s4.s32 {%d0, %d1}, {%p0, %p1}, "
                    "{%p2, %p3}, {%p4, %p5};"),
        "mma.sync.aligned.m16n8k32.row.col.s32.s4.s8.s32 " + four + ", {%p0, %p1}, {%p2}, " + in +
            ";",
        "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32 " + four + ", {%p0, %p1}, {%p2}, " + in +
            ";",
        "mma.sync.aligned.m16n8k256.row.col.satfinite.s32.b1.b1.s32.and.popc " + four + ", " + in +
            ", {%p4, %p5}, " + in + ";",
        "mma.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32 " + four + ", " + in +
            ", {%p4, %p5}, " + in + ";",
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 " + four + ", {%p0, %p1}, {%p4, %p5}, " +
            four + ";",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 " + four + ", " + in +
            ", {%p4, %p5}, {%p6, %p7};",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " + four +
            ", {%p0, %p1}, {%p4, %p5}, " + in + ", %p6, 0;",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " + four + ", {%p0, %p1}, {%p4, %p5}, " +
            in + ";",
        std::string("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%d0, %d1}, [%p0];"),
        std::string("ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32 {%d0}, [%p0];"),
        std::string("wmma.load.a.sync.aligned.row.m16n16k8.f16 {%d0, %d1, %d2, %d3, %d4, %d5, %d6, "
                    "%d7}, [%g];"),
        std::string("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%d0}, %p0, %p1, %p2, 0, "
                    "1, 1, 1, 0, 0;"),
        std::string("movmatrix.sync.aligned.m8n8.b16 %d0, %p0;")}) {
    Program program(kernel(body));
    try {
      program.kernel("kernel");
      ADD_FAILURE() << body;
    } catch (const Unsupported& error) {
      const std::string name = body.substr(0, body.find_first_of(" ;"));
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace warpwise::emulator
