#include <utility>

#include "warpwise/base/checked.hpp"
#include "warpwise/primitives/convert/convert.hpp"
#include "warpwise/primitives/convert/ladder/problem.hpp"
#include "warpwise/primitives/convert/launch.hpp"
#include "warpwise/primitives/shared/ladder.hpp"
#include "warpwise/primitives/shared/shipped.hpp"

namespace warpwise::ladders {
namespace {

// The rungs' pixel indices are 32-bit numbers.
constexpr std::int64_t most_convert_side = 1 << 29;

detail::convert::Conversion conversion() {
  return detail::convert::resolve(PixelFormat::rgb24, PixelFormat::ycbcr32, {});
}

/// Converts a fixed-point number of the plan (Linear) to the rungs' convert_fraction_bits.
int rung_number(std::int64_t fixed) {
  constexpr int dropped = detail::convert::linear_bits - convert_fraction_bits;
  if ((fixed & ((std::int64_t{1} << dropped) - 1)) != 0) {
    throw Error("the default conversion does not fit the ladder's fixed point any more");
  }
  return static_cast<int>(fixed >> dropped);
}

class ConvertLadder final : public Ladder {
 public:
  std::string_view name() const override { return "convert"; }
  Variables parameters() const override { return {}; }

  Problem problem(std::int64_t width, std::int64_t height, const Variables& /*parameters*/,
                  Layout layout) const override {
    if (width > most_convert_side || height > most_convert_side) {
      throw InvalidArgument("convert's ladder takes frames of up to 2^29 pixels a side, not of " +
                            std::to_string(width) + "x" + std::to_string(height));
    }
    Problem problem;
    problem.variables = {{"width", width}, {"height", height}};
    problem.operands.push_back(Operand::input("src", ElementType::u8, width, height, 3, layout));
    problem.operands.push_back(Operand::output("dst", ElementType::u8, width, height, 4, layout));
    problem.pixels = checked_mul(width, height);
    problem.bytes = 7 * problem.pixels;
    return problem;
  }

  void compute(Problem& problem, Cpu with) const override {
    const ConstHostFrame src(PixelFormat::rgb24, std::as_const(problem.operands[0]).view());
    const HostFrame dst(PixelFormat::ycbcr32, problem.operands[1].view());
    with == Cpu::reference ? reference::convert(src, dst) : convert(src, dst);
  }

  double reference_seconds(const Problem& problem) const override {
    return 2e-8 * static_cast<double>(problem.pixels);
  }

  std::vector<std::byte> arguments(const Problem& problem,
                                   const Placement& placement) const override {
    const detail::convert::Linear linear = detail::convert::plan_of(conversion()).linear;
    ConvertProblem p{};
    p.src = pointer<const unsigned char>(placement.address[0]);
    p.dst = pointer<unsigned char>(placement.address[1]);
    p.src_pitch = problem.operands[0].pitch_bytes();
    p.dst_pitch = problem.operands[1].pitch_bytes();
    p.width = static_cast<int>(problem.variables.at("width"));
    p.height = static_cast<int>(problem.variables.at("height"));
    for (int row = 0; row < 3; ++row) {
      for (int i = 0; i < 3; ++i) p.coefficient[row][i] = rung_number(linear.coefficient[row][i]);
      p.offset[row] = rung_number(linear.offset[row]);
    }
    return bytes_of(p);
  }

  std::vector<Launch> shipped(const Problem& problem, const Placement& placement) const override {
    return {launch_of(detail::convert::convert_launch(
        source(problem, placement), destination(problem, placement), conversion()))};
  }

  void call(const Problem& problem, const Placement& placement,
            gpu::StreamHandle stream) const override {
    convert(source(problem, placement), destination(problem, placement), {}, stream);
  }

 private:
  static ConstDeviceFrame source(const Problem& problem, const Placement& placement) {
    return {PixelFormat::rgb24, device_input(problem, placement, 0)};
  }
  static DeviceFrame destination(const Problem& problem, const Placement& placement) {
    return {PixelFormat::ycbcr32, device_output(problem, placement, 1)};
  }
};

}  // namespace

const Ladder& convert_ladder() {
  static const ConvertLadder ladder;
  return ladder;
}

}  // namespace warpwise::ladders
