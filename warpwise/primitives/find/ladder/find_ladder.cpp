#include <cstring>

#include "warpwise/base/checked.hpp"
#include "warpwise/base/image.hpp"
#include "warpwise/primitives/find/ladder/problem.hpp"
#include "warpwise/primitives/find/launch.hpp"
#include "warpwise/primitives/shared/ladder.hpp"
#include "warpwise/primitives/shared/shipped.hpp"

namespace warpwise::ladders {
namespace {

// Indices in Problem::operands.
enum : std::size_t { templ_at, image_at, best_at };

// Up to largest_side the rungs' sums of squares fit 32 bits. Up to most_find_pixels the numbers of
// places fit 31 bits.
constexpr std::int64_t largest_side = 256;
constexpr std::int64_t most_find_pixels = std::int64_t{1} << 30;

Measure measure_of(const Variables& variables) {
  const std::int64_t measure = variables.at("measure");
  for (const Measure each : {Measure::sad, Measure::zncc}) {
    if (measure == static_cast<std::int64_t>(each)) return each;
  }
  throw InvalidArgument("find: measure is " + std::to_string(measure) +
                        "; it must be 0 for sad or 3 for zncc");
}

/// Returns the name by which the compiled module knows a kernel. products_kernel is a template, so
/// its name includes the template arguments.
std::string instance_name(const detail::find::FindKernel& kernel) {
  const std::string name = kernel_name(kernel);
  if (kernel.step != detail::find::FindStep::products) return name;
  return "warpwise::kernels::find::" + name + "<(warpwise::Measure)" +
         std::to_string(static_cast<int>(kernel.measure)) +
         (kernel.wide ? ", true, " : ", false, ") + std::to_string(kernel.groups) + ">";
}

class FindLadder final : public Ladder {
 public:
  std::string_view name() const override { return "find"; }
  Variables parameters() const override { return {{"side", 32}, {"measure", 3}}; }

  Problem problem(std::int64_t width, std::int64_t height, const Variables& parameters,
                  Layout layout) const override {
    measure_of(parameters);
    const std::int64_t side = parameters.at("side");
    if (side < 1 || side > largest_side) {
      throw InvalidArgument("find's ladder takes templates of 1 to " +
                            std::to_string(largest_side) + " pixels a side, not of " +
                            std::to_string(side));
    }
    if (side > width || side > height) {
      throw InvalidArgument("find: the template is " + std::to_string(side) +
                            " pixels a side, the image " + std::to_string(width) + "x" +
                            std::to_string(height));
    }
    if (checked_mul(width, height) > most_find_pixels) {
      throw InvalidArgument("find's ladder takes images of up to 2^30 pixels, not of " +
                            std::to_string(width) + "x" + std::to_string(height));
    }
    Problem problem;
    problem.variables = parameters;
    problem.variables["width"] = width;
    problem.variables["height"] = height;
    problem.variables["columns"] = width - side + 1;
    problem.variables["rows"] = height - side + 1;
    problem.operands.push_back(Operand::input("template", ElementType::u8, side, side, 1, layout));
    problem.operands.push_back(Operand::input("image", ElementType::u8, width, height, 1, layout));
    problem.operands.push_back(
        Operand::output("best", ElementType::u8, std::int64_t{sizeof(Finding)}, 1, 1, layout));
    problem.bytes = side * side + width * height + std::int64_t{sizeof(Finding)};
    problem.pixels = width * height;
    // Operations are pairs of pixels, for zncc as for sad.
    problem.operations = (width - side + 1) * (height - side + 1) * side * side;
    problem.roof = Roof::vsadu4;
    return problem;
  }

  void compute(Problem& problem, Cpu with) const override {
    const ConstHostView templ = problem.operands[templ_at].view();
    const ConstHostView image = problem.operands[image_at].view();
    const Measure measure = measure_of(problem.variables);
    Finding best{};
    if (with == Cpu::reference) {
      Image map(ElementType::f32, problem.variables.at("columns"), problem.variables.at("rows"));
      best = reference::find(templ, image, map.view(), measure);
    } else {
      best = find(templ, image, measure);
    }
    std::memcpy(problem.operands[best_at].view().row(0), &best, sizeof(best));
  }

  double reference_seconds(const Problem& problem) const override {
    return 3e-9 * static_cast<double>(problem.operations);
  }

  std::vector<std::byte> arguments(const Problem& problem,
                                   const Placement& placement) const override {
    FindProblem p{};
    p.templ = pointer<const unsigned char>(placement.address[templ_at]);
    p.image = pointer<const unsigned char>(placement.address[image_at]);
    p.best = pointer<unsigned char>(placement.address[best_at]);
    p.scratch = pointer<void>(placement.scratch);
    p.templ_pitch = problem.operands[templ_at].pitch_bytes();
    p.image_pitch = problem.operands[image_at].pitch_bytes();
    p.width = problem.variables.at("width");
    p.height = problem.variables.at("height");
    p.columns = problem.variables.at("columns");
    p.rows = problem.variables.at("rows");
    p.side = static_cast<int>(problem.variables.at("side"));
    return bytes_of(p);
  }

  std::vector<Launch> shipped(const Problem& problem, const Placement& placement) const override {
    const detail::find::FindCall library_call = call_of(problem, placement);
    std::vector<Launch> launches;
    detail::find::find_launches(
        library_call, detail::find::find_plan(library_call), pointer<std::byte>(placement.scratch),
        [&](const gpu::Launch<detail::find::FindKernel>& launch) {
          launches.push_back(launch_of(launch, instance_name(launch.kernel)));
        });
    return launches;
  }

  std::int64_t shipped_scratch_bytes(const Problem& problem,
                                     const Placement& placement) const override {
    return detail::find::find_plan(call_of(problem, placement)).scratch_bytes();
  }

  // The best place is searched in the whole image, which is not divided.
  Division division(const Problem& problem) const override {
    return {.units = 1, .unit_rows = problem.variables.at("height")};
  }

  void call(const Problem& problem, const Placement& placement,
            gpu::StreamHandle stream) const override {
    find(device_input(problem, placement, templ_at), device_input(problem, placement, image_at),
         device_output(problem, placement, best_at), measure_of(problem.variables), stream);
  }

 private:
  static detail::find::FindCall call_of(const Problem& problem, const Placement& placement) {
    return detail::find::find_call(
        device_input(problem, placement, templ_at), device_input(problem, placement, image_at),
        device_output(problem, placement, best_at), {}, measure_of(problem.variables));
  }
};

}  // namespace

const Ladder& find_ladder() {
  static const FindLadder ladder;
  return ladder;
}

}  // namespace warpwise::ladders
