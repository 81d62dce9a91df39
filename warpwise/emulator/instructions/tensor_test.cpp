// Matrix instructions against plain loops, with the fragments as the PTX ISA gives them.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/base/float16.hpp"
#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {
namespace {

constexpr std::size_t in_words = 16;
constexpr std::size_t out_words = 8;
using In = std::array<std::uint32_t, in_words>;    // the registers %p0 ... of a lane
using Out = std::array<std::uint32_t, out_words>;  // %d0 ...
constexpr int shared_bytes = 4096;

/// A kernel of one warp: registers from memory, `body`, registers to memory. Shared memory at
/// address 0 begins as the first bytes at %g and is copied back there.
std::string kernel(const std::string& body) {
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry kernel(.param .u64 from, .param .u64 to, .param .u64 memory) {\n"
      ".reg .b64 %f, %o, %g, %a; .reg .b32 %i, %s, %v, %p<16>, %d<8>; .reg .pred %q; .shared "
      ".align 16 .b8 shared[4096];\n"
      "ld.param.u64 %f, [from]; ld.param.u64 %o, [to]; ld.param.u64 %g, [memory]; mov.u32 %i, "
      "%tid.x;\n"
      "mad.wide.u32 %f, %i, 64, %f; mad.wide.u32 %o, %i, 32, %o;\n"
      "mov.u32 %s, 0;\nCOPY: shl.b32 %v, %i, 2; add.u32 %v, %v, %s; cvt.u64.u32 %a, %v; add.u64 "
      "%a, %g, %a;\n"
      "ld.global.b32 %d0, [%a]; st.shared.b32 [%v], %d0; add.u32 %s, %s, 128; setp.lt.u32 %q, %s, "
      "4096; @%q bra COPY;\n";
  for (std::size_t k = 0; k < in_words; ++k) {
    text += "ld.global.b32 %p" + std::to_string(k) + ", [%f+" + std::to_string(4 * k) + "];\n";
  }
  for (std::size_t k = 0; k < out_words; ++k) text += "mov.b32 %d" + std::to_string(k) + ", 0;\n";
  text += body + "\n";
  for (std::size_t k = 0; k < out_words; ++k) {
    text += "st.global.b32 [%o+" + std::to_string(4 * k) + "], %d" + std::to_string(k) + ";\n";
  }
  text +=
      "mov.u32 %s, 0;\nBACK: shl.b32 %v, %i, 2; add.u32 %v, %v, %s; cvt.u64.u32 %a, %v; add.u64 "
      "%a, %g, %a;\n"
      "ld.shared.b32 %d0, [%v]; st.global.b32 [%a], %d0; add.u32 %s, %s, 128; setp.lt.u32 %q, %s, "
      "4096; @%q bra BACK;\n";
  return text + "ret;\n}\n";
}

struct Outcome {
  std::array<Out, 32> lanes{};
  std::vector<std::byte> memory;
  LaunchResult result;
};

/// Runs it with %g pointing at a copy of `memory`, which has shared_bytes at least.
Outcome run(const std::string& body, const std::array<In, 32>& in,
            std::vector<std::byte> memory = {}) {
  memory.resize(std::max<std::size_t>(memory.size(), shared_bytes));
  Device device;
  const Address from = device.allocate(sizeof(in));
  const Address to = device.allocate(sizeof(std::array<Out, 32>));
  const Address place = device.allocate(memory.size(), "memory");
  device.write(from, std::as_bytes(std::span(in)));
  device.write(place, memory);
  const std::array<std::uint64_t, 3> parameters{from, to, place};
  LaunchOptions options;
  options.compute_capabilities = {{9, 0}};
  Outcome outcome;
  outcome.result = Program(kernel(body))
                       .launch(device, "kernel", {}, {32, 1, 1}, 0,
                               std::as_bytes(std::span(parameters)), options);
  device.read(to, std::as_writable_bytes(std::span(outcome.lanes)));
  outcome.memory.resize(memory.size());
  device.read(place, outcome.memory);
  return outcome;
}

/// "{%p4, %p5}"
std::string registers(const std::string& name, int first, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + name + std::to_string(first + i);
  return text + "}";
}

/// A matrix of any numbers.
struct Matrix {
  int rows;
  int columns;
  std::vector<double> values;
  Matrix(int r, int c) : rows(r), columns(c), values(static_cast<std::size_t>(r * c)) {}
  double& at(int r, int c) { return values.at(static_cast<std::size_t>(r * columns + c)); }
  double at(int r, int c) const { return values.at(static_cast<std::size_t>(r * columns + c)); }
};

/// first, first + 1, ... in an order without a pattern, so that a wrong place shows.
Matrix distinct(int rows, int columns, int first, unsigned seed) {
  Matrix m(rows, columns);
  for (std::size_t i = 0; i < m.values.size(); ++i) m.values[i] = first + static_cast<double>(i);
  std::shuffle(m.values.begin(), m.values.end(), std::mt19937(seed));
  return m;
}

Matrix product(const Matrix& a, const Matrix& b, const Matrix& c) {
  Matrix d = c;
  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j < b.columns; ++j) {
      for (int k = 0; k < a.columns; ++k) d.at(i, j) += a.at(i, k) * b.at(k, j);
    }
  }
  return d;
}

