#include "warpwise/base/checked.hpp"
#include "warpwise/primitives/ladders.hpp"
#include "warpwise/primitives/threshold/ladder/problem.hpp"
#include "warpwise/primitives/threshold/launch.hpp"

namespace warpwise::ladders {
namespace {

// The rungs' indices are 32-bit numbers, and so are their sums up to this window.
constexpr std::int64_t most_pixels_a_side = 1 << 30;
constexpr std::int64_t largest_window = 2051;

ThresholdOptions options_of(const Problem& problem) {
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
    if (width > most_pixels_a_side || height > most_pixels_a_side) {
      throw InvalidArgument("threshold's ladder takes images of up to 2^30 pixels a side, not of " +
                            std::to_string(width) + "x" + std::to_string(height));
    }
    Problem problem;
    problem.variables = parameters;
    problem.variables["width"] = width;
    problem.variables["height"] = height;
    const ThresholdOptions options = options_of(problem);
    detail::validate_threshold_options(options, ElementType::u8);
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
    with == Cpu::reference ? reference::threshold(src, dst, options_of(problem))
                           : threshold(src, dst, options_of(problem));
  }

  double reference_seconds(const Problem& problem) const override {
    const auto window = static_cast<double>(problem.variables.at("window"));
    return 2e-10 * window * window * static_cast<double>(problem.pixels);
  }

  std::vector<std::byte> arguments(const Problem& problem,
                                   const Placement& placement) const override {
    const detail::WindowRule rule = detail::window_rule(options_of(problem), ElementType::u8);
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
    const auto of = [](const char* kernel, int threads, unsigned grid_x, unsigned grid_y,
                       const auto& arguments) {
      return Launch{.kernel = kernel,
                    .grid = {grid_x, grid_y, 1},
                    .block = {static_cast<std::uint32_t>(threads), 1, 1},
                    .shared_bytes = 0,
                    .arguments = bytes_of(arguments)};
    };
    if (const auto tiles = tiles_of(views)) {
      return {of("threshold_tiles", kernels::threshold_tile_threads, tiles->grid_x, tiles->grid_y,
                 tiles->arguments)};
    }
    detail::ThresholdLaunch launch = sums_of(views);
    launch.use_scratch(
        pointer<void>(placement.scratch),
        launch.segment_bytes == 0
            ? nullptr
            : pointer<void>(placement.scratch + static_cast<std::uint64_t>(launch.column_bytes)));
    constexpr int threads = kernels::threshold_block_threads;
    std::vector<Launch> launches;
    if (launch.segment_bytes != 0) {
      launches.push_back(
          of("threshold_segments", threads, launch.grid_x, launch.grid_y, launch.down));
      launches.push_back(of("threshold_scan_segments", threads, launch.grid_x, 1, launch.down));
    }
    launches.push_back(of("threshold_columns", threads, launch.grid_x, launch.grid_y, launch.down));
    launches.push_back(of("threshold_rows", threads, launch.row_blocks, 1, launch.along));
    return launches;
  }

  std::int64_t shipped_scratch_bytes(const Problem& problem) const override {
    const Views views = views_of(problem, 0, 0);
    if (tiles_of(views)) return 0;
    const detail::ThresholdLaunch launch = sums_of(views);
    return checked_add(launch.column_bytes, launch.segment_bytes);
  }

 private:
  struct Views {
    kernels::ThresholdSource src;
    kernels::ThresholdOutput out;
    detail::WindowRule rule;
  };

  static Views views_of(const Problem& problem, std::uint64_t src_address,
                        std::uint64_t dst_address) {
    Views views{};
    views.rule = detail::window_rule(options_of(problem), ElementType::u8);
    views.src = {pointer<const unsigned char>(src_address), problem.operands[0].pitch_bytes(),
                 problem.variables.at("width"), problem.variables.at("height")};
    views.out.dst = pointer<unsigned char>(dst_address);
    views.out.dst_pitch = problem.operands[1].pitch_bytes();
    views.out.above = views.rule.values.above;
    views.out.below = views.rule.values.below;
    return views;
  }

  static std::optional<detail::ThresholdTileLaunch> tiles_of(const Views& views) {
    return detail::threshold_tile_launch(views.src, views.out, views.rule, 1);
  }

  // Without its scratch.
  static detail::ThresholdLaunch sums_of(const Views& views) {
    return detail::threshold_launch(views.src, views.out, views.rule,
                                    std::int64_t{sizeof(std::uint32_t)});
  }
};

}  // namespace

const Ladder& threshold_ladder() {
  static const ThresholdLadder ladder;
  return ladder;
}

}  // namespace warpwise::ladders
