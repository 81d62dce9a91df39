// The module libwarpwise_gif.so: reads the first picture of GIF files with FFmpeg's libavcodec.

extern "C" {
#include <libavcodec/avcodec.h>
}

#include <cstring>
#include <new>

#include "warpwise/base/error.hpp"
#include "warpwise/io/codec.hpp"
#include "warpwise/io/image_module.hpp"

namespace warpwise::io {
namespace {

struct Freed {
  void operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};

// Decodes the file's first picture to B G R A; null if it is damaged.
std::unique_ptr<AVFrame, Freed> first_frame(std::span<const std::byte> content) {
  const AVCodec* decoder = avcodec_find_decoder(AV_CODEC_ID_GIF);
  if (decoder == nullptr) throw IoError("this FFmpeg was built without its decoder of GIF files");
  const std::unique_ptr<AVCodecContext, Freed> codec(avcodec_alloc_context3(decoder));
  const std::unique_ptr<AVPacket, Freed> packet(av_packet_alloc());
  std::unique_ptr<AVFrame, Freed> frame(av_frame_alloc());
  if (!codec || !packet || !frame ||
      av_new_packet(packet.get(), static_cast<int>(content.size())) < 0) {
    throw std::bad_alloc();
  }
  std::memcpy(packet->data, content.data(), content.size());
  const bool is_decoded = avcodec_open2(codec.get(), decoder, nullptr) >= 0 &&
                          avcodec_send_packet(codec.get(), packet.get()) >= 0 &&
                          avcodec_receive_frame(codec.get(), frame.get()) >= 0 &&
                          frame->format == AV_PIX_FMT_BGRA;
  return is_decoded ? std::move(frame) : nullptr;
}

bool is_opaque(const AVFrame& frame) {
  for (std::int64_t y = 0; y < frame.height; ++y) {
    const std::uint8_t* pixel = frame.data[0] + y * frame.linesize[0];
    for (int x = 0; x < frame.width; ++x, pixel += 4) {
      if (pixel[3] != 255) return false;
    }
  }
  return true;
}

class GifFiles final : public ImageModule {
 public:
  GifFiles() { av_log_set_level(AV_LOG_QUIET); }

  Picture decode(std::span<const std::byte> content, const std::string& name) const override {
    constexpr std::size_t header_bytes = 13;
    if (content.size() < header_bytes) refuse_damaged(name, "GIF", "");
    const auto number = [&](std::size_t at) {
      return std::to_integer<std::uint64_t>(content[at]) |
             std::to_integer<std::uint64_t>(content[at + 1]) << 8;
    };
    require_readable_size(number(6), number(8), name);
    const auto frame = first_frame(content);
    if (!frame) refuse_damaged(name, "GIF", "");
    const int channels = is_opaque(*frame) ? 3 : 4;
    Picture picture(
        PictureShape::interleaved(ElementType::u8, channels, frame->width, frame->height));
    std::byte* to = picture.bytes().data();
    for (std::int64_t y = 0; y < frame->height; ++y) {
      const std::uint8_t* bgra = frame->data[0] + y * frame->linesize[0];
      for (int x = 0; x < frame->width; ++x, bgra += 4, to += channels) {
        to[0] = std::byte{bgra[2]};
        to[1] = std::byte{bgra[1]};
        to[2] = std::byte{bgra[0]};
        if (channels == 4) to[3] = std::byte{bgra[3]};
      }
    }
    return picture;
  }

  std::vector<std::byte> encode(const Picture&, const std::string&,
                                const std::string& name) const override {
    throw IoError("cannot write " + name + ": Warpwise does not write GIF files");
  }
};

}  // namespace
}  // namespace warpwise::io

extern "C" __attribute__((visibility("default"))) const warpwise::io::ImageModule*
warpwise_image_module_4() {
  static const warpwise::io::GifFiles files;
  return &files;
}
