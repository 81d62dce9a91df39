#include <algorithm>
#include <array>

#include "warpwise/base/checked.hpp"
#include "warpwise/primitives/match/backends.hpp"
#include "warpwise/primitives/match/ladder/problem.hpp"
#include "warpwise/primitives/match/launch.hpp"
#include "warpwise/primitives/shared/ladder.hpp"
#include "warpwise/primitives/shared/shipped.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise::ladders {
namespace {

// Indices in Problem::operands.
enum : std::size_t { reference_at, target_at, displacement_at, score_at };

/// Returns a parameter in an option's type; match_grid() checks it later.
int option_of(const Variables& variables, std::string_view name) {
  const std::int64_t value = variables.find(name)->second;
  constexpr std::int64_t most = std::int64_t{1} << 30;
  if (value < -most || value > most) {
    throw InvalidArgument("match: " + std::string(name) + " is " + std::to_string(value) +
                          "; it must lie within -2^30 to 2^30");
  }
  return static_cast<int>(value);
}

MatchOptions match_options_of(const Variables& variables) {
  constexpr std::array measures = {Measure::sad, Measure::ssd, Measure::ncc};
  const int measure = option_of(variables, "measure");
  if (measure < 0 || measure >= static_cast<int>(measures.size())) {
    throw InvalidArgument("match: measure is " + std::to_string(measure) +
                          "; it must be 0 for sad, 1 for ssd or 2 for ncc");
  }
  MatchOptions options;
  options.block_width = options.block_height = option_of(variables, "block");
  options.stride_x = options.stride_y = options.block_width;
  options.search_x = {option_of(variables, "search_first"), option_of(variables, "search_last")};
  options.search_y = options.search_x;
  options.measure = measures[static_cast<std::size_t>(measure)];
  options.border = MatchBorder::skip;
  return options;
}

/// Returns how many pairs of a block and a displacement lie inside the image, along one axis.
std::int64_t candidates_along(std::int64_t size, std::int64_t blocks, std::int64_t block,
                              SearchRange search) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const SearchRange inside = detail::match::inside_image(search, i * block, block, size);
    sum += std::max<std::int64_t>(inside.count(), 0);
  }
  return sum;
}

class MatchLadder final : public Ladder {
 public:
  std::string_view name() const override { return "match"; }

  Variables parameters() const override {
    return {{"block", 32}, {"search_first", -16}, {"search_last", 15}, {"measure", 0}};
  }

  Problem problem(std::int64_t width, std::int64_t height, const Variables& parameters,
                  Layout layout) const override {
    const MatchOptions options = match_options_of(parameters);
    const MatchGrid grid = match_grid(width, height, options);
    const std::int64_t search = options.search_x.count();
    Problem problem;
    problem.variables = parameters;
    problem.variables["width"] = width;
    problem.variables["height"] = height;
    problem.variables["columns"] = grid.columns;
    problem.variables["rows"] = grid.rows;
    problem.variables["search"] = search;
    problem.variables["candidates"] =
        checked_mul(checked_mul(grid.columns, grid.rows), checked_mul(search, search));

    problem.operands.push_back(
        Operand::input("reference", ElementType::u8, width, height, 1, layout));
    problem.operands.push_back(Operand::input("target", ElementType::u8, width, height, 1, layout));
    problem.operands.push_back(
        Operand::output("displacement", ElementType::i16, grid.columns, grid.rows, 2, layout));
    problem.operands.push_back(Operand::output("score", match_score_type(options.measure),
                                               grid.columns, grid.rows, 1, layout));

    const std::int64_t block = options.block_width;
    problem.bytes = 2 * width * height + 8 * grid.columns * grid.rows;
    problem.pixels = width * height;
    // One operation for each pair of pixels of a candidate inside the image. sad needs just these
    // operations; for ssd and ncc the number only serves to compare kernels.
    problem.operations =
        checked_mul(checked_mul(candidates_along(width, grid.columns, block, options.search_x),
                                candidates_along(height, grid.rows, block, options.search_y)),
                    block * block);
    problem.roof = Roof::vsadu4;
    return problem;
  }

