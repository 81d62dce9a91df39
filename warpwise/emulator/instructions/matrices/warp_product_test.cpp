// wmma against plain loops. The layout of its fragments is not documented.

#include <gtest/gtest.h>

#include "warpwise/emulator/instructions/matrices/tensor_testing.hpp"

namespace warpwise::emulator {
namespace {

struct WarpProduct {
  std::string a_layout = "row";
  std::string b_layout = "col";
  std::string sum_layout = "row";
  std::string sum = "f32";
  int stride = 16;
  bool shared = false;
};

/// Returns the text of one wmma. A lies at the start of the memory, B at byte `place`, C and D at
/// byte 2 * place.
std::string product_text(const WarpProduct& p, std::size_t place) {
  const std::string where = p.shared ? "shared" : "global";
  const std::string base = p.shared ? "%p0" : "%g";
  const std::string stride = p.stride == 16 ? "" : ", " + std::to_string(p.stride);
  const std::string b_at = std::to_string(place);
  const std::string c_at = std::to_string(2 * place);
  const int sums = p.sum == "f32" ? 8 : 4;
  return ".reg .b32 %a<8>, %b<8>, %c<8>;\n"
         "wmma.load.a.sync.aligned." +
         p.a_layout + ".m16n16k16." + where + ".f16 " + registers("%a", 0, 8) + ", [" + base + "]" +
         stride +
         ";\n"
         "wmma.load.b.sync.aligned." +
         p.b_layout + ".m16n16k16." + where + ".f16 " + registers("%b", 0, 8) + ", [" + base + "+" +
         b_at + "]" + stride +
         ";\n"
         "wmma.load.c.sync.aligned." +
         p.sum_layout + ".m16n16k16." + where + "." + p.sum + " " + registers("%c", 0, sums) +
         ", [" + base + "+" + c_at + "]" + stride +
         ";\n"
         "wmma.mma.sync.aligned." +
         p.a_layout + "." + p.b_layout + ".m16n16k16." + p.sum + "." + p.sum + " " +
         registers("%d", 0, sums) + ", " + registers("%a", 0, 8) + ", " + registers("%b", 0, 8) +
         ", " + registers("%c", 0, sums) +
         ";\n"
         "wmma.store.d.sync.aligned." +
         p.sum_layout + ".m16n16k16." + where + "." + p.sum + " [" + base + "+" + c_at + "], " +
         registers("%d", 0, sums) + stride + ";";
}

/// Computes the product of one wmma. Memory holds A, B and C, each at its place.
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
  std::array<In, 32> in{};
  const Outcome outcome = run(product_text(p, place), in, memory);
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

}  // namespace
}  // namespace warpwise::emulator
