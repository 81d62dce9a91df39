// decode_pnm() refuses a file only with IoError, or returns a picture of u8, u16 or f32.
#include "fuzz/fuzz.hpp"
#include "warpwise/base/element_type.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/io/image_format.hpp"
#include "warpwise/io/pnm.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwise;
  const auto content = fuzz::bytes(data, size);
  const auto format = io::image_format_of(content);
  if (!format || !io::is_pnm(format->name)) return 0;
  try {
    const io::Picture picture = io::decode_pnm(content, "input");
    const io::PictureShape& shape = picture.shape();
    fuzz::require(shape.type == ElementType::u8 || shape.type == ElementType::u16 ||
                      shape.type == ElementType::f32,
                  "u8, u16 or f32");
    fuzz::require(
        picture.bytes().size() == static_cast<std::size_t>(shape.width * shape.height *
                                                           shape.channels * size_of(shape.type)),
        "elements for each channel of each pixel");
  } catch (const IoError&) {
  }
  return 0;
}
