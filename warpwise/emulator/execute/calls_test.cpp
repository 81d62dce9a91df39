// Calls that cannot be inlined: recursion, pointers to functions, guarded calls; and alloca.

#include <gtest/gtest.h>

#include <numeric>

#include "emulator/emulated.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise {
namespace calls_tests {

using emulator::Address;
using emulator::FaultKind;
using emulator::LaunchResult;
using test::Emulated;

/// Returns a kernel `hand` with one parameter, a pointer to a word of each thread. The body begins
/// with the thread's number in %r1 and the address of its word in %l1.
std::string kernel_text(const std::string& functions, const std::string& body) {
  return ".version 8.4\n.target sm_90\n.address_size 64\n.file 1 \"hand.cu\"\n" + functions +
         "\n.visible .entry hand(.param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<19>;\n"
         ".reg .b64 %l<19>;\nmov.u32 %r1, %tid.x;\nld.param.u64 %l1, [out];\n"
         "mul.wide.u32 %l2, %r1, 4;\nadd.u64 %l1, %l1, %l2;\n.loc 1 7 0\n" +
         body + "\nret;\n}\n";
}

/// Returns the value that each of 64 threads stores.
std::vector<std::uint32_t> run(Emulated& emulated, LaunchResult* result = nullptr) {
  const Address out = emulated.buffer(std::vector<std::uint32_t>(64));
  LaunchResult launched = emulated.launch("hand", {1}, {64}, out);
  if (result != nullptr)
    *result = launched;
  else
    EXPECT_TRUE(launched.faults.empty()) << launched.faults.front().message;
  return emulated.read<std::uint32_t>(out, 64);
}

std::vector<std::uint32_t> run(const std::string& ptx) {
  Emulated emulated(ptx);
  return run(emulated);
}

template <class F>
std::vector<std::uint32_t> each(F f) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t i = 0; i < 64; ++i) values.push_back(f(i));
  return values;
}

/// Returns `.func NAME(n)`. The body gets n in %r1 and leaves its result in %r9.
std::string function(const std::string& name, const std::string& body) {
  return ".func (.param .b32 result) " + name +
         "(.param .b32 n)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<19>;\n.reg .b64 %l<9>;\n"
         ".local .align 4 .b8 own[16];\nld.param.u32 %r1, [n];\n" +
         body + "\nst.param.b32 [result], %r9;\nret;\n}\n";
}

std::string declared(const std::string& name) {
  return ".func (.param .b32 result) " + name + "(.param .b32 n);\n";
}

/// Returns a call of `target` with the word in `argument`. The result goes to `to`.
std::string call(const std::string& target, const std::string& argument, const std::string& to,
                 const std::string& prototype = {}, const std::string& guard = {}) {
  return "{\n.param .b32 p0;\n.param .b32 q0;\nst.param.b32 [p0], " + argument + ";\n" +
         (prototype.empty() ? ""
                            : prototype + ": .callprototype (.param .b32 _) _ (.param .b32 _);\n") +
         guard + "call (q0), " + target + ", (p0)" + (prototype.empty() ? "" : ", " + prototype) +
         ";\nld.param.b32 " + to + ", [q0];\n}\n";
}

std::string fibonacci() {
  return function("fibonacci",
                  "mov.u32 %r9, %r1;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra END;\n"
                  "sub.u32 %r2, %r1, 1;\nsub.u32 %r3, %r1, 2;\n" +
                      call("fibonacci", "%r2", "%r4") + call("fibonacci", "%r3", "%r5") +
                      "add.u32 %r9, %r4, %r5;\nEND:");
}

TEST(Calls, ARecursionOfDifferentDepthsInOneWarp) {
  const std::string body =
      "rem.u32 %r2, %r1, 13;\n" + call("fibonacci", "%r2", "%r3") + "st.global.u32 [%l1], %r3;";
  EXPECT_EQ(run(kernel_text(fibonacci(), body)), each([](std::uint32_t i) {
              std::uint32_t a = 0;
              std::uint32_t b = 1;
              for (std::uint32_t k = 0; k < i % 13; ++k) a = std::exchange(b, a + b);
              return a;
            }));
}

