// Tests rules::machine_code(), which tells how many machine instructions a PTX instruction becomes.
// The numbers must be those in code that ptxas makes.

#include <elf.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "warpwise/lab/compile/subprocess.hpp"
#include "warpwise/lab/compile/toolchain.hpp"
#include "warpwise/rules/machine_code.hpp"

namespace warpwise::lab {
namespace {

struct Instruction {
  const char* op;
  const char* to;
  const char* from;
  const char* operands;  ///< A, B: loaded values; C: the amount of a shift
  double margin = 0;     ///< allowed error, since neighbouring code changes the count
};

constexpr std::array counted_instructions = {
    Instruction{"div.u32", "u32", "u32", "A, B"},
    Instruction{"div.s32", "s32", "s32", "A, B"},
    Instruction{"rem.u32", "u32", "u32", "A, B"},
    Instruction{"rem.s32", "s32", "s32", "A, B"},
    Instruction{"div.full.f32", "f32", "f32", "A, B"},
    Instruction{"div.approx.f32", "f32", "f32", "A, B"},
    Instruction{"sqrt.approx.f32", "f32", "f32", "A"},
    Instruction{"rsqrt.approx.f32", "f32", "f32", "A"},
    Instruction{"lg2.approx.f32", "f32", "f32", "A"},
    Instruction{"sin.approx.f32", "f32", "f32", "A"},
    Instruction{"cos.approx.f32", "f32", "f32", "A"},
    Instruction{"mul.lo.u64", "u64", "u64", "A, B"},
    Instruction{"mul.lo.s64", "s64", "s64", "A, B"},
    Instruction{"mad.lo.u64", "u64", "u64", "A, B, A"},
    Instruction{"mul.hi.u64", "u64", "u64", "A, B"},
    Instruction{"add.u64", "u64", "u64", "A, B", 0.5},
    Instruction{"shl.b64", "b64", "b64", "A, C"},
    Instruction{"min.u64", "u64", "u64", "A, B"},
    Instruction{"cvt.f64.f32", "f64", "f32", "A"},
    Instruction{"cvt.rn.f32.f64", "f32", "f64", "A"},
    Instruction{"cvt.rn.f64.s32", "f64", "s32", "A"},
    Instruction{"cvt.rzi.u32.f64", "u32", "f64", "A"},
};

constexpr int few = 8;
constexpr int many = 40;

std::string name_of(std::size_t i, int count, bool is_same) {
  return "k" + std::to_string(i) + (is_same ? "_same_" : "_") + std::to_string(count);
}

std::string memory_type(const std::string& type) { return type == "b64" ? "u64" : type; }

/// Returns a kernel with `count` copies of an instruction. If `is_same`, all use one operand B.
std::string kernel_of(const Instruction& each, const std::string& name, int count, bool is_same) {
  const std::string load = "ld.volatile.global." + memory_type(each.from) + " ";
  std::string text = ".visible .entry " + name + "(.param .u64 p, .param .u64 q) {\n" +
                     ".reg .b64 %in, %out;\n.reg .b32 %c;\n.reg ." + each.from +
                     " %a<99>, %b<99>;\n.reg ." + each.to + " %d<99>;\n" +
                     "ld.param.u64 %out, [p];\nld.param.u64 %in, [q];\n" +
                     "ld.volatile.global.u32 %c, [%in+4000];\n" + load + "%b0, [%in+3000];\n";
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i), b = "%b" + (is_same ? "0" : std::to_string(i + 1));
    text += load + "%a" + n + ", [%in+" + std::to_string(8 * i) + "];\n";
    if (!is_same) text += load + b + ", [%in+" + std::to_string(1000 + 8 * i) + "];\n";
    text += std::string(each.op) + " %d" + n + ", ";
    for (const char* at = each.operands; *at != '\0'; ++at) {
      text += *at == 'A' ? "%a" + n : *at == 'B' ? b : *at == 'C' ? "%c" : std::string(1, *at);
    }
    text += ";\nst.volatile.global." + memory_type(each.to) + " [%out+" + std::to_string(8 * i) +
            "], %d" + n + ";\n";
  }
  return text + "ret;\n}\n";
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Part>
Part part_at(const std::string& bytes, std::size_t at) {
  Part part{};
  if (at + sizeof(part) <= bytes.size()) std::memcpy(&part, bytes.data() + at, sizeof(part));
  return part;
}

/// Returns the size of each kernel's code in bytes, with the padding at its end.
std::map<std::string, double> code_bytes(const std::string& cubin) {
  const auto header = part_at<Elf64_Ehdr>(cubin, 0);
  const auto section = [&](std::size_t i) {
    return part_at<Elf64_Shdr>(cubin, header.e_shoff + i * header.e_shentsize);
  };
  std::map<std::string, double> found;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    if (section(i).sh_type != SHT_SYMTAB) continue;
    const std::size_t names = section(section(i).sh_link).sh_offset;
    for (std::size_t at = 0; at < section(i).sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = part_at<Elf64_Sym>(cubin, section(i).sh_offset + at);
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
        found[cubin.c_str() + names + symbol.st_name] = static_cast<double>(symbol.st_size);
    }
  }
  return found;
}

TEST(InstructionCounts, AreThoseOfTheCompiler) {
  const std::filesystem::path ptxas = find_toolchain().ptxas;
  if (ptxas.empty()) GTEST_SKIP() << "there is no ptxas here";
  const TemporaryFolder folder;
  // Another version of ptxas may need more or fewer instructions.
  if (run_program({ptxas.string(), "--version"}, folder).output.find("V13.0.") == std::string::npos)
    GTEST_SKIP() << "the counts are those of ptxas 13.0";
  std::ofstream ptx(folder / "counts.ptx");
  ptx << ".version 8.0\n.target sm_90\n.address_size 64\n";
  for (std::size_t i = 0; i < counted_instructions.size(); ++i) {
    for (const int count : {few, many}) {
      for (const bool is_same : {false, true})
        ptx << kernel_of(counted_instructions[i], name_of(i, count, is_same), count, is_same);
    }
  }
  ptx.close();
  const std::string cubin = folder / "counts.cubin";
  const ProgramRun made =
      run_program({ptxas.string(), "-arch=sm_90", "-o", cubin, folder / "counts.ptx"}, folder);
  const auto bytes = code_bytes(content_of(cubin));
  ASSERT_EQ(bytes.size(), 4 * counted_instructions.size()) << made.output;
  constexpr double instruction_bytes = 16;
  // Code is padded to a multiple of 128 bytes, which changes the mean count by at most this.
  constexpr double padding = 128 / instruction_bytes / (many - few);
  for (std::size_t i = 0; i < counted_instructions.size(); ++i) {
    const Instruction& each = counted_instructions[i];
    const rules::MachineCode* counted = rules::machine_code(each.op);
    ASSERT_NE(counted, nullptr) << each.op;
    for (const bool is_same : {false, true}) {
      const double added = bytes.at(name_of(i, many, is_same)) - bytes.at(name_of(i, few, is_same));
      const double memory = is_same ? 2 : 3;  // a store, and the loads of A and of B
      const double measured = added / instruction_bytes / (many - few) - memory;
      EXPECT_NEAR(is_same ? counted->again.all : counted->first.all, measured,
                  each.margin + padding)
          << each.op << (is_same ? ", the same divisor" : "");
    }
  }
}

}  // namespace
}  // namespace warpwise::lab
