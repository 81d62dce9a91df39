#include "warpwise/primitives/shared/explain_case.hpp"
#include "warpwise/primitives/copy/copy.hpp"

namespace warpwise::explain_cases {

ExplainCase copy_explain_case() {
  return {.name = "copy",
          .call = [](Operands& operands, std::int64_t width, std::int64_t height) -> std::string {
            const gpu::DeviceImage src = operands.random(ElementType::u8, width, height);
            gpu::DeviceImage dst = operands.empty(ElementType::u8, width, height);
            copy(src.view(), dst.view(), operands.stream());
            return "u8";
          }};
}

}  // namespace warpwise::explain_cases
