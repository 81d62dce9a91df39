#include "warpwise/primitives/shared/explain_case.hpp"
#include "warpwise/primitives/disparity/disparity.hpp"

namespace warpwise::explain_cases {

ExplainCase disparity_explain_case() {
  return {.name = "disparity",
          .width = 160,
          .height = 120,
          .call = [](Operands& operands, std::int64_t width, std::int64_t height) -> std::string {
            const gpu::DeviceImage left = operands.random(ElementType::u8, width, height);
            const gpu::DeviceImage right = operands.random(ElementType::u8, width, height);
            gpu::DeviceImage dst = operands.empty(ElementType::f32, width, height);
            const DisparityOptions options;
            disparity(left.view(), right.view(), dst.view(), options, operands.stream());
            return "u8 sad block " + std::to_string(options.block) +
                   " disparities 0:" + std::to_string(options.max_disparity);
          }};
}

}  // namespace warpwise::explain_cases