using Encode = std::function<std::uint32_t(double)>;
std::uint32_t as_half(double x) { return to_float16(static_cast<float>(x)).bits; }
std::uint32_t as_bfloat(double x) { return to_bfloat16(static_cast<float>(x)).bits; }
std::uint32_t as_byte(double x) { return static_cast<std::uint32_t>(static_cast<int>(x)) & 255; }
std::uint32_t as_float(double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); }
std::uint32_t as_integer(double x) {
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(x));
}
double from_half(std::uint32_t bits) { return to_float(Float16{static_cast<std::uint16_t>(bits)}); }

/// Writes elements i of all lanes, `packed` in a register, from the place that (lane, i) has in the
/// matrix.
void put(std::array<In, 32>& in, int first, int packed, int elements, const Matrix& m,
         const Encode& encode,
         const std::function<std::pair<int, int>(int group, int thread, int i)>& place) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < elements; ++i) {
      const auto [row, column] = place(lane >> 2, lane % 4, i);
      in[static_cast<std::size_t>(lane)][static_cast<std::size_t>(first + i / packed)] |=
          encode(m.at(row, column)) << (i % packed * (32 / packed));
    }
  }
}

// Fragments of 16-bit floats, from the ISA's sections on m16n8k8 and m16n8k16.
std::pair<int, int> half_a_k8(int group, int thread, int i) {
  return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
}
std::pair<int, int> half_a_k16(int group, int thread, int i) {
  return {(i < 2 || (i >= 4 && i < 6)) ? group : group + 8, thread * 2 + (i & 1) + (i < 4 ? 0 : 8)};
}
std::pair<int, int> half_b(int group, int thread, int i) {
  return {thread * 2 + (i & 1) + (i < 2 ? 0 : 8), group};
}
std::pair<int, int> sum_m16n8(int group, int thread, int i) {
  return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
}
std::pair<int, int> sum_m8n8(int group, int thread, int i) { return {group, thread * 2 + i}; }
// Of bytes, from those on m8n8k16, m16n8k16 and m16n8k32.
std::pair<int, int> byte_a_m8(int group, int thread, int i) { return {group, thread * 4 + i}; }
std::pair<int, int> byte_a_k16(int group, int thread, int i) {
  return {i < 4 ? group : group + 8, thread * 4 + (i & 3)};
}
std::pair<int, int> byte_a_k32(int group, int thread, int i) {
  return {(i < 4 || (i >= 8 && i < 12)) ? group : group + 8,
          thread * 4 + (i & 3) + (i < 8 ? 0 : 16)};
}
std::pair<int, int> byte_b(int group, int thread, int i) {
  return {thread * 4 + (i & 3) + (i < 4 ? 0 : 16), group};
}