  void compute(Problem& problem, Cpu with) const override {
    const MatchOptions options = match_options_of(problem.variables);
    const ConstHostView reference = problem.operands[reference_at].view();
    const ConstHostView target = problem.operands[target_at].view();
    const HostView displacement = problem.operands[displacement_at].view();
    const HostView score = problem.operands[score_at].view();
    with == Cpu::reference ? reference::match(reference, target, displacement, options, score)
                           : match(reference, target, displacement, options, score);
  }

  double reference_seconds(const Problem& problem) const override {
    return 3e-9 * static_cast<double>(problem.operations);
  }

  std::vector<std::byte> arguments(const Problem& problem,
                                   const Placement& placement) const override {
    const MatchOptions options = match_options_of(problem.variables);
    const auto& operands = problem.operands;
    MatchProblem p{};
    p.reference = pointer<const unsigned char>(placement.address[reference_at]);
    p.target = pointer<const unsigned char>(placement.address[target_at]);
    p.displacement = pointer<unsigned char>(placement.address[displacement_at]);
    p.score = pointer<unsigned char>(placement.address[score_at]);
    p.scratch = pointer<void>(placement.scratch);
    p.reference_texture = placement.texture[reference_at];
    p.target_texture = placement.texture[target_at];
    p.reference_offset = operands[reference_at].offset_bytes();
    p.target_offset = operands[target_at].offset_bytes();
    p.reference_pitch = operands[reference_at].pitch_bytes();
    p.target_pitch = operands[target_at].pitch_bytes();
    p.displacement_pitch = operands[displacement_at].pitch_bytes();
    p.score_pitch = operands[score_at].pitch_bytes();
    p.width = problem.variables.at("width");
    p.height = problem.variables.at("height");
    p.columns = problem.variables.at("columns");
    p.rows = problem.variables.at("rows");
    p.size = static_cast<int>(options.block_width);
    p.first = options.search_x.first;
    p.search = static_cast<int>(options.search_x.count());
    return bytes_of(p);
  }

  std::vector<Launch> shipped(const Problem& problem, const Placement& placement) const override {
    const auto& operands = problem.operands;
    kernels::match::MatchArguments images{};
    images.reference = pointer<const unsigned char>(placement.address[reference_at]);
    images.target = pointer<const unsigned char>(placement.address[target_at]);
    images.displacement = pointer<unsigned char>(placement.address[displacement_at]);
    images.score = pointer<unsigned char>(placement.address[score_at]);
    images.reference_pitch = operands[reference_at].pitch_bytes();
    images.target_pitch = operands[target_at].pitch_bytes();
    images.displacement_pitch = operands[displacement_at].pitch_bytes();
    images.score_pitch = operands[score_at].pitch_bytes();
    images.width = problem.variables.at("width");
    images.height = problem.variables.at("height");
    const MatchGrid grid{problem.variables.at("columns"), problem.variables.at("rows")};
    return {
        launch_of(detail::match::match_launch(images, grid, match_options_of(problem.variables)))};
  }

  // Divides the work by rows of image blocks. A band also has the rows that a search reaches.
  Division division(const Problem& problem) const override {
    const MatchOptions options = match_options_of(problem.variables);
    const std::int64_t block = options.block_height;
    const std::int64_t reach =
        std::max<std::int64_t>({-std::int64_t{options.search_y.first}, options.search_y.last, 0});
    return {.units = problem.variables.at("rows"),
            .unit_rows = block,
            .halo = (reach + block - 1) / block};
  }

  void call(const Problem& problem, const Placement& placement,
            gpu::StreamHandle stream) const override {
    match(device_input(problem, placement, reference_at),
          device_input(problem, placement, target_at),
          device_output(problem, placement, displacement_at), match_options_of(problem.variables),
          device_output(problem, placement, score_at), stream);
  }
};

}  // namespace

const Ladder& match_ladder() {
  static const MatchLadder ladder;
  return ladder;
}

}  // namespace warpwise::ladders
