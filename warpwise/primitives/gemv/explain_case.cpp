#include "warpwise/primitives/shared/explain_case.hpp"
#include "warpwise/primitives/gemv/gemv.hpp"

namespace warpwise::explain_cases {

ExplainCase gemv_explain_case() {
  return {.name = "gemv",
          .call = [](Operands& operands, std::int64_t width, std::int64_t height) -> std::string {
            const gpu::DeviceImage a = operands.random(ElementType::f32, width, height);
            const gpu::DeviceImage x = operands.random(ElementType::f32, width, 1);
            gpu::DeviceImage y = operands.empty(ElementType::f32, height, 1);
            gemv(a.view(), x.view(), y.view(), {}, operands.stream());
            return "f32";
          }};
}

}  // namespace warpwise::explain_cases
