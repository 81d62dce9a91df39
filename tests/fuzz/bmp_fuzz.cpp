// decode_bmp() refuses a file only with IoError, or returns a picture with 8-bit channels.
#include "fuzz/fuzz.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/io/bmp.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwise;
  try {
    const io::Picture picture = io::decode_bmp(fuzz::bytes(data, size), "input");
    const io::PictureShape& shape = picture.shape();
    fuzz::require(picture.bytes().size() ==
                      static_cast<std::size_t>(shape.width * shape.height * shape.channels),
                  "a byte for each channel of each pixel");
  } catch (const IoError&) {
  }
  return 0;
}
