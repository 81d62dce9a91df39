// Fuzzes the reader and writer of the image format WARPWISE_EXTENSION. A file is refused only with
// IoError, or gives a picture that survives writing and reading. Only our code is instrumented: the
// format's library is Debian's.
#include <algorithm>

#include "fuzz/fuzz.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/io/codec.hpp"
#include "warpwise/io/image_module.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/io/truncation.hpp"

extern "C" const warpwise::io::ImageModule* warpwise_image_module_4();

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwise;
  const io::ImageModule& module = *warpwise_image_module_4();
  try {
    const auto content = fuzz::bytes(data, size);
    io::require_complete(content,
                         "input");  // like read_picture(): no PNG chunk ends beyond the file
    const io::Picture picture = io::upright(module.decode(content, "input"));
    if (const auto pages = module.pages(content, "input")) {
      std::int64_t count = 0;
      while (pages->next()) fuzz::require(++count <= pages->count(), "there are as many pages");
    }
    const io::PictureShape& shape = picture.shape();
    const io::StorageFidelity fidelity = io::storage_fidelity(WARPWISE_EXTENSION, shape);
    if (fidelity == io::StorageFidelity::unsupported) return 0;
    const io::Picture again =
        module.decode(module.encode(picture, WARPWISE_EXTENSION, "output"), "again");
    fuzz::require(again.shape().width == shape.width && again.shape().height == shape.height &&
                      again.shape().pixel_text() == shape.pixel_text(),
                  "the shape survives writing and reading");
    if (fidelity == io::StorageFidelity::lossy) return 0;
    fuzz::require(std::equal(picture.bytes().begin(), picture.bytes().end(), again.bytes().begin(),
                             again.bytes().end()),
                  "the bytes survive writing and reading");
  } catch (const IoError&) {
  }
  return 0;
}
