// The module libwarpwise_webp.so: WebP files through libwebp.

#include <webp/decode.h>
#include <webp/encode.h>

#include <algorithm>
#include <memory>

#include "warpwise/base/error.hpp"
#include "warpwise/io/codec.hpp"
#include "warpwise/io/image_module.hpp"

namespace warpwise::io {
namespace {

class WebPFiles final : public ImageModule {
 public:
  Picture decode(std::span<const std::byte> content, const std::string& name) const override {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(content.data());
    // OpenCV looks at the first 32 bytes only. In a file with a colour profile these do not yet
    // show whether the pixels have alpha, so the header's flag decides.
    constexpr std::size_t header_bytes = 32;
    WebPBitstreamFeatures features{};
    if (content.size() < header_bytes ||
        WebPGetFeatures(bytes, header_bytes, &features) != VP8_STATUS_OK) {
      refuse_damaged(name, "WebP", "");
    }
    if (features.has_animation != 0) {
      throw IoError("cannot read " + name +
                    ": it is an animated WebP file; only those of one picture are read");
    }
    require_readable_size(static_cast<std::uint64_t>(features.width),
                          static_cast<std::uint64_t>(features.height), name);
    const int channels = features.has_alpha != 0 ? 4 : 3;
    Picture picture(
        PictureShape::interleaved(ElementType::u8, channels, features.width, features.height));
    auto* pixels = reinterpret_cast<std::uint8_t*>(picture.bytes().data());
    const auto decode_into = channels == 4 ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
    if (decode_into(bytes, content.size(), pixels, picture.bytes().size(),
                    channels * features.width) == nullptr) {
      refuse_damaged(name, "WebP", "");
    }
    return picture;
  }

  std::vector<std::byte> encode(const Picture& picture, const std::string&,
                                const std::string& name) const override {
    const PictureShape& shape = picture.shape();
    if (std::max(shape.width, shape.height) > WEBP_MAX_DIMENSION) {
      throw IoError("cannot write " + name + ": WebP files end at " +
                    std::to_string(WEBP_MAX_DIMENSION) + " columns and rows");
    }
    const auto* pixels = reinterpret_cast<const std::uint8_t*>(picture.bytes().data());
    const auto encode_lossless =
        shape.format == PixelFormat::bgr24 ? WebPEncodeLosslessBGR : WebPEncodeLosslessRGB;
    std::uint8_t* file = nullptr;
    const std::size_t size =
        encode_lossless(pixels, static_cast<int>(shape.width), static_cast<int>(shape.height),
                        static_cast<int>(3 * shape.width), &file);
    const std::unique_ptr<std::uint8_t, decltype(&WebPFree)> owner(file, &WebPFree);
    if (size == 0) {
      throw IoError("cannot write " + name + ": libwebp cannot encode it; is there enough memory?");
    }
    const auto bytes = std::as_bytes(std::span(file, size));
    return {bytes.begin(), bytes.end()};
  }
};

}  // namespace
}  // namespace warpwise::io

extern "C" __attribute__((visibility("default"))) const warpwise::io::ImageModule*
warpwise_image_module_1() {
  static const warpwise::io::WebPFiles files;
  return &files;
}
