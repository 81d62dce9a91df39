// Reads the output of nvdisasm: a recorded listing, texts that are no listing, and the output of an
// installed nvdisasm.
#include "warpwise/lab/compile/machine_code.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "warpwise/lab/compile/compiler.hpp"

namespace warpwise::lab {
namespace {

// Output of nvdisasm 13.5 -g -c for sm_90, shortened.
constexpr const char* listing =
    "\t.target\tsm_90\n\n"
    "//--------------------- .text.other --------------------------\n"
    "\t.section\t.text.other,\"ax\",@progbits\n"
    "other:\n.text.other:\n"
    "\t//## File \"/a/b.cu\", line 1\n"
    "        /*0000*/                   EXIT ;\n"
    "//--------------------- .text.scale --------------------------\n"
    "\t.section\t.text.scale,\"ax\",@progbits\n"
    "\t.align\t128\n"
    "        .type           scale,@function\n"
    "scale:\n.text.scale:\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
    "\t//## File \"/a/b.cu\", line 12\n"
    "        /*0010*/              @!P0 LDG.E R4, desc[UR4][R6.64] ;\n"
    "\t//## File \"/a/c d.cuh\", line 3 inlined at \"/a/b.cu\", line 12\n"
    ".L_x_0:\n"
    "        /*00f0*/                   BRA `(.L_x_0) ;\r\n"
    "        /*0100*/                   NOP;\n"
    ".L_x_1:\n"
    "\t.section\t.nv.info.scale,\"\",@\"SHT_CUDA_INFO\"\n";

TEST(MachineCode, IsReadWithItsLines) {
  const std::vector<MachineInstruction> expected = {
      {0x00, "LDC R1, c[0x0][0x28]", "", 0},
      {0x10, "@!P0 LDG.E R4, desc[UR4][R6.64]", "/a/b.cu", 12},
      {0xf0, ".L_x_0: BRA `(.L_x_0)", "/a/c d.cuh", 3}};
  EXPECT_EQ(machine_code_in(listing, "scale"), expected);
  EXPECT_EQ(machine_code_in(listing, "other").size(), 1U);
  EXPECT_TRUE(machine_code_in(listing, "scal").empty()) << "the beginning of a name";
}

// Output for `out[i] = sqrtf(x) / y`. Code that ptxas appends has no source line.
constexpr const char* listing_with_calls =
    "\t.section\t.text.k,\"ax\",@progbits\n"
    "        .size           k,(.L_x_20 - k)\n"
    "k:\n.text.k:\n"
    "\t//## File \"/a/k.cu\", line 4\n"
    "        /*00c0*/                   CALL.REL.NOINC `($__internal_0_$__cuda_sm20_sqrt) ;\n"
    ".L_x_18:\n"
    "\t//## File \"/a/k.cu\", line 5\n"
    "        /*0240*/                   EXIT ;\n"
    "        .weak           $__internal_0_$__cuda_sm20_sqrt\n"
    "        .type           $__internal_0_$__cuda_sm20_sqrt,@function\n"
    "$__internal_0_$__cuda_sm20_sqrt:\n"
    "        /*0250*/                   LOP3.LUT P0, RZ, R0, 0x7fffffff, RZ, 0xc0, !PT ;\n"
    ".L_x_5:\n"
    "        /*0390*/                   RET.REL.NODEC R6 `(k) ;\n"
    "$k$_Z5twicef:\n"
    "\t//## File \"/a/k.cu\", line 1\n"
    "        /*03a0*/                   FADD R0, R4, R4 ;\n";

TEST(MachineCode, FunctionsThatAKernelCallsHaveTheirLabelsAndNoLineOfTheCaller) {
  const std::vector<MachineInstruction> expected = {
      {0xc0, "CALL.REL.NOINC `($__internal_0_$__cuda_sm20_sqrt)", "/a/k.cu", 4},
      {0x240, ".L_x_18: EXIT", "/a/k.cu", 5},
      {0x250, "$__internal_0_$__cuda_sm20_sqrt: LOP3.LUT P0, RZ, R0, 0x7fffffff, RZ, 0xc0, !PT", "",
       0},
      {0x390, ".L_x_5: RET.REL.NODEC R6 `(k)", "", 0},
      {0x3a0, "$k$_Z5twicef: FADD R0, R4, R4", "/a/k.cu", 1}};
  EXPECT_EQ(machine_code_in(listing_with_calls, "k"), expected);
}

TEST(MachineCode, WhatIsNoInstructionIsPassedOver) {
  const std::string head = "\t.section\t.text.k,\"ax\"\n";
  for (const char* text :
       {"", "/*", "/*/", "/**/ EXIT ;", "/*zz*/ EXIT ;", "/*0010*/", "/*0010*/ ;",
        "/*ffffffffffffffffff*/ EXIT ;", "//## File \"a\"", "//## File \"a\", line x",
        "//## File \"a\", line 99999999999999999999"}) {
    EXPECT_TRUE(machine_code_in(head + text, "k").empty()) << text;
  }
  const auto code = machine_code_in(head + "//## File \"a\", line 4294967296\n/*0*/ EXIT ;", "k");
  ASSERT_EQ(code.size(), 1U);
  EXPECT_EQ(code[0], (MachineInstruction{0, "EXIT", "", 0}));
}

class Disassembler : public testing::TestWithParam<CompilerChoice> {};
INSTANTIATE_TEST_SUITE_P(All, Disassembler,
                         testing::Values(CompilerChoice::nvcc, CompilerChoice::nvrtc),
                         [](const auto& parameter) {
                           return parameter.param == CompilerChoice::nvcc ? "Nvcc" : "Nvrtc";
                         });

TEST_P(Disassembler, NamesTheLineOfEachInstructionAndWhatIsCalled) {
  Toolchain toolchain = find_toolchain();
  if (toolchain.nvdisasm.empty()) GTEST_SKIP() << "there is no nvdisasm here";
  if (GetParam() == CompilerChoice::nvrtc) toolchain.ptxas.clear();
  CompileOptions options;
  options.compiler = GetParam();
  Compilation compilation;
  try {
    compilation = compile_text(
        "extern \"C\" __global__ void k(float* out, const float* in) {\n"
        "  const float value = in[threadIdx.x];\n"
        "  out[threadIdx.x] = 2 / value;\n}\n",
        "/somewhere/k.cu", options);
  } catch (const Unsupported& error) {
    GTEST_SKIP() << error.what();
  }
  const rules::ComputeCapability asked[] = {{9, 0}};
  const ResourceReport report = kernel_resources(compilation, "k", asked, toolchain, true);
  ASSERT_TRUE(report.by_compute_capability[0]) << report.why_unknown;
  const auto& code = report.by_compute_capability[0]->machine_code;
  const auto line_of = [&](const std::string& name) {
    const auto found = std::find_if(code.begin(), code.end(), [&](const auto& each) {
      return each.text.find(name) != std::string::npos;
    });
    return found == code.end() ? MachineInstruction{} : *found;
  };
  EXPECT_EQ(line_of("LDG").line, 2);
  EXPECT_EQ(line_of("STG").line, 3);
  EXPECT_EQ(line_of("LDG").file, "/somewhere/k.cu");
  // A line calls the slow path of a division, but the slow path has no line itself.
  const auto called = std::find_if(code.begin(), code.end(),
                                   [](const auto& each) { return each.text.starts_with('$'); });
  ASSERT_NE(called, code.end());
  EXPECT_EQ(called->line, 0);
  EXPECT_EQ(line_of("`(" + called->text.substr(0, called->text.find(':')) + ")").line, 3);
}

}  // namespace
}  // namespace warpwise::lab
