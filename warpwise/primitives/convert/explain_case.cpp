#include "warpwise/primitives/shared/explain_case.hpp"
#include "warpwise/primitives/convert/convert.hpp"

namespace warpwise::explain_cases {
namespace {

std::string call_convert(Operands& operands, std::int64_t width, std::int64_t height) {
  const gpu::DeviceImage src = operands.random(ElementType::u8, width, height, 3);
  gpu::DeviceImage dst = operands.empty(ElementType::u8, width, height, 4);
  convert({PixelFormat::rgb24, src.view()}, {PixelFormat::ycbcr32, dst.view()}, {},
          operands.stream());
  return "rgb24 to ycbcr32";
}

}  // namespace

const ExplainCase& convert_explain_case() {
  static constexpr ExplainCase made = {.name = "convert", .call = call_convert};
  return made;
}

}  // namespace warpwise::explain_cases
