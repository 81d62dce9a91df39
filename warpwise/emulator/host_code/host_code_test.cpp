// Random kernels run in the interpreter and in machine code made at run time. Registers, memory,
// counts and faults must be the same.

#include "warpwise/emulator/host_code/host_code.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/emulated.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/emulator/device_checks.hpp"
#include "warpwise/emulator/host_code/random_kernel_testing.hpp"
#include "warpwise/emulator/host_code_listing.hpp"
#include "warpwise/emulator/memory_uses.hpp"

namespace warpwise::emulator {
namespace {

using test::blocks;
using test::bytes_of_thread;
using test::Emulated;
using test::most_threads;
using test::words;

/// Results of one run.
struct Outcome {
  LaunchResult result;
  std::vector<std::uint8_t> memory;
  std::vector<std::uint8_t> out;
  std::vector<std::string> uses;  ///< with Mode::is_watched: the remembered access to each word
};

struct Mode {
  bool count = false;
  Checks checks = {};
  bool is_watched = false;  ///< with an earlier work, which accesses a part of the same memory
};

/// An order that lets no work come behind another.
class NoOrder : public WorkOrder {
 public:
  bool comes_behind(WorkNumber) const override { return false; }
  bool host_has_waited_for(WorkNumber) const override { return false; }
  std::string described(WorkNumber work) const override { return "work " + std::to_string(work); }
  std::string stream_of(WorkNumber work) const override { return "stream " + std::to_string(work); }
};

/// Begins a work after one that has written 64 of each 512 bytes and read other 64.
void begin_behind_another(MemoryUses& uses, Address memory, std::size_t bytes) {
  uses.begin(1, true);
  for (const auto& [use, first] : {std::pair(Use::write, 0U), std::pair(Use::read, 256U)}) {
    uses.from(nullptr, use, [] { return std::string(); });
    Address at = 0;
    for (Address i = first; i + 64 <= bytes; i += 512) uses.touch(memory + i, 64, &at);
  }
  uses.begin(2, true);
}

std::vector<std::string> uses_of(const MemoryUses& uses, Address memory, std::size_t bytes) {
  std::vector<std::string> all;
  for (Address i = 0; i < bytes; i += 4) all.push_back(uses.host_conflict(memory + i, true));
  return all;
}

Outcome run(Program& program, const Mode& mode, std::uint32_t seed, Engine engine) {
  const NoOrder order;
  MemoryUses uses(order);
  Device device(std::uint64_t{1} << 30);
  if (mode.is_watched) watch_uses(device, uses);
  if (mode.checks.has(Check::init)) device.track_definedness();
  LaunchOptions options;
  options.threads = 1;
  options.count = mode.count;
  if (mode.count) options.compute_capabilities = {{1, 3}, {2, 0}, {9, 0}};
  options.checks = mode.checks;
  options.engine = engine;
  options.budget = 1000000;
  options.stack_bytes = 2048;
  const std::uint32_t threads = 1 + seed % most_threads;
  const Dim3 block{threads % 4 == 0 ? 64 : threads, 1, 1};
  Outcome outcome;
  outcome.memory.resize(4 * words);
  outcome.out.resize(std::size_t{blocks} * block.x * bytes_of_thread);
  const Address memory = device.allocate(outcome.memory.size());
  const std::vector<std::uint32_t> content = test::random_words(words, seed);
  device.write(memory, std::as_bytes(std::span(content)));
  if (mode.is_watched) begin_behind_another(uses, memory, outcome.memory.size());
  const Address out = device.allocate(outcome.out.size());
  // Packs the parameters by hand. Program::kernel() would decode again to return their layout.
  std::array<std::byte, 20> parameters;
  std::memcpy(parameters.data(), &memory, 8);
  std::memcpy(parameters.data() + 8, &out, 8);
  std::memcpy(parameters.data() + 16, &seed, 4);
  outcome.result = program.launch(device, "fuzz", {blocks, 1, 1}, block, 0, parameters, options);
  device.read(memory, std::as_writable_bytes(std::span(outcome.memory)));
  device.read(out, std::as_writable_bytes(std::span(outcome.out)));
  if (mode.is_watched) outcome.uses = uses_of(uses, memory, outcome.memory.size());
  return outcome;
}

template <class T>
bool same_bytes(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Returns the first difference; empty if there is none.
std::string difference(const Outcome& a, const Outcome& b) {
  const LaunchResult& x = a.result;
  const LaunchResult& y = b.result;
  if (x.executed != y.executed) return "the number of executed instructions";
  if (x.faults.size() != y.faults.size())
    return "the number of faults: " + std::to_string(x.faults.size()) + " and " +
           std::to_string(y.faults.size());
  for (std::size_t i = 0; i < x.faults.size(); ++i) {
    const Fault& f = x.faults[i];
    const Fault& g = y.faults[i];
    if (f.kind != g.kind || !(f.thread == g.thread) || !(f.block == g.block) ||
        f.count != g.count || f.line != g.line || f.message != g.message)
      return "fault " + std::to_string(i) + ": " + f.message + " (" + std::to_string(f.count) +
             ") and " + g.message + " (" + std::to_string(g.count) + ")";
  }
  if (a.out != b.out) {
    const auto at = std::ranges::mismatch(a.out, b.out).in1 - a.out.begin();
    return "byte " + std::to_string(at % bytes_of_thread) + " of the registers of thread " +
           std::to_string(at / bytes_of_thread);
  }
  if (a.memory != b.memory) return "memory";
  if (a.uses != b.uses) {
    const auto [one, other] = std::ranges::mismatch(a.uses, b.uses);
    return "the access to word " + std::to_string(one - a.uses.begin()) + ": " + *one + " and " +
           *other;
  }
  if (!same_bytes(x.totals, y.totals)) return "totals";
  if (x.instructions_by_class != y.instructions_by_class) return "instructions by class";
  if (x.thread_rounds != y.thread_rounds) return "thread_rounds";
  if (x.memory.size() != y.memory.size() || x.lines.size() != y.lines.size()) return "sizes";
  for (std::size_t i = 0; i < x.memory.size(); ++i)
    if (!same_bytes(x.memory[i], y.memory[i])) return "memory counts";
  for (std::size_t i = 0; i < x.lines.size(); ++i)
    if (!same_bytes(x.lines[i].execution, y.lines[i].execution)) return "counts of a line";
  return {};
}

std::uint32_t number_of(const char* name, std::uint32_t usual) {
  const char* const text = std::getenv(name);
  return text == nullptr ? usual : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

/// Returns why kernels get no machine code here; null if they do. Without machine code, the tests
/// would silently compare the interpreter with itself.
const char* why_no_machine_code() {
#ifdef WARPWISE_JIT
  for (const bool is_there :
       {__builtin_cpu_supports("avx2") != 0, __builtin_cpu_supports("fma") != 0,
        __builtin_cpu_supports("bmi") != 0, __builtin_cpu_supports("popcnt") != 0}) {
    if (!is_there) return "this CPU lacks AVX2, FMA, BMI or POPCNT";
  }
  constexpr std::size_t bytes = 4096;
  void* const page =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return "the system gives no memory";
  const bool is_executable = ::mprotect(page, bytes, PROT_READ | PROT_EXEC) == 0;
  ::munmap(page, bytes);
  return is_executable ? nullptr : "the system gives no executable memory";
#else
  return "this build makes no machine code: WARPWISE_JIT is OFF";
#endif
}

TEST(HostCode, RandomKernelsRunAsInTheInterpreter) {
  if (const char* const why = why_no_machine_code()) GTEST_SKIP() << why;
  const std::vector<Mode> modes = {{},
                                   {true, {}},
                                   {false, {Check::init}},
                                   {true, Checks::all()},
                                   {false, {Check::races, Check::sync}},
                                   {false, Checks::all()},
                                   {false, {Check::races}, true},
                                   {false, {Check::init}, true}};
  const std::uint32_t first = number_of("WARPWISE_HOST_CODE_SEED", 1);
  const std::uint32_t kernels = number_of("WARPWISE_HOST_CODE_KERNELS", 400);
  for (std::uint32_t seed = first; seed < first + kernels; ++seed) {
    const std::string ptx = test::RandomKernel(seed).kernel();
    const Mode& mode = modes[seed % modes.size()];
    // A kernel without machine code would be compared with itself.
    if (seed < first + 20) {
      ASSERT_FALSE(host_code_of(ptx, "fuzz").empty()) << "kernel of seed " << seed << ":\n" << ptx;
    }
    Program program(ptx);
    const std::string found = difference(run(program, mode, seed, Engine::interpreter),
                                         run(program, mode, seed, Engine::machine_code));
    ASSERT_EQ(found, "") << "kernel of seed " << seed << ":\n" << ptx;
  }
}

TEST(HostCode, APairOfPredicatesMayReplaceTheOneItIsCombinedWith) {
  if (const char* const why = why_no_machine_code()) GTEST_SKIP() << why;
  const std::string ptx =
      ".version 8.4\n.target sm_90\n.address_size 64\n"
      ".visible .entry pair(.param .u64 out)\n{\n"
      ".reg .pred %p<2>;\n.reg .b32 %w<4>;\n.reg .b64 %l<3>;\n"
      "ld.param.u64 %l0, [out];\nmov.u32 %w0, %tid.x;\n"
      "setp.lt.u32 %p0, %w0, 8;\nsetp.lt.and.u32 %p0|%p1, %w0, 4, %p0;\n"
      "selp.b32 %w1, 1, 0, %p0;\nselp.b32 %w2, 2, 0, %p1;\nor.b32 %w1, %w1, %w2;\n"
      "mul.wide.u32 %l1, %w0, 4;\nadd.s64 %l0, %l0, %l1;\nst.global.u32 [%l0], %w1;\nret;\n}\n";
  for (const Engine engine : {Engine::interpreter, Engine::machine_code}) {
    Emulated emulated(ptx);
    emulated.options.engine = engine;
    const Address out = emulated.device.allocate(128);
    emulated.launch("pair", {1, 1, 1}, {32, 1, 1}, out);
    const auto results = emulated.read<std::uint32_t>(out, 32);
    for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(results[i], i < 4 ? 1U : i < 8 ? 2U : 0U);
  }
}

TEST(HostCode, MemoryThatAnotherWorkerHasFreedIsNotReadAgain) {
  if (const char* const why = why_no_machine_code()) GTEST_SKIP() << why;
  // Block 0 is busy for long, so another worker runs block 1. Block 0 frees what block 1 has read.
  const std::string ptx =
      ".version 8.4\n.target sm_90\n.address_size 64\n"
      ".extern .func (.param .b64 result) malloc(.param .b64 bytes);\n"
      ".extern .func free(.param .b64 pointer);\n"
      ".visible .entry freed(.param .u64 shared)\n{\n"
      ".reg .pred %p<2>;\n.reg .b32 %w<6>;\n.reg .b64 %l<4>;\n"
      "ld.param.u64 %l0, [shared];\nmov.u32 %w0, %tid.x;\nmov.u32 %w1, %ctaid.x;\n"
      "mov.u32 %w2, 0;\nmov.u32 %w5, 1;\n"
      "setp.ne.u32 %p0, %w1, 0;\n@%p0 bra READ;\n"
      "LATE:\nadd.u32 %w2, %w2, 1;\nsetp.lt.u32 %p0, %w2, 2000000;\n@%p0 bra LATE;\n"
      "setp.ne.u32 %p0, %w0, 0;\n@%p0 bra END;\n"
      "mov.u64 %l3, 128;\n"
      "{\n.param .b64 bytes;\n.param .b64 pointer;\nst.param.b64 [bytes], %l3;\n"
      "call.uni (pointer), malloc, (bytes);\nld.param.b64 %l1, [pointer];\n}\n"
      "st.volatile.global.u64 [%l0], %l1;\n"
      "WAIT:\nld.volatile.global.u32 %w3, [%l0+8];\nsetp.eq.u32 %p0, %w3, 0;\n@%p0 bra WAIT;\n"
      "{\n.param .b64 pointer;\nst.param.b64 [pointer], %l1;\ncall.uni free, (pointer);\n}\n"
      "st.volatile.global.u32 [%l0+12], %w5;\nbra END;\n"
      "READ:\nld.volatile.global.u64 %l1, [%l0];\nsetp.eq.u64 %p0, %l1, 0;\n@%p0 bra READ;\n"
      "mul.wide.u32 %l2, %w0, 4;\nadd.s64 %l1, %l1, %l2;\n"
      "AGAIN:\nld.global.u32 %w4, [%l1];\n"
      "setp.ne.u32 %p0, %w2, 1;\n@%p0 bra NEXT;\nst.volatile.global.u32 [%l0+8], %w5;\n"
      "FREED:\nld.volatile.global.u32 %w3, [%l0+12];\nsetp.eq.u32 %p0, %w3, 0;\n@%p0 bra FREED;\n"
      "NEXT:\nadd.u32 %w2, %w2, 1;\nsetp.lt.u32 %p0, %w2, 3;\n@%p0 bra AGAIN;\n"
      "END:\nret;\n}\n";
  for (const Engine engine : {Engine::interpreter, Engine::machine_code}) {
    Emulated emulated(ptx);
    emulated.options.engine = engine;
    emulated.options.threads = 2;
    const Address shared = emulated.buffer(std::vector<std::uint32_t>(4));
    const LaunchResult result = emulated.launch("freed", {2, 1, 1}, {32, 1, 1}, shared);
    ASSERT_EQ(result.faults.size(), 1U);
    EXPECT_EQ(result.faults[0].kind, FaultKind::use_after_free);
    EXPECT_EQ(result.faults[0].count, 32U);
  }
}

TEST(HostCode, AnExceptionPassesThrough) {
  if (const char* const why = why_no_machine_code()) GTEST_SKIP() << why;
  Emulated emulated(
      ".version 8.4\n.target sm_90\n.address_size 64\n"
      ".visible .entry faulty()\n{\n.reg .b32 %w<2>;\n.reg .b64 %l<2>;\n"
      "mov.u64 %l0, 64;\nld.global.u32 %w0, [%l0];\nst.global.u32 [%l0], %w0;\nret;\n}\n");
  emulated.options.engine = Engine::machine_code;
  emulated.options.threads = 1;
  // The handler that finds the fault calls this function, and machine code calls that handler.
  emulated.options.is_known = [](const std::string&, const Fault&) -> bool {
    throw InvalidArgument("a caller's exception");
  };
  EXPECT_THROW(emulated.launch("faulty", {1, 1, 1}, {32, 1, 1}), InvalidArgument);
}

}  // namespace
}  // namespace warpwise::emulator
