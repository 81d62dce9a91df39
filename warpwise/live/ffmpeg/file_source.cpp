#include "warpwise/base/error.hpp"
#include "warpwise/live/ffmpeg/decoded_source.hpp"
#include "warpwise/live/ffmpeg/sources.hpp"

namespace warpwise::live::ffmpeg {
namespace {

class FileSource final : public DecodedSource {
 public:
  using DecodedSource::DecodedSource;

  std::optional<std::int64_t> frames() const override {
    if (is_of_new_rate()) return std::nullopt;
    return video().nb_frames > 0 ? std::optional(video().nb_frames) : std::nullopt;
  }
};

// Opens `path` as a file, whatever the name looks like. Allows no other protocol, because a
// playlist could name anything.
Input open(const std::string& path) {
  Dictionary options;
  options.set("protocol_whitelist", "file");
  AVFormatContext* input = nullptr;
  int error = avformat_open_input(&input, ("file:" + path).c_str(), nullptr, options.get());
  Input opened(input);
  if (error >= 0) error = avformat_find_stream_info(input, nullptr);
  if (error < 0) throw IoError("cannot read " + path + " as a video: " + reason_of(error));
  return opened;
}

}  // namespace

std::unique_ptr<Source> open_file(const std::string& path, const SourceOptions& options) {
  forget_messages();
  return std::make_unique<FileSource>(
      std::make_unique<Decoder>(open(path), path, Damage::is_an_error, options), options);
}

}  // namespace warpwise::live::ffmpeg
