#include "warpwise/lab/study/run/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"
#include "warpwise/lab/study/table/points.hpp"

namespace warpwise::lab {
namespace {

using ladders::Layout;
using ladders::Problem;
using ladders::Variables;

// A problem and, for a ladder, its expected result. The result of another study depends on the
// kernel's constants and block, so it is computed separately for each kernel.
struct Case {
  Problem problem;
  std::optional<Problem> expected;
};

std::vector<Layout> layouts(const StudyTable& table, const Size& size) {
  // A listed problem aligns its buffers itself. Its two layouts are without and with memory after
  // the buffers. The kernels must leave that memory unchanged.
  if (table.ladder == nullptr) return {{0, 0}, {0, 64}};
  constexpr std::int64_t aligned_pixels = 32;
  const std::int64_t padding = (aligned_pixels - size.width % aligned_pixels) % aligned_pixels;
  std::vector<Layout> result = {{0, 0}, {3, 5}};
  if (padding > 0) result.push_back({0, padding});
  return result;
}

struct Cases {
  std::vector<Variables> parameters;
  std::vector<Case> cases;
  int left_out = 0;          // number of cases whose size is not valid with the parameters
  std::string why_left_out;  // the reason for one of the left-out cases
  std::string failure;       // message that names parameters without a valid size
};

Case case_of(const StudyTable& table, const Size& size, const Variables& parameters,
             const Layout& layout, ladders::Cpu with) {
  Case result{table.problem(size, parameters, layout), std::nullopt};
  if (table.ladder != nullptr) {
    result.expected = result.problem;
    table.ladder->compute(*result.expected, with);
  }
  return result;
}

std::string text_of(const Variables& variables) {
  std::string text;
  for (const auto& [name, value] : variables) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

// Returns the sets of parameters to verify: each set of the table, combined with all values of the
// axes that are parameters.
std::vector<Variables> parameter_sets(const StudyTable& table, const Variables& fixed) {
  std::vector<Variables> result;
  for (const Variables& axes : parameters_of(table, table.axes)) {
    for (const Variables& each : table.verify_parameters) {
      Variables set = merged(merged(axes, each), fixed);
      if (std::find(result.begin(), result.end(), set) == result.end()) {
        result.push_back(std::move(set));
      }
    }
  }
  return result;
}

Cases cases_of(const StudyTable& table, const Variables& fixed, bool on_gpu) {
  Cases result;
  result.parameters = parameter_sets(table, fixed);
  for (const Variables& parameters : result.parameters) {
    const std::size_t before = result.cases.size();
    std::string why_not;
    for (const Size& size : table.verify) {
      for (const Layout& layout : layouts(table, size)) {
        try {
          result.cases.push_back(case_of(table, size, parameters, layout, ladders::Cpu::reference));
        } catch (const InvalidArgument& error) {
          // The table may have sizes that are not valid with some set of parameters.
          why_not = error.what();
          if (result.left_out++ == 0)
            result.why_left_out = "no valid problem, for example: " + why_not;
        }
      }
    }
    if (result.cases.size() == before && result.failure.empty()) {
      result.failure = fmt::format(
          "\"verify_parameters\" {} make a valid problem with no size of \"verify\": {}",
          text_of(parameters), why_not);
    }
  }
  if (on_gpu) {
    // The plain loops would take seconds at this size. The library's CPU path gives the expected
    // result instead; other tests compare that path with the plain loops.
    const Variables parameters = merged(table.parameters(), fixed);
    result.cases.push_back(case_of(table, table.size, parameters, {}, ladders::Cpu::library));
  }
  return result;
}

// Makes the cases for parameters that only an experiment has. They have one size: the last in the
// table's "verify" that is valid with the parameters. The experiment's own sizes are too large for
// the emulator. At the largest size in "verify", a kernel that loops over the widest window would
// exceed the emulator's budget.
Cases cases_at_last_size(const StudyTable& table, const Variables& parameters) {
  Cases result;
  result.parameters = {parameters};
  for (auto size = table.verify.rbegin(); size != table.verify.rend(); ++size) {
    try {
      for (const Layout& layout : layouts(table, *size)) {
        result.cases.push_back(case_of(table, *size, parameters, layout, ladders::Cpu::reference));
      }
      return result;
    } catch (const InvalidArgument& error) {
      result.cases.clear();
      result.why_left_out = std::string("no valid problem, for example: ") + error.what();
    }
  }
  result.left_out = 1;
  return result;
}

std::string text_of(const Case& each, const emulator::Dim3& block) {
  const ladders::Operand& first = each.problem.operands.front();
  return fmt::format("{}, {} at byte {} with a pitch of {}, block {}x{}x{}",
                     text_of(each.problem.variables), first.name(), first.offset_bytes(),
                     first.pitch_bytes(), block.x, block.y, block.z);
}

// Runs one case. Returns what is wrong with its result, or an empty text if it is right. \throws
// Unsupported  the case cannot be run
std::string run_case_and_compare(Executor& executor, const StudyTable& table,
                                 const RungPoint& point, const Case& each,
                                 const emulator::Dim3& block) {
  std::optional<Problem> by_reference;
  if (!each.expected) {
    const std::string reason = RungRun::why_skipped(executor, point.rung, each.problem, block);
    if (!reason.empty()) throw Unsupported(reason);
    by_reference =
        expected_of(executor, table, point.rung, each.problem, block, ladders::Cpu::reference);
  }
  RungRun run(executor, table, point.rung, each.problem, block);
  run.run();
  return run.first_difference(each.expected ? *each.expected : *by_reference);
}

// Verifies all cases at one point. Returns false after the first failure, since the rung then needs
// no further cases.
bool verify_point(Executor& executor, const StudyTable& table, const RungPoint& point,
                  const Cases& cases, const emulator::Dim3& block, VerifiedRung& result) {
  if (cases.left_out > 0) result.skipped[cases.why_left_out] += cases.left_out;
  for (const Case& each : cases.cases) {
    try {
      result.failure = run_case_and_compare(executor, table, point, each, block);
    } catch (const CompileError& error) {
      result.failure = error.what();
      result.compiler_log = error.log();
      return false;
    } catch (const Unsupported& reason) {
      ++result.skipped[reason.what()];
      continue;
    } catch (const Error& error) {
      result.failure = error.what();
    }
    if (!result.failure.empty()) {
      const std::string constants = point.constants.empty() ? "" : ", " + text_of(point.constants);
      result.failure += " (" + text_of(each, block) + constants + ")";
      return false;
    }
    ++result.passed;
  }
  return true;
}

// Identifies a verified point: a rung's constants, the problem's parameters and a block shape.
using Point =
    std::tuple<std::map<std::string, std::string>, Variables, std::array<std::uint32_t, 3>>;

class Verifier {
 public:
  Verifier(Executor& executor, const StudyTable& table, bool on_gpu)
      : executor_(executor), table_(table), on_gpu_(on_gpu) {}

  VerifiedRung verify(const Rung& rung) {
    VerifiedRung result;
    result.ladder = table_.name();
    result.rung = rung.name;
    std::set<Point> done;
    if (verify_table(rung, done, result)) verify_experiments(rung, done, result);
    return result;
  }

 private:
  // Verifies a rung at all points that the table lists and its axes span, at every size. Returns
  // false after a failure.
  bool verify_table(const Rung& rung, std::set<Point>& done, VerifiedRung& result) {
    auto found = cases_.find(rung.parameters);
    if (found == cases_.end()) {
      found = cases_.emplace(rung.parameters, cases_of(table_, rung.parameters, on_gpu_)).first;
    }
    const Cases& cases = found->second;
    result.failure = cases.failure;
    if (!result.failure.empty()) return false;
    std::vector<emulator::Dim3> blocks = rung.blocks;
    for (const emulator::Dim3& each : table_.axes.blocks) {
      if (std::find(blocks.begin(), blocks.end(), each) == blocks.end()) blocks.push_back(each);
    }
    for (const RungPoint& point : points_of(rung, table_.axes)) {
      for (const emulator::Dim3& block : blocks) {
        for (const Variables& each : cases.parameters) done.insert(point_of(point, each, block));
        if (!verify_point(executor_, table_, point, cases, block, result)) return false;
      }
    }
    return true;
  }

  // Verifies the points that occur only in experiments, each at one size.
  void verify_experiments(const Rung& rung, std::set<Point>& done, VerifiedRung& result) {
    for (const Experiment& experiment : table_.experiments) {
      const auto& names = experiment.rungs;
      if (std::find(names.begin(), names.end(), rung.name) == names.end()) continue;
      for (const Variables& each : parameters_of(table_, experiment.axes)) {
        const Variables parameters = merged(each, rung.parameters);
        for (const RungPoint& point : points_of(rung, experiment.axes)) {
          for (const emulator::Dim3& block : blocks_of(rung, experiment.axes)) {
            if (!done.insert(point_of(point, parameters, block)).second) continue;
            const Cases& cases = cases_of_experiments(parameters);
            if (!verify_point(executor_, table_, point, cases, block, result)) return;
          }
        }
      }
    }
  }

  static Point point_of(const RungPoint& point, const Variables& parameters,
                        const emulator::Dim3& block) {
    return {point.rung.constants, parameters, {block.x, block.y, block.z}};
  }

  const Cases& cases_of_experiments(const Variables& parameters) {
    auto found = cases_of_experiments_.find(parameters);
    if (found == cases_of_experiments_.end()) {
      found =
          cases_of_experiments_.emplace(parameters, cases_at_last_size(table_, parameters)).first;
    }
    return found->second;
  }

  Executor& executor_;
  const StudyTable& table_;
  bool on_gpu_;
  // The key is the parameters that a rung fixes. Nearly all rungs fix none, and share their cases.
  std::map<Variables, Cases> cases_;
  std::map<Variables, Cases> cases_of_experiments_;  // the key is all parameters
};

}  // namespace

void verify(Executor& executor, const StudyTable& table, const std::vector<std::string>& rungs,
            bool on_gpu, const std::function<void(const VerifiedRung&)>& done) {
  Verifier verifier(executor, table, on_gpu);
  for (const std::string& name : rungs) done(verifier.verify(table.rung(name)));
}

}  // namespace warpwise::lab
