// Tests both run-time compilers on code as users write it. Tests are skipped with the reason if
// their compiler is missing.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/qemu.hpp"
#include "warpwise/lab/compile/compiler.hpp"
#include "warpwise/lab/compile/host_code.hpp"
#include "warpwise/lab/compile/nvrtc.hpp"
#include "warpwise/lab/compile/subprocess.hpp"
#include "warpwise/lab/study/show/messages_testing.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;
using rules::ComputeCapability;

constexpr const char* scale = R"(
__global__ void scale(float* data, float factor, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] *= factor;
}
)";

// A beginner's kernel file: every usual header, host helpers, main.
constexpr const char* whole_program = R"(#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <vector>
#define HOST_DEVICE __host__ __device__
#define CHECK(call) \
  do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%d\n", (int)e); return 1; } } while (0)

constexpr int SIZE = 32;
__constant__ float weights[3] = {1.f, 2.f, 1.f};
HOST_DEVICE int twice(int x) { return 2 * x; }
static int next_size(int n) { std::vector<int> v(n); return static_cast<int>(v.size()); }
struct Range { int begin, end; };

__global__ void kernel(float* out, const uint8_t* in, Range range) {
  __shared__ float tile[SIZE];
  const int i = threadIdx.x;
  assert(i < SIZE);
  tile[i] = std::sqrt(static_cast<float>(in[i])) * weights[i % 3];
  __syncthreads();
  if (i >= range.begin && i < range.end) out[i] = tile[SIZE - 1 - i] + twice(i);
}

template <class T> void report(const std::vector<T>& values) { std::cout << values.size() << '}' << "{"; }

int main() {
  float* out = nullptr;
  CHECK(cudaMalloc(&out, next_size(SIZE) * sizeof(float)));
  kernel<<<1, SIZE>>>(out, nullptr, {0, 1});
  report(std::vector<int>(3));
  return 0;
}
)";

CompileOptions with(CompilerChoice choice) {
  CompileOptions options;
  options.compiler = choice;
  return options;
}

// Returns the reason why a compiler's tests do not run here; empty if they do.
std::string missing(CompilerChoice choice) {
  const Toolchain toolchain = find_toolchain();
  if (choice == CompilerChoice::nvcc) return toolchain.nvcc.empty() ? "there is no nvcc here" : "";
  std::string why;
  return Nvrtc::load(toolchain.nvrtc_libraries, &why) ? "" : "there is no NVRTC here: " + why;
}

