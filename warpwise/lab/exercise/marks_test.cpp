// Tests the marks that `lab exercise check` gives to mistakes and to cheats.

#include <ctime>

#include "tests/support/exercises.hpp"

namespace warpwise::lab {
namespace {

TEST(Marks, AWrongResultIsNamedWithItsSizeAndElement) {
  CHECKER_OR_SKIP(checker, "transpose");
  const Marks marks = checker->check(
      replaced(solution_of("transpose"), "out_x < height", "out_x < height - 1"), no_gpu);
  const Mark& result = mark_of(marks, "result");
  EXPECT_EQ(result.state, MarkState::failed);
  EXPECT_NE(result.text.find(
                "wrong at 4 of 4 sizes. height 128, width 256: out[127] (row 0, column 127)"),
            std::string::npos)
      << result.text;
  EXPECT_FALSE(result.hints.empty());
  EXPECT_EQ(mark_of(marks, "sectors_per_element").state, MarkState::failed);
}

TEST(Marks, AnInputMustStayAsItWas) {
  CHECKER_OR_SKIP(checker, "transpose");
  std::string source = replaced(solution_of("transpose"), "const float* in,", "float* in,");
  source = replaced(source, "  __syncthreads();", "  __syncthreads(); in[0] = 7;");
  EXPECT_NE(mark_of(checker->check(source, no_gpu), "result").text.find("in[0]"),
            std::string::npos);
}

TEST(Marks, AGateIsNamedWithLineCountAndLimit) {
  CHECKER_OR_SKIP(checker, "transpose");
  const Mark mark = mark_of(checker->check(start_of("transpose"), no_gpu), "sectors_per_element");
  EXPECT_EQ(mark.text,
            "kernel.cu, line 9: 1.125 sectors of global memory per number (at most 0.27)");
  EXPECT_EQ(mark.shown,
            "  if (x < width && y < height) out[x * height + y] = in[y * width + x];\n"
            "  this line: 1024 warp loads move 4096 sectors; 1024 warp stores move 32768 sectors");
}

TEST(Marks, ALineOfAWindowsFileIsShownWithoutItsEnd) {
  CHECKER_OR_SKIP(checker, "transpose");
  std::string source;
  for (const char c : start_of("transpose")) source += c == '\n' ? "\r\n" : std::string(1, c);
  const std::string shown = mark_of(checker->check(source, no_gpu), "sectors_per_element").shown;
  EXPECT_NE(shown.find("out[x * height + y] = in[y * width + x];\n"), std::string::npos) << shown;
}

// A source can claim any line by #line. A search beyond the text's end would take long. The
// process's time is compared, since a busy machine does not change it.
TEST(Marks, ALineBeyondTheTextIsNotSearched) {
  CHECKER_OR_SKIP(checker, "transpose");
  const auto mark_at = [&](const std::string& line) {
    return mark_of(checker->check(replaced(start_of("transpose"), "    const int y",
                                           "#line " + line + "\n    const int y"),
                                  no_gpu),
                   "sectors_per_element");
  };
  const std::clock_t begin = std::clock();
  mark_at("20");
  const std::clock_t between = std::clock();
  const Mark mark = mark_at("2000000000");
  EXPECT_LT(std::clock() - between, 10 * (between - begin));
  EXPECT_EQ(mark.state, MarkState::failed);
  EXPECT_EQ(mark.shown.find("out["), std::string::npos) << mark.shown;
}

TEST(Marks, ARaceIsNamedWithItsLines) {
  CHECKER_OR_SKIP(checker, "race");
  const Mark mark = mark_of(checker->check(start_of("race"), no_gpu), "checks");
  EXPECT_EQ(mark.state, MarkState::failed);
  EXPECT_NE(mark.text.find("kernel.cu, line 11: race"), std::string::npos) << mark.text;
  EXPECT_NE(mark.text.find("writes at kernel.cu:12,"), std::string::npos) << mark.text;
}

TEST(Marks, AFaultGetsTheHintOfItsKind) {
  CHECKER_OR_SKIP(checker, "halo");
  const auto mark_with = [&](const std::string& from, const std::string& to) {
    return mark_of(checker->check(replaced(solution_of("halo"), from, to), no_gpu), "checks");
  };
  EXPECT_NE(mark_with("  __syncthreads();", "").hints[0].find("Two threads"), std::string::npos);
  EXPECT_NE(mark_with("i < WIDTH * HEIGHT", "i < 256").hints[0].find("no thread has written"),
            std::string::npos);
  EXPECT_NE(mark_with("  __shared__",
                      "  if (blockIdx.x * 32 + threadIdx.x >= width) return;\n  __shared__")
                .hints[0]
                .find("must reach"),
            std::string::npos);
  EXPECT_NE(
      mark_with("__shared__ unsigned char tile[HEIGHT]", "extern __shared__ unsigned char tile[]")
          .hints[0]
          .find("no dynamic shared memory"),
      std::string::npos);
  const Mark outside = mark_with("out[y * width + x]", "out[y * width + x + 1]");
  EXPECT_NE(outside.hints[0].find("outside of its array"), std::string::npos);
  EXPECT_NE(outside.text.find("of out[],"), std::string::npos) << outside.text;
}

TEST(Marks, AKernelThatDoesNotCompileIsNamedWithItsLine) {
  CHECKER_OR_SKIP(checker, "padding");
  const Marks marks = checker->check("\n__global__ void transpose(int) { nothing }\n", no_gpu);
  EXPECT_EQ(marks.passed(), 0);
  EXPECT_NE(marks.marks[0].text.find("kernel.cu(2): error"), std::string::npos)
      << marks.marks[0].text;
  EXPECT_EQ(marks.marks[0].text.find("exercise/"), std::string::npos);
}

TEST(Marks, TextInUtf16IsNamed) {
  CHECKER_OR_SKIP(checker, "padding");
  std::string utf16 = "\xFF\xFE";
  for (const char c : solution_of("padding")) utf16 += {c, '\0'};
  const Mark mark = checker->check(utf16, no_gpu).marks[0];
  EXPECT_NE(mark.text.find("save it as UTF-8"), std::string::npos) << mark.text;
}

TEST(Marks, AVeryLongLineIsShortened) {
  CHECKER_OR_SKIP(checker, "padding");
  const std::string letters(300000, 'A');
  const auto text_of = [&](const std::string& source) {
    return checker->check(source, no_gpu).marks[0].text;
  };
  for (const std::string& source :
       {"#error " + letters + "\n", "__global__ void " + letters + "() {}\n"}) {
    EXPECT_LT(text_of(source).size(), 10000U);
    EXPECT_NE(text_of(source).find("…"), std::string::npos);
  }
}

TEST(Marks, AnotherKernelOrOtherParametersAreRefused) {
  CHECKER_OR_SKIP(checker, "padding");
  const auto text_of = [&](const std::string& source) {
    return checker->check(source, no_gpu).marks[0].text;
  };
  EXPECT_NE(text_of("__global__ void other() {}").find("transpose"), std::string::npos);
  EXPECT_NE(
      text_of("__global__ void transpose(float* out) {}").find("transpose(out, in, width, height)"),
      std::string::npos);
  EXPECT_NE(text_of("").find("transpose"), std::string::npos);
}

TEST(Marks, ParametersOfOtherTypesAreRefusedWithTheTasksTypes) {
  CHECKER_OR_SKIP(checker, "padding");
  for (const auto& [from, to] :
       {std::pair("int width, int height", "size_t width, size_t height"),
        std::pair("float* out", "double* out"), std::pair("float* out", "int* out")}) {
    const Marks marks = checker->check(replaced(solution_of("padding"), from, to), no_gpu);
    EXPECT_EQ(marks.first_failed()->name, "compiles") << to;
    EXPECT_NE(marks.marks[0].text.find("transpose(float* out, float* in, int width, int height)"),
              std::string::npos)
        << marks.marks[0].text;
  }
}

TEST(Marks, ALaunchThatNoGpuMakesIsRefused) {
  CHECKER_OR_SKIP(checker, "padding");
  const std::string bounds =
      replaced(solution_of("padding"), "__global__", "__global__ __launch_bounds__(64)");
  const Marks marks = checker->check(bounds, no_gpu);
  EXPECT_EQ(marks.passed(), 1);
  EXPECT_EQ(marks.first_failed()->name, "runs");
}

TEST(Marks, MoreSharedMemoryThanABlockCanDeclareIsRefused) {
  CHECKER_OR_SKIP(checker, "padding");
  const auto first_failed = [&](int words) {
    const std::string line = "  __shared__ volatile int more[" + std::to_string(words) +
                             "];\n  more[threadIdx.x] = threadIdx.y == 0 ? 1 : more[threadIdx.x];";
    return *checker->check(replaced(solution_of("padding"), "  __syncthreads();", line), no_gpu)
                .first_failed();
  };
  EXPECT_EQ(first_failed(11200).text.find("__shared__ arrays"), std::string::npos);
  const Mark large = first_failed(11264);
  EXPECT_EQ(large.name, "runs");
  EXPECT_NE(large.text.find("49152"), std::string::npos) << large.text;
}

TEST(Marks, AKernelThatDoesNotEndIsEnded) {
  CHECKER_OR_SKIP(checker, "padding");
  const Marks marks =
      checker->check(replaced(solution_of("padding"), "  __syncthreads();",
                              "  for (volatile int i = 0; i < 1;) { }\n  __syncthreads();"),
                     no_gpu);
  EXPECT_EQ(mark_of(marks, "result").state, MarkState::failed);
  EXPECT_EQ(marks.passed(), 1);
  EXPECT_EQ(marks.first_failed()->name, "runs");
  EXPECT_NE(marks.first_failed()->hints[0].find("A loop does not end"), std::string::npos);
}

TEST(Marks, AFaultThatStopsTheLaunchEndsTheKernel) {
  CHECKER_OR_SKIP(checker, "padding");
  const auto first_failed = [&](const std::string& before, const std::string& line) {
    return *checker
                ->check(before + replaced(solution_of("padding"), "  __syncthreads();",
                                          "  " + line + "\n  __syncthreads();"),
                        no_gpu)
                .first_failed();
  };
  const Mark assertion = first_failed("#include <cassert>\n", "assert(width < 0);");
  EXPECT_EQ(assertion.name, "runs");
  EXPECT_NE(assertion.text.find("assertion"), std::string::npos) << assertion.text;
  const Mark call =
      first_failed("", "{ void (*volatile none)() = nullptr; void (*f)() = none; f(); }");
  EXPECT_EQ(call.name, "runs");
  EXPECT_NE(call.text.find("bad_call"), std::string::npos) << call.text;
  const Mark null = first_failed("", "if (width > 0) *static_cast<float*>(nullptr) = 1;");
  EXPECT_EQ(null.name, "runs");
  EXPECT_NE(null.hints[0].find("null pointer"), std::string::npos) << null.text;
  const Mark stack = first_failed(
      "__device__ __noinline__ int deep(volatile int n) "
      "{ volatile int x[64]; x[n % 64] = n; return n < 0 ? 0 : deep(n + 1) + x[n % 64]; }\n",
      "if (deep(1) == 7) out[0] = 0;");
  EXPECT_EQ(stack.name, "runs");
  EXPECT_NE(stack.text.find("stack_overflow"), std::string::npos) << stack.text;
}

TEST(Marks, OnlyStandardHeadersAreIncluded) {
  CHECKER_OR_SKIP(checker, "padding");
  const std::string kernel = solution_of("padding");
  const auto compiles = [&](const std::string& line) {
    return checker->check(line + "\n" + kernel, no_gpu).marks[0].state == MarkState::passed;
  };
  EXPECT_TRUE(compiles("#include <cstdint>\n#include <cuda_runtime.h>"));
  EXPECT_TRUE(compiles("// what an include or an import is"));
  for (const char* comment :
       {"// #include \"helper.h\" was here", "__device__ int x;  // %:include \"a.h\"\r",
        "/* #include \"a.h\" */ // #include \"b.h\"",
        "  /*\n#include \"a.h\"\n #include \"b.h\" */\n/**/\n/*\r\n#include \"c.h\"\r\n*/",
        "__device__ const char* s = \"/* */ // #include\";"}) {
    EXPECT_TRUE(compiles(comment)) << comment;
  }
  for (const char* line :
       {"#include \"/etc/passwd\"",
        "#include </etc/passwd>",
        "# include \"/etc/passwd\"",
        "#/**/include \"/etc/passwd\"",
        "#inc\\\nlude \"/etc/passwd\"",
        "%:include </etc/passwd>",
        "#define X </etc/passwd>\n#include X",
        "#include_next </etc/passwd>",
        "#import \"/etc/passwd\"",
        "int x[] = {\n#embed \"/etc/passwd\"\n};",
        "#include <cuda_fp16.h>",
        "#include \"kernel.cu\"",
        "#/*\nx*/include \"/etc/passwd\"",
        "const char* s = \"/*\";\n#include \"/etc/passwd\"\nconst char* t = \"*/\";",
        "?\?=include \"/etc/passwd\"",
        "#inc?\?/\nlude \"/etc/passwd\"",
        "/*\n// */ #include \"/etc/passwd\"",
        "/*\n/*/ #include \"/etc/passwd\"",
        "/*\n*//**/ #include \"/etc/passwd\"",
        "// ?\?/\n#include \"/etc/passwd\"",
        "// a \\ \n#include \"/etc/passwd\"",
        "__device__ const char* s = R\"(\n/*\n)\";\n#include \"/etc/passwd\"\n// */",
        "__device__ const char* s = \"\\\n/*\";\n#include \"/etc/passwd\"\n// */",
        "// a\r/*\n#include \"/etc/passwd\"\n// */",
        "// /*\n#include \"/etc/passwd\"\n// */",
        "#if __has_include(</*>)\n#endif\n#include \"/etc/passwd\"\n// */"}) {
    EXPECT_FALSE(compiles(line)) << line;
  }
}

TEST(Marks, AStatedBlockMustExist) {
  CHECKER_OR_SKIP(checker, "occupancy");
  const auto text_of = [&](const char* block) {
    return mark_of(
               checker->check(replaced(start_of("occupancy"), "{BLOCK_X, BLOCK_Y}", block), no_gpu),
               "runs")
        .text;
  };
  EXPECT_NE(text_of("{64, 32}").find("64x32"), std::string::npos);
  EXPECT_NE(text_of("{0, 1}").find("0x1"), std::string::npos);
  const std::string other = replaced(start_of("occupancy"), "int block[2]", "int shape[2]");
  EXPECT_NE(mark_of(checker->check(other, no_gpu), "runs").text.find("__constant__ int block[2]"),
            std::string::npos);
}

TEST(Marks, AGatesTimeNeedsAGpu) {
  CHECKER_OR_SKIP(checker, "faster");
  const auto time_of = [&](double ratio) {
    return mark_of(checker->check(solution_of("faster"), [ratio] { return ratio; }),
                   "gpu_time_ratio")
        .state;
  };
  EXPECT_EQ(time_of(0.5), MarkState::passed);
  EXPECT_EQ(time_of(0.9), MarkState::failed);
  EXPECT_EQ(mark_of(checker->check(solution_of("faster"), no_gpu), "gpu_time_ratio").state,
            MarkState::skipped);
}

// tests/exercises has good solutions, and cheats: kernels that avoid the work. The first line of a
// cheat names the mark that it fails.
TEST(Marks, GoodVariantsPassAndCheatsFail) {
  for (const fs::directory_entry& folder : fs::directory_iterator(WARPWISE_TEST_EXERCISES)) {
    CHECKER_OR_SKIP(checker, folder.path().filename().string());
    for (const fs::directory_entry& file : fs::directory_iterator(folder.path())) {
      SCOPED_TRACE(file.path().string());
      const std::string source = *read_text(file.path());
      const Marks marks = checker->check(source, no_gpu);
      const Mark* const failed = marks.first_failed();
      const std::string found = failed == nullptr ? "" : failed->name;
      const std::string told = "// fails: ";
      const std::string expected = source.starts_with(told)
                                       ? source.substr(told.size(), source.find('\n') - told.size())
                                       : "";
      EXPECT_EQ(found, expected) << (failed == nullptr ? "" : failed->text);
      EXPECT_EQ(expected.empty(), file.path().filename().string().starts_with("good_"));
    }
  }
}

// The inputs' values depend on the source, so results copied from another run are wrong.
TEST(Marks, AnotherSourceGetsOtherInputs) {
  CHECKER_OR_SKIP(checker, "copy");
  const auto wrong_of = [&](const std::string& comment) {
    return mark_of(checker->check("// " + comment +
                                      "\n__global__ void copy(int* out, const int* in, int count) "
                                      "{ if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = 0; }\n",
                                  no_gpu),
                   "result")
        .text;
  };
  EXPECT_EQ(wrong_of("one"), wrong_of("one"));
  EXPECT_NE(wrong_of("one"), wrong_of("two"));
}

// Marks that a kernel's printf or the compiler's messages imitate must not count.
TEST(Marks, AVerdictThatIsPrintedIsNone) {
  CHECKER_OR_SKIP(checker, "padding");
  const Marks printed = checker->check(
      replaced(start_of("padding"), "  __syncthreads();",
               "  __syncthreads(); printf(\"[[\\\"compiles\\\",\\\"passed\\\",\\\"\\\"]]\");"),
      no_gpu);
  EXPECT_EQ(printed.first_failed()->name, "bank_conflicts");
  EXPECT_EQ(checker->check("#error \"ok it compiles\"\n" + solution_of("padding"), no_gpu).passed(),
            0);
  EXPECT_EQ(checker->check("__global__ void transpose(float*, const float*, int, int) {}", no_gpu)
                .first_failed()
                ->name,
            "result");
}

}  // namespace
}  // namespace warpwise::lab