// Calls preserve the caller's and each frame's registers, predicates, 64-bit registers and local
// variables.
TEST(Calls, FramesKeepWhatIsTheirs) {
  const std::string sum = function(
      "sum",
      "st.local.u32 [own+4], %r1;\nmov.u32 %r9, 0;\nmul.wide.u32 %l1, %r1, 3;\n"
      "and.b32 %r5, %r1, 1;\nsetp.eq.u32 %p2, %r5, 1;\n"
      "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra END;\nsub.u32 %r2, %r1, 1;\n" +
          call("sum", "%r2", "%r3") +
          "ld.local.u32 %r4, [own+4];\nmov.u64 %l2, own;\ncvta.local.u64 %l2, %l2;\n"
          "ld.u32 %r6, [%l2+4];\nadd.u32 %r9, %r3, %r4;\nadd.u32 %r9, %r9, %r6;\n"
          "cvt.u32.u64 %r7, %l1;\nadd.u32 %r9, %r9, %r7;\n@%p2 add.u32 %r9, %r9, 100;\nEND:");
  const std::string body = "mul.lo.u32 %r5, %r1, 1000;\n" + call("sum", "%r1", "%r2") +
                           "add.u32 %r2, %r2, %r5;\nst.global.u32 [%l1], %r2;";
  EXPECT_EQ(run(kernel_text(sum, body)), each([](std::uint32_t i) {
              std::uint32_t total = 1000 * i;
              for (std::uint32_t n = 1; n <= i; ++n) total += 5 * n + (n % 2) * 100;
              return total;
            }));
}

std::string two_functions() {
  return function("plus_one", "add.u32 %r9, %r1, 1;") + function("twice", "shl.b32 %r9, %r1, 1;") +
         ".global .align 8 .u64 table[4] = {plus_one, twice, 0, 4660};\n";
}

// Lanes that call different functions converge after the call.
TEST(Calls, ATableOfPointersAndWhatFollowsIt) {
  const std::string body =
      "and.b32 %r2, %r1, 1;\nmul.wide.u32 %l3, %r2, 8;\nmov.u64 %l4, table;\n"
      "add.u64 %l4, %l4, %l3;\nld.global.u64 %l5, [%l4];\n" +
      call("%l5", "%r1", "%r3", "shape") +
      "activemask.b32 %r4;\nnot.b32 %r4, %r4;\nadd.u32 %r3, %r3, %r4;\nst.global.u32 [%l1], %r3;";
  EXPECT_EQ(run(kernel_text(two_functions(), body)),
            each([](std::uint32_t i) { return i % 2 != 0 ? 2 * i : i + 1; }));
}

TEST(Calls, AnAddressTakenInTheKernelAndAGuard) {
  const std::string body =
      "mov.u64 %l3, plus_one;\nmov.u64 %l4, twice;\nsetp.lt.u32 %p1, %r1, 10;\n"
      "selp.b64 %l5, %l3, %l4, %p1;\nmov.u32 %r3, 7;\n" +
      call("%l5", "%r1", "%r4", "shape") + "mov.u32 %r3, %r4;\nsetp.lt.u32 %p2, %r1, 20;\n" +
      "{\n.param .b32 p0;\n.param .b32 q0;\nst.param.b32 [q0], %r4;\nst.param.b32 [p0], %r4;\n"
      "@%p2 call (q0), plus_one, (p0);\nld.param.b32 %r3, [q0];\n}\n"
      "st.global.u32 [%l1], %r3;";
  EXPECT_EQ(run(kernel_text(two_functions(), body)),
            each([](std::uint32_t i) { return (i < 10 ? i + 1 : 2 * i) + (i < 20 ? 1 : 0); }));
}

