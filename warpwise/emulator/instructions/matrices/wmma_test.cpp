// wmma of all shapes and elements but 16 x 16 x 16 halves, against plain loops. The operands come
// from memory, because PTX does not document the positions of elements in registers.

#include <gtest/gtest.h>

#include "warpwise/emulator/instructions/matrices/tensor_testing.hpp"

namespace warpwise::emulator {
namespace {

struct Kind {
  std::string name;
  int bits;
  std::function<std::uint64_t(double)> encode;
  double lowest;  // smallest random whole number of the test
  double highest;
};

std::uint64_t double_bits(double x) { return std::bit_cast<std::uint64_t>(x); }
std::uint64_t integer_bits(double x) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
}

const Kind f16{"f16", 16, as_half, -9, 9};
const Kind bf16{"bf16", 16, as_bfloat, -200, 200};
const Kind tf32{"tf32", 32, as_float, -1000, 1000};
const Kind f64{"f64", 64, double_bits, -1e6, 1e6};
const Kind s8{"s8", 8, integer_bits, -128, 127};
const Kind u8{"u8", 8, integer_bits, 0, 255};
const Kind s4{"s4", 4, integer_bits, -8, 7};
const Kind u4{"u4", 4, integer_bits, 0, 15};
const Kind b1{"b1", 1, integer_bits, 0, 1};
const Kind f32{"f32", 32, as_float, -5000, 5000};
const Kind s32{"s32", 32, integer_bits, -100000, 100000};

struct Case {
  std::string shape;
  int rows, columns, depth;
  Kind a, b, sum;
  int a_registers, b_registers, sum_registers;  // as in the PTX ISA
  std::string operation = {};                   // ".xor.popc"
  std::string ending = {};                      // ".rn"
};

class Writer {
 public:
  explicit Writer(std::vector<std::byte>& memory) : memory_(memory) {}
  /// Writes element number `at` of the matrix that begins at byte `begin`.
  void set(std::size_t begin, std::size_t at, const Kind& kind, double value) {
    const std::uint64_t mask = kind.bits == 64 ? ~0ULL : (1ULL << kind.bits) - 1;
    const std::size_t bit = at * static_cast<std::size_t>(kind.bits);
    std::uint64_t word = 0;
    std::memcpy(&word, memory_.data() + begin + bit / 64 * 8, 8);
    word = (word & ~(mask << bit % 64)) | (kind.encode(value) & mask) << bit % 64;
    std::memcpy(memory_.data() + begin + bit / 64 * 8, &word, 8);
  }