/// D of an mma of floats: A in %p0 ..., B in %p4 ..., C in %p8 ...
Matrix multiply(int depth, const std::string& type, const std::string& sum, const Matrix& a,
                const Matrix& b, const Matrix& c) {
  std::array<In, 32> in{};
  const Encode encode = type == "f16" ? as_half : as_bfloat;
  const bool halves = sum == "f16";
  put(in, 0, 2, depth / 2, a, encode, depth == 8 ? half_a_k8 : half_a_k16);
  put(in, 4, 2, depth / 4, b, encode, half_b);
  put(in, 8, halves ? 2 : 1, 4, c, halves ? as_half : as_float, sum_m16n8);
  const int sums = halves ? 2 : 4;
  const Outcome outcome = run(
      "mma.sync.aligned.m16n8k" + std::to_string(depth) + ".row.col." + sum + "." + type + "." +
          type + "." + sum + " " + registers("%d", 0, sums) + ", " + registers("%p", 0, depth / 4) +
          ", " + registers("%p", 4, depth / 8) + ", " + registers("%p", 8, sums) + ";",
      in);
  EXPECT_TRUE(outcome.result.faults.empty());
  EXPECT_EQ(outcome.result.instructions_by_class.at("tensor"), 1u);
  Matrix d(16, 8);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const auto [row, column] = sum_m16n8(lane >> 2, lane % 4, i);
      const Out& words = outcome.lanes[static_cast<std::size_t>(lane)];
      d.at(row, column) =
          halves ? from_half(words[static_cast<std::size_t>(i / 2)] >> (16 * (i & 1)) & 0xffff)
                 : std::bit_cast<float>(words[static_cast<std::size_t>(i)]);
    }
  }
  return d;
}

TEST(Tensor, ProductsOfFloats) {
  for (const int depth : {8, 16}) {
    // Integers that the types hold, and sums that floats do.
    const Matrix a = distinct(16, depth, -100, 1);
    const Matrix b = distinct(depth, 8, -30, 2);
    const Matrix c = distinct(16, 8, 1000, 3);
    EXPECT_EQ(multiply(depth, "f16", "f32", a, b, c).values, product(a, b, c).values) << depth;
    EXPECT_EQ(multiply(depth, "bf16", "f32", a, b, c).values, product(a, b, c).values) << depth;
    // Sums of halves are whole below 2048: a few entries at a time.
    Matrix few(16, depth);
    for (int r = 0; r < 16; ++r) few.at(r, (5 * r + 3) % depth) = r + 1;
    const Matrix small = distinct(depth, 8, -60, 4);
    EXPECT_EQ(multiply(depth, "f16", "f16", few, small, distinct(16, 8, -64, 5)).values,
              product(few, small, distinct(16, 8, -64, 5)).values)
        << depth;
  }
}

/// One sum: products of ones with `terms`, and c.
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
  // Terms below 2^-25 of the largest vanish, each by itself; those above count together.
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

/// D of an mma of bytes: A in %p0 ..., B in %p4 ..., C in %p8 ...
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

/// Bytes of a type, no two alike while there are others.
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
  // D in the registers of C, as compilers write it.
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

// ---- ldmatrix, stmatrix

std::vector<std::byte> counted_memory() {
  std::vector<std::byte> memory(shared_bytes);
  for (std::size_t i = 0; i < memory.size() / 2; ++i) {
    const auto value = static_cast<std::uint16_t>(i * 7 + 1);
    std::memcpy(memory.data() + 2 * i, &value, sizeof(value));
  }
  return memory;
}

std::uint16_t half_word(const std::vector<std::byte>& memory, std::size_t byte) {
  std::uint16_t value = 0;
  std::memcpy(&value, memory.data() + byte, sizeof(value));
  return value;
}

/// Addresses of rows that are nowhere in order: %p0 of each lane.
std::array<In, 32> scattered_rows() {
  std::array<In, 32> in{};
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    in[lane][0] = (lane * 11 + 5) % 64 * 48 % 4080 / 16 * 16;
  return in;
}

