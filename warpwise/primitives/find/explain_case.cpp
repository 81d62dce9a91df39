#include <algorithm>

#include "warpwise/primitives/find/find.hpp"
#include "warpwise/primitives/shared/explain_case.hpp"

namespace warpwise::explain_cases {

ExplainCase find_explain_case() {
  return {.name = "find",
          .call = [](Operands& operands, std::int64_t width, std::int64_t height) -> std::string {
            constexpr std::int64_t side = 16;
            const gpu::DeviceImage image = operands.random(ElementType::u8, width, height);
            const gpu::DeviceImage templ =
                operands.random(ElementType::u8, std::min(side, width), std::min(side, height));
            gpu::DeviceImage best = operands.empty(ElementType::u8, sizeof(Finding), 1);
            find(templ.view(), image.view(), best.view(), Measure::sad, operands.stream());
            return "u8 sad template " + std::to_string(templ.view().width()) + "x" +
                   std::to_string(templ.view().height());
          }};
}

}  // namespace warpwise::explain_cases
