#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/live/deep_layout.hpp"
#include "warpwise/live/stream.hpp"

namespace warpwise::live {

/// Sound, subtitles and chapters of a video. Only the video module knows the content.
class Companions {
 public:
  virtual ~Companions() = default;
  Companions(const Companions&) = delete;
  Companions& operator=(const Companions&) = delete;

  /// Lists the tracks, the chapters, attachments and a cover picture: "sound (aac)", "chapters", …
  virtual std::vector<std::string> parts() const { return {}; }

  /// Cuts the companions off where the frames end: `seconds` after the first frame begins.
  virtual void end_at(double /*seconds*/) {}

 protected:
  Companions() = default;
};

/// Gives frames one after another.
class Source {
 public:
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const Stream& stream() const { return stream_; }

  /// Returns the source's name and kind: "samples/street.avi (mpeg4)".
  const std::string& name() const { return name_; }

  /// Reads the next frame into `pixels`, which has stream().shape.bytes() bytes. Returns false
  /// after the last. \throws IoError  the source ends inside a frame, is gone, or changes its size.
  virtual bool next(std::span<std::byte> pixels) = 0;

  /// Returns the time of the frame that next() read last. Times increase from frame to frame.
  /// Returns nullopt if the source has no times of its own.
  virtual std::optional<FrameTime> time() const { return std::nullopt; }

  /// Hands over the source's companions if SourceOptions::with_companions was set; null if it has
  /// none. While the caller holds them, next() adds the sound and subtitles that it reads.
  virtual std::shared_ptr<Companions> take_companions() { return nullptr; }

  /// Returns true if OpenGL draws the frames: they may then stay on the GPU.
  virtual bool is_opengl() const { return false; }

  /// Returns why next_on_gpu() cannot be called; empty if it can. The memory passed to
  /// next_on_gpu() must be on the GPU that was current when the source was opened, and that GPU
  /// must still be current. For a source drawn by OpenGL, the calling thread must have no other
  /// OpenGL context.
  virtual std::string why_not_on_gpu() { return name_ + " gives its frames to the host"; }

  /// Reads the next frame into the current GPU's memory. Returns false after the last one. Work
  /// that is then enqueued on `stream` sees the frame. \throws CudaError, …
  virtual bool next_on_gpu(std::byte* /*pixels*/, gpu::StreamHandle /*stream*/) {
    throw Error(why_not_on_gpu());
  }

  /// Returns true for a camera, or a network peer that does not wait. Frames arrive at their own
  /// pace, and a frame that nobody takes is lost.
  virtual bool is_live() const { return false; }

  /// Returns messages for the user about events since the last call, such as a lost connection or
  /// scaled frames. Any thread may call it.
  virtual std::vector<std::string> take_news() { return {}; }

  /// Returns how often a lost connection was restored. Any thread may call it.
  virtual std::int64_t reconnections() const { return 0; }

  /// Returns the number of frames; nullopt if unknown.
  virtual std::optional<std::int64_t> frames() const { return std::nullopt; }

 protected:
  Source(std::string name, const Stream& stream) : name_(std::move(name)), stream_(stream) {}

 private:
  std::string name_;
  Stream stream_;
};

/// The decoder of a video.
enum class Decode : std::uint8_t {
  automatic,  ///< the GPU if it decodes to the CPU's bytes and frames may stay on it; else the CPU
  cpu,
  gpu
};
constexpr auto enum_names(Decode) {
  return std::to_array<EnumName<Decode>>(
      {{Decode::automatic, "auto"}, {Decode::cpu, "cpu"}, {Decode::gpu, "gpu"}});
}
inline constexpr auto all_decodes = all_values<Decode>();

/// Longest wait for a network peer, in seconds.
inline constexpr double default_timeout_seconds = 10;

/// Options of a source that its name does not state.
struct SourceOptions {
  ColourTags colours = {};                               ///< win over the source's own tags
  std::optional<PixelFormat> format = std::nullopt;      ///< format of a camera, a pattern, …
  std::optional<DeepLayout> deep_format = std::nullopt;  ///< replaces `format` for a .raw file
  std::optional<std::int64_t> width = std::nullopt;      ///< width of frames; set with height
  std::optional<std::int64_t> height = std::nullopt;     ///< height of frames; set with width
  /// Rate of frames. Frames of a video are repeated or left out to reach it; its speed stays.
  std::optional<Rate> rate = std::nullopt;
  /// Number of the video track in a file, counted from 1; FFmpeg chooses by default.
  std::optional<int> track = std::nullopt;
  /// Number of the picture in a file of several, counted from 1; by default each picture is a
  /// frame.
  std::optional<std::int64_t> page = std::nullopt;
  bool all_pages = false;       ///< the user asked for all pages
  bool luma = false;            ///< reads only the luma of JPEG pictures in YCbCr, as grey
  bool autorotate = true;       ///< turns frames upright; false: frames stay as stored
  bool deinterlace = false;     ///< makes whole frames of interlaced ones
  bool rescale = false;         ///< scales frames whose size or pixels differ from the first
  Decode decode = Decode::cpu;  ///< the decoder of videos and JPEGs; automatic and gpu need a GPU
  double timeout_seconds = default_timeout_seconds;  ///< longest wait for a network peer
  double reconnect_seconds = 0;  ///< longest time to reconnect to a lost peer; 0: no attempt
  bool with_alpha = false;       ///< reads YUV with alpha as RGBA; otherwise its alpha is left out
  bool with_companions = false;  ///< reads the sound, subtitles and chapters of a video file too

  /// Returns true if an option is set that only videos have.
  bool is_for_videos() const { return track || deinterlace || rescale || decode == Decode::gpu; }
};

/// Opens the source of that name:
///
/// | name                           | frames                                                   |
/// |--------------------------------|----------------------------------------------------------|
/// | /dev/video0, camera:0          | frames of a camera                                       |
/// | test:bars, test:zone …         | generated, without an end                                |
/// | scene:                         | drawn by OpenGL, without an end                          |
/// | pipe:rgb24:1280x720@30         | on standard input, without headers; "@30" may be missing |
/// | -                              | a .y4m stream on standard input                          |
/// | FOLDER, frames/0*.png, a.png   | pictures of one size in the order of their names         |
/// | FILE.raw                       | without headers, of the options' format and size         |
/// | http://…, rtsp://…, udp://…    | a video of a peer in the network                         |
/// | any other                      | a .y4m or video file                                     |
///
/// \throws IoError  the source is missing, or is no video.
/// \throws InvalidArgument  the kind of source does not take an option, or the name is not valid.
std::unique_ptr<Source> open_source(const std::string& name, const SourceOptions& options);

}  // namespace warpwise::live
