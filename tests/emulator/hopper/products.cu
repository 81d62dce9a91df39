// Tests wgmma, by which warpgroups multiply matrices: each type of element, with A in shared memory
// in each layout, or in registers.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstring>

#include "check.hpp"

using namespace hopper;

namespace {

constexpr int rows = 64;
constexpr int most_image = 64 * 1024;

// Layout of a matrix in shared memory, in the terms of its matrix descriptor.
struct Layout {
  unsigned width = 0;       // width of the swizzle in bytes; 0: none
  bool transposed = false;  // neighbours in memory are of one column of A (one row of B)
};

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ std::uint64_t descriptor(unsigned address, std::uint64_t parts) {
  return parts | (address & 0x3ffff) >> 4;
}

// Operand lists of asm statements with eight and with 32 results.
#define EIGHT(c, d)                                                                          \
  "+" c(d[0]), "+" c(d[1]), "+" c(d[2]), "+" c(d[3]), "+" c(d[4]), "+" c(d[5]), "+" c(d[6]), \
      "+" c(d[7])
#define NAMES_8 "{%0, %1, %2, %3, %4, %5, %6, %7}"

struct HalfTo16 {  // 16-bit results, 16 columns
  static constexpr int columns = 16, registers = 4;
  using Register = unsigned;
  template <int a_transposed, int b_transposed>
  static __device__ void multiply(unsigned* d, const unsigned*, std::uint64_t a, std::uint64_t b,
                                  int adds) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %6, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, %7, "
        "%8;\n}"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "l"(a), "l"(b), "r"(adds), "n"(a_transposed), "n"(b_transposed));
  }
};

#define BY_DESCRIPTORS(name, reg, constraint, shape, tail)                                         \
  struct name {                                                                                    \
    static constexpr int columns = 16, registers = 8;                                              \
    using Register = reg;                                                                          \
    template <int a_transposed, int b_transposed>                                                  \
    static __device__ void multiply(reg* d, const unsigned*, std::uint64_t a, std::uint64_t b,     \
                                    int adds) {                                                    \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %10, 0;\nwgmma.mma_async.sync.aligned." shape \
                   " " NAMES_8 ", %8, %9, p" tail ";\n}"                                           \
                   : EIGHT(constraint, d)                                                          \
                   : "l"(a), "l"(b), "r"(adds));                                                   \
    }                                                                                              \
  };
BY_DESCRIPTORS(Tf32, float, "f", "m64n16k8.f32.tf32.tf32", ", 1, 1")
BY_DESCRIPTORS(E4m3, float, "f", "m64n16k32.f32.e4m3.e4m3", ", 1, 1")
BY_DESCRIPTORS(E5m2, float, "f", "m64n16k32.f32.e5m2.e5m2", ", 1, 1")
BY_DESCRIPTORS(Negative, float, "f", "m64n16k16.f32.f16.f16", ", -1, 1, 0, 0")
BY_DESCRIPTORS(Signed, int, "r", "m64n16k32.s32.s8.s8", "")
BY_DESCRIPTORS(Mixed, int, "r", "m64n16k32.satfinite.s32.u8.s8", "")

#define WIDE(name, types)                                                                         \
  struct name {                                                                                   \
    static constexpr int columns = 64, registers = 32;                                            \
    using Register = float;                                                                       \
    template <int a_transposed, int b_transposed>                                                 \
    static __device__ void multiply(float* d, const unsigned*, std::uint64_t a, std::uint64_t b,  \
                                    int adds) {                                                   \
      asm volatile(                                                                               \
          "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"                                            \
          "wgmma.mma_async.sync.aligned.m64n64k16.f32." types                                     \
          " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "    \
          "%18, "                                                                                 \
          "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, " \
          "%35, %36;\n}"                                                                          \
          : EIGHT("f", d), EIGHT("f", (d + 8)), EIGHT("f", (d + 16)), EIGHT("f", (d + 24))        \
          : "l"(a), "l"(b), "r"(adds), "n"(a_transposed), "n"(b_transposed));                     \
    }                                                                                             \
  };
WIDE(Half, "f16.f16")
WIDE(Bfloat, "bf16.bf16")

struct FromRegisters {
  static constexpr int columns = 16, registers = 8;
  using Register = float;
  template <int, int b_transposed>
  static __device__ void multiply(float* d, const unsigned* a, std::uint64_t, std::uint64_t b,
                                  int adds) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %13, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " NAMES_8
        ", {%8, %9, %10, %11}, %12, p, 1, 1, %14;\n}"
        : EIGHT("f", d)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(adds), "n"(b_transposed));
  }
};

