// Fuzzes the parsers of a ladder's table and its expressions. A text is refused only with
// InvalidArgument, or gives a valid table. The first byte picks the parser.
#include <algorithm>
#include <limits>
#include <string>

#include "fuzz/fuzz.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/lab/study/table/expression.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

// A ladder is a primitive's list of kernels. NoLadder is a stub, so that no primitive is linked.
namespace warpwise::ladders {

class NoLadder final : public Ladder {
 public:
  std::string_view name() const override { return "copy"; }
  Variables parameters() const override { return {{"window", 31}, {"offset", 0}}; }
  Problem problem(std::int64_t, std::int64_t, const Variables&, Layout) const override {
    return {};
  }
  void compute(Problem&, Cpu) const override {}
  std::vector<std::byte> arguments(const Problem&, const Placement&) const override { return {}; }
  std::vector<Launch> shipped(const Problem&, const Placement&) const override { return {}; }
  void call(const Problem&, const Placement&, gpu::StreamHandle) const override {}
};

std::span<const Ladder* const> all() {
  static const NoLadder ladder;
  static const Ladder* const list[] = {&ladder};
  return list;
}

}  // namespace warpwise::ladders

namespace warpwise {
namespace {

using fuzz::require;
using lab::Size;

constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();

void expression(std::string_view text) {
  const ladders::Variables variables = {
      {"width", 33}, {"height", 7},      {"block_x", 32},         {"zero", 0},
      {"minus", -1}, {"most", greatest}, {"least", -greatest - 1}};
  bool is_expression = true;
  try {
    lab::require_expression(text);
  } catch (const InvalidArgument&) {
    is_expression = false;
  }
  try {
    const std::int64_t value = lab::evaluate(text, variables);
    require(is_expression, "what has a value is an expression");
    require(lab::evaluate("(" + std::string(text) + ")", variables) == value,
            "parentheses change nothing");
  } catch (const InvalidArgument& error) {
    // The added parentheses may be nested too deeply.
    require(std::string_view(error.what()).size() < 600, "a message is short");
  }
}

void check(const Size& size) {
  require(size.width >= 1 && size.height >= 1, "a size is at least 1x1");
  require(size.width <= greatest / size.height, "a size's pixels do not overflow");
}

void check(const lab::Rung& rung) {
  require(!rung.name.empty() && rung.name.find('/') == std::string::npos, "a rung has a name");
  require(rung.shipped == rung.launches.empty(), "a rung has launches unless it is shipped");
  require(!rung.blocks.empty(), "a rung has a block shape");
  for (const emulator::Dim3& block : rung.blocks) {
    require(block.count() >= 1 && block.count() <= 1024, "a block has 1 to 1024 threads");
    require(block.z <= 64, "a block is at most 64 deep");
  }
  for (const lab::LaunchRule& launch : rung.launches) {
    require(!launch.kernel.empty(), "a launch has a kernel");
    require(!launch.grid.empty() && launch.grid.size() <= 3, "a grid has one to three sides");
    require(launch.block.size() <= 3, "a block has at most three sides");
  }
  for (const auto& time : {rung.document.time_us, rung.document.speedup}) {
    require(!time || *time > 0, "a document's figure is above 0");
  }
}

void check(const lab::Axes& axes, const lab::StudyTable& table) {
  for (const Size& size : axes.sizes) check(size);
  for (const emulator::Dim3& block : axes.blocks) {
    require(block.count() >= 1 && block.count() <= 1024, "a block has 1 to 1024 threads");
  }
  for (const auto& [name, values] : axes.parameters) {
    require(!values.empty() && table.parameters().contains(name), "a parameter has values");
  }
  for (const auto& [name, values] : axes.constants) {
    require(!values.empty(), "a constant has values");
    require(std::any_of(
                table.rungs.begin(), table.rungs.end(),
                [&name = name](const lab::Rung& rung) { return rung.constants.contains(name); }),
            "a rung has the constant");
  }
}

// Checks the arguments of a problem that the table itself lists, instead of naming a ladder.
void check(const lab::ListedProblem& problem) {
  int outputs = 0;
  for (const lab::ListedArgument& each : problem.arguments) {
    require(!each.name.empty(), "an argument has a name");
    outputs += each.kind == lab::ArgumentKind::output ? 1 : 0;
    if (each.kind == lab::ArgumentKind::texture) {
      require(std::any_of(problem.arguments.begin(), problem.arguments.end(),
                          [&](const lab::ListedArgument& other) {
                            return other.kind == lab::ArgumentKind::input &&
                                   other.name == each.name;
                          }),
              "a texture is an input's");
    }
  }
  require(outputs > 0, "something can be verified");
}

void table(std::string_view text) {
  const lab::StudyTable table = lab::parse_study(text, "folder/ladder.json");
  if (!table.collects.empty()) {
    require(table.rungs.empty() && table.experiments.empty(),
            "a collection has others' experiments");
    return;
  }
  if (table.is_ladder())
    require(table.name() == "copy", "a table has its ladder");
  else
    check(table.listed);
  for (const Size& size : {table.size, table.emulator_size}) check(size);
  require(!table.verify.empty() && !table.verify_parameters.empty(), "there is a case to verify");
  std::for_each(table.verify.begin(), table.verify.end(), [](const Size& size) { check(size); });
  require(!table.rungs.empty(), "a study has a kernel");
  check(table.axes, table);
  for (const lab::Rung& rung : table.rungs) {
    check(rung);
    require(&table.rung(rung.name) == &rung, "a rung's name is its own");
  }
  for (const lab::Experiment& each : table.experiments) {
    require(!each.rungs.empty(), "an experiment has rungs");
    for (const std::string& name : each.rungs) table.rung(name);
    check(each.axes, table);
  }
}

}  // namespace
}  // namespace warpwise

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwise;
  constexpr void (*parsers[])(std::string_view) = {expression, table};
  return fuzz::parse_by_first_byte<InvalidArgument>(data, size, parsers);
}
