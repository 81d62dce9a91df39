#include "warpwise/base/checked.hpp"
#include "warpwise/primitives/shared/ladder.hpp"
#include "warpwise/primitives/shared/shipped.hpp"
#include "warpwise/primitives/threshold/ladder/problem.hpp"
#include "warpwise/primitives/threshold/launch.hpp"

namespace warpwise::ladders {
namespace {

// The rungs' indices have 32 bits.
constexpr std::int64_t most_threshold_side = 1 << 30;
// The rungs' sums have 32 bits: larger windows would need more.
constexpr std::int64_t largest_window = 2051;

/// Returns the name by which the instance of a kernel for bytes is found.
std::string demangled_name(const detail::threshold::ThresholdKernel& kernel) {
  using detail::threshold::ThresholdStep;
  const std::string name = detail::threshold::kernel_name(kernel);
  const std::string full = "warpwise::kernels::threshold::" + name + "<unsigned char, ";
  const std::string sums =
      "(warpwise::kernels::threshold::BandSums)" + std::to_string(static_cast<int>(kernel.sums));
  switch (kernel.step) {
    case ThresholdStep::bands:
      return full + std::to_string(kernel.parts) + ", " + sums + ", " +
             std::to_string(kernel.threads) + ">";
    case ThresholdStep::wide_bands:
      return full + sums + ", " + std::to_string(kernel.threads) + ">";
    default: return name;
  }
}

ThresholdOptions threshold_options_of(const Problem& problem) {
  return {.window = problem.variables.at("window"),
          .offset = static_cast<double>(problem.variables.at("offset")),
          .method = ThresholdMethod::exact_mean};
}

class ThresholdLadder final : public Ladder {
 public:
  std::string_view name() const override { return "threshold"; }
  Variables parameters() const override { return {{"window", 31}, {"offset", 7}}; }

  Problem problem(std::int64_t width, std::int64_t height, const Variables& parameters,
                  Layout layout) const override {
    if (width > most_threshold_side || height > most_threshold_side) {
      throw InvalidArgument("threshold's ladder takes images of up to 2^30 pixels a side, not of " +
                            std::to_string(width) + "x" + std::to_string(height));
    }
    Problem problem;
    problem.variables = parameters;
    problem.variables["width"] = width;
    problem.variables["height"] = height;
    const ThresholdOptions options = threshold_options_of(problem);
    detail::threshold::validate_threshold_options(options, ElementType::u8);
    if (options.window > largest_window) {
      throw InvalidArgument("threshold's ladder takes windows of up to " +
                            std::to_string(largest_window) + ", not of " +
                            std::to_string(options.window));
    }
    problem.operands.push_back(Operand::input("src", ElementType::u8, width, height, 1, layout));
    problem.operands.push_back(Operand::output("dst", ElementType::u8, width, height, 1, layout));
    problem.pixels = checked_mul(width, height);
    problem.bytes = 2 * problem.pixels;
    return problem;
  }

  void compute(Problem& problem, Cpu with) const override {
    const ConstHostView src = problem.operands[0].view();
    const HostView dst = problem.operands[1].view();
    with == Cpu::reference ? reference::threshold(src, dst, threshold_options_of(problem))
                           : threshold(src, dst, threshold_options_of(problem));
  }

  double reference_seconds(const Problem& problem) const override {
    const auto window = static_cast<double>(problem.variables.at("window"));
    return 2e-10 * window * window * static_cast<double>(problem.pixels);
  }

  std::vector<std::byte> arguments(const Problem& problem,
                                   const Placement& placement) const override {
    const detail::threshold::WindowRule rule =
        detail::threshold::window_rule(threshold_options_of(problem), ElementType::u8);
    ThresholdProblem p{};
    p.src = pointer<const unsigned char>(placement.address[0]);
    p.dst = pointer<unsigned char>(placement.address[1]);
    p.scratch = pointer<unsigned char>(placement.scratch);
    p.src_texture = placement.texture[0];
    p.src_pitch = problem.operands[0].pitch_bytes();
    p.dst_pitch = problem.operands[1].pitch_bytes();
    p.width = static_cast<int>(problem.variables.at("width"));
    p.height = static_cast<int>(problem.variables.at("height"));
    p.half = static_cast<int>(rule.half);
    p.area = static_cast<int>(rule.area);
    p.bias = static_cast<int>(rule.bias);
    return bytes_of(p);
  }

  std::vector<Launch> shipped(const Problem& problem, const Placement& placement) const override {
    const Views views = views_of(problem, placement.address[0], placement.address[1]);
    std::vector<Launch> launches;
    for (const auto& launch : detail::threshold::threshold_launches(
             views.src, views.out, views.rule, 1, placement.max_shared_bytes,
             pointer<std::byte>(placement.scratch))) {
      launches.push_back(launch_of(launch, demangled_name(launch.kernel)));
    }
    return launches;
  }

  std::int64_t shipped_scratch_bytes(const Problem& problem,
                                     const Placement& placement) const override {
    const Views views = views_of(problem, placement.address[0], placement.address[1]);
    return detail::threshold::threshold_scratch_bytes(views.src, views.out, views.rule, 1,
                                                      placement.max_shared_bytes);
  }

  Division division(const Problem& problem) const override {
    return {.units = problem.variables.at("height"), .halo = problem.variables.at("window") / 2};
  }

  void call(const Problem& problem, const Placement& placement,
            gpu::StreamHandle stream) const override {
    threshold(device_input(problem, placement, 0), device_output(problem, placement, 1),
              threshold_options_of(problem), stream);
  }

 private:
  struct Views {
    kernels::threshold::ThresholdSource src;
    kernels::threshold::ThresholdOutput out;
    detail::threshold::WindowRule rule;
  };

  static Views views_of(const Problem& problem, std::uint64_t src_address,
                        std::uint64_t dst_address) {
    Views views{};
    views.rule = detail::threshold::window_rule(threshold_options_of(problem), ElementType::u8);
    views.src = {pointer<const unsigned char>(src_address), problem.operands[0].pitch_bytes(),
                 problem.variables.at("width"), problem.variables.at("height")};
    views.out.dst = pointer<unsigned char>(dst_address);
    views.out.dst_pitch = problem.operands[1].pitch_bytes();
    views.out.above = views.rule.values.above;
    views.out.below = views.rule.values.below;
    return views;
  }
};

}  // namespace

const Ladder& threshold_ladder() {
  static const ThresholdLadder ladder;
  return ladder;
}

}  // namespace warpwise::ladders