 private:
  std::vector<std::byte>& memory_;
};

Matrix some(int rows, int columns, const Kind& kind, unsigned seed) {
  Matrix m(rows, columns);
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> any(static_cast<int>(kind.lowest),
                                         static_cast<int>(kind.highest));
  for (double& value : m.values) value = any(random);
  return m;
}

double value_at(const std::vector<std::byte>& memory, std::size_t begin, std::size_t at,
                const Kind& kind) {
  std::uint64_t bits = 0;
  const auto bytes = static_cast<std::size_t>(kind.bits / 8);
  std::memcpy(&bits, memory.data() + begin + at * bytes, bytes);
  if (kind.name == "f64") return std::bit_cast<double>(bits);
  if (kind.name == "s32") return static_cast<std::int32_t>(bits);
  if (kind.name == "f16") return from_half(static_cast<std::uint32_t>(bits));
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

/// Returns an element's index: consecutive rows or columns are `stride` apart.
std::size_t place(int row, int column, const std::string& layout, int stride) {
  return static_cast<std::size_t>(layout == "row" ? row * stride + column : column * stride + row);
}

constexpr std::size_t b_begin = 8192;
constexpr std::size_t c_begin = 16384;
constexpr std::size_t d_begin = 32768;

std::string text_of(const Case& c, const std::string& a_layout, const std::string& b_layout,
                    const std::string& sum_layout, const std::string& strides) {
  const auto type = [](const Kind& kind) { return kind.bits == 64 ? ".b64" : ".b32"; };
  const auto declared = [&](const Kind& kind, const std::string& name, int count) {
    return std::string(".reg ") + type(kind) + " " + name + "<" + std::to_string(count) + ">;\n";
  };
  const auto load = [&](const std::string& of, const std::string& layout, const Kind& kind,
                        int count, std::size_t begin) {
    return "wmma.load." + of + ".sync.aligned." + layout + "." + c.shape + ".global." + kind.name +
           " " + registers("%r" + of, 0, count) + ", [%g+" + std::to_string(begin) + "]" + strides +
           ";\n";
  };
  return declared(c.a, "%ra", c.a_registers) + declared(c.b, "%rb", c.b_registers) +
         declared(c.sum, "%rc", c.sum_registers) + declared(c.sum, "%rd", c.sum_registers) +
         load("a", a_layout, c.a, c.a_registers, 0) +
         load("b", b_layout, c.b, c.b_registers, b_begin) +
         load("c", sum_layout, c.sum, c.sum_registers, c_begin) + "wmma.mma" + c.operation +
         ".sync.aligned." + a_layout + "." + b_layout + "." + c.shape + "." + c.sum.name +
         (c.a.name == "f16" ? "" : "." + c.a.name + "." + c.b.name) + "." + c.sum.name + c.ending +
         " " + registers("%rd", 0, c.sum_registers) + ", " + registers("%ra", 0, c.a_registers) +
         ", " + registers("%rb", 0, c.b_registers) + ", " + registers("%rc", 0, c.sum_registers) +
         ";\nwmma.store.d.sync.aligned." + sum_layout + "." + c.shape + ".global." + c.sum.name +
         " [%g+" + std::to_string(d_begin) + "], " + registers("%rd", 0, c.sum_registers) +
         strides + ";";
}

/// Computes D = A B + C by the instruction. If `stride` is 0, the instruction states no stride.
Matrix multiply(const Case& c, const Matrix& a, const Matrix& b, const Matrix& sum,
                const std::string& a_layout, const std::string& b_layout,
                const std::string& sum_layout, int stride) {
  std::vector<std::byte> memory(49152);
  Writer writer(memory);
  const auto stride_of = [&](int rows, int columns, const std::string& layout) {
    return stride != 0 ? stride : layout == "row" ? columns : rows;
  };
  const int of_a = stride_of(c.rows, c.depth, a_layout);
  const int of_b = stride_of(c.depth, c.columns, b_layout);
  const int of_sum = stride_of(c.rows, c.columns, sum_layout);
  for (int i = 0; i < c.rows; ++i) {
    for (int k = 0; k < c.depth; ++k) writer.set(0, place(i, k, a_layout, of_a), c.a, a.at(i, k));
    for (int j = 0; j < c.columns; ++j)
      writer.set(c_begin, place(i, j, sum_layout, of_sum), c.sum, sum.at(i, j));
  }
  for (int k = 0; k < c.depth; ++k) {
    for (int j = 0; j < c.columns; ++j)
      writer.set(b_begin, place(k, j, b_layout, of_b), c.b, b.at(k, j));
  }
  const std::string strides = stride == 0 ? "" : ", " + std::to_string(stride);
  const Outcome outcome = run(text_of(c, a_layout, b_layout, sum_layout, strides), {}, memory);
  EXPECT_TRUE(outcome.result.faults.empty()) << outcome.result.faults[0].message;
  Matrix d(c.rows, c.columns);
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.columns; ++j)
      d.at(i, j) = value_at(outcome.memory, d_begin, place(i, j, sum_layout, of_sum), c.sum);
  }
  return d;
}

Matrix expected(const Case& c, const Matrix& a, const Matrix& b, const Matrix& sum) {
  if (c.operation != ".xor.popc") return product(a, b, sum);
  Matrix d = sum;
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.columns; ++j) {
      for (int k = 0; k < c.depth; ++k) d.at(i, j) += a.at(i, k) == b.at(k, j) ? 0 : 1;
    }
  }
  return d;
}

void expect_products(const Case& c) {
  SCOPED_TRACE(c.shape + " " + c.a.name + " " + c.b.name + c.operation);
  const Matrix a = some(c.rows, c.depth, c.a, 1);
  const Matrix b = some(c.depth, c.columns, c.b, 2);
  const Matrix sum = some(c.rows, c.columns, c.sum, 3);
  const Matrix want = expected(c, a, b, sum);
  const bool small = c.a.bits < 8;  // elements smaller than a byte have fixed layouts
  for (const std::string a_layout : {"row", "col"}) {
    for (const std::string b_layout : {"row", "col"}) {
      if (small && (a_layout != "row" || b_layout != "col")) continue;
      for (const std::string sum_layout : {"row", "col"}) {
        for (const int stride : {0, small ? 256 : 48}) {
          EXPECT_EQ(multiply(c, a, b, sum, a_layout, b_layout, sum_layout, stride).values,
                    want.values)
              << a_layout << b_layout << sum_layout << stride;
        }
      }
    }
  }
}