TEST(Tensor, LoadsMatrices) {
  const std::vector<std::byte> memory = counted_memory();
  const std::array<In, 32> in = scattered_rows();
  for (const int count : {1, 2, 4}) {
    for (const bool transposed : {false, true}) {
      for (const std::string space : {".shared", ".shared::cta"}) {
        const Outcome outcome = run("ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                                        (transposed ? ".trans" : "") + space + ".b16 " +
                                        registers("%d", 0, count) + ", [%p0+16];",
                                    in, memory);
        ASSERT_TRUE(outcome.result.faults.empty());
        for (std::size_t lane = 0; lane < 32; ++lane) {
          for (std::size_t m = 0; m < 4; ++m) {
            for (std::size_t e = 0; e < 2; ++e) {
              const std::size_t row = transposed ? lane % 4 * 2 + e : lane / 4;
              const std::size_t column = transposed ? lane / 4 : lane % 4 * 2 + e;
              const std::uint32_t got = outcome.lanes[lane][m] >> (16 * e) & 0xffff;
              const std::size_t at = in[8 * m + row][0] + 16 + 2 * column;
              ASSERT_EQ(got, m < static_cast<std::size_t>(count) ? half_word(memory, at) : 0)
                  << lane << " " << m;
            }
          }
        }
      }
    }
  }
}

TEST(Tensor, StoresMatrices) {
  const std::array<In, 32> rows = scattered_rows();
  for (const int count : {1, 2, 4}) {
    for (const std::string transposed : {"", ".trans"}) {
      std::array<In, 32> in = rows;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        for (std::uint32_t m = 0; m < 4; ++m)
          in[lane][1 + m] = (lane * 8 + 2 * m + 1) | (lane * 8 + 2 * m + 2) << 16;
        in[lane][0] = lane * 16 + 512;
      }
      const std::string shape =
          ".sync.aligned.m8n8.x" + std::to_string(count) + transposed + ".shared.b16 ";
      const Outcome outcome =
          run("stmatrix" + shape + "[%p0], " + registers("%p", 1, count) + ";\nldmatrix" + shape +
                  registers("%d", 0, count) + ", [%p0];",
              in);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        for (std::size_t m = 0; m < static_cast<std::size_t>(count); ++m) {
          ASSERT_EQ(outcome.lanes[lane][m], in[lane][1 + m]);
          // Lane 4 r + c / 2 holds row r and column c, or the other way round.
          const std::size_t row = transposed.empty() ? lane / 4 : lane % 4 * 2;
          const std::size_t column = transposed.empty() ? lane % 4 * 2 : lane / 4;
          ASSERT_EQ(half_word(outcome.memory, 512 + (8 * m + row) * 16 + 2 * column),
                    in[lane][1 + m] & 0xffff);
        }
      }
      // Nothing beyond the last matrix.
      ASSERT_EQ(half_word(outcome.memory, 512 + static_cast<std::size_t>(count) * 128), 0);
    }
  }
}

TEST(Tensor, CountsThePassesOfMatrices) {
  const std::string load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%d0, %d1, %d2, %d3}, [%p0];";
  const PassCounts before = run("", {}).result.memory[0].shared_load;
  const auto passes = [&](std::uint32_t pitch) {
    std::array<In, 32> in{};
    for (std::uint32_t lane = 0; lane < 32; ++lane) in[lane][0] = lane % 8 * pitch + lane / 8 * 16;
    const PassCounts counts = run(load, in).result.memory[0].shared_load;
    EXPECT_EQ(counts.requests - before.requests, 1u);
    EXPECT_EQ(counts.ideal_passes - before.ideal_passes, 4u);
    return counts.passes - before.passes;
  };
  EXPECT_EQ(passes(16 + 64), 4u);  // rows of a matrix in different banks
  EXPECT_EQ(passes(128), 32u);     // all rows in the same four banks
}

