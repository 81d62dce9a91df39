#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/live/sink.hpp"
#include "warpwise/live/source.hpp"

namespace warpwise::live {

/// One way in which a camera gives frames.
struct CameraMode {
  std::string format;  ///< "yuyv", "mjpeg"
  std::int64_t width = 0;
  std::int64_t height = 0;
  Rate rate;
};

/// Videos and cameras through FFmpeg's libraries, in a module that is loaded when the first one is
/// opened: the command starts without them, and runs where they are missing.
class VideoModule {
 public:
  /// The frames of the first video in a file, as they are stored: those that a player would turn by
  /// the file's word are not turned. 4:2:2 in planes comes as yuyv, 4:4:4 in planes as ycbcr32, RGB
  /// in planes as rgb24; nothing else changes. Of the options format and size mean nothing here.
  /// \throws IoError  it is missing, is no video, or of a kind that is not read (more than 8 bits,
  /// interlaced, …): the message says which.
  virtual std::unique_ptr<Source> open_file(const std::string& path,
                                            const SourceOptions& options) const = 0;
  /// `path`: "/dev/video0". Of what is asked for, the camera's fastest mode, of these the largest,
  /// preferably one that is not compressed; what it has now if nothing is asked for. Frames that
  /// come damaged are passed over. \throws IoError  likewise; a format, size or rate that the
  /// camera does not have is refused with those it has.
  virtual std::unique_ptr<Source> open_camera(const std::string& path,
                                              const SourceOptions& options) const = 0;
  /// `path` ends with one of video_extensions: .mp4 is H.264 (4:2:0 of even sizes; what was written
  /// plays if the program is ended), .avi MJPEG of high quality (4:2:0, as in JPEG full range,
  /// BT.601 and chroma in the centre), .mkv lossless FFV1. Chroma that is not subsampled yet is
  /// halved by the mean of 2x2 pixels, rounded half up. Of an unknown rate 25 frames a second are
  /// written. Nothing is written before Sink::begin(). \throws IoError  nothing can be written
  /// there, or FFmpeg has no such encoder.
  virtual std::unique_ptr<Sink> create(const std::string& path) const = 0;

 protected:
  ~VideoModule() = default;
};

/// What a module exports: `const VideoModule* warpwise_video_module_1()`; the number changes with
/// this interface.
inline constexpr const char* video_module_entry = "warpwise_video_module_1";
using VideoModuleEntry = const VideoModule* (*)();

/// \throws IoError  it cannot be loaded; the message says what to install.
const VideoModule& video_module();

/// Of the files that create() writes.
inline constexpr std::array<std::string_view, 3> video_extensions = {".mp4", ".avi", ".mkv"};

/// What the camera of that path can do; nothing where it is no camera. Needs no module.
std::vector<CameraMode> camera_modes(const std::string& path);

}  // namespace warpwise::live
