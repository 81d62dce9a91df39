#include <algorithm>

#include "warpwise/primitives/match/match.hpp"
#include "warpwise/primitives/shared/explain_case.hpp"

namespace warpwise::explain_cases {

ExplainCase match_explain_case() {
  return {.name = "match",
          .call = [](Operands& operands, std::int64_t width, std::int64_t height) -> std::string {
            const gpu::DeviceImage reference = operands.random(ElementType::u8, width, height);
            const gpu::DeviceImage target = operands.random(ElementType::u8, width, height);
            MatchOptions options;
            options.block_width = std::min(options.block_width, width);
            options.block_height = std::min(options.block_height, height);
            const MatchGrid grid = match_grid(width, height, options);
            gpu::DeviceImage displacement =
                operands.empty(ElementType::i16, grid.columns, grid.rows, 2);
            match(reference.view(), target.view(), displacement.view(), options, operands.stream());
            return "u8 sad block " + std::to_string(options.block_width) + "x" +
                   std::to_string(options.block_height) + " search " +
                   std::to_string(options.search_x.first) + ":" +
                   std::to_string(options.search_x.last);
          }};
}

}  // namespace warpwise::explain_cases
