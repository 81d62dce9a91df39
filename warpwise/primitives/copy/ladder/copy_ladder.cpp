#include "warpwise/base/checked.hpp"
#include "warpwise/primitives/copy/copy.hpp"
#include "warpwise/primitives/copy/ladder/problem.hpp"
#include "warpwise/primitives/copy/launch.hpp"
#include "warpwise/primitives/shared/ladder.hpp"
#include "warpwise/primitives/shared/shipped.hpp"

namespace warpwise::ladders {
namespace {

class CopyLadder final : public Ladder {
 public:
  std::string_view name() const override { return "copy"; }
  Variables parameters() const override { return {}; }

  // The ints are one row, as in document B: only the product of width and height counts.
  Problem problem(std::int64_t width, std::int64_t height, const Variables& /*parameters*/,
                  Layout layout) const override {
    const std::int64_t count = checked_mul(width, height);
    Problem problem;
    problem.variables = {{"width", width}, {"height", height}, {"count", count}};
    problem.operands.push_back(Operand::input("src", ElementType::i32, count, 1, 1, layout));
    problem.operands.push_back(Operand::output("dst", ElementType::i32, count, 1, 1, layout));
    problem.bytes = 2 * 4 * count;
    problem.pixels = count;
    return problem;
  }

  void compute(Problem& problem, Cpu with) const override {
    const ConstHostView src = problem.operands[0].view();
    const HostView dst = problem.operands[1].view();
    with == Cpu::reference ? reference::copy(src, dst) : copy(src, dst);
  }

  std::vector<std::byte> arguments(const Problem& problem,
                                   const Placement& placement) const override {
    return bytes_of(CopyProblem{pointer<const int>(placement.address[0]),
                                pointer<int>(placement.address[1]), problem.pixels});
  }

  std::vector<Launch> shipped(const Problem& problem, const Placement& placement) const override {
    return {launch_of(detail::copy::copy_launch(device_input(problem, placement, 0),
                                                device_output(problem, placement, 1)))};
  }

  void call(const Problem& problem, const Placement& placement,
            gpu::StreamHandle stream) const override {
    copy(device_input(problem, placement, 0), device_output(problem, placement, 1), stream);
  }
};

}  // namespace

const Ladder& copy_ladder() {
  static const CopyLadder ladder;
  return ladder;
}

}  // namespace warpwise::ladders