// Pointers may point to functions that call through pointers, or that recurse.
TEST(Calls, AFunctionThatCallsThroughAPointer) {
  const std::string functions =
      fibonacci() + two_functions() + ".global .u64 inner = fibonacci;\n" +
      function("outer", "ld.global.u64 %l1, [inner];\n" + call("%l1", "%r1", "%r2", "shape") +
                            "add.u32 %r9, %r2, %r1;") +
      ".global .u64 first = outer;\n";
  const std::string body = "ld.global.u64 %l3, [first];\nand.b32 %r2, %r1, 7;\n" +
                           call("%l3", "%r2", "%r3", "shape") + "st.global.u32 [%l1], %r3;";
  const std::uint32_t numbers[] = {0, 1, 1, 2, 3, 5, 8, 13};
  EXPECT_EQ(run(kernel_text(functions, body)),
            each([&](std::uint32_t i) { return numbers[i % 8] + i % 8; }));
}

TEST(Calls, LanesThatExitInAFunction) {
  const std::string functions =
      function("leaves", "setp.gt.u32 %p1, %r1, 40;\n@%p1 exit;\nadd.u32 %r9, %r1, 5;") +
      ".global .u64 pointer = leaves;\n";
  const std::string body = "ld.global.u64 %l3, [pointer];\n" + call("%l3", "%r1", "%r3", "shape") +
                           "bar.sync 0;\nst.global.u32 [%l1], %r3;";
  EXPECT_EQ(run(kernel_text(functions, body)),
            each([](std::uint32_t i) { return i > 40 ? 0 : i + 5; }));
}

emulator::Fault only_fault(const std::string& ptx, std::uint64_t stack_bytes = 4096) {
  Emulated emulated(ptx);
  emulated.options.stack_bytes = stack_bytes;
  LaunchResult result;
  run(emulated, &result);
  EXPECT_EQ(result.faults.size(), 1U);
  return result.faults.empty() ? emulator::Fault{} : result.faults.front();
}

std::string through_table(int index) {
  return "ld.global.u64 %l3, [table+" + std::to_string(8 * index) + "];\n" +
         call("%l3", "%r1", "%r3", "shape") + "st.global.u32 [%l1], %r3;";
}

TEST(Calls, APointerToNoFunctionIsAFault) {
  const auto null = only_fault(kernel_text(two_functions(), through_table(2)));
  EXPECT_EQ(null.kind, FaultKind::bad_call);
  EXPECT_EQ(null.line, 7);
  EXPECT_EQ(null.message, "a call through a null pointer");
  EXPECT_EQ(only_fault(kernel_text(two_functions(), through_table(3))).message,
            "a call through a pointer that points to no function");
  const std::string other =
      ".func other(.param .b64 a)\n{\nret;\n}\n.global .u64 table[1] = {other};\n";
  EXPECT_EQ(only_fault(kernel_text(other, through_table(0))).message,
            "a call through a pointer to 'other' passes other parameters than that function has");
}

TEST(Calls, ARecursionWithoutEndFillsTheStack) {
  const std::string endless =
      declared("second") + function("first", call("second", "%r1", "%r9")) +
      function("second", "add.u32 %r1, %r1, 1;\n" + call("first", "%r1", "%r9"));
  const auto fault =
      only_fault(kernel_text(endless, call("first", "%r1", "%r3") + "st.global.u32 [%l1], %r3;"));
  EXPECT_EQ(fault.kind, FaultKind::stack_overflow);
  EXPECT_NE(fault.message.find("the thread's stack of 4096 bytes is full"), std::string::npos);
  EXPECT_NE(fault.message.find("'first' calls "), std::string::npos) << fault.message;
  EXPECT_NE(fault.message.find("calls deep"), std::string::npos) << fault.message;
  const std::string itself = function("again", call("again", "%r1", "%r9"));
  const auto own =
      only_fault(kernel_text(itself, call("again", "%r1", "%r3") + "st.global.u32 [%l1], %r3;"));
  EXPECT_NE(own.message.find("'again' calls itself"), std::string::npos) << own.message;
}

