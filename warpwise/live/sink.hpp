#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "warpwise/live/stream.hpp"

namespace warpwise::live {

/// Where frames go, one after another.
class Sink {
 public:
  virtual ~Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  const std::string& name() const { return name_; }

  /// What it takes of such frames: they are converted first where it is another format. Range and
  /// matrix are those that the sink writes; unset, the stream's own.
  struct Taken {
    PixelFormat format;
    std::optional<Range> range;
    std::optional<Matrix> matrix = std::nullopt;
  };
  /// \throws InvalidArgument  it cannot take frames of that size.
  virtual Taken takes(const Stream& stream) const = 0;

  /// The format that it makes of such frames: i420 where the sink itself shares chroma out.
  virtual PixelFormat holds(const Stream& taken) const { return taken.format(); }

  /// Called once, with frames as takes() asked for. \throws IoError
  virtual void begin(const Stream& stream) = 0;
  /// \throws IoError  a full disk, a reader that went away, …
  virtual void write(std::span<const std::byte> pixels) = 0;
  /// Ends the file, which then holds every frame that was written. Called once, after a failure
  /// too: what was written stays. \throws IoError
  virtual void finish() = 0;

 protected:
  explicit Sink(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

/// The sink of that name:
///
/// | name                   | what is written                                                  |
/// |------------------------|------------------------------------------------------------------|
/// | null                   | nothing                                                          |
/// | pipe:FORMAT            | frames of that format without headers, on standard output        |
/// | -, FILE.y4m            | a .y4m stream                                                    |
/// | FOLDER/, out/%05d.png  | a picture for each frame, in a folder from 000001.png on         |
/// | FILE.mp4, .avi, .mkv   | H.264 as browsers play it, MJPEG, lossless FFV1                  |
///
/// \throws IoError  it cannot be written there.  \throws InvalidArgument  a name that says what
/// cannot be.
std::unique_ptr<Sink> open_sink(const std::string& name);

}  // namespace warpwise::live