TEST(Tensor, FaultsOfMatrixRows) {
  const std::string load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d0}, [%p0];";
  std::array<In, 32> in{};
  for (std::uint32_t lane = 0; lane < 32; ++lane) in[lane][0] = lane * 16;
  in[3][0] = 4090 / 16 * 16 + 16;
  in[5][0] = 8;
  in[9][0] = 12345;  // no row of a single matrix
  const Outcome outcome = run(load, in, counted_memory());
  ASSERT_EQ(outcome.result.faults.size(), 2u);
  for (const Fault& fault : outcome.result.faults) {
    EXPECT_EQ(fault.count, 1u);
    EXPECT_EQ(fault.thread.x, fault.kind == FaultKind::misaligned ? 5u : 3u);
  }
  EXPECT_EQ(outcome.lanes[12][0], 0u);
  EXPECT_NE(outcome.lanes[16][0], 0u);
}

// ---- wmma

struct WarpProduct {
  std::string a_layout = "row";
  std::string b_layout = "col";
  std::string sum_layout = "row";
  std::string sum = "f32";
  int stride = 16;
  bool shared = false;
};

/// The product of one wmma, through memory that holds A, B and C, each at its place.
Matrix multiply(const WarpProduct& p, const Matrix& a, const Matrix& b, const Matrix& c) {
  const int bytes = p.sum == "f32" ? 4 : 2;
  const std::size_t space = 1024;
  std::vector<std::byte> memory(p.shared ? shared_bytes : 16384);
  const std::size_t place = p.shared ? space : 4096;
  const auto offset = [&](int row, int column, const std::string& layout) {
    return static_cast<std::size_t>(layout == "row" ? row * p.stride + column
                                                    : column * p.stride + row);
  };
  for (int r = 0; r < 16; ++r) {
    for (int k = 0; k < 16; ++k) {
      const auto ha = static_cast<std::uint16_t>(as_half(a.at(r, k)));
      const auto hb = static_cast<std::uint16_t>(as_half(b.at(r, k)));
      const std::uint32_t hc = bytes == 4 ? as_float(c.at(r, k)) : as_half(c.at(r, k));
      std::memcpy(memory.data() + 2 * offset(r, k, p.a_layout), &ha, 2);
      std::memcpy(memory.data() + place + 2 * offset(r, k, p.b_layout), &hb, 2);
      std::memcpy(
          memory.data() + 2 * place + static_cast<std::size_t>(bytes) * offset(r, k, p.sum_layout),
          &hc, static_cast<std::size_t>(bytes));
    }
  }
  const std::string where = p.shared ? "shared" : "global";
  const std::string base = p.shared ? "%p0" : "%g";
  const std::string stride = p.stride == 16 ? "" : ", " + std::to_string(p.stride);
  const std::string b_at = std::to_string(place);
  const std::string c_at = std::to_string(2 * place);
  const int sums = bytes == 4 ? 8 : 4;
  const std::string body =
      ".reg .b32 %a<8>, %b<8>, %c<8>;\n"
      "wmma.load.a.sync.aligned." +
      p.a_layout + ".m16n16k16." + where + ".f16 " + registers("%a", 0, 8) + ", [" + base + "]" +
      stride +
      ";\n"
      "wmma.load.b.sync.aligned." +
      p.b_layout + ".m16n16k16." + where + ".f16 " + registers("%b", 0, 8) + ", [" + base + "+" +
      b_at + "]" + stride +
      ";\n"
      "wmma.load.c.sync.aligned." +
      p.sum_layout + ".m16n16k16." + where + "." + p.sum + " " + registers("%c", 0, sums) + ", [" +
      base + "+" + c_at + "]" + stride +
      ";\n"
      "wmma.mma.sync.aligned." +
      p.a_layout + "." + p.b_layout + ".m16n16k16." + p.sum + "." + p.sum + " " +
      registers("%d", 0, sums) + ", " + registers("%a", 0, 8) + ", " + registers("%b", 0, 8) +
      ", " + registers("%c", 0, sums) +
      ";\n"
      "wmma.store.d.sync.aligned." +
      p.sum_layout + ".m16n16k16." + where + "." + p.sum + " [" + base + "+" + c_at + "], " +
      registers("%d", 0, sums) + stride + ";";
  std::array<In, 32> in{};
  const Outcome outcome = run(body, in, memory);
  EXPECT_TRUE(outcome.result.faults.empty()) << outcome.result.faults[0].message;
  Matrix d(16, 16);
  for (int r = 0; r < 16; ++r) {
    for (int k = 0; k < 16; ++k) {
      std::uint32_t bits = 0;
      std::memcpy(&bits,
                  outcome.memory.data() + 2 * place +
                      static_cast<std::size_t>(bytes) * offset(r, k, p.sum_layout),
                  static_cast<std::size_t>(bytes));
      d.at(r, k) = bytes == 4 ? std::bit_cast<float>(bits) : from_half(bits);
    }
  }
  return d;
}

