#include "warpwise/live/ffmpeg/file_source.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <string_view>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/live/ffmpeg/address.hpp"
#include "warpwise/live/ffmpeg/sources.hpp"

namespace warpwise::live::ffmpeg {
namespace {

// Returns true if a video's size is known, so that FFmpeg need not analyse more data.
bool has_known_video(const AVFormatContext& input) {
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    if (input.streams[i]->codecpar->width > 0) return true;
  }
  return false;
}

bool is_animation(const AVFormatContext& input) {
  const std::string_view format = input.iformat->name;
  return input.nb_streams == 1 && (format == "gif" || format == "apng");
}

// Corrects an animation's rates, which FFmpeg estimates from the first frames only. avg_frame_rate
// becomes the mean rate of all frames. r_frame_rate becomes the same if all frames start less than
// a time unit off their mean times. Otherwise the durations vary, and it becomes the time base's.
void set_mean_rate(AVFormatContext& animation, const std::string& url) {
  AVFormatContext* input = nullptr;
  if (avformat_open_input(&input, url.c_str(), nullptr, nullptr) < 0) return;
  const Input closed_at_the_end(input);
  const Packet packet = new_packet();
  std::vector<std::int64_t> starts = {0};
  for (; av_read_frame(input, packet.get()) >= 0; av_packet_unref(packet.get())) {
    starts.push_back(starts.back() + packet->duration);
  }
  const auto frames = static_cast<std::int64_t>(starts.size()) - 1;
  const std::int64_t length = starts.back();
  if (length <= 0) return;
  AVStream& video = *animation.streams[0];
  av_reduce(&video.avg_frame_rate.num, &video.avg_frame_rate.den, frames * video.time_base.den,
            length * video.time_base.num, std::numeric_limits<int>::max());
  const double mean = static_cast<double>(length) / static_cast<double>(frames);
  bool is_varying = false;
  for (std::int64_t i = 0; i < frames; ++i) {
    const double off =
        static_cast<double>(starts[static_cast<std::size_t>(i)]) - static_cast<double>(i) * mean;
    is_varying = is_varying || std::abs(off) >= 1;
  }
  video.r_frame_rate = is_varying ? av_inv_q(video.time_base) : video.avg_frame_rate;
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
  if (deadline) {  // FFmpeg analyses up to 5 s of frames, but must stop before the deadline
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
      (is_late ? read_timeout_message(*opened.deadline) : without_password(reason_of(error), url)));
}

// "file:" makes FFmpeg take `path` as a file's name, even if it looks like an address.
std::unique_ptr<Source> open_file(const std::string& path, const SourceOptions& options) {
  forget_messages();
  const std::string url = "file:" + path;
  OpenInput opened = open_url(url, path, "file", nullptr);
  if (is_animation(*opened.input)) set_mean_rate(*opened.input, url);
  return std::make_unique<FileSource>(
      std::make_unique<Decoder>(std::move(opened), path, Damage::fail, options), options);
}

}  // namespace warpwise::live::ffmpeg
