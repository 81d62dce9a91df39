#pragma once

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

// For tests of matrix instructions: a kernel of one warp around an instruction, and the fragments
// that the PTX ISA documents.
namespace warpwise::emulator {

inline constexpr std::size_t in_words = 16;
inline constexpr std::size_t out_words = 8;
using In = std::array<std::uint32_t, in_words>;    // registers %p0 to %p15 of a lane
using Out = std::array<std::uint32_t, out_words>;  // registers %d0 to %d7 of a lane
inline constexpr int shared_bytes = 4096;

/// Returns a kernel of one warp: loads registers, runs `body`, stores registers. The first bytes at
/// %g are copied to shared memory before `body`, and back after it.
inline std::string kernel(const std::string& body) {
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

/// Runs the kernel, with %g pointing at a copy of `memory`, padded to shared_bytes.
inline Outcome run(const std::string& body, const std::array<In, 32>& in,
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

/// Returns a list of registers: "{%p4, %p5}".
inline std::string registers(const std::string& name, int first, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + name + std::to_string(first + i);
  return text + "}";
}

/// A matrix of numbers.
struct Matrix {
  int rows;
  int columns;
  std::vector<double> values;
  Matrix(int r, int c) : rows(r), columns(c), values(static_cast<std::size_t>(r * c)) {}
  double& at(int r, int c) { return values.at(place(r, c)); }
  double at(int r, int c) const { return values.at(place(r, c)); }
  std::size_t place(int r, int c) const {
    return static_cast<std::size_t>(r) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(c);
  }
};

/// Makes a matrix of first, first + 1, ... in random order, so that a misplaced element is noticed.
inline Matrix distinct(int rows, int columns, int first, unsigned seed) {
  Matrix m(rows, columns);
  for (std::size_t i = 0; i < m.values.size(); ++i) m.values[i] = first + static_cast<double>(i);
  std::shuffle(m.values.begin(), m.values.end(), std::mt19937(seed));
  return m;
}

inline Matrix product(const Matrix& a, const Matrix& b, const Matrix& c) {
  Matrix d = c;
  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j < b.columns; ++j) {
      for (int k = 0; k < a.columns; ++k) d.at(i, j) += a.at(i, k) * b.at(k, j);
    }
  }
  return d;
}

using Encode = std::function<std::uint32_t(double)>;
inline std::uint32_t as_half(double x) { return to_float16(static_cast<float>(x)).bits; }
inline std::uint32_t as_bfloat(double x) { return to_bfloat16(static_cast<float>(x)).bits; }
inline std::uint32_t as_byte(double x) {
  return static_cast<std::uint32_t>(static_cast<int>(x)) & 255;
}
inline std::uint32_t as_float(double x) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(x));
}
inline std::uint32_t as_integer(double x) {
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(x));
}
inline double from_half(std::uint32_t bits) {
  return to_float(Float16{static_cast<std::uint16_t>(bits)});
}

/// Writes a fragment to the registers of all lanes, with `packed` elements in a register. Element i
/// of a lane is the matrix element at place(group, thread, i).
inline void put(std::array<In, 32>& in, int first, int packed, int elements, const Matrix& m,
                const Encode& encode,
                const std::function<std::pair<int, int>(int group, int thread, int i)>& place) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < elements; ++i) {
      const auto [row, column] = place(lane >> 2, lane % 4, i);
      in[static_cast<std::size_t>(lane)]
        [static_cast<std::size_t>(first) + static_cast<std::size_t>(i / packed)] |=
          encode(m.at(row, column)) << (i % packed * (32 / packed));
    }
  }
}

// Fragments of 16-bit floats, from the ISA's sections on m16n8k8 and m16n8k16.
inline std::pair<int, int> half_a_k8(int group, int thread, int i) {
  return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
}
inline std::pair<int, int> half_a_k16(int group, int thread, int i) {
  return {(i < 2 || (i >= 4 && i < 6)) ? group : group + 8, thread * 2 + (i & 1) + (i < 4 ? 0 : 8)};
}
inline std::pair<int, int> half_b(int group, int thread, int i) {
  return {thread * 2 + (i & 1) + (i < 2 ? 0 : 8), group};
}
inline std::pair<int, int> sum_m16n8(int group, int thread, int i) {
  return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
}
inline std::pair<int, int> sum_m8n8(int group, int thread, int i) {
  return {group, thread * 2 + i};
}
// Fragments of bytes, from the sections on m8n8k16, m16n8k16 and m16n8k32.
inline std::pair<int, int> byte_a_m8(int group, int thread, int i) {
  return {group, thread * 4 + i};
}
inline std::pair<int, int> byte_a_k16(int group, int thread, int i) {
  return {i < 4 ? group : group + 8, thread * 4 + (i & 3)};
}
inline std::pair<int, int> byte_a_k32(int group, int thread, int i) {
  return {(i < 4 || (i >= 8 && i < 12)) ? group : group + 8,
          thread * 4 + (i & 3) + (i < 8 ? 0 : 16)};
}
inline std::pair<int, int> byte_b(int group, int thread, int i) {
  return {thread * 4 + (i & 3) + (i < 4 ? 0 : 16), group};
}

/// Returns D of a 16 x 8 product, which the lanes hold as halves or floats.
inline Matrix sums_of(const Outcome& outcome, bool halves) {
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

/// Returns D of an mma of floats: A in %p0 ..., B in %p4 ..., C in %p8 ...
inline Matrix multiply(int depth, const std::string& type, const std::string& sum, const Matrix& a,
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
  return sums_of(outcome, halves);
}

}  // namespace warpwise::emulator