struct Problem {
  const unsigned char* image;  // bytes of A, then of B
  unsigned a_bytes, b_bytes;
  std::uint64_t a_parts, b_parts;  // descriptors without the address
  unsigned steps, step_bytes;
  bool adds;                // adds to the values in `out`
  const unsigned* plain_a;  // A, row by row, with two elements in a word
};

template <class Kind, int a_transposed, int b_transposed>
__global__ void __launch_bounds__(128) multiply(Problem p, typename Kind::Register* out) {
  extern __shared__ __align__(1024) unsigned char memory[];
  for (unsigned i = threadIdx.x; i < p.a_bytes + p.b_bytes; i += blockDim.x) memory[i] = p.image[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  typename Kind::Register d[Kind::registers];
  for (int i = 0; i < Kind::registers; ++i) d[i] = out[threadIdx.x * Kind::registers + i];
  unsigned a[4];
  const unsigned lane = threadIdx.x % 32;
  const unsigned row = threadIdx.x / 32 * 16 + lane / 4;
  for (unsigned r = 0; r < 4; ++r) a[r] = p.plain_a[(row + r % 2 * 8) * 8 + lane % 4 + r / 2 * 4];
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (unsigned step = 0; step < p.steps; ++step) {
    const unsigned offset = step * p.step_bytes;
    Kind::template multiply<a_transposed, b_transposed>(
        d, a, descriptor(shared_address(memory) + offset, p.a_parts),
        descriptor(shared_address(memory + p.a_bytes) + offset, p.b_parts),
        p.adds || step > 0 ? 1 : 0);
  }
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < Kind::registers; ++i) out[threadIdx.x * Kind::registers + i] = d[i];
}

// ---- matrices in memory

/// A matrix: `lines` are the rows of A (or the columns of B), and each has `depth` elements.
struct Matrix {
  int lines = 0, depth = 0;
  unsigned element = 2;
  std::vector<std::uint32_t> bits;
  std::vector<double> values;
};

struct Laid {
  std::vector<unsigned char> image;
  std::uint64_t parts = 0;
  unsigned steps = 1, step_bytes = 0;
};

Laid lay_out(const Matrix& m, Layout layout, unsigned depth_of_step) {
  const unsigned in_piece = 16 / m.element;
  unsigned leading = 0;
  unsigned stride = 0;
  std::vector<unsigned> at(m.bits.size());
  const auto lines = static_cast<unsigned>(m.lines);
  const auto depth = static_cast<unsigned>(m.depth);
  for (unsigned line = 0; line < lines; ++line) {
    for (unsigned k = 0; k < depth; ++k) {
      unsigned offset = 0;
      if (!layout.transposed && layout.width == 0) {
        stride = 128;
        leading = lines / 8 * 128;
        offset =
            line / 8 * stride + line % 8 * 16 + k / in_piece * leading + k % in_piece * m.element;
      } else if (!layout.transposed) {
        stride = 8 * layout.width;
        leading = 16;  // swizzled layouts ignore it
        offset = line / 8 * stride + line % 8 * layout.width + k * m.element;
      } else if (layout.width == 0) {
        leading = 128;
        stride = depth / 8 * 128;
        offset = line / 8 * stride + line % 8 * 2 + k / 8 * leading + k % 8 * 16;
      } else {
        stride = 8 * layout.width;
        leading = depth / 8 * stride;
        const unsigned in_row = layout.width / 2;
        offset =
            line / in_row * leading + line % in_row * 2 + k / 8 * stride + k % 8 * layout.width;
      }
      if (layout.width != 0) offset ^= offset / 128 % (layout.width / 16) * 16;
      at[line * depth + k] = offset;
    }
  }
  Laid laid;
  unsigned end = 0;
  for (const unsigned offset : at) end = offset > end ? offset : end;
  laid.image.resize((end / 1024 + 1) * 1024);
  for (std::size_t i = 0; i < at.size(); ++i)
    std::memcpy(laid.image.data() + at[i], &m.bits[i], m.element);
  const std::uint64_t mode = layout.width == 128  ? 1
                             : layout.width == 64 ? 2
                             : layout.width == 32 ? 3
                                                  : 0;
  laid.parts = std::uint64_t{leading / 16} << 16 | std::uint64_t{stride / 16} << 32 | mode << 62;
  laid.steps = depth / depth_of_step;
  laid.step_bytes = depth_of_step * m.element;
  return laid;
}