class Compilers : public testing::TestWithParam<CompilerChoice> {
 protected:
  void SetUp() override {
    if (const std::string why = missing(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
  Compilation compile(const std::string& text) const {
    return compile_text(text, "kernel.cu", with(GetParam()));
  }
};

INSTANTIATE_TEST_SUITE_P(All, Compilers,
                         testing::Values(CompilerChoice::nvcc, CompilerChoice::nvrtc),
                         [](const auto& choice) {
                           return choice.param == CompilerChoice::nvcc ? "nvcc" : "nvrtc";
                         });

TEST_P(Compilers, MakePtxWithLinesOfTheSource) {
  const Compilation result = compile(scale);
  EXPECT_NE(result.ptx.find(".target sm_75"), std::string::npos);
  EXPECT_NE(result.ptx.find(".entry _Z5scalePffi"), std::string::npos);
  EXPECT_NE(result.ptx.find(".loc"), std::string::npos);
  EXPECT_NE(result.ptx.find("kernel.cu\""), std::string::npos);
  const char* name = GetParam() == CompilerChoice::nvcc ? "nvcc " : "NVRTC ";
  EXPECT_TRUE(result.compiler.starts_with(name)) << result.compiler;
}

TEST_P(Compilers, BuildForTheNearestArchitectureIfAsked) {
  const auto built_for = [&](int architecture) {
    CompileOptions options = with(GetParam());
    options.architecture = architecture;
    options.nearest_architecture = true;
    const Compilation result = compile_text(scale, "kernel.cu", options);
    EXPECT_EQ(target_architecture(result.ptx), result.options.architecture);
    return result.options.architecture;
  };
  EXPECT_EQ(built_for(90), 90);
  EXPECT_EQ(built_for(91), 90);
  const int least = built_for(1);
  EXPECT_GT(least, 1);
  EXPECT_LE(least, 75);
}

TEST_P(Compilers, TakeAFileWithHostCode) {
  const Compilation result = compile(whole_program);
  EXPECT_NE(result.ptx.find(".entry _Z6kernel"), std::string::npos);
  const bool left_out =
      !result.notes.empty() &&
      result.notes[0].find("left out: main, next_size, report") != std::string::npos;
  EXPECT_EQ(left_out, GetParam() == CompilerChoice::nvrtc);
}

TEST_P(Compilers, NameTheLineOfAnError) {
  try {
    compile("__global__ void k(int* p) {\n  p[0] = 1;\n  p[1] = nothing;\n}\n");
    FAIL() << "it compiled";
  } catch (const CompileError& error) {
    EXPECT_NE(std::string(error.what()).find("kernel.cu(3): error"), std::string::npos)
        << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    EXPECT_NE(error.log().find("nothing"), std::string::npos);
  }
}

TEST_P(Compilers, NameTheLineOfAnErrorInAFileWithHostCode) {
  std::string text = whole_program;
  text.replace(text.find("weights[i % 3]"), 14, "weihgts[i % 3]");
  try {
    compile(text);
    FAIL() << "it compiled";
  } catch (const CompileError& error) {
    EXPECT_NE(std::string(error.what()).find("kernel.cu(23): error"), std::string::npos)
        << error.what();
  }
}

TEST_P(Compilers, DoNotPassOverAnAssertion) {
  EXPECT_THROW(compile("static_assert(sizeof(int) == 5);\n__global__ void k(int* p) { *p = 1; }"),
               CompileError);
}

// The use of the macro TYPE_OF looks like a host function and is left out, which causes another
// error. The error of the whole file has to be reported.
TEST(Compiler, ReportsWhatIsWrongWithTheWholeFile) {
  if (const std::string why = missing(CompilerChoice::nvrtc); !why.empty()) GTEST_SKIP() << why;
  try {
    compile_text(
        "#define TYPE_OF(x) using Word = x\nTYPE_OF(unsigned);\n"
        "__global__ void k(Word* p) {\n  p[0] = nothing;\n}",
        "kernel.cu", with(CompilerChoice::nvrtc));
    FAIL() << "it compiled";
  } catch (const CompileError& error) {
    expect_words(error.what(), {"kernel.cu(4): error", "nothing"});
  }
}

TEST_P(Compilers, TakeDefinesAndIncludeFolders) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "a,b");  // nvcc splits values at commas
  std::ofstream(folder / "a,b/factor.h") << "#define FACTOR 7\n";
  CompileOptions options = with(GetParam());
  options.defines = {"OFFSET=max(7,max(35,2))", "NAMED"};
  options.include_folders = {folder / "a,b"};
  const Compilation result = compile_text(
      "#include \"factor.h\"\n#ifndef NAMED\n#error\n#endif\n"
      "extern \"C\" __global__ void k(int* p) { *p = OFFSET * FACTOR; }",
      "kernel.cu", options);
  EXPECT_NE(result.ptx.find("245"), std::string::npos);
}

TEST_P(Compilers, TakeRungsWithHeadersOfTheLibrary) {
  CompileOptions options = with(GetParam());
  options.host_code = false;
  const Compilation result = compile_text(
      "#ifndef __CUDACC_RTC__\n#if __cplusplus < 202002L\n#error\n#endif\n#endif\n"
      "extern \"C\" __global__ void k(int* p) { *p = 245; }",
      "kernel.cu", options);
  EXPECT_NE(result.ptx.find("245"), std::string::npos);
}

TEST_P(Compilers, FindHeadersBesideTheFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "factor.h") << "#define FACTOR 7\n";
  std::ofstream(folder / "it's a kernel.cu")
      << "#include \"factor.h\"\n__global__ void k(int* p) { *p = FACTOR; }";
  const Compilation result = compile_file(folder / "it's a kernel.cu", with(GetParam()));
  EXPECT_NE(result.ptx.find(".entry _Z1kPi"), std::string::npos);
  EXPECT_EQ(result.name, (folder / "it's a kernel.cu").string());
}

TEST_P(Compilers, BuildForAnArchitecture) {
  CompileOptions options = with(GetParam());
  options.architecture = 90;
  EXPECT_NE(compile_text(scale, "kernel.cu", options).ptx.find(".target sm_90"), std::string::npos);
  options.architecture = 20;
  try {
    compile_text(scale, "kernel.cu", options);
    FAIL() << "it compiled";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("architecture 20"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("90"), std::string::npos) << error.what();
  }
}

TEST_P(Compilers, KeepMultiplicationAndAdditionApartWhenAsked) {
  constexpr const char* text = "__global__ void k(float* p) { p[0] = p[1] * p[2] + p[3]; }";
  CompileOptions options = with(GetParam());
  EXPECT_NE(compile_text(text, "k.cu", options).ptx.find("fma.rn"), std::string::npos);
  options.fused_multiply_add = false;
  EXPECT_EQ(compile_text(text, "k.cu", options).ptx.find("fma.rn"), std::string::npos);
}

