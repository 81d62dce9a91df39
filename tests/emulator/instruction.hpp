#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "emulator/emulated.hpp"

/// Compares single PTX instructions with C++ functions that compute the same.
namespace warpwise::test {

/// Computes the expected result of an instruction from its operands, as bits. Missing operands are
/// 0.
using Expected = std::function<std::uint64_t(std::uint64_t a, std::uint64_t b, std::uint64_t c)>;

/// Bits of the registers %d, %a, %b and %c (16, 32 or 64).
struct Registers {
  int d = 32;
  int a = 32;
  int b = 32;
  int c = 32;
};

struct Inputs {
  std::vector<std::uint64_t> a, b, c;
};

/// Returns a kernel that computes %d from %a, %b and %c, which it loads from arrays of 64-bit
/// elements.
inline std::string instruction_ptx(const std::string& text, const Registers& registers) {
  const auto name = [](int bits) { return ".b" + std::to_string(bits); };
  std::string ptx =
      ".version 8.4\n.target sm_90\n.address_size 64\n"
      ".visible .entry instruction(.param .u64 pd, .param .u64 pa, .param .u64 pb, .param .u64 "
      "pc)\n{\n"
      ".reg .pred %p, %q, %r;\n.reg .b16 %h<9>;\n.reg .b32 %t, %n, %i, %w<9>;\n.reg .b64 %at, %to, "
      "%l<9>;\n";
  const auto declare = [&](const char* reg, int bits) {
    ptx += ".reg " + name(bits) + " %" + reg + ";\n";
  };
  declare("d", registers.d);
  declare("a", registers.a);
  declare("b", registers.b);
  declare("c", registers.c);
  ptx +=
      "mov.u32 %t, %tid.x;\nmov.u32 %n, %ntid.x;\nmov.u32 %i, %ctaid.x;\nmad.lo.u32 %t, %i, %n, "
      "%t;\n"
      "mul.wide.u32 %to, %t, 8;\n";
  const auto load = [&](const char* reg, int bits) {
    ptx += std::string("ld.param.u64 %at, [p") + reg + "];\nadd.u64 %at, %at, %to;\nld.global" +
           name(bits) + " %" + reg + ", [%at];\n";
  };
  load("a", registers.a);
  load("b", registers.b);
  load("c", registers.c);
  ptx += text + "\nld.param.u64 %at, [pd];\nadd.u64 %at, %at, %to;\nst.global" + name(registers.d) +
         " [%at], %d;\nret;\n}\n";
  return ptx;
}

/// Returns the emulator's result for each triple of inputs.
inline std::vector<std::uint64_t> run_instruction(const std::string& text,
                                                  const Registers& registers,
                                                  const Inputs& inputs) {
  Emulated emulated(instruction_ptx(text, registers));
  emulated.options.count = false;
  emulated.options.threads = 1;
  const std::uint32_t block = 64;
  const auto blocks = static_cast<std::uint32_t>((inputs.a.size() + block - 1) / block);
  Inputs padded = inputs;
  for (auto* each : {&padded.a, &padded.b, &padded.c})
    each->resize(std::size_t{blocks} * block, each->back());
  const emulator::Address to = emulated.buffer(std::vector<std::uint64_t>(padded.a.size()));
  const auto result =
      emulated.launch("instruction", {blocks}, {block}, to, emulated.buffer(padded.a),
                      emulated.buffer(padded.b), emulated.buffer(padded.c));
  EXPECT_TRUE(result.faults.empty()) << text;
  return emulated.read<std::uint64_t>(to, inputs.a.size());
}

inline std::uint64_t lowest_bits(std::uint64_t value, int bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

/// Fails at the first triple whose result differs from the expected one. `same` compares the
/// two.
inline void expect_instruction(
    const std::string& text, const Registers& registers, const Inputs& inputs,
    const Expected& expected,
    const std::function<bool(std::uint64_t, std::uint64_t)>& same = std::equal_to<>()) {
  std::vector<std::uint64_t> found;
  try {
    found = run_instruction(text, registers, inputs);
  } catch (const std::exception& error) {
    ADD_FAILURE() << text << ": " << error.what();
    return;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::uint64_t a = lowest_bits(inputs.a[i], registers.a);
    const std::uint64_t b = lowest_bits(inputs.b[i], registers.b);
    const std::uint64_t c = lowest_bits(inputs.c[i], registers.c);
    const std::uint64_t want = lowest_bits(expected(a, b, c), registers.d);
    if (!same(found[i], want)) {
      ADD_FAILURE() << text << std::hex << " of 0x" << a << ", 0x" << b << ", 0x" << c << " is 0x"
                    << found[i] << ", not 0x" << want;
      return;
    }
  }
}

}  // namespace warpwise::test
