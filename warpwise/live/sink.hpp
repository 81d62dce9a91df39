#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "warpwise/live/source.hpp"
#include "warpwise/live/stream.hpp"

namespace warpwise::live {

/// Takes frames one after another.
class Sink {
 public:
  virtual ~Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  const std::string& name() const { return name_; }

  /// Properties of the frames that a sink takes; other frames are converted first. If the range or
  /// the matrix is not set, the sink takes the stream's.
  struct AcceptedFrames {
    PixelFormat format;
    std::optional<Range> range;
    std::optional<Matrix> matrix = std::nullopt;
  };
  /// Returns the frames that the sink takes for a stream: with alpha if the sink stores alpha.
  /// \throws InvalidArgument  the sink does not take that size, or takes only more than 8 bits.
  virtual AcceptedFrames accepted_frames(const Stream& stream) const = 0;

  /// Returns true if the sink takes these deep frames (more than 8 bits) unchanged. Otherwise they
  /// become deep RGB, deep YUV with planes_for_rgb(), or 8 bits: the first that the sink takes.
  /// \throws InvalidArgument  as accepted_frames()
  virtual bool accepts_deep_frames(const Stream& /*deep*/) const { return false; }
  /// Returns the chroma subsampling of deep YUV for a sink that does not keep deep RGB.
  virtual io::DeepPlanes planes_for_rgb() const { return io::DeepPlanes::yuv420; }

  /// Returns the name of the pixel format that the sink stores for `taken` frames. A sink that
  /// takes 4:4:4 and averages the chroma itself returns "i420".
  virtual std::string stored_format_name(const Stream& taken) const {
    return taken.shape.pixel_text();
  }

  /// Lists, for the user, the properties and companions of a stream that the sink cannot store:
  /// "the rotation tag", "subtitles (subrip)", "chapters". `companions` may be null.
  virtual std::vector<std::string> unstored_parts(const Stream& /*stream*/,
                                                  const Companions* /*companions*/) const {
    return {};
  }
  /// Takes the companions that the file can hold. Called before begin(), or not at all.
  virtual void set_companions(std::shared_ptr<Companions> /*companions*/) {}

  /// Returns true for a peer that shows frames as they arrive. Each frame is then sent at its time.
  virtual bool is_live() const { return false; }

  /// Called once, with the stream of the frames to write. \throws IoError
  virtual void begin(const Stream& stream) = 0;
  /// Writes a frame. \throws IoError  the disk is full, the pipe's reader has closed it, …
  virtual void write(std::span<const std::byte> pixels) = 0;
  /// Writes a frame with its time, in ticks of begin()'s stream. Sinks without times ignore the
  /// time.
  virtual void write_at(std::span<const std::byte> pixels, const FrameTime& /*time*/) {
    write(pixels);
  }
  /// Completes the file, which then holds every frame that was written. Called once, even after a
  /// failure. \throws IoError
  virtual void finish() = 0;

 protected:
  explicit Sink(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

/// Opens the sink of that name:
///
/// | name                   | what is written                                                  |
/// |------------------------|------------------------------------------------------------------|
/// | null                   | nothing                                                          |
/// | pipe:FORMAT            | frames of that format without headers, on standard output        |
/// | -, FILE.y4m            | a .y4m stream                                                    |
/// | FILE.raw               | frames without headers, unconverted                              |
/// | FOLDER/, out/%05d.png  | a picture for each frame, in a folder from 000001.png on         |
/// | FILE.mp4, .avi, .mkv   | mp4: H.264 or HEVC of 10 bits; avi: MJPEG; mkv: lossless FFV1    |
/// | FILE.mov               | ProRes of 10 bits                                                |
/// | udp://…, rtsp://…, …   | H.264 in MPEG-TS, or in packets of rtsp                          |
///
/// A name without an extension is a folder too, if no file has that name yet. A network peer that
/// takes nothing for `timeout_seconds` is an error. `layout`, if given, is the layout of deep
/// frames in FILE.raw.
/// \throws IoError  the sink cannot be written.
/// \throws InvalidArgument  the name is not valid.
std::unique_ptr<Sink> open_sink(const std::string& name,
                                double timeout_seconds = default_timeout_seconds,
                                const std::optional<DeepLayout>& layout = std::nullopt);

/// Returns true if a sink of that name may hold alpha.
bool may_hold_alpha(const std::string& name);

}  // namespace warpwise::live