TEST_P(Compilers, TakeHalfPrecision) {
  if (find_toolchain().include_folders.empty()) GTEST_SKIP() << "NVIDIA's headers are not here";
  const Compilation result = compile(
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cooperative_groups.h>\n"
      "#include <cuda/std/cstdint>\n#include <cstdint>\n#include <limits>\n"
      "__global__ void k(__half* p) { p[0] = p[1] + __half(std::numeric_limits<float>::max()); }");
  EXPECT_NE(result.ptx.find(".entry _Z1kP6__half"), std::string::npos);
}

TEST_P(Compilers, TellTheResourcesOfMachineCode) {
  const Compilation compilation = compile(
      "__global__ void other(int* p) { *p = 1; }\n"
      "__global__ void k(float* p) {\n  __shared__ float tile[32][33];\n"
      "  tile[threadIdx.y][threadIdx.x] = p[threadIdx.x];\n  __syncthreads();\n"
      "  p[threadIdx.y] = tile[threadIdx.x][threadIdx.y];\n}");
  const ComputeCapability asked[] = {{7, 5}, {9, 0}, {12, 0}, {1, 3}, {8, 2}};
  Toolchain toolchain = find_toolchain();
  if (GetParam() == CompilerChoice::nvrtc)
    toolchain.ptxas.clear();
  else if (toolchain.ptxas.empty())
    GTEST_SKIP() << "there is no ptxas here";
  const ResourceReport report = kernel_resources(compilation, "_Z1kPf", asked, toolchain);
  EXPECT_EQ(report.why_unknown, "");
  constexpr int built[] = {75, 90, 120, 75, 80};
  for (std::size_t i = 0; i < std::size(asked); ++i) {
    ASSERT_TRUE(report.by_compute_capability[i]) << i;
    const KernelResources& resources = *report.by_compute_capability[i];
    EXPECT_EQ(resources.architecture, built[i]);
    EXPECT_GE(resources.registers, 4);
    EXPECT_LE(resources.registers, 40);
    EXPECT_EQ(resources.shared_bytes, 32 * 33 * 4);
    EXPECT_EQ(resources.spill_store_bytes, 0);
  }
}

TEST_P(Compilers, TellSpillsAndStack) {
  // A register cap of 32 (1024 threads, 2 blocks) for 64 values that are alive at once.
  const Compilation compilation = compile(R"(
extern "C" __global__ void __launch_bounds__(1024, 2) k(float* p, const int* q) {
  float v[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) v[i] = p[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 64; ++i) p[q[i]] = v[63 - i] * v[(i * 7) % 64];
})");
  const ComputeCapability asked[] = {{9, 0}};
  Toolchain toolchain = find_toolchain();
  if (GetParam() == CompilerChoice::nvrtc) toolchain.ptxas.clear();
  const ResourceReport report = kernel_resources(compilation, "k", asked, toolchain);
  ASSERT_TRUE(report.by_compute_capability[0]) << report.why_unknown;
  EXPECT_EQ(report.by_compute_capability[0]->registers, 32);
  EXPECT_GT(report.by_compute_capability[0]->spill_store_bytes, 0);
  EXPECT_GT(report.by_compute_capability[0]->spill_load_bytes, 0);
  EXPECT_GT(report.by_compute_capability[0]->stack_bytes, 0);
}

TEST_P(Compilers, CountGlobalInstructionsWhereThereIsADisassembler) {
  const Compilation compilation = compile(
      "extern \"C\" __global__ void kernel(float* p) { *p = 1; }\n"
      "extern \"C\" __global__ void k(float4* out, const float2* in, const char* bytes) {\n"
      "  const float2 a = in[threadIdx.x];\n"
      "  out[threadIdx.x] = {a.x, a.y, 0, static_cast<float>(bytes[threadIdx.x])};\n}");
  const ComputeCapability asked[] = {{9, 0}};
  Toolchain toolchain = find_toolchain();
  if (GetParam() == CompilerChoice::nvrtc) toolchain.ptxas.clear();
  const auto counted = [&](bool disassemble) {
    const ResourceReport report = kernel_resources(compilation, "k", asked, toolchain, disassemble);
    EXPECT_TRUE(report.by_compute_capability[0]) << report.why_unknown;
    return report.by_compute_capability[0].value_or(KernelResources{}).global_instructions;
  };
  EXPECT_FALSE(counted(false)) << "nobody asked";
  if (toolchain.nvdisasm.empty()) {
    EXPECT_FALSE(counted(true));
    GTEST_SKIP() << "there is no nvdisasm here";
  }
  const auto counts = counted(true);
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->ldg_32, 0);
  EXPECT_EQ(counts->ldg_64, 1);
  EXPECT_EQ(counts->ldg_128, 0);
  EXPECT_EQ(counts->stg_32, 0) << "of the other kernel";
  EXPECT_EQ(counts->stg_64, 0);
  EXPECT_EQ(counts->stg_128, 1);
}

