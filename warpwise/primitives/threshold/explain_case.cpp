#include "warpwise/primitives/shared/explain_case.hpp"
#include "warpwise/primitives/threshold/threshold.hpp"

namespace warpwise::explain_cases {

ExplainCase threshold_explain_case() {
  return {.name = "threshold",
          .call = [](Operands& operands, std::int64_t width, std::int64_t height) -> std::string {
            const gpu::DeviceImage src = operands.random(ElementType::u8, width, height);
            gpu::DeviceImage dst = operands.empty(ElementType::u8, width, height);
            const ThresholdOptions options{.window = 31};
            threshold(src.view(), dst.view(), options, operands.stream());
            return "u8 mean window 31";
          }};
}

}  // namespace warpwise::explain_cases
