// The module libwarpwise_video.so: videos and cameras through FFmpeg's libraries.

#include "warpwise/live/ffmpeg/file_sink.hpp"
#include "warpwise/live/ffmpeg/libraries.hpp"
#include "warpwise/live/ffmpeg/sources.hpp"
#include "warpwise/live/video_module.hpp"

namespace warpwise::live::ffmpeg {
namespace {

class VideoFiles final : public VideoModule {
 public:
  VideoFiles() { keep_messages(); }

  std::unique_ptr<Source> open_file(const std::string& path,
                                    const SourceOptions& options) const override {
    return ffmpeg::open_file(path, options);
  }
  std::unique_ptr<Source> open_address(const std::string& address,
                                       const SourceOptions& options) const override {
    return ffmpeg::open_address(address, options);
  }
  std::unique_ptr<Source> open_camera(const std::string& path,
                                      const SourceOptions& options) const override {
    return ffmpeg::open_camera(path, options);
  }
  std::unique_ptr<Sink> create(const std::string& path) const override {
    return ffmpeg::create_file(path);
  }
  std::unique_ptr<Sink> create_for_peer(const std::string& address,
                                        double timeout_seconds) const override {
    return ffmpeg::create_for_peer(address, timeout_seconds);
  }
};

}  // namespace
}  // namespace warpwise::live::ffmpeg

extern "C" __attribute__((visibility("default"))) const warpwise::live::VideoModule*
warpwise_video_module_3() {
  static const warpwise::live::ffmpeg::VideoFiles files;
  return &files;
}