TEST(Compiler, CountsGlobalInstructionsByTheirWidth) {
  const GlobalInstructions counts = global_instructions_in(R"(
        /*0000*/                   LDC.64 R8, c[0x0][0x210] ;
        /*0010*/                   LDG.E.U8 R13, desc[UR4][R12.64] ;
        /*0020*/              @!P0 LDG.E R4, desc[UR4][R6.64] ;
        /*0030*/                   LDG.E.64.CONSTANT R4, desc[UR4][R6.64] ;
        /*0040*/                   LDG.E.128 R4, desc[UR4][R6.128] ;
        /*0050*/                   LDG.E.128.SYS R4, [R6] ;
        /*0060*/                   STG.E desc[UR4][R2.64], R4 ;
        /*0070*/                   STG.E.EF.64 desc[UR4][R2.64], R4 ;
        /*0080*/                   STG.E.U16 desc[UR4][R2.64], R4 ;
        /*0090*/                   LDGSTS.E.128 [R1], desc[UR4][R2.64] ;
        /*00a0*/                   STL.128 [R1], R4 ;
        /*00b0*/                   STG.E.128 desc[UR4][R2.64], R4)");
  EXPECT_EQ(counts.ldg_32, 1);
  EXPECT_EQ(counts.ldg_64, 1);
  EXPECT_EQ(counts.ldg_128, 2);
  EXPECT_EQ(counts.stg_32, 1);
  EXPECT_EQ(counts.stg_64, 1);
  EXPECT_EQ(counts.stg_128, 1);
}

TEST(Compiler, TakesPtxAsItIs) {
  const TemporaryFolder folder;
  const std::string ptx = ".version 7.0\n.target sm_75\n.address_size 64\n";
  std::ofstream(folder / "kernel.ptx") << ptx;
  const Compilation result = compile_file(folder / "kernel.ptx", {}, Toolchain{});
  EXPECT_EQ(result.ptx, ptx);
  const ComputeCapability asked[] = {{9, 0}};
  const ResourceReport report = kernel_resources(result, "k", asked, Toolchain{});
  EXPECT_FALSE(report.by_compute_capability[0]);
  EXPECT_NE(report.why_unknown, "");
}

// Ends this process with 0 if kernel_resources() throws Interrupted when a signal stops ptxas.
[[noreturn]] void interrupt_ptxas() {
  std::signal(SIGINT, [](int) {});
  bool is_told = false;
  try {
    const TemporaryFolder folder;
    const fs::path ptxas = folder / "ptxas";
    std::ofstream(ptxas) << "#!/bin/sh\nkill -INT $PPID\nsleep 60\n";
    fs::permissions(ptxas, fs::perms::owner_all);
    Toolchain toolchain;
    toolchain.ptxas = ptxas;
    const ComputeCapability asked[] = {{9, 0}};
    kernel_resources({}, "k", asked, toolchain);
  } catch (const Interrupted&) {
    is_told = true;
  }
  std::_Exit(is_told ? 0 : 1);
}

TEST(Compiler, AnInterruptionIsNoUnknownResource) {
  EXPECT_EXIT(interrupt_ptxas(), ::testing::ExitedWithCode(0), "");
}

TEST(Compiler, RefusesWhatIsNoSource) {
  const TemporaryFolder folder;
  std::ofstream(folder / "kernel.c") << scale;
  EXPECT_THROW(compile_file(folder / "kernel.c", {}), InvalidArgument);
  EXPECT_THROW(compile_file(folder / "missing.cu", {}), IoError);
  fs::create_directory(folder / "folder.cu");
  EXPECT_THROW(compile_file(folder / "folder.cu", {}), IoError);
}

TEST(Compiler, SaysWhereToGetOne) {
  Toolchain nothing;
  nothing.searched = {"/nowhere"};
  try {
    compile_text(scale, "kernel.cu", {}, nothing);
    FAIL() << "it compiled";
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find("get-nvrtc.sh"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("/nowhere"), std::string::npos);
  }
}

