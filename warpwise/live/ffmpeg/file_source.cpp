#include <algorithm>
#include <cmath>
#include <new>

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

// Frames of a network peer that does not wait.
class LiveSource final : public DecodedSource {
 public:
  using DecodedSource::DecodedSource;

  bool is_live() const override { return true; }
};

// Returns true if the data suffice to decode a video, even if FFmpeg would look at more.
bool has_known_video(const AVFormatContext& input) {
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    if (input.streams[i]->codecpar->width > 0) return true;
  }
  return false;
}

// Opens a URL with FFmpeg. Allows only the given protocols, because a playlist could name anything.
OpenInput open(const std::string& url, const std::string& name, const char* protocols,
               std::unique_ptr<Deadline> deadline) {
  Dictionary options;
  options.set("protocol_whitelist", protocols);
  options.set("overrun_nonfatal", "1");  // udp: lost packets do not end the stream
  if (deadline) {  // FFmpeg analyses up to 5 s of frames, but must stop in time
    const double microseconds = std::min(deadline->seconds() / 2, 5.0) * AV_TIME_BASE;
    options.set("analyzeduration", std::to_string(std::llround(microseconds)));
  }
  AVFormatContext* input = avformat_alloc_context();
  if (input == nullptr) throw std::bad_alloc();
  if (deadline) input->interrupt_callback = deadline->callback();
  int error = avformat_open_input(&input, url.c_str(), nullptr, options.get());
  OpenInput opened{std::move(deadline), Input(input)};
  if (error >= 0 && opened.deadline) opened.deadline->restart();
  if (error >= 0) error = avformat_find_stream_info(input, nullptr);
  const bool is_late = opened.deadline && opened.deadline->has_passed();
  if (error >= 0 && (!is_late || has_known_video(*input))) return opened;
  throw IoError("cannot read " + name +
                " as a video: " + (is_late ? nothing_came(*opened.deadline) : reason_of(error)));
}

// Removes the user and the password: "rtsp://user:secret@host/1" becomes "rtsp://host/1".
std::string name_of_address(const std::string& address) {
  const std::size_t host = address.find("://") + 3;
  const std::size_t at = address.substr(0, address.find_first_of("/?", host)).rfind('@');
  return at == std::string::npos || at < host ? address
                                              : address.substr(0, host) + address.substr(at + 1);
}

}  // namespace

// Takes `path` as a file's name, even if it looks like an address.
std::unique_ptr<Source> open_file(const std::string& path, const SourceOptions& options) {
  forget_messages();
  return std::make_unique<FileSource>(
      std::make_unique<Decoder>(open("file:" + path, path, "file", nullptr), path,
                                Damage::is_an_error, options),
      options);
}

std::unique_ptr<Source> open_address(const std::string& address, const SourceOptions& options) {
  forget_messages();
  constexpr const char* network = "http,https,httpproxy,tls,tcp,udp,rtp,rtsp,crypto";
  const std::string name = name_of_address(address);
  OpenInput input =
      open(address, name, network, std::make_unique<Deadline>(options.timeout_seconds));
  if (address.starts_with("http") || address.starts_with("tcp")) {
    return std::make_unique<FileSource>(
        std::make_unique<Decoder>(std::move(input), name, Damage::is_an_error, options), options);
  }
  return std::make_unique<LiveSource>(
      std::make_unique<Decoder>(std::move(input), name, Damage::is_passed_over, options), options);
}

}  // namespace warpwise::live::ffmpeg