template <class Draw>
Matrix drawn(int lines, int depth, unsigned element, const Draw& draw) {
  Matrix m;
  m.lines = lines;
  m.depth = depth;
  m.element = element;
  for (int i = 0; i < lines * depth; ++i) {
    const auto [bits, value] = draw();
    m.bits.push_back(bits);
    m.values.push_back(value);
  }
  return m;
}

using Drawn = std::pair<std::uint32_t, double>;

Drawn half(float x) {
  const __half h = __float2half(x);
  return {__half_as_ushort(h), __half2float(h)};
}
Drawn bfloat(float x) {
  const __nv_bfloat16 h = __float2bfloat16(x);
  return {__bfloat16_as_ushort(h), __bfloat162float(h)};
}
Drawn single(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return {bits, x};
}
Drawn e4m3(float x) {
  const __nv_fp8_e4m3 h(x);
  return {h.__x, static_cast<float>(h)};
}
Drawn e5m2(float x) {
  const __nv_fp8_e5m2 h(x);
  return {h.__x, static_cast<float>(h)};
}

template <class Register>
double result_at(const Register* out, int registers, int row, int column) {
  const int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
  const int i = column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
  return static_cast<double>(out[thread * registers + i]);
}
double result_at_half(const unsigned* out, int row, int column) {
  const int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
  const int i = column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
  const unsigned word = out[thread * 4 + i / 2];
  return __half2float(
      __ushort_as_half(static_cast<unsigned short>(i % 2 != 0 ? word >> 16 : word)));
}

struct Options {
  Layout a{};
  Layout b{};
  unsigned depth_of_step = 16;
  double sign = 1;
  double bound = 0;        // bound on a sum's relative error; 0: exact
  std::uint64_t bits = 0;  // hash of a GPU's sums, which must be equal; 0: unknown
};

template <class Kind, int a_transposed = 0, int b_transposed = 0>
void check(const char* name, const Matrix& a, const Matrix& b, const Options& options) {
  const Laid of_a = lay_out(a, options.a, options.depth_of_step);
  const Laid of_b = lay_out(b, options.b, options.depth_of_step);
  auto* image = managed<unsigned char>(most_image);
  std::memcpy(image, of_a.image.data(), of_a.image.size());
  std::memcpy(image + of_a.image.size(), of_b.image.data(), of_b.image.size());
  auto* plain = managed<unsigned>(rows * 8);
  for (int i = 0; i < rows * 8 && a.element == 2 && a.depth == 16; ++i)
    plain[i] = a.bits[2 * i] | a.bits[2 * i + 1] << 16;
  const int count = 128 * Kind::registers;
  auto* out = managed<typename Kind::Register>(count);
  Problem problem{image,
                  static_cast<unsigned>(of_a.image.size()),
                  static_cast<unsigned>(of_b.image.size()),
                  of_a.parts,
                  of_b.parts,
                  of_a.steps,
                  of_a.step_bytes,
                  false,
                  plain};
  const unsigned bytes = problem.a_bytes + problem.b_bytes;
  auto* kernel = multiply<Kind, a_transposed, b_transposed>;
  REQUIRE(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_image));
  kernel<<<1, 128, bytes>>>(problem, out);
  REQUIRE(cudaDeviceSynchronize());
  if (options.bits != 0) same_bits(name, hash_of(out, count * sizeof(*out)), options.bits);
  // Multiplies again, and adds to the first results.
  problem.adds = true;
  kernel<<<1, 128, bytes>>>(problem, out);
  REQUIRE(cudaDeviceSynchronize());
  bool right = true;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < Kind::columns; ++column) {
      double sum = 0;
      double size = 0;
      for (int k = 0; k < a.depth; ++k) {
        const double term = a.values[row * a.depth + k] * b.values[column * b.depth + k];
        sum += 2 * options.sign * term;
        size += 2 * std::fabs(term);
      }
      double found = 0;
      if constexpr (Kind::registers == 4)
        found = result_at_half(out, row, column);
      else
        found = result_at(out, Kind::registers, row, column);
      right = right && std::fabs(found - sum) <= options.bound * size;
    }
  }
  report(name, right);
}

Random numbers(99);
Drawn small_half() { return half(static_cast<float>(numbers.integer(8))); }
Drawn any_half() { return half(numbers.unit()); }

