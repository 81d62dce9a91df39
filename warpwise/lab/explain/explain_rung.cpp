#include <fmt/format.h>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/explain/gpu_probe.hpp"
#include "warpwise/lab/explain/primitive.hpp"
#include "warpwise/lab/measure/emulator_executor.hpp"
#include "warpwise/lab/study/rung_run.hpp"

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
  as_file.device = request.device;
  return explain_launch(std::move(as_file), compilation,
                        emulator::Program(compilation.ptx).kernel(launch.kernel), result);
}

GpuProbe::Prepared prepared_rung(GpuExecutor& executor, const StudyTable& table, const Rung& rung,
                                 const ladders::Problem& problem) {
  const auto run = std::make_shared<RungRun>(executor, table, rung, problem, rung.blocks.front());
  // A rung may run again on the memory that it left.
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
  const std::uint64_t budget =
      request.budget.value_or(default_budget(request.compute_capabilities.size()));
  // Grids may follow from the number of multiprocessors. Launches that the GPU runs too use the
  // GPU's.
  const int multiprocessors =
      gpu != nullptr ? gpu->executor().multiprocessors() : EmulatorExecutor::usual_multiprocessors;
  EmulatorExecutor executor(request.compute_capabilities, true, budget, multiprocessors);
  if (request.sample) executor.sample(*request.sample);
  RungRun run(executor, table, rung, problem, rung.blocks.front());
  try {
    run.run();
  } catch (const KernelFault&) {
    // The report shows the launch with its fault.
  }
  for (std::size_t i = 0; i < executor.results().size(); ++i) {
    explanation.launches.push_back(
        explained(request, rung, run.compilation(), run.launches()[i], executor.results()[i]));
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
