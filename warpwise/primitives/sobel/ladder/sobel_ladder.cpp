#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>

#include "warpwise/base/checked.hpp"
#include "warpwise/primitives/shared/ladder.hpp"
#include "warpwise/primitives/shared/shipped.hpp"
#include "warpwise/primitives/sobel/ladder/problem.hpp"
#include "warpwise/primitives/sobel/launch.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"

namespace warpwise::ladders {
namespace {

constexpr SobelOptions options = {.border = Border::replicate};
constexpr std::array<int, 18> filter = {-1, 0,  1,  -2, 0, 2, -1, 0, 1,   // dx
                                        -1, -2, -1, 0,  0, 0, 1,  2, 1};  // dy
constexpr int pixel_bytes = 4;

class SobelLadder final : public Ladder {
 public:
  std::string_view name() const override { return "sobel"; }
  Variables parameters() const override { return {}; }

  Problem problem(std::int64_t width, std::int64_t height, const Variables& /*parameters*/,
                  Layout layout) const override {
    if (width > std::numeric_limits<int>::max() - 4096 ||
        height > std::numeric_limits<int>::max() - 4096) {
      throw InvalidArgument("sobel: the rungs count columns and rows in int, an image of " +
                            std::to_string(width) + " x " + std::to_string(height) +
                            " is too large");
    }
    Problem problem;
    problem.variables = {{"width", width}, {"height", height}};
    problem.operands.push_back(Operand::input("src", ElementType::u8, width, height, 4, layout));
    problem.operands.push_back(Operand::input("filter", ElementType::i32, 18, 1));
    problem.operands.push_back(Operand::output("dst", ElementType::u8, width, height, 1, layout));
    std::ranges::copy(std::as_bytes(std::span(filter)), problem.operands[1].memory().begin());
    problem.pixels = checked_mul(width, height);
    problem.bytes = (pixel_bytes + 1) * problem.pixels;
    return problem;
  }

  void compute(Problem& problem, Cpu with) const override {
    const ConstHostView src = problem.operand("src").view();
    const HostView dst = problem.operands[2].view();
    with == Cpu::reference ? reference::sobel(src, dst, options) : sobel(src, dst, options);
  }

  double reference_seconds(const Problem& problem) const override {
    return 3e-8 * static_cast<double>(problem.pixels);
  }

  std::vector<std::byte> arguments(const Problem& problem,
                                   const Placement& placement) const override {
    const ConstHostView src = problem.operands[0].view();
    const std::int64_t start = problem.operands[0].offset_bytes() / pixel_bytes;
    return bytes_of(SobelProblem{.src = pointer<const unsigned>(placement.address[0]),
                                 .dst = pointer<unsigned char>(placement.address[2]),
                                 .src_pitch = src.pitch_bytes() / pixel_bytes,
                                 .dst_pitch = problem.operands[2].pitch_bytes(),
                                 .width = static_cast<int>(src.width()),
                                 .height = static_cast<int>(src.height()),
                                 .filter = pointer<const int>(placement.address[1]),
                                 .grey_scale = 32768.0F,
                                 .texture = placement.texture.empty() ? 0 : placement.texture[0],
                                 .texture_start = static_cast<int>(start)});
  }

  std::vector<Launch> shipped(const Problem& problem, const Placement& placement) const override {
    const ConstDeviceView src = device_input(problem, placement, 0);
    const DeviceView dst = device_output(problem, placement, 2);
    return {launch_of(detail::sobel::sobel_launch(
        {.src = reinterpret_cast<const unsigned char*>(src.data()),
         .dst = reinterpret_cast<unsigned char*>(dst.data()),
         .src_pitch = src.pitch_bytes(),
         .dst_pitch = dst.pitch_bytes(),
         .width = src.width(),
         .height = src.height()},
        detail::sobel::sobel_choice(src.type(), src.channels(), dst.type(), options), options))};
  }

  // A row of results depends on one row above and one below.
  Division division(const Problem& problem) const override {
    return {.units = problem.variables.at("height"), .halo = 1};
  }

  void call(const Problem& problem, const Placement& placement,
            gpu::StreamHandle stream) const override {
    sobel(device_input(problem, placement, 0), device_output(problem, placement, 2), options,
          stream);
  }
};

}  // namespace

const Ladder& sobel_ladder() {
  static const SobelLadder ladder;
  return ladder;
}

}  // namespace warpwise::ladders