TEST(Calls, ABudgetEndsARecursion) {
  Emulated emulated(
      kernel_text(fibonacci(), "mov.u32 %r2, 60;\n" + call("fibonacci", "%r2", "%r3")));
  emulated.options.budget = 100000;
  LaunchResult result;
  run(emulated, &result);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults.front().kind, FaultKind::budget);
}

// Each function calls the next one twice, which makes 2^40 calls.
TEST(Calls, AreRefusedIfInliningHasNoEnd) {
  std::string functions = ".func f40()\n{\nret;\n}\n";
  for (int i = 39; i >= 0; --i) {
    const std::string next = "call f" + std::to_string(i + 1) + ";\n";
    functions += ".func f" + std::to_string(i) + "()\n{\n" + next + next + "ret;\n}\n";
  }
  Emulated emulated(kernel_text(functions, "call f0;"));
  const std::string message =
      test::message_of<Unsupported>([&] { emulated.program.kernel("hand"); });
  EXPECT_NE(message.find("more than 4000000 names"), std::string::npos) << message;
}

TEST(Calls, AreCountedOnTheirLines) {
  const std::string functions =
      ".func (.param .b32 result) f(.param .b32 n)\n{\n.reg .b32 %r;\n.loc 1 3 0\n"
      "ld.param.u32 %r, [n];\nst.param.b32 [result], %r;\nret;\n}\n.global .u64 pointer = f;\n";
  Emulated emulated(kernel_text(
      functions, "ld.global.u64 %l3, [pointer];\n" + call("%l3", "%r1", "%r3", "shape")));
  LaunchResult result;
  run(emulated, &result);
  std::vector<std::uint64_t> counts;
  for (const auto& line : result.lines) {
    if (line.line == 3) counts.push_back(line.execution.warp_instructions);
  }
  EXPECT_EQ(counts, std::vector<std::uint64_t>{2 * 3});
}

TEST(Calls, MemoryOfTheStack) {
  // Thread n allocates n + 1 words twice, frees both, and gets the first address again.
  const std::string body =
      "add.u32 %r2, %r1, 1;\nmul.wide.u32 %l3, %r2, 4;\nstacksave.u64 %l8;\n"
      "alloca.u64 %l4, %l3;\nalloca.u64 %l5, %l3, 64;\nst.local.u32 [%l4], %r1;\n"
      "st.local.u32 [%l5], 9;\nsub.u64 %l6, %l5, %l4;\nsetp.lt.u64 %p1, %l6, %l3;\n"
      "ld.local.u32 %r3, [%l4];\n@%p1 mov.u32 %r3, 0xffffffff;\nand.b64 %l6, %l5, 63;\n"
      "cvt.u32.u64 %r4, %l6;\nadd.u32 %r3, %r3, %r4;\nstackrestore.u64 %l8;\n"
      "alloca.u64 %l7, %l3;\nsetp.ne.u64 %p2, %l7, %l4;\n@%p2 mov.u32 %r3, 0xfffffffe;\n"
      "st.global.u32 [%l1], %r3;";
  EXPECT_EQ(run(kernel_text("", body)), each([](std::uint32_t i) { return i; }));
  const auto fault = only_fault(
      kernel_text("", "mov.u64 %l3, 5000;\nalloca.u64 %l4, %l3, 16;\nst.local.u32 [%l4], 1;"));
  EXPECT_EQ(fault.kind, FaultKind::stack_overflow);
  EXPECT_EQ(fault.message, "the thread's stack of 4096 bytes is full");
}