TEST(Compiler, FallsBackWhenNvccCannotWork) {
  if (const std::string why = missing(CompilerChoice::nvrtc); !why.empty()) GTEST_SKIP() << why;
  const TemporaryFolder folder;
  std::ofstream(folder / "nvcc")
      << "#!/bin/sh\necho 'nvcc fatal : Failed to preprocess' >&2\nexit 1\n";
  fs::permissions(folder / "nvcc", fs::perms::owner_all);
  Toolchain toolchain = find_toolchain();
  toolchain.nvcc = folder / "nvcc";
  const Compilation result = compile_text(scale, "kernel.cu", {}, toolchain);
  EXPECT_TRUE(result.compiler.starts_with("NVRTC")) << result.compiler;
  ASSERT_FALSE(result.notes.empty());
  EXPECT_NE(result.notes[0].find("Failed to preprocess"), std::string::npos);
}

TEST(HostCode, LeavesDeviceCodeAndLinesAlone) {
  const DeviceCode device = without_host_functions(whole_program);
  EXPECT_EQ(device.text.size(), std::string(whole_program).size());
  EXPECT_EQ(std::count(device.text.begin(), device.text.end(), '\n'),
            std::count(whole_program, whole_program + device.text.size(), '\n'));
  for (const char* kept : {"twice(int x) { return 2 * x; }", "__constant__ float weights[3]",
                           "struct Range { int begin, end; };", "constexpr int SIZE = 32;",
                           "out[i] = tile[SIZE - 1 - i] + twice(i);"}) {
    EXPECT_NE(device.text.find(kept), std::string::npos) << kept;
  }
  EXPECT_EQ(device.text.find("<<<"), std::string::npos);
  EXPECT_EQ(device.text.find("std::cout"), std::string::npos);
}

TEST(HostCode, LeavesWhatIsInFrontOfAFunctionAlone) {
  const std::string front =
      "// A comment.\n#include \"rows.cuh\"\n\nstatic_assert(sizeof(int) == 4, \"it is\");\n"
      "#define SIZE 4\n\n";
  const DeviceCode device = without_host_functions(front + "int main() { return 0; }\n");
  EXPECT_EQ(device.text, front + std::string(24, ' ') + "\n");
  EXPECT_EQ(device.left_out, std::vector<std::string>{"main"});
  EXPECT_EQ(without_host_functions("#include <cmath>\nvoid f();").text,
            "#include <cmath>\n" + std::string(9, ' '));
}

TEST(HostCode, EndsOnWhatIsNoProgram) {
  for (const char* text :
       {"", "{", "}", "}}}(", "void f() {", "\"", "'", "/*", "R\"(", "#", "#define",
        "void f(){\"}\"}", "template <", "f(){'\\", "R\"", "//", "\\"}) {
    EXPECT_EQ(without_host_functions(text).text.size(), std::string_view(text).size()) << text;
  }
}

TEST(Subprocess, RunsWithoutAShell) {
  const TemporaryFolder folder;
  const ProgramRun run = run_program({"/bin/echo", "a b", "$HOME; *"}, folder);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.output, "a b $HOME; *\n");
  EXPECT_EQ(run_program({"/bin/sh", "-c", "echo $TMPDIR; exit 3"}, folder).output,
            folder.path().string() + "\n");
  EXPECT_EQ(run_program({"/bin/sh", "-c", "exit 3"}, folder).exit_code, 3);
  EXPECT_EQ(run_program({"/bin/sh", "-c", "kill -9 $$"}, folder).exit_code, 137);
  if (test::in_qemu()) GTEST_SKIP() << "QEMU does not tell the parent that a program is missing";
  EXPECT_THROW(run_program({"/nowhere/program"}, folder), IoError);
}

TEST(Subprocess, EndsWhatDoesNot) {
  const TemporaryFolder folder;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(
      run_program({"/bin/sh", "-c", "sleep 60 & sleep 60"}, folder, std::chrono::seconds(1)),
      IoError);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Subprocess, KeepsTheEndOfALongOutputFromMemory) {
  const TemporaryFolder folder;
  const ProgramRun run = run_program({"/bin/sh", "-c", "head -c 40000000 /dev/zero"}, folder);
  EXPECT_EQ(run.output.size(), std::size_t{16} << 20);
}

TEST(TemporaryFolder, GoesWithItsContent) {
  fs::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    fs::create_directory(folder / "inner");
    std::ofstream(folder / "inner" / "file") << "x";
    EXPECT_EQ(fs::status(path).permissions() & fs::perms::all, fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace warpwise::lab
