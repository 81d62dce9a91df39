#include <cmath>
#include <string>

#include "warpwise/primitives/gemv/gemv.hpp"
#include "warpwise/primitives/gemv/ladder/problem.hpp"
#include "warpwise/primitives/gemv/launch.hpp"
#include "warpwise/primitives/shared/ladder.hpp"
#include "warpwise/primitives/shared/shipped.hpp"

namespace warpwise::ladders {
namespace {

// Inputs are multiples of 1/8 in [-1, 1]. Products, and sums of products in any order, are
// multiples of 1/64. A float holds each multiple of less than 2^24 of these units exactly.
constexpr float input_unit = 1.0F / 8;
constexpr double exact_below = 0x1p24 / 64;

void round_down(HostView view) {
  for (std::int64_t y = 0; y < view.height(); ++y) {
    for (std::int64_t x = 0; x < view.width(); ++x) {
      const float value = load<float>(view.row(y), x);
      store(view.row(y), x, std::floor(value / input_unit) * input_unit);
    }
  }
}

/// Returns how far y may be from the reference, the exact sum rounded once. The tolerance is zero
/// where every partial sum is exact. Otherwise a rung may add in any order, with fused products or
/// without. A product is rounded once and then goes through at most columns - 1 additions: columns
/// roundings by a relative 2^-24 each. Two more cover the reference's own rounding and its sums in
/// double. The tolerance is then gamma(columns + 2) Σ|a||x|, with gamma(n) = n u / (1 - n u) and u
/// = 2^-24.
std::vector<float> tolerance(ConstHostView a, ConstHostView x) {
  const double rounding = static_cast<double>(a.width() + 2) * 0x1p-24;
  const double gamma = rounding < 1 ? rounding / (1 - rounding) : HUGE_VAL;
  std::vector<float> bound;
  bound.reserve(static_cast<std::size_t>(a.height()));
  for (std::int64_t row = 0; row < a.height(); ++row) {
    double sum = 0;
    for (std::int64_t k = 0; k < a.width(); ++k) {
      sum += std::fabs(double{load<float>(a.row(row), k)} * load<float>(x.row(0), k));
    }
    bound.push_back(sum < exact_below ? 0 : static_cast<float>(gamma * sum));
  }
  return bound;
}

/// Returns the demangled name of a kernel for floats, without its parameters.
std::string demangled_name(const detail::gemv::GemvKernel& kernel) {
  const std::string name = detail::gemv::kernel_name(kernel.step);
  switch (kernel.step) {
    case detail::gemv::GemvStep::rows:
      return "warpwise::kernels::gemv::" + name +
             "<warpwise::kernels::gemv::GemvF32, (warpwise::kernels::gemv::GemvAccess)" +
             std::to_string(static_cast<int>(kernel.access)) + ", " +
             std::to_string(kernel.shape.steps) + ", " + std::to_string(kernel.shape.pieces) +
             ", " + std::to_string(kernel.shape.at_once) + ">";
    case detail::gemv::GemvStep::narrow:
      return "warpwise::kernels::gemv::" + name + "<warpwise::kernels::gemv::GemvF32>";
    case detail::gemv::GemvStep::sum:
    case detail::gemv::GemvStep::sum_few: return "warpwise::kernels::gemv::" + name;
    case detail::gemv::GemvStep::scale:
    case detail::gemv::GemvStep::gather:
    // These steps compute Aᵀx, which no rung of this ladder does.
    case detail::gemv::GemvStep::columns:
    case detail::gemv::GemvStep::short_columns:
    case detail::gemv::GemvStep::strands: return name;
  }
  __builtin_unreachable();
}

class GemvLadder final : public Ladder {
 public:
  std::string_view name() const override { return "gemv"; }
  Variables parameters() const override { return {}; }

  Problem problem(std::int64_t width, std::int64_t height, const Variables& /*parameters*/,
                  Layout layout) const override {
    Problem problem;
    problem.variables = {{"width", width}, {"height", height}};
    problem.operands.push_back(Operand::input("a", ElementType::f32, width, height, 1, layout));
    problem.operands.push_back(Operand::input("x", ElementType::f32, width, 1, 1, layout));
    problem.operands.push_back(Operand::output("y", ElementType::f32, height, 1, 1, layout));
    round_down(problem.operands[0].view());
    round_down(problem.operands[1].view());
    problem.operands[2].tolerance =
        tolerance(problem.operands[0].view(), problem.operands[1].view());
    problem.bytes = 4 * (width * height + width + height);
    problem.pixels = width * height;
    problem.roof = Roof::read;
    return problem;
  }

  void compute(Problem& problem, Cpu with) const override {
    const ConstHostView a = problem.operands[0].view();
    const ConstHostView x = problem.operands[1].view();
    const HostView y = problem.operands[2].view();
    with == Cpu::reference ? reference::gemv(a, x, y) : gemv(a, x, y);
  }

  std::vector<std::byte> arguments(const Problem& problem,
                                   const Placement& placement) const override {
    const auto first = [&](int operand) {
      return static_cast<int>(problem.operands[operand].offset_bytes() / 4);
    };
    return bytes_of(GemvProblem{
        pointer<const float>(placement.address[0]), pointer<const float>(placement.address[1]),
        pointer<float>(placement.address[2]), problem.operands[0].pitch_bytes() / 4, rows(problem),
        columns(problem), placement.texture[0], placement.texture[1], first(0), first(1)});
  }

  std::vector<Launch> shipped(const Problem& problem, const Placement& placement) const override {
    const detail::gemv::GemvCall library_call = call_of(problem, placement);
    std::vector<Launch> launches;
    for (const auto& launch : detail::gemv::gemv_launches(
             library_call, detail::gemv::gemv_plan(library_call, placement.multiprocessors),
             pointer<std::byte>(placement.scratch))) {
      launches.push_back(launch_of(launch, demangled_name(launch.kernel)));
    }
    return launches;
  }

  std::int64_t shipped_scratch_bytes(const Problem& problem,
                                     const Placement& placement) const override {
    return detail::gemv::gemv_plan(call_of(problem, placement), placement.multiprocessors)
        .scratch_bytes();
  }

  void call(const Problem& problem, const Placement& placement,
            gpu::StreamHandle stream) const override {
    gemv(device_input(problem, placement, 0), device_input(problem, placement, 1),
         device_output(problem, placement, 2), {}, stream);
  }

 private:
  static detail::gemv::GemvCall call_of(const Problem& problem, const Placement& placement) {
    return detail::gemv::gemv_call(device_input(problem, placement, 0),
                                   device_input(problem, placement, 1),
                                   device_output(problem, placement, 2), {});
  }
  static std::int64_t rows(const Problem& problem) { return problem.variables.at("height"); }
  static std::int64_t columns(const Problem& problem) { return problem.variables.at("width"); }
};

}  // namespace

const Ladder& gemv_ladder() {
  static const GemvLadder ladder;
  return ladder;
}

}  // namespace warpwise::ladders