TEST(Tensor, WarpProducts) {
  const Matrix a = distinct(16, 16, -128, 21);
  const Matrix b = distinct(16, 16, -100, 22);
  const Matrix c = distinct(16, 16, 0, 23);
  Matrix few(16, 16);
  for (int r = 0; r < 16; ++r) few.at(r, (5 * r + 3) % 16) = r % 3 + 1;
  for (const std::string a_layout : {"row", "col"}) {
    for (const std::string b_layout : {"row", "col"}) {
      for (const std::string sum_layout : {"row", "col"}) {
        for (const int stride : {16, 24, 40}) {
          EXPECT_EQ(multiply({a_layout, b_layout, sum_layout, "f32", stride}, a, b, c).values,
                    product(a, b, c).values)
              << a_layout << b_layout << sum_layout << stride;
          EXPECT_EQ(multiply({a_layout, b_layout, sum_layout, "f16", stride}, few, b, c).values,
                    product(few, b, c).values)
              << a_layout << b_layout << sum_layout << stride;
        }
        EXPECT_EQ(multiply({a_layout, b_layout, sum_layout, "f32", 16, true}, a, b, c).values,
                  product(a, b, c).values);
      }
    }
  }
}

TEST(Tensor, WarpProductsMixTheirSums) {
  const std::string body =
      ".reg .b32 %a<8>, %c<8>;\n"
      "wmma.load.a.sync.aligned.row.m16n16k16.f16 " +
      registers("%a", 0, 8) +
      ", [%g];\n"
      "wmma.mma.sync.aligned.row.row.m16n16k16.f16.f32 " +
      registers("%d", 0, 4) + ", " + registers("%a", 0, 8) + ", " + registers("%a", 0, 8) + ", " +
      registers("%p", 0, 8) +
      ";\n"
      "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f16 " +
      registers("%c", 0, 8) + ", " + registers("%a", 0, 8) + ", " + registers("%a", 0, 8) + ", " +
      registers("%d", 0, 4) +
      ";\n"
      "mov.b32 %d4, %c0; mov.b32 %d5, %c7;";
  std::array<In, 32> in{};
  for (In& lane : in) lane.fill(as_float(0.5));
  const Outcome outcome = run(body, in);  // A and B are zero
  for (const Out& lane : outcome.lanes) {
    EXPECT_EQ(lane[0], as_half(0.5) | as_half(0.5) << 16);
    EXPECT_EQ(lane[4], as_float(0.5));
    EXPECT_EQ(lane[5], as_float(0.5));
  }
}

// ---- refusals

TEST(Tensor, OtherFormsAreRefusedByName) {
  const std::string four = "{%d0, %d1, %d2, %d3}";
  const std::string in = "{%p0, %p1, %p2, %p3}";
  for (const std::string& body :
       {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " + four + ", " + in +
            ", {%p4, %p5}, " + in + ";",
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 " + four + ", " + in +
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
        std::string("wmma.load.a.sync.aligned.row.m32n8k16.f16 {%d0, %d1, %d2, %d3, %d4, %d5, %d6, "
                    "%d7}, [%g];"),
        std::string("wgmma.fence.sync.aligned;"),
        std::string("movmatrix.sync.aligned.m8n8.trans.b16 %d0, %p0;")}) {
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
