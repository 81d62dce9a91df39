#include "warpwise/base/checked.hpp"
#include "warpwise/primitives/disparity/ladder/problem.hpp"
#include "warpwise/primitives/disparity/launch.hpp"
#include "warpwise/primitives/shared/ladder.hpp"
#include "warpwise/primitives/shared/shipped.hpp"

namespace warpwise::ladders {
namespace {

// Indices in Problem::operands.
enum : std::size_t { left_at, right_at, dst_at };

// The rungs use 31-bit byte offsets for pixels of up to four bytes.
constexpr std::int64_t most_disparity_pixels = (std::int64_t{1} << 29) - 1;

/// Returns the name by which the instance of a launch's kernel is found.
std::string instance_name(const detail::disparity::DisparityKernel& kernel) {
  const std::string name = kernel_name(kernel);
  if (kernel.step != detail::disparity::DisparityStep::check) return name;
  return "warpwise::kernels::disparity::" + name +
         (kernel.swept ? "<unsigned long long>" : "<short>");
}

DisparityOptions disparity_options_of(const Variables& variables) {
  return {.block = static_cast<int>(variables.at("block")),
          .max_disparity = static_cast<int>(variables.at("max_disparity"))};
}

/// Makes the right image match the left one: three quarters of its pixels are the left one's, moved
/// by 2 to 5 columns. The distance changes every 8 rows.
void match(ConstHostView left, HostView right) {
  for (std::int64_t y = 0; y < left.height(); ++y) {
    const std::byte* from = left.row(y);
    std::byte* to = right.row(y);
    const std::int64_t shift = 2 + y / 8 % 4;
    for (std::int64_t x = 0; x + shift < left.width(); ++x) {
      if ((x + y) % 4 != 0) to[x] = from[x + shift];
    }
  }
}

class DisparityLadder final : public Ladder {
 public:
  std::string_view name() const override { return "disparity"; }
  Variables parameters() const override { return {{"block", 9}, {"max_disparity", 127}}; }

  Problem problem(std::int64_t width, std::int64_t height, const Variables& parameters,
                  Layout layout) const override {
    const auto within = [&](const char* parameter, std::int64_t least, std::int64_t most) {
      const std::int64_t value = parameters.at(parameter);
      if (value >= least && value <= most) return value;
      throw InvalidArgument("disparity: " + std::string(parameter) + " is " +
                            std::to_string(value) + "; it must be " + std::to_string(least) +
                            " to " + std::to_string(most));
    };
    const std::int64_t block = within("block", 1, max_disparity_block);
    if (block % 2 == 0) {
      throw InvalidArgument("disparity: a block of " + std::to_string(block) +
                            " pixels; it must be odd");
    }
    const std::int64_t range = within("max_disparity", 0, max_disparity_range);
    if (checked_mul(width, height) > most_disparity_pixels) {
      throw InvalidArgument("disparity's ladder takes images of less than 2^29 pixels, not of " +
                            std::to_string(width) + "x" + std::to_string(height));
    }
    Problem problem;
    problem.variables = parameters;
    problem.variables["width"] = width;
    problem.variables["height"] = height;
    problem.variables["half"] = block / 2;
    problem.variables["count"] = std::min(range + 1, width);
    problem.operands.push_back(Operand::input("left", ElementType::u8, width, height, 1, layout));
    problem.operands.push_back(Operand::input("right", ElementType::u8, width, height, 1, layout));
    problem.operands.push_back(Operand::output("dst", ElementType::f32, width, height, 1, layout));
    match(problem.operands[left_at].view(), problem.operands[right_at].view());
    problem.pixels = width * height;
    problem.bytes = 6 * problem.pixels;
    problem.operations = problem.pixels * problem.variables["count"] * block * block;
    problem.roof = Roof::vsadu4;
    return problem;
  }

  void compute(Problem& problem, Cpu with) const override {
    const ConstHostView left = problem.operands[left_at].view();
    const ConstHostView right = problem.operands[right_at].view();
    const HostView dst = problem.operands[dst_at].view();
    const DisparityOptions options = disparity_options_of(problem.variables);
    with == Cpu::reference ? reference::disparity(left, right, dst, options)
                           : disparity(left, right, dst, options);
  }

  double reference_seconds(const Problem& problem) const override {
    return 2e-9 * static_cast<double>(problem.operations);
  }

  std::vector<std::byte> arguments(const Problem& problem,
                                   const Placement& placement) const override {
    DisparityProblem p{};
    p.left = pointer<const unsigned char>(placement.address[left_at]);
    p.right = pointer<const unsigned char>(placement.address[right_at]);
    p.dst = pointer<unsigned char>(placement.address[dst_at]);
    p.scratch = pointer<void>(placement.scratch);
    p.left_pitch = problem.operands[left_at].pitch_bytes();
    p.right_pitch = problem.operands[right_at].pitch_bytes();
    p.dst_pitch = problem.operands[dst_at].pitch_bytes();
    p.width = static_cast<int>(problem.variables.at("width"));
    p.height = static_cast<int>(problem.variables.at("height"));
    p.half = static_cast<int>(problem.variables.at("half"));
    p.count = static_cast<int>(problem.variables.at("count"));
    return bytes_of(p);
  }

  std::vector<Launch> shipped(const Problem& problem, const Placement& placement) const override {
    using detail::disparity::DisparityKernel;
    const detail::disparity::DisparityCall library_call = call_of(problem, placement);
    const auto resident = [&](const DisparityKernel& kernel, int threads, int shared_bytes) {
      return placement.resident_blocks(instance_name(kernel), threads,
                                       static_cast<std::uint64_t>(shared_bytes));
    };
    std::vector<Launch> launches;
    for (const auto& launch : detail::disparity::disparity_launches(
             library_call,
             detail::disparity::disparity_plan(library_call, placement.max_shared_bytes),
             pointer<std::byte>(placement.scratch), placement.multiprocessors, resident)) {
      launches.push_back(launch_of(launch, instance_name(launch.kernel)));
    }
    return launches;
  }

  std::int64_t shipped_scratch_bytes(const Problem& problem,
                                     const Placement& placement) const override {
    return detail::disparity::disparity_plan(call_of(problem, placement),
                                             placement.max_shared_bytes)
        .scratch_bytes;
  }

  Division division(const Problem& problem) const override {
    return {.units = problem.variables.at("height"), .halo = problem.variables.at("half")};
  }

  void call(const Problem& problem, const Placement& placement,
            gpu::StreamHandle stream) const override {
    const detail::disparity::DisparityCall library_call = call_of(problem, placement);
    disparity(library_call.left, library_call.right, library_call.dst, library_call.options,
              stream);
  }

 private:
  static detail::disparity::DisparityCall call_of(const Problem& problem,
                                                  const Placement& placement) {
    return {device_input(problem, placement, left_at), device_input(problem, placement, right_at),
            device_output(problem, placement, dst_at), disparity_options_of(problem.variables)};
  }
};

}  // namespace

const Ladder& disparity_ladder() {
  static const DisparityLadder ladder;
  return ladder;
}

}  // namespace warpwise::ladders
