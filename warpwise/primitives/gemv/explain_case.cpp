#include "warpwise/primitives/shared/explain_case.hpp"
#include "warpwise/primitives/gemv/gemv.hpp"

namespace warpwise::explain_cases {
namespace {

std::string call_gemv(Operands& operands, std::int64_t width, std::int64_t height) {
  const gpu::DeviceImage a = operands.random(ElementType::f32, width, height);
  const gpu::DeviceImage x = operands.random(ElementType::f32, width, 1);
  gpu::DeviceImage y = operands.empty(ElementType::f32, height, 1);
  gemv(a.view(), x.view(), y.view(), {}, operands.stream());
  return "f32";
}

}  // namespace

const ExplainCase& gemv_explain_case() {
  static constexpr ExplainCase made = {.name = "gemv", .call = call_gemv};
  return made;
}

}  // namespace warpwise::explain_cases
