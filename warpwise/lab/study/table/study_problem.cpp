#include <fmt/format.h>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"

namespace warpwise::lab {

using ladders::Problem;

Problem StudyTable::problem(const Size& size_of_problem, const ladders::Variables& values,
                            ladders::Layout layout) const {
  if (ladder != nullptr) {
    return ladder->problem(size_of_problem.width, size_of_problem.height, values, layout);
  }
  ladders::Variables variables = values;
  variables["width"] = size_of_problem.width;
  variables["height"] = size_of_problem.height;
  return problem_of(listed, variables, layout);
}

std::vector<std::byte> StudyTable::arguments(const Problem& problem_of_launch,
                                             const ladders::Placement& placement) const {
  return ladder != nullptr ? ladder->arguments(problem_of_launch, placement)
                           : arguments_of(listed, problem_of_launch, placement);
}

Problem expected_of(Executor& executor, const StudyTable& table, const Rung& rung,
                    const Problem& problem, const emulator::Dim3& block, ladders::Cpu with) {
  Problem expected = problem;
  if (table.ladder != nullptr) {
    table.ladder->compute(expected, with);
    return expected;
  }
  Rung reference = table.reference;
  reference.constants = rung.constants;
  try {
    RungRun run(executor, table, reference, problem, block);
    run.run();
    run.read_outputs(expected);
  } catch (const KernelFault& fault) {
    throw KernelFault(std::string("the reference kernel: ") + fault.what());
  }
  return expected;
}

}  // namespace warpwise::lab
