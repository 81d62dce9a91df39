#include "warpwise/primitives/shared/explain_case.hpp"
#include "warpwise/primitives/copy/copy.hpp"

namespace warpwise::explain_cases {
namespace {

std::string call_copy(Operands& operands, std::int64_t width, std::int64_t height) {
  const gpu::DeviceImage src = operands.random(ElementType::u8, width, height);
  gpu::DeviceImage dst = operands.empty(ElementType::u8, width, height);
  copy(src.view(), dst.view(), operands.stream());
  return "u8";
}

}  // namespace

const ExplainCase& copy_explain_case() {
  static constexpr ExplainCase made = {.name = "copy", .call = call_copy};
  return made;
}

}  // namespace warpwise::explain_cases
