// Tests mma.sync for elements that not every GPU generation has: tf32, doubles, 4-bit integers,
// bits. Compares products of random matrices with plain loops. Sums of floats must also have the
// bits that an H200 gave, because the order of additions is up to the hardware.

#include <cmath>
#include <cstring>
#include <type_traits>

#include "check.hpp"

using namespace hopper;

namespace {

// A form of mma.sync: its instruction, and the number of a lane's registers for A, B and the sums.
#define FORM_1_1_2(name, text, Word, w, Sum, s)                                \
  struct name {                                                                \
    using Register = Word;                                                     \
    using Result = Sum;                                                        \
    static constexpr int of_a = 1, of_b = 1, of_c = 2;                         \
    static __device__ void run(const Word* a, const Word* b, Sum* c) {         \
      asm volatile("mma.sync.aligned." text " {%0, %1}, {%2}, {%3}, {%0, %1};" \
                   : "+" s(c[0]), "+" s(c[1])                                  \
                   : w(a[0]), w(b[0]));                                        \
    }                                                                          \
  };
#define FORM_2_1_4(name, text, Word, w, Sum, s)                                                    \
  struct name {                                                                                    \
    using Register = Word;                                                                         \
    using Result = Sum;                                                                            \
    static constexpr int of_a = 2, of_b = 1, of_c = 4;                                             \
    static __device__ void run(const Word* a, const Word* b, Sum* c) {                             \
      asm volatile("mma.sync.aligned." text " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" \
                   : "+" s(c[0]), "+" s(c[1]), "+" s(c[2]), "+" s(c[3])                            \
                   : w(a[0]), w(a[1]), w(b[0]));                                                   \
    }                                                                                              \
  };
#define FORM_4_2_4(name, text, Word, w, Sum, s)                                       \
  struct name {                                                                       \
    using Register = Word;                                                            \
    using Result = Sum;                                                               \
    static constexpr int of_a = 4, of_b = 2, of_c = 4;                                \
    static __device__ void run(const Word* a, const Word* b, Sum* c) {                \
      asm volatile("mma.sync.aligned." text                                           \
                   " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                   : "+" s(c[0]), "+" s(c[1]), "+" s(c[2]), "+" s(c[3])               \
                   : w(a[0]), w(a[1]), w(a[2]), w(a[3]), w(b[0]), w(b[1]));           \
    }                                                                                 \
  };
#define FORM_8_4_4(name, text, Word, w, Sum, s)                                              \
  struct name {                                                                              \
    using Register = Word;                                                                   \
    using Result = Sum;                                                                      \
    static constexpr int of_a = 8, of_b = 4, of_c = 4;                                       \
    static __device__ void run(const Word* a, const Word* b, Sum* c) {                       \
      asm volatile("mma.sync.aligned." text                                                  \
                   " {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11},"                  \
                   " {%12, %13, %14, %15}, {%0, %1, %2, %3};"                                \
                   : "+" s(c[0]), "+" s(c[1]), "+" s(c[2]), "+" s(c[3])                      \
                   : w(a[0]), w(a[1]), w(a[2]), w(a[3]), w(a[4]), w(a[5]), w(a[6]), w(a[7]), \
                     w(b[0]), w(b[1]), w(b[2]), w(b[3]));                                    \
    }                                                                                        \
  };

FORM_2_1_4(Tf32K4, "m16n8k4.row.col.f32.tf32.tf32.f32", unsigned, "r", float, "f")
FORM_4_2_4(Tf32K8, "m16n8k8.row.col.f32.tf32.tf32.f32", unsigned, "r", float, "f")
FORM_1_1_2(Doubles, "m8n8k4.row.col.f64.f64.f64.f64", double, "d", double, "d")
FORM_2_1_4(DoublesK4, "m16n8k4.row.col.f64.f64.f64.f64", double, "d", double, "d")
FORM_4_2_4(DoublesK8, "m16n8k8.row.col.f64.f64.f64.f64", double, "d", double, "d")
FORM_8_4_4(DoublesK16, "m16n8k16.row.col.f64.f64.f64.f64", double, "d", double, "d")
FORM_1_1_2(S4, "m8n8k32.row.col.s32.s4.s4.s32", unsigned, "r", int, "r")
FORM_1_1_2(U4BySaturated, "m8n8k32.row.col.satfinite.s32.u4.s4.s32", unsigned, "r", int, "r")
FORM_2_1_4(S4K32, "m16n8k32.row.col.s32.s4.u4.s32", unsigned, "r", int, "r")
FORM_4_2_4(S4K64, "m16n8k64.row.col.s32.s4.s4.s32", unsigned, "r", int, "r")
FORM_4_2_4(U4K64, "m16n8k64.row.col.s32.u4.u4.s32", unsigned, "r", int, "r")
FORM_1_1_2(Xor, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", unsigned, "r", int, "r")
FORM_2_1_4(XorK128, "m16n8k128.row.col.s32.b1.b1.s32.xor.popc", unsigned, "r", int, "r")
FORM_4_2_4(XorK256, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", unsigned, "r", int, "r")
FORM_1_1_2(And, "m8n8k128.row.col.s32.b1.b1.s32.and.popc", unsigned, "r", int, "r")
FORM_2_1_4(AndK128, "m16n8k128.row.col.s32.b1.b1.s32.and.popc", unsigned, "r", int, "r")
FORM_4_2_4(AndK256, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", unsigned, "r", int, "r")

template <class Form>
__global__ void multiply(const typename Form::Register* a, const typename Form::Register* b,
                         typename Form::Result* sums) {
  typename Form::Register of_a[Form::of_a];
  typename Form::Register of_b[Form::of_b];
  typename Form::Result of_c[Form::of_c];
  for (int i = 0; i < Form::of_a; ++i) of_a[i] = a[threadIdx.x * Form::of_a + i];
  for (int i = 0; i < Form::of_b; ++i) of_b[i] = b[threadIdx.x * Form::of_b + i];
  for (int i = 0; i < Form::of_c; ++i) of_c[i] = sums[threadIdx.x * Form::of_c + i];
  Form::run(of_a, of_b, of_c);
  for (int i = 0; i < Form::of_c; ++i) sums[threadIdx.x * Form::of_c + i] = of_c[i];
}

struct Drawn {
  std::uint64_t bits;
  double value;
};

/// A type of element: its bits, and a function that draws a random number.
struct Kind {
  unsigned bits;
  Drawn (*draw)(Random&);
};

float spread(Random& random) { return std::ldexp(random.unit(), random.integer(6)); }

const Kind tf32{32, [](Random& random) {
                  const float x = spread(random);
                  std::uint32_t bits;
                  std::memcpy(&bits, &x, 4);
                  const std::uint32_t kept = bits & 0xffffe000U;  // the bits that hardware uses
                  float value;
                  std::memcpy(&value, &kept, 4);
                  return Drawn{bits, value};
                }};
const Kind f64{64, [](Random& random) {
                 const double x =
                     std::ldexp(random.unit() + random.unit() * 0x1p-24, random.integer(6));
                 std::uint64_t bits;
                 std::memcpy(&bits, &x, 8);
                 return Drawn{bits, x};
               }};
const Kind s4{4, [](Random& random) {
                const auto bits = static_cast<int>(random.next() & 15);
                return Drawn{static_cast<std::uint64_t>(bits),
                             static_cast<double>(bits < 8 ? bits : bits - 16)};
              }};
const Kind u4{4, [](Random& random) {
                const std::uint64_t bits = random.next() & 15;
                return Drawn{bits, static_cast<double>(bits)};
              }};
const Kind b1{1, [](Random& random) {
                const std::uint64_t bits = random.next() & 1;
                return Drawn{bits, static_cast<double>(bits)};
              }};

struct Matrix {
  int columns;
  std::vector<double> values;
  double at(int row, int column) const { return values[row * columns + column]; }
};

enum class Rule { product, comparison };

template <class Form>
void check(const char* name, int rows, int depth, const Kind& of_a, const Kind& of_b,
           std::uint64_t bits = 0, Rule rule = Rule::product) {
  using Register = typename Form::Register;
  using Result = typename Form::Result;
  constexpr bool is_exact = std::is_same_v<Result, int>;
  Random random(depth + rows + of_a.bits);
  Matrix a{depth, std::vector<double>(rows * depth)};
  Matrix b{8, std::vector<double>(depth * 8)};
  auto* a_registers = managed<Register>(32 * Form::of_a);
  auto* b_registers = managed<Register>(32 * Form::of_b);
  auto* sums = managed<Result>(32 * Form::of_c);
  const int packed = static_cast<int>(8 * sizeof(Register) / of_a.bits);
  // The PTX ISA defines the lane and the register of each element.
  const auto fill = [&](Register* registers, int count, const Kind& kind, const auto& set) {
    for (int lane = 0; lane < 32; ++lane) {
      for (int r = 0; r < count; ++r) {
        std::uint64_t word = 0;
        for (int e = 0; e < packed; ++e) {
          const Drawn drawn = kind.draw(random);
          word |= drawn.bits << (kind.bits * e);
          set(lane, r, lane % 4 * packed + e, drawn.value);
        }
        std::memcpy(&registers[lane * count + r], &word, sizeof(Register));
      }
    }
  };
  const int tall = rows / 8;
  fill(a_registers, Form::of_a, of_a, [&](int lane, int r, int k, double value) {
    a.values[(lane / 4 + 8 * (r % tall)) * depth + k + 4 * packed * (r / tall)] = value;
  });
  fill(b_registers, Form::of_b, of_b, [&](int lane, int r, int k, double value) {
    b.values[(k + 4 * packed * r) * 8 + lane / 4] = value;
  });
  std::vector<Result> before(32 * Form::of_c);
  for (Result& x : before)
    x = static_cast<Result>(is_exact ? random.integer(1000) : 4 * spread(random));
  std::memcpy(sums, before.data(), before.size() * sizeof(Result));
  multiply<Form><<<1, 32>>>(a_registers, b_registers, sums);
  REQUIRE(cudaDeviceSynchronize());
  bool right = true;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < Form::of_c; ++i) {
      const int row = lane / 4 + 8 * (i / 2);
      const int column = lane % 4 * 2 + i % 2;
      double sum = static_cast<double>(before[lane * Form::of_c + i]);
      double size = std::fabs(sum);
      for (int k = 0; k < depth; ++k) {
        const double x = a.at(row, k);
        const double y = b.at(k, column);
        const double term = rule == Rule::comparison ? (x != y ? 1 : 0) : x * y;
        sum += term;
        size = std::fmax(size, std::fabs(term));
      }
      // With each term, the adder loses less than one unit in the last place that it keeps.
      const double bound = is_exact ? 0 : depth * size * (sizeof(Result) == 8 ? 0x1p-52 : 0x1p-22);
      right = right && std::fabs(static_cast<double>(sums[lane * Form::of_c + i]) - sum) <= bound;
    }
  }
  report(name, right);
  if (!is_exact) same_bits("its bits", hash_of(sums, 32 * Form::of_c * sizeof(Result)), bits);
}

}  // namespace

int main() {
  check<Tf32K4>("tf32, depth 4", 16, 4, tf32, tf32, 0x17336b4f91392173);
  check<Tf32K8>("tf32, depth 8", 16, 8, tf32, tf32, 0x01c1ba794b8f8a20);
  check<Doubles>("f64, 8 rows", 8, 4, f64, f64, 0xb9f6ee0ce7645fc9);
  check<DoublesK4>("f64, depth 4", 16, 4, f64, f64, 0x9408130e11051811);
  check<DoublesK8>("f64, depth 8", 16, 8, f64, f64, 0x19dd6b777a6d396b);
  check<DoublesK16>("f64, depth 16", 16, 16, f64, f64, 0x886d901c79295004);
  check<S4>("s4, 8 rows", 8, 32, s4, s4);
  check<U4BySaturated>("u4 by s4, 8 rows, saturated", 8, 32, u4, s4);
  check<S4K32>("s4 by u4, depth 32", 16, 32, s4, u4);
  check<S4K64>("s4, depth 64", 16, 64, s4, s4);
  check<U4K64>("u4, depth 64", 16, 64, u4, u4);
  check<Xor>("bits compared, 8 rows", 8, 128, b1, b1, 0, Rule::comparison);
  check<XorK128>("bits compared, depth 128", 16, 128, b1, b1, 0, Rule::comparison);
  check<XorK256>("bits compared, depth 256", 16, 256, b1, b1, 0, Rule::comparison);
  check<And>("bits and bits, 8 rows", 8, 128, b1, b1);
  check<AndK128>("bits and bits, depth 128", 16, 128, b1, b1);
  check<AndK256>("bits and bits, depth 256", 16, 256, b1, b1);
  return failures == 0 ? 0 : 1;
}
