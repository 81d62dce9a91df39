#include "warpwise/lab/study/verify.hpp"

#include <fmt/format.h>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/study/rung_run.hpp"

namespace warpwise::lab {
namespace {

using ladders::Layout;
using ladders::Problem;
using ladders::Variables;

// A problem and what has to come out of it.
struct Case {
  Problem problem;
  Problem expected;
  Variables parameters;
};

std::vector<Layout> layouts(const Size& size) {
  constexpr std::int64_t aligned_pixels = 32;
  const std::int64_t padding = (aligned_pixels - size.width % aligned_pixels) % aligned_pixels;
  std::vector<Layout> result = {{0, 0}, {3, 5}};
  if (padding > 0) result.push_back({0, padding});
  return result;
}

struct Cases {
  std::vector<Case> cases;
  int left_out = 0;          // sizes that make no problem with their parameters
  std::string why_left_out;  // the first of them
  std::string failure;       // parameters that make none with any size
};

Case case_of(const LadderTable& table, const Size& size, const Variables& parameters,
             const Layout& layout, ladders::Cpu with) {
  Problem problem = table.ladder->problem(size.width, size.height, parameters, layout);
  Problem expected = problem;
  table.ladder->compute(expected, with);
  return {std::move(problem), std::move(expected), parameters};
}

Variables merged(Variables parameters, const Variables& others) {
  for (const auto& [name, value] : others) parameters[name] = value;
  return parameters;
}

std::string text_of(const Variables& variables) {
  std::string text;
  for (const auto& [name, value] : variables) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

Cases cases_of(const LadderTable& table, const Variables& fixed, bool on_gpu) {
  Cases result;
  for (const Variables& each : table.verify_parameters) {
    const Variables parameters = merged(merged(table.ladder->parameters(), each), fixed);
    const std::size_t before = result.cases.size();
    std::string why_not;
    for (const Size& size : table.verify) {
      for (const Layout& layout : layouts(size)) {
        try {
          result.cases.push_back(case_of(table, size, parameters, layout, ladders::Cpu::reference));
        } catch (const InvalidArgument& error) {
          // Not every size of the table makes a problem with every set of parameters.
          why_not = error.what();
          if (result.left_out++ == 0) result.why_left_out = "no problem, as in: " + why_not;
        }
      }
    }
    if (result.cases.size() == before && result.failure.empty()) {
      result.failure = fmt::format(
          "\"verify_parameters\" {} make no problem with any size of "
          "\"verify\": {}",
          text_of(parameters), why_not);
    }
  }
  if (on_gpu) {
    // The plain loops take seconds here; what the library does on a CPU is tested against them.
    const Variables parameters = merged(table.ladder->parameters(), fixed);
    result.cases.push_back(case_of(table, table.size, parameters, {}, ladders::Cpu::library));
  }
  return result;
}

std::string text_of(const Case& each, const emulator::Dim3& block) {
  const ladders::Operand& first = each.problem.operands.front();
  return fmt::format("{}, {} at byte {} with a pitch of {}, block {}x{}x{}",
                     text_of(each.problem.variables), first.name(), first.offset_bytes(),
                     first.pitch_bytes(), block.x, block.y, block.z);
}

VerifiedRung verify_rung(Executor& executor, const LadderTable& table, const Rung& rung,
                         const Cases& cases) {
  VerifiedRung result;
  result.ladder = table.name();
  result.rung = rung.name;
  result.failure = cases.failure;
  if (!result.failure.empty()) return result;
  for (const emulator::Dim3& block : rung.blocks) {
    if (cases.left_out > 0) result.skipped[cases.why_left_out] += cases.left_out;
    for (const Case& each : cases.cases) {
      try {
        RungRun run(executor, table, rung, each.problem, block);
        run.run();
        result.failure = run.first_difference(each.expected);
      } catch (const CompileError& error) {
        result.failure = error.what();
        result.compiler_log = error.log();
        return result;
      } catch (const Unsupported& reason) {
        ++result.skipped[reason.what()];
        continue;
      } catch (const Error& error) {
        result.failure = error.what();
      }
      if (!result.failure.empty()) {
        result.failure += " (" + text_of(each, block) + ")";
        return result;
      }
      ++result.passed;
    }
  }
  return result;
}

}  // namespace

void verify(Executor& executor, const LadderTable& table, const std::vector<std::string>& rungs,
            bool on_gpu, const std::function<void(const VerifiedRung&)>& done) {
  // Rungs that fix no parameter, nearly all, share their problems.
  std::map<Variables, Cases> cases;
  for (const std::string& name : rungs) {
    const Rung& rung = table.rung(name);
    auto found = cases.find(rung.parameters);
    if (found == cases.end()) {
      found = cases.emplace(rung.parameters, cases_of(table, rung.parameters, on_gpu)).first;
    }
    done(verify_rung(executor, table, rung, found->second));
  }
}

}  // namespace warpwise::lab
