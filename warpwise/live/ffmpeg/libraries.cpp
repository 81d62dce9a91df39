#include "warpwise/live/ffmpeg/libraries.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <new>
#include <sstream>
#include <string_view>

#include "warpwise/io/printable.hpp"

namespace warpwise::live::ffmpeg {
namespace {

// FFmpeg's last error message on this thread. FFmpeg's own threads return error codes, so their
// messages are not needed.
thread_local std::string last_logged_error;

void mark(void* from) {
  if (from == nullptr || *static_cast<const AVClass**>(from) != avcodec_get_class()) return;
  auto* codec = static_cast<AVCodecContext*>(from);
  if (codec->opaque != nullptr) *static_cast<HasLoggedError*>(codec->opaque) = true;
}

// Counts FFmpeg's reconnections by its messages, because FFmpeg reports them nowhere else. A test
// checks the words of the message.
thread_local std::int64_t resumptions_so_far = 0;

void keep(void* from, int level, const char* format, std::va_list values) {
  if (std::string_view(format).starts_with("Will reconnect at")) ++resumptions_so_far;
  if (level > AV_LOG_ERROR) return;
  mark(from);
  std::array<char, 512> line{};
  std::vsnprintf(line.data(), line.size(), format, values);
  last_logged_error = line.data();
  last_logged_error.erase(last_logged_error.find_last_not_of(" .\n") + 1);
}

}  // namespace

Frame new_frame() {
  Frame frame(av_frame_alloc());
  if (!frame) throw std::bad_alloc();
  return frame;
}

Packet new_packet() {
  Packet packet(av_packet_alloc());
  if (!packet) throw std::bad_alloc();
  return packet;
}

void keep_messages() { av_log_set_callback(keep); }

std::int64_t resumptions() { return resumptions_so_far; }

void forget_messages() { last_logged_error.clear(); }

void take_message(const std::string& message) { last_logged_error = message; }

std::string last_error_message() { return io::printable(last_logged_error); }

std::string reason_of(int error) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  std::string reason = av_make_error_string(text.data(), text.size(), error);
  if (last_logged_error.empty()) return reason;
  const std::string said = last_error_message();
  return said.ends_with(reason) ? said : reason + ": " + said;
}

std::string read_timeout_message(const Deadline& deadline) {
  std::ostringstream text;
  text << "nothing came for " << deadline.seconds() << " s";
  if (deadline.option() != nullptr) {
    text << "; is the peer gone? " << deadline.option() << " changes this";
  }
  return text.str();
}

std::string write_timeout_message(const Deadline& deadline) {
  std::ostringstream text;
  text << "the peer took nothing for " << deadline.seconds() << " s; " << deadline.option()
       << " changes this";
  return text.str();
}

}  // namespace warpwise::live::ffmpeg
