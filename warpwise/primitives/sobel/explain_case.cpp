#include "warpwise/primitives/shared/explain_case.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"

namespace warpwise::explain_cases {

ExplainCase sobel_explain_case() {
  return {.name = "sobel",
          .call = [](Operands& operands, std::int64_t width, std::int64_t height) -> std::string {
            const gpu::DeviceImage src = operands.random(ElementType::u8, width, height);
            gpu::DeviceImage dst = operands.empty(ElementType::u8, width, height);
            sobel(src.view(), dst.view(), {}, operands.stream());
            return "u8 magnitude l1";
          }};
}

}  // namespace warpwise::explain_cases
