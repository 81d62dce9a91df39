#include "warpwise/primitives/shared/explain_case.hpp"
#include "warpwise/primitives/convert/convert.hpp"

namespace warpwise::explain_cases {

ExplainCase convert_explain_case() {
  return {.name = "convert",
          .call = [](Operands& operands, std::int64_t width, std::int64_t height) -> std::string {
            const gpu::DeviceImage src = operands.random(ElementType::u8, width, height, 3);
            gpu::DeviceImage dst = operands.empty(ElementType::u8, width, height, 4);
            convert({PixelFormat::rgb24, src.view()}, {PixelFormat::ycbcr32, dst.view()}, {},
                    operands.stream());
            return "rgb24 to ycbcr32";
          }};
}

}  // namespace warpwise::explain_cases
