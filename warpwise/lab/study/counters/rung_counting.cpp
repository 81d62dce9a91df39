#include "warpwise/lab/study/counters/rung_counting.hpp"

#include <algorithm>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"

namespace warpwise::lab {

// Returns the largest number of warp instructions that a launch may execute. The most costly
// experiment has threshold's plain loops over a window of 255. They execute 370 million warp
// instructions at the table's emulator_size. A larger image gets a limit in proportion to its
// pixels.
std::uint64_t budget_of(const StudyTable& table, const Size& size) {
  constexpr double at_emulator_size = 500e6;
  constexpr double greatest = 1e18;  // fits into 64 bits
  const auto pixels = [](const Size& of) {
    return static_cast<double>(of.width) * static_cast<double>(of.height);
  };
  const double scaled = at_emulator_size * pixels(size) / pixels(table.emulator_size);
  return std::max(EmulatorExecutor::usual_budget,
                  static_cast<std::uint64_t>(std::min(scaled, greatest)));
}

CountedRung count_rung(EmulatorExecutor& executor, const StudyTable& table, const Rung& rung,
                       const ladders::Variables& parameters, const emulator::Dim3& block,
                       const std::vector<rules::ComputeCapability>& ccs) {
  CountedRung counted;
  const ladders::Problem& problem =
      counted.problem.emplace(table.problem(table.emulator_size, parameters, {}));
  try {
    RungRun run(executor, table, rung, problem, block);
    run.run();
    for (const ladders::Launch& each : run.launches()) {
      counted.grids.push_back(dimensions(each.grid));
    }
  } catch (const Unsupported&) {
    return counted;
  }
  for (std::size_t i = 0; i < ccs.size(); ++i) {
    counted.counts.push_back(
        counts_of(executor.results(), i, ccs[i], problem.pixels, table.emulator_size));
  }
  return counted;
}

}  // namespace warpwise::lab
