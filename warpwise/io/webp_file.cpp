// The module libwarpwise_webp.so: WebP files through libwebp.

#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "warpwise/base/error.hpp"
#include "warpwise/io/codec.hpp"
#include "warpwise/io/exif.hpp"
#include "warpwise/io/image_module.hpp"

namespace warpwise::io {
namespace {

struct Freed {
  void operator()(WebPDemuxer* file) const { WebPDemuxDelete(file); }
  void operator()(WebPAnimDecoder* decoder) const { WebPAnimDecoderDelete(decoder); }
};
using Demuxer = std::unique_ptr<WebPDemuxer, Freed>;
using AnimationDecoder = std::unique_ptr<WebPAnimDecoder, Freed>;

WebPData data_of(std::span<const std::byte> content) {
  return {reinterpret_cast<const std::uint8_t*>(content.data()), content.size()};
}

int orientation_in(std::span<const std::byte> content) {
  const WebPData data = data_of(content);
  const Demuxer file(WebPDemux(&data));
  WebPChunkIterator chunk{};
  if (!file || WebPDemuxGetChunk(file.get(), "EXIF", 1, &chunk) == 0) return 1;
  const int orientation =
      exif_orientation(std::as_bytes(std::span(chunk.chunk.bytes, chunk.chunk.size)));
  WebPDemuxReleaseChunkIterator(&chunk);
  return orientation;
}

// Decodes the pictures of an animation. Each is drawn over the earlier ones.
class Animation final : public Pages {
 public:
  Animation(std::span<const std::byte> content, std::string name)
      : name_(std::move(name)), orientation_(orientation_in(content)) {
    const WebPData data = data_of(content);
    const Demuxer file(WebPDemux(&data));
    if (!file) refuse_damaged(name_, "WebP", "");
    width_ = WebPDemuxGetI(file.get(), WEBP_FF_CANVAS_WIDTH);
    height_ = WebPDemuxGetI(file.get(), WEBP_FF_CANVAS_HEIGHT);
    require_readable_size(width_, height_, name_);
    count_ = WebPDemuxGetI(file.get(), WEBP_FF_FRAME_COUNT);
    has_alpha_ = (WebPDemuxGetI(file.get(), WEBP_FF_FORMAT_FLAGS) & ALPHA_FLAG) != 0;
    WebPIterator frame{};
    for (int more = WebPDemuxGetFrame(file.get(), 1, &frame); more != 0;
         more = WebPDemuxNextFrame(&frame)) {
      milliseconds_ += frame.duration;
      has_constant_rate_ = has_constant_rate_ && frame.duration * frame.frame_num == milliseconds_;
    }
    WebPDemuxReleaseIterator(&frame);
    WebPAnimDecoderOptions options;
    if (WebPAnimDecoderOptionsInit(&options) == 0) throw std::bad_alloc();
    decoder_.reset(WebPAnimDecoderNew(&data, &options));
    if (!decoder_) refuse_damaged(name_, "WebP", "");
  }

  std::int64_t count() const override { return count_; }
  std::int64_t milliseconds() const override { return milliseconds_; }
  bool has_constant_rate() const override { return has_constant_rate_; }

  std::optional<Page> next() override {
    if (WebPAnimDecoderHasMoreFrames(decoder_.get()) == 0) return std::nullopt;
    std::uint8_t* rgba = nullptr;
    int end = 0;
    if (WebPAnimDecoderGetNext(decoder_.get(), &rgba, &end) == 0) {
      refuse_damaged(name_, "WebP", "");
    }
    const int channels = has_alpha_ ? 4 : 3;
    Page page{Picture(PictureShape::interleaved(ElementType::u8, channels, width_, height_)),
              end - end_};
    end_ = end;
    page.picture.set_orientation(orientation_);
    std::byte* to = page.picture.bytes().data();
    for (std::int64_t i = 0; i < std::int64_t{width_} * height_; ++i, rgba += 4, to += channels) {
      std::memcpy(to, rgba, static_cast<std::size_t>(channels));
    }
    return page;
  }

 private:
  std::string name_;
  int orientation_;
  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
  std::uint32_t count_ = 0;
  bool has_alpha_ = false;
  std::int64_t milliseconds_ = 0;
  bool has_constant_rate_ = true;
  int end_ = 0;  // end of the last picture, in milliseconds
  AnimationDecoder decoder_;
};

class WebPFiles final : public ImageModule {
 public:
  Picture decode(std::span<const std::byte> content, const std::string& name) const override {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(content.data());
    // Passes only the first 32 bytes, to find alpha in the same files as OpenCV, which does so too.
    // If a colour profile fills these bytes, libwebp takes the flag for alpha in the header.
    constexpr std::size_t header_bytes = 32;
    WebPBitstreamFeatures features{};
    if (content.size() < header_bytes ||
        WebPGetFeatures(bytes, header_bytes, &features) != VP8_STATUS_OK) {
      refuse_damaged(name, "WebP", "");
    }
    if (features.has_animation != 0) {
      std::optional<Page> first = Animation(content, name).next();
      if (!first) refuse_damaged(name, "WebP", "it has no picture");
      return std::move(first->picture);
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
    picture.set_orientation(orientation_in(content));
    return picture;
  }

  std::unique_ptr<Pages> pages(std::span<const std::byte> content,
                               const std::string& name) const override {
    WebPBitstreamFeatures features{};
    const WebPData data = data_of(content);
    const bool is_animation = WebPGetFeatures(data.bytes, data.size, &features) == VP8_STATUS_OK &&
                              features.has_animation != 0;
    return is_animation ? std::make_unique<Animation>(content, name) : nullptr;
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
warpwise_image_module_4() {
  static const warpwise::io::WebPFiles files;
  return &files;
}
