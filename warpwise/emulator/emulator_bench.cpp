// Warp instructions that one core emulates in a second, on integer image kernels: without counting,
// with all counts for CC 9.0, and with those for three compute capabilities.

#include <benchmark/benchmark.h>

#include "emulator/emulated.hpp"

namespace warpwise {
namespace {

constexpr int width = 1280;
constexpr int height = 720;

struct Counting {
  bool count = false;
  std::vector<rules::ComputeCapability> compute_capabilities;
  emulator::Checks checks = {};
};

void run(benchmark::State& state, const char* kernel, const Counting& counting) {
  test::Emulated emulated(test::kernels_ptx("image"));
  if (counting.checks.has(emulator::Check::init)) emulated.device.track_definedness();
  const std::vector<std::uint32_t> pixels = test::random_words(width * height / 4, 1);
  const emulator::Address from = emulated.buffer(pixels);
  const emulator::Address to = emulated.device.allocate(width * height);
  emulated.options.threads = 1;
  const auto launch = [&] {
    return emulated.launch(kernel, {width / 32, height / 8}, {32, 8}, from, to, width, height,
                           width);
  };
  const double instructions = static_cast<double>(launch().totals.warp_instructions);
  emulated.options.count = counting.count;
  emulated.options.compute_capabilities = counting.compute_capabilities;
  emulated.options.checks = counting.checks;
  for (auto _ : state) {
    const emulator::LaunchResult result = launch();
    if (!result.faults.empty()) state.SkipWithError("a fault");
  }
  state.counters["warp_instructions"] =
      benchmark::Counter(instructions, benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(run, sobel_uncounted, "sobel", Counting{})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, sobel_counted, "sobel", Counting{true, {{9, 0}}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, sobel_counted_for_three, "sobel", Counting{true, {{1, 3}, {2, 0}, {9, 0}}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, box_uncounted, "box", Counting{})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, box_counted, "box", Counting{true, {{9, 0}}})->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(run, sobel_races, "sobel", Counting{false, {}, {emulator::Check::races}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, box_races, "box", Counting{false, {}, {emulator::Check::races}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, sobel_init, "sobel", Counting{false, {}, {emulator::Check::init}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, box_init, "box", Counting{false, {}, {emulator::Check::init}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, sobel_checked, "sobel", Counting{false, {}, emulator::Checks::all()})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, box_checked, "box", Counting{false, {}, emulator::Checks::all()})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warpwise

BENCHMARK_MAIN();