TEST(Calls, MemoryAboveTheStackHasNothingOfAnEarlierBlock) {
  // Each thread reads memory above its stack, which it has not allocated, and writes it after that.
  const std::string ptx = kernel_text(
      "",
      "mov.u64 %l3, 16;\nalloca.u64 %l4, %l3, 16;\nmov.u64 %l5, 2000;\n"
      "ld.local.u32 %r3, [%l5];\nadd.u32 %r4, %r1, 7;\nst.local.u32 [%l5], %r4;\n"
      "mov.u64 %l3, 3000;\nalloca.u64 %l4, %l3, 16;\nld.local.u32 %r5, [%l4+2500];\n"
      "st.local.u32 [%l4+2500], %r4;\nadd.u32 %r3, %r3, %r5;\nst.global.u32 [%l1], %r3;");
  for (const auto engine : {emulator::Engine::interpreter, emulator::Engine::machine_code}) {
    Emulated emulated(ptx);
    emulated.options.engine = engine;
    emulated.options.threads = 1;
    const Address out = emulated.buffer(std::vector<std::uint32_t>(64));
    for (int launch = 0; launch < 2; ++launch) {
      EXPECT_TRUE(emulated.launch("hand", {3}, {64}, out).faults.empty());
      EXPECT_EQ(emulated.read<std::uint32_t>(out, 64), std::vector<std::uint32_t>(64));
    }
    emulated.options.checks = {emulator::Check::init};
    const LaunchResult result = emulated.launch("hand", {3}, {64}, out);
    ASSERT_EQ(result.faults.size(), 1U);
    EXPECT_EQ(result.faults[0].kind, FaultKind::uninitialised);
    EXPECT_EQ(result.faults[0].count, 3U * 64);
  }
}

TEST(Calls, AFrameOfOtherLanesHasNothingOfAnEarlierBlock) {
  // The first 16 threads call a function. Each other thread reads its memory at the place of that
  // frame, and writes it after that.
  const std::string ptx = kernel_text(
      function("framed", "st.local.u32 [own], 5;\nmov.u32 %r9, %r1;"),
      "setp.lt.u32 %p1, %r1, 16;\n" + call("framed", "%r1", "%r3", {}, "@%p1 ") +
          "mov.u64 %l5, 4;\nld.local.u32 %r4, [%l5];\nadd.u32 %r4, %r4, 0;\nadd.u32 %r5, %r1, 7;\n"
          "st.local.u32 [%l5], %r5;\n@%p1 mov.u32 %r4, 0;\nst.global.u32 [%l1], %r4;");
  for (const auto engine : {emulator::Engine::interpreter, emulator::Engine::machine_code}) {
    Emulated emulated(ptx);
    emulated.options.engine = engine;
    emulated.options.threads = 1;
    const Address out = emulated.buffer(std::vector<std::uint32_t>(64));
    EXPECT_TRUE(emulated.launch("hand", {3}, {64}, out).faults.empty());
    EXPECT_EQ(emulated.read<std::uint32_t>(out, 64), std::vector<std::uint32_t>(64));
    emulated.options.checks = {emulator::Check::init};
    const LaunchResult result = emulated.launch("hand", {3}, {64}, out);
    ASSERT_EQ(result.faults.size(), 1U);
    EXPECT_EQ(result.faults[0].count, 3U * 48);
  }
}

TEST(Calls, ACompiledKernelOfAllOfThem) {
#ifndef WARPWISE_KERNELS_PTX
  GTEST_SKIP() << "no CUDA toolkit compiled tests/emulator/kernels";
#else
  Emulated emulated(test::kernels_ptx("calls"));
  constexpr int threads = 96;
  const Address out = emulated.buffer(std::vector<int>(std::size_t{5} * threads));
  const LaunchResult result = emulated.launch("calls", {3}, {32}, out);
  EXPECT_TRUE(result.faults.empty());
  std::vector<int> expected;
  const int numbers[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
  for (int i = 0; i < threads; ++i) {
    const int k = i * 7 % 16;
    for (const int value :
         {numbers[i % 10], 2 * i + i, 2 * i + 6, i + k * k, i % 2 == 0 ? i + 1 : -i}) {
      expected.push_back(value);
    }
  }
  EXPECT_EQ(emulated.read<int>(out, expected.size()), expected);
#endif
}

}  // namespace calls_tests
}  // namespace warpwise
