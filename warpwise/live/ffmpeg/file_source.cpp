#include "warpwise/live/ffmpeg/file_source.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "warpwise/base/error.hpp"
#include "warpwise/live/ffmpeg/address.hpp"
#include "warpwise/live/ffmpeg/sources.hpp"

namespace warpwise::live::ffmpeg {
namespace {

// Returns true if the data suffice to decode a video, even if FFmpeg would look at more.
bool has_known_video(const AVFormatContext& input) {
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    if (input.streams[i]->codecpar->width > 0) return true;
  }
  return false;
}

}  // namespace

OpenInput open_url(const std::string& url, const std::string& name, const char* protocols,
                   std::unique_ptr<Deadline> deadline, double silence_seconds) {
  Dictionary options;
  if (silence_seconds > 0) {
    options.set("reconnect", "1");
    options.set("reconnect_delay_max", std::to_string(std::llround(deadline->seconds()) + 1));
    options.set("rw_timeout", std::to_string(std::llround(silence_seconds * AV_TIME_BASE)));
  }
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
  throw IoError(
      "cannot read " + name + " as a video: " +
      (is_late ? nothing_came(*opened.deadline) : without_password(reason_of(error), url)));
}

// Takes `path` as a file's name, even if it looks like an address.
std::unique_ptr<Source> open_file(const std::string& path, const SourceOptions& options) {
  forget_messages();
  return std::make_unique<FileSource>(
      std::make_unique<Decoder>(open_url("file:" + path, path, "file", nullptr), path,
                                Damage::is_an_error, options),
      options);
}

}  // namespace warpwise::live::ffmpeg
