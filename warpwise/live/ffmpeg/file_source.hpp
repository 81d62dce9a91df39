#pragma once

#include <memory>
#include <string>

#include "warpwise/live/ffmpeg/decoded_source.hpp"

namespace warpwise::live::ffmpeg {

/// The source of a file's frames, or of a network peer that sends no faster than it is read.
class FileSource final : public DecodedSource {
 public:
  using DecodedSource::DecodedSource;

  std::optional<std::int64_t> frames() const override {
    if (is_resampled()) return std::nullopt;
    return video().nb_frames > 0 ? std::optional(video().nb_frames) : std::nullopt;
  }
};

/// Opens a URL with FFmpeg.
/// \param name       the URL in error messages
/// \param protocols  the only protocols allowed, because a playlist could name any other
/// \param deadline   limit of each wait; null for no limit
/// \param silence_seconds  longest silence of an http server, after which the rest of the file is
///                         requested again; 0: never
/// \throws IoError    the URL cannot be read as a video, or the deadline has passed
OpenInput open_url(const std::string& url, const std::string& name, const char* protocols,
                   std::unique_ptr<Deadline> deadline, double silence_seconds = 0);

}  // namespace warpwise::live::ffmpeg
