#include <fmt/format.h>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/explain/explain.hpp"
#include "warpwise/lab/explain/gpu/gpu_probe.hpp"
#include "warpwise/lab/explain/programs/primitive.hpp"
#include "warpwise/lab/measure/emulator_executor.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"

namespace warpwise::lab {
namespace {

Explanation explained(const PrimitiveRequest& request, const Rung& rung,
                      const Compilation& compilation, const ladders::Launch& launch,
                      const emulator::LaunchResult& result) {
  ExplainRequest as_file;
  as_file.file = rung.file.string();
  as_file.kernel = launch.kernel;
  as_file.grid = dimensions(launch.grid);
  as_file.block = dimensions(launch.block);
  as_file.dynamic_shared_bytes = launch.shared_bytes;
  as_file.compile = compilation.options;
  as_file.compute_capabilities = request.compute_capabilities;
  as_file.machine_code = request.machine_code;
  as_file.fidelity = request.fidelity;
  as_file.sample = request.sample;
  as_file.checks = request.checks;
  as_file.device = request.device;
  return explain_launch(std::move(as_file), compilation,
                        emulator::Program(compilation.ptx).kernel(launch.kernel), result);
}

// The emulated launches of a rung, which is one optimisation step of a ladder of kernels.
class EmulatedRung {
 public:
  EmulatedRung(const StudyTable& table, const Rung& rung, const ladders::Problem& problem,
               EmulatorExecutor& executor)
      : table_(table), rung_(rung), problem_(problem), executor_(executor) {}

  // Runs the launches on new operands, until a launch has a fault. The report shows the fault, so
  // the exception is not passed on.
  void run() {
    run_.emplace(executor_, table_, rung_, problem_, rung_.blocks.front());
    try {
      run_->run();
    } catch (const KernelFault&) {
    }
    results_ = executor_.results();
  }

  // Runs the launches again on a sample of their blocks if one exceeded the budget. Returns the
  // sample, or nothing if the counts of the first run stay; see replaces_stopped().
  std::optional<BlockSample> sampled_within(std::uint64_t budget) {
    const auto sample = sample_within(budget, results_.back());
    if (!sample) return std::nullopt;
    const std::vector<emulator::LaunchResult> stopped = results_;
    executor_.sample(*sample);
    run();
    const std::size_t which = stopped.size() - 1;
    const bool replaces =
        results_.size() > which &&
        replaces_stopped(results_[which],
                         sample->of(dimensions(run_->launches()[which].grid).count()), budget);
    if (replaces) return sample;
    results_ = stopped;
    return std::nullopt;
  }

  const RungRun& rung_run() const { return *run_; }
  const std::vector<emulator::LaunchResult>& results() const { return results_; }

 private:
  const StudyTable& table_;
  const Rung& rung_;
  const ladders::Problem& problem_;
  EmulatorExecutor& executor_;
  std::optional<RungRun> run_;
  std::vector<emulator::LaunchResult> results_;
};

GpuProbe::Prepared prepared_rung(GpuExecutor& executor, const StudyTable& table, const Rung& rung,
                                 const ladders::Problem& problem) {
  const auto run = std::make_shared<RungRun>(executor, table, rung, problem, rung.blocks.front());
  // A rung can run again on the results of its last run, so `restore` does nothing.
  return {{run, &run->code()}, run->launches(), [] {}};
}

}  // namespace

PrimitiveExplanation explain_rung(const StudyTable& table, const PrimitiveRequest& request,
                                  GpuProbe* gpu) {
  const Rung& rung = table.rung(request.name);
  PrimitiveExplanation explanation;
  explanation.request = request;
  explanation.request.name = table.name() + "/" + rung.name;
  explanation.size =
      request.size.value_or(OperandSize{table.emulator_size.width, table.emulator_size.height});

  ladders::Variables parameters = table.parameters();
  for (const auto& [name, value] : rung.parameters) parameters[name] = value;
  explanation.operands = rung.idea;
  for (const auto& [name, value] : parameters) {
    explanation.operands += fmt::format("; {} {}", name, value);
  }
  const ladders::Problem problem =
      table.problem({explanation.size.width, explanation.size.height}, parameters, {});
  // Grids may depend on the number of multiprocessors. Launches that the GPU runs too use the GPU's
  // number.
  const int multiprocessors =
      gpu != nullptr ? gpu->executor().multiprocessors() : EmulatorExecutor::usual_multiprocessors;
  const std::uint64_t budget = budget_of(request);
  EmulatorExecutor executor(request.compute_capabilities, true, budget, multiprocessors);
  executor.check(request.checks);
  if (request.sample) executor.sample(*request.sample);
  EmulatedRung emulated(table, rung, problem, executor);
  emulated.run();
  if (!request.sample) explanation.request.sample = emulated.sampled_within(budget);
  const bool is_own_sample = !request.sample && explanation.request.sample;
  const RungRun& run = emulated.rung_run();
  for (std::size_t i = 0; i < emulated.results().size(); ++i) {
    explanation.launches.push_back(explained(explanation.request, rung, run.compilation(),
                                             run.launches()[i], emulated.results()[i]));
    if (is_own_sample) explanation.launches.back().exceeded_budget = budget;
  }
  const MemoryBytes memory = memory_of(problem, rung);
  for (std::size_t i = 0; i < explanation.launches.size(); ++i) {
    add_prediction(explanation.launches[i], memory, [&](const emulator::LaunchOptions& sampled) {
      return executor.run(run.code(), run.launches()[i], sampled);
    });
  }
  if (gpu != nullptr) {
    gpu->measure(explanation.launches,
                 [&] { return prepared_rung(gpu->executor(), table, rung, problem); });
  }
  return explanation;
}

}  // namespace warpwise::lab
