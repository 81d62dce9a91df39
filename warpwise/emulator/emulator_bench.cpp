// Warp instructions per second on one CPU core, for integer image kernels and a matrix product.
// Modes: no counts; all counts for CC 9.0; counts for three compute capabilities; checks. Each runs
// in machine code and in the interpreter.

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

/// Tiles in shared memory, and two barriers for each.
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

void list_all() {
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