// Multiplies whole numbers, whose sums are exact in any order.
void check_layouts() {
  for (const unsigned width : {0U, 32U, 64U, 128U}) {
    const int depth = width == 0 ? 16 : static_cast<int>(width) / 2;
    const Matrix a = drawn(rows, depth, 2, small_half);
    const Matrix b = drawn(64, depth, 2, small_half);
    std::printf("swizzle of %u, ", width);
    check<Half>("rows", a, b, {.a = {width, false}, .b = {width, false}});
    const Matrix c = drawn(rows, 16, 2, small_half);
    const Matrix d = drawn(64, 16, 2, small_half);
    std::printf("swizzle of %u, ", width);
    check<Half, 1, 1>("transposed", c, d, {.a = {width, true}, .b = {width, true}});
    std::printf("swizzle of %u, ", width);
    check<Half, 0, 1>("B transposed", c, d, {.a = {0, false}, .b = {width, true}});
  }
}

void check_types() {
  const Matrix a = drawn(rows, 16, 2, small_half);
  const Matrix b = drawn(16, 16, 2, small_half);
  check<HalfTo16>("f16 sums", a, b, {});
  check<Negative>("negated", a, b, {.sign = -1});
  check<FromRegisters>("A in registers", a, b, {});
  check<FromRegisters, 0, 1>("A in registers, B transposed", a, b, {.b = {0, true}});
  const auto whole = [](int range, auto to) {
    return [=] { return to(static_cast<float>(numbers.integer(range))); };
  };
  check<Bfloat>("bf16", drawn(rows, 16, 2, whole(8, bfloat)), drawn(64, 16, 2, whole(8, bfloat)),
                {});
  check<Tf32>("tf32", drawn(rows, 8, 4, whole(100, single)), drawn(16, 8, 4, whole(100, single)),
              {.depth_of_step = 8});
  check<E4m3>("e4m3", drawn(rows, 32, 1, whole(4, e4m3)), drawn(16, 32, 1, whole(4, e4m3)),
              {.depth_of_step = 32});
  check<E5m2>("e5m2", drawn(rows, 32, 1, whole(4, e5m2)), drawn(16, 32, 1, whole(4, e5m2)),
              {.depth_of_step = 32});
  const auto byte = [] {
    const int n = numbers.integer(127);
    return Drawn{static_cast<std::uint32_t>(n) & 0xff, n};
  };
  const auto unsigned_byte = [] {
    const auto n = numbers.next() & 0xff;
    return Drawn{n, n};
  };
  check<Signed>("s8", drawn(rows, 32, 1, byte), drawn(16, 32, 1, byte), {.depth_of_step = 32});
  check<Mixed>("u8 by s8", drawn(rows, 32, 1, unsigned_byte), drawn(16, 32, 1, byte),
               {.depth_of_step = 32});
}

// Multiplies numbers whose sums are rounded: checks a bound, and a hash of the bits.
void check_rounding() {
  const Matrix a = drawn(rows, 64, 2, any_half);
  const Matrix b = drawn(64, 64, 2, any_half);
  check<Half>("bits of f16", a, b,
              {.a = {128, false}, .b = {128, false}, .bound = 1e-6, .bits = 0x515cad7a0a7d9bdc});
  const auto any = [](auto to) { return [=] { return to(numbers.unit()); }; };
  check<Bfloat>("bits of bf16", drawn(rows, 16, 2, any(bfloat)), drawn(64, 16, 2, any(bfloat)),
                {.bound = 1e-6, .bits = 0xeabf1824d8a24ccb});
  check<Tf32>("bits of tf32", drawn(rows, 8, 4, any(single)), drawn(16, 8, 4, any(single)),
              {.depth_of_step = 8, .bound = 2e-3, .bits = 0x6bdb428529d34ed8});
  check<E4m3>("bits of e4m3", drawn(rows, 32, 1, any(e4m3)), drawn(16, 32, 1, any(e4m3)),
              {.depth_of_step = 32, .bound = 1e-3, .bits = 0x2f023adcba5f5545});
  check<E5m2>("bits of e5m2", drawn(rows, 32, 1, any(e5m2)), drawn(16, 32, 1, any(e5m2)),
              {.depth_of_step = 32, .bound = 1e-3, .bits = 0x532be707b25df9ce});
  check<HalfTo16>("bits of f16 sums", drawn(rows, 16, 2, any_half), drawn(16, 16, 2, any_half),
                  {.bound = 1e-3, .bits = 0x3ee0644bcdbdc3eb});
}

}  // namespace

int main() {
  check_layouts();
  check_types();
  check_rounding();
  return failures == 0 ? 0 : 1;
}