TEST(Wmma, Halves) {
  for (const auto& [sum, registers] : {std::pair{f32, 8}, {f16, 4}}) {
    expect_products({"m32n8k16", 32, 8, 16, f16, f16, sum, 8, 8, registers});
    expect_products({"m8n32k16", 8, 32, 16, f16, f16, sum, 8, 8, registers});
  }
}

TEST(Wmma, Bfloats) {
  expect_products({"m16n16k16", 16, 16, 16, bf16, bf16, f32, 4, 4, 8});
  expect_products({"m32n8k16", 32, 8, 16, bf16, bf16, f32, 8, 2, 8});
  expect_products({"m8n32k16", 8, 32, 16, bf16, bf16, f32, 2, 8, 8});
}

TEST(Wmma, Tf32) { expect_products({"m16n16k8", 16, 16, 8, tf32, tf32, f32, 4, 4, 8}); }

TEST(Wmma, OfATf32TenBitsOfFractionCount) {
  const Case c{"m16n16k8", 16, 16, 8, tf32, tf32, f32, 4, 4, 8};
  Matrix a(16, 8);
  Matrix one(8, 16);
  for (int i = 0; i < 8; ++i) one.at(i, i) = 1;
  a.at(3, 5) = 1 + 0x1p-10 + 0x1p-11 + 0x1p-23;
  const Matrix d = multiply(c, a, one, Matrix(16, 16), "row", "col", "row", 0);
  EXPECT_EQ(d.at(3, 5), 1 + 0x1p-10);
}

TEST(Wmma, Doubles) {
  expect_products({"m8n8k4", 8, 8, 4, f64, f64, f64, 1, 1, 2});
  expect_products({"m8n8k4", 8, 8, 4, f64, f64, f64, 1, 1, 2, "", ".rn"});
}

TEST(Wmma, Bytes) {
  for (const Kind& a : {s8, u8}) {
    for (const Kind& b : {s8, u8}) {
      expect_products({"m16n16k16", 16, 16, 16, a, b, s32, 2, 2, 8});
      expect_products({"m32n8k16", 32, 8, 16, a, b, s32, 4, 1, 8});
      expect_products({"m8n32k16", 8, 32, 16, a, b, s32, 1, 4, 8});
    }
  }
}

TEST(Wmma, HalfBytesAndBits) {
  for (const Kind& a : {s4, u4}) {
    for (const Kind& b : {s4, u4}) expect_products({"m8n8k32", 8, 8, 32, a, b, s32, 1, 1, 2});
  }
  expect_products({"m8n8k128", 8, 8, 128, b1, b1, s32, 1, 1, 2, ".xor.popc"});
  expect_products({"m8n8k128", 8, 8, 128, b1, b1, s32, 1, 1, 2, ".and.popc"});
}

TEST(Wmma, SumsOfIntegersSaturateWhereTheySaySo) {
  Case c{"m16n16k16", 16, 16, 16, u8, u8, s32, 2, 2, 8, "", ".satfinite"};
  Matrix a(16, 16);
  Matrix b(16, 16);
  Matrix sum(16, 16);
  a.at(2, 0) = b.at(0, 7) = 100;
  sum.at(2, 7) = 2147483600;
  EXPECT_EQ(multiply(c, a, b, sum, "row", "col", "row", 0).at(2, 7), 2147483647);
  c.ending = "";
  EXPECT_EQ(multiply(c, a, b, sum, "row", "col", "row", 0).at(2, 7), 2147483600.0 + 10000 - 0x1p32);
}

TEST(Wmma, WhatIsNoFormIsRefused) {
  for (const std::string text :
       {"wmma.load.a.sync.aligned.row.m16n16k8.bf16 {%d0, %d1, %d2, %d3}, [%g];",
        "wmma.load.a.sync.aligned.col.m8n8k32.s4 {%d0}, [%g];",
        "wmma.load.d.sync.aligned.row.m16n16k8.f32 {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, [%g];",
        "wmma.mma.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%d0, %d1}, {%d2}, {%d3}, {%d4, "
        "%d5};",
        "wmma.load.b.sync.aligned.col.m16n16k8.tf32 {%d0, %d1}, [%g];"}) {
    EXPECT_THROW(run(text, {}), Unsupported) << text;
  }
}

}  // namespace
}  // namespace warpwise::emulator
