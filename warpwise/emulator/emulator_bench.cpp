// Measures warp instructions per second on one CPU core, for integer image kernels and a matrix
// product, in four modes: no counts; all counts for CC 9.0; counts for three compute capabilities;
// checks. Each mode runs in machine code and in the interpreter. Matrix instructions are measured
// in arithmetic operations per second, without counts and in machine code alone.

#include <benchmark/benchmark.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/emulated.hpp"

namespace warpwise {
namespace {

constexpr int width = 1280;
constexpr int height = 720;

struct Counting {
  bool count = false;
  std::vector<rules::ComputeCapability> compute_capabilities;
  emulator::Checks checks = {};
  emulator::Engine engine = emulator::Engine::machine_code;
};

/// Launches over and over. The first launch, in which machine code is made, is not timed.
template <class Launch>
void measure(benchmark::State& state, test::Emulated& emulated, const Counting& counting,
             const Launch& launch) {
  emulated.options.threads = 1;
  emulated.options.count = counting.count;
  emulated.options.compute_capabilities = counting.compute_capabilities;
  emulated.options.checks = counting.checks;
  emulated.options.engine = counting.engine;
  const double instructions = static_cast<double>(launch().executed);
  for (auto _ : state) {
    const emulator::LaunchResult result = launch();
    if (!result.faults.empty()) state.SkipWithError("a fault");
  }
  state.counters["warp_instructions"] =
      benchmark::Counter(instructions, benchmark::Counter::kIsIterationInvariantRate);
}

void run(benchmark::State& state, const char* kernel, const Counting& counting) {
  test::Emulated emulated(test::kernels_ptx("image"));
  if (counting.checks.has(emulator::Check::init)) emulated.device.track_definedness();
  const std::vector<std::uint32_t> pixels = test::random_words(width * height / 4, 1);
  const emulator::Address from = emulated.buffer(pixels);
  const emulator::Address to = emulated.device.allocate(width * height);
  measure(state, emulated, counting, [&] {
    return emulated.launch(kernel, {width / 32, height / 8}, {32, 8}, from, to, width, height,
                           width);
  });
}

/// Multiplies by tiles in shared memory, with two barriers for each tile.
void multiply(benchmark::State& state, const Counting& counting) {
  constexpr int side = 16;
  constexpr int size = 256;
  test::Emulated emulated(test::kernels_ptx("matrix_multiply"));
  if (counting.checks.has(emulator::Check::init)) emulated.device.track_definedness();
  const emulator::Address a = emulated.buffer(test::random_floats(size * size, 1));
  const emulator::Address b = emulated.buffer(test::random_floats(size * size, 2));
  const emulator::Address c = emulated.device.allocate(size * size * sizeof(float));
  measure(state, emulated, counting, [&] {
    return emulated.launch("matrix_multiply", {size / side, size / side}, {side, side}, a, b, c,
                           size);
  });
}

const Counting counted{true, {{9, 0}}};
const Counting counted_for_three{true, {{1, 3}, {2, 0}, {9, 0}}};
Counting checked(emulator::Checks checks) { return {false, {}, checks}; }

void add(const char* kernel, const std::string& name, const Counting& counting) {
  const auto body = [kernel, counting](benchmark::State& state) {
    if (std::string_view(kernel) == "multiply")
      multiply(state, counting);
    else
      run(state, kernel, counting);
  };
  benchmark::RegisterBenchmark(("run/" + std::string(kernel) + "_" + name).c_str(), body)
      ->Unit(benchmark::kMillisecond);
}

/// A matrix instruction, with its numbers of registers for D, A and B and its number of arithmetic
/// operations. `random` and `fixed` give A's and B's elements values of ordinary size.
struct Product {
  const char* name;
  const char* instruction;
  int of_d;
  int of_a;
  int of_b;
  double operations;
  std::uint32_t random;  ///< bits that are random; the other bits come from `fixed`
  std::uint32_t fixed;
};
constexpr Product products[] = {
    {"mma_f16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2, 4096, 0x83ff83ffU,
     0x3c003800U},
    {"mma_f16_to_f16", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2, 4096,
     0x83ff83ffU, 0x3c003800U},
    {"mma_bf16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2, 4096, 0x807f807fU,
     0x3f803f00U},
    {"mma_tf32", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2, 2048, 0x807fe000U,
     0x3f800000U},
    {"mma_e4m3", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 4, 2, 8192, 0xbfbfbfbfU,
     0},
    {"mma_s8", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4, 4, 2, 8192, 0xffffffffU, 0},
    {"wmma_f16", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 8, 8, 8, 8192, 0x83ff83ffU,
     0x3c003800U},
};

std::string registers(const char* name, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + (name + std::to_string(i));
  return text + "}";
}

/// Runs one warp that adds four products over and over.
void multiply_matrices(benchmark::State& state, const Product& product) {
  constexpr int times = 500;
  constexpr int unrolled = 4;
  std::string ptx =
      ".version 8.4\n.target sm_90\n.address_size 64\n"
      ".visible .entry products(.param .u32 times, .param .u64 out)\n{\n"
      ".reg .b32 %d<8>, %a<8>, %b<8>, %i, %n, %t;\n.reg .b64 %o, %l;\n.reg .pred %p;\n"
      "ld.param.u32 %n, [times];\nld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\n"
      "mov.u32 %i, 0;\n";
  for (int i = 0; i < product.of_d; ++i) ptx += "mov.u32 %d" + std::to_string(i) + ", 0;\n";
  std::uint32_t salt = 0;
  for (const auto& [name, count] : {std::pair{"%a", product.of_a}, std::pair{"%b", product.of_b}}) {
    for (int i = 0; i < count; ++i) {
      const std::string reg = name + std::to_string(i);
      salt += 2246822519U;
      ptx += "mad.lo.u32 " + reg + ", %t, 2654435761, " + std::to_string(salt) + ";\n";
      ptx += "mul.lo.u32 " + reg + ", " + reg + ", " + reg + ";\n";
      ptx += "and.b32 " + reg + ", " + reg + ", " + std::to_string(product.random) + ";\n";
      ptx += "or.b32 " + reg + ", " + reg + ", " + std::to_string(product.fixed) + ";\n";
    }
  }
  ptx += "AGAIN:\n";
  for (int i = 0; i < unrolled; ++i)
    ptx += std::string(product.instruction) + " " + registers("%d", product.of_d) + ", " +
           registers("%a", product.of_a) + ", " + registers("%b", product.of_b) + ", " +
           registers("%d", product.of_d) + ";\n";
  ptx +=
      "add.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, %n;\n@%p bra AGAIN;\nmul.wide.u32 %l, %t, 4;\n"
      "add.u64 %o, %o, %l;\nst.global.u32 [%o], %d0;\nret;\n}\n";
  test::Emulated emulated(ptx);
  const emulator::Address out = emulated.device.allocate(128);
  measure(state, emulated, {},
          [&] { return emulated.launch("products", {1, 1, 1}, {32, 1, 1}, times, out); });
  state.counters["operations"] = benchmark::Counter(product.operations * unrolled * times,
                                                    benchmark::Counter::kIsIterationInvariantRate);
}

void list_all() {
  for (const Product& each : products) {
    benchmark::RegisterBenchmark(
        ("run/product_" + std::string(each.name)).c_str(),
        [&each](benchmark::State& state) { multiply_matrices(state, each); })
        ->Unit(benchmark::kMillisecond);
  }
  using emulator::Check;
  using emulator::Checks;
  const std::vector<std::pair<std::string, Counting>> all = {
      {"uncounted", {}},
      {"counted", counted},
      {"counted_for_three", counted_for_three},
      {"races", checked({Check::races})},
      {"sync", checked({Check::sync})},
      {"init", checked({Check::init})},
      {"all_checks", checked(Checks::all())}};
  for (const char* const kernel : {"sobel", "box", "multiply"}) {
    for (const auto& [name, counting] : all) {
      Counting interpreted = counting;
      interpreted.engine = emulator::Engine::interpreter;
      add(kernel, name, counting);
      add(kernel, name + "_interpreted", interpreted);
    }
  }
}

}  // namespace
}  // namespace warpwise

int main(int argc, char** argv) {
  warpwise::list_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
