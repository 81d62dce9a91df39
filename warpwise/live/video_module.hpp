#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/live/sink.hpp"
#include "warpwise/live/source.hpp"

namespace warpwise::live {

/// One mode of a camera.
struct CameraMode {
  std::string format;  ///< "yuyv", "mjpeg"
  std::int64_t width = 0;
  std::int64_t height = 0;
  Rate rate;
};

/// Reads and writes videos, and reads cameras, with FFmpeg's libraries. A module links these
/// libraries, and is loaded when the first video or camera is opened. The command therefore starts
/// without FFmpeg, and works where it is missing.
class VideoModule {
 public:
  /// Reads the frames of a file's video, each with its time, upright if options.autorotate. Planar
  /// 4:2:2 is read as yuyv, planar 4:4:4 as ycbcr32, planar RGB as rgb24. Samples of 9 to 16 bits
  /// are read as deep frames. Chroma of 4:1:1, 4:1:0 and 4:4:0 is repeated up to 4:2:2, 4:2:0 and
  /// 4:4:4. A cover picture is not read as a video. If options.rate is set, frames are repeated or
  /// left out to reach it. The options' format and size have no effect.
  /// \throws IoError  the file is missing, is no video, lacks options.track, or has frames that are
  ///                  not read (interlaced, with a palette, …): the message says which.
  virtual std::unique_ptr<Source> open_file(const std::string& path,
                                            const SourceOptions& options) const = 0;
  /// Reads the frames of a network peer's video; `address` as in is_address(). Damaged frames of
  /// udp, rtp and rtsp are skipped. \throws InvalidArgument  a port is missing.
  /// \throws IoError  as open_file(), or nothing arrives for options.timeout_seconds.
  virtual std::unique_ptr<Source> open_address(const std::string& address,
                                               const SourceOptions& options) const = 0;
  /// Opens a camera; `path` is "/dev/video0". Among the modes that match the options it takes the
  /// fastest, then the largest, preferably an uncompressed one. Without options the camera keeps
  /// its current mode. Damaged frames are skipped.
  /// \throws IoError  as open_file(), or the camera lacks the format, size or rate: the message
  /// lists the camera's modes.
  virtual std::unique_ptr<Source> open_camera(const std::string& path,
                                              const SourceOptions& options) const = 0;
  /// Creates a video file. `path` ends with one of video_extensions:
  ///
  /// - .mp4: H.264, 4:2:0 of even sizes; if the program is killed, players show the frames already
  ///   written
  /// - .avi: MJPEG of high quality, 4:2:0, with JPEG's full range, BT.601 and chroma in the centre
  /// - .mkv: lossless FFV1
  /// - .mov: ProRes of 10 bits, 4:2:2 or 4:4:4 of limited range, with the alpha of RGBA
  ///
  /// Frames of more than 8 bits become FFV1 of 10, 12 or 16 bits, or HEVC or ProRes of 10 bits.
  ///
  /// Chroma that has to become 4:2:0 is the mean of 2x2 pixels, rounded half up. An unknown rate is
  /// written as 25 frames a second. Frames keep their times: .mkv rounds them to milliseconds; .avi
  /// to frames of the stream's rate, or to milliseconds if durations vary. Nothing is written
  /// before begin(). \throws IoError  `path` cannot be written, or FFmpeg lacks the encoder.
  virtual std::unique_ptr<Sink> create(const std::string& path) const = 0;
  /// Creates a sink for a peer in the network; `address` as in is_address(). The peer gets H.264 as
  /// in .mp4 files, and sound, both in MPEG-TS; over rtsp, video and sound have separate packets.
  /// Nothing is sent before Sink::begin(), which connects.
  /// \throws InvalidArgument  a port is missing, or an http address has one of video_extensions
  virtual std::unique_ptr<Sink> create_for_peer(const std::string& address,
                                                double timeout_seconds) const = 0;

 protected:
  ~VideoModule() = default;
};

/// Name of the function that a module exports: `const VideoModule* warpwise_video_module_3()`. The
/// number changes with this interface.
inline constexpr const char* video_module_entry = "warpwise_video_module_3";
using VideoModuleEntry = const VideoModule* (*)();

/// Loads the module once. \throws IoError  it cannot be loaded; the message says what to install.
const VideoModule& video_module();

/// Extensions of the files that create() writes.
inline constexpr std::array<std::string_view, 4> video_extensions = {".mp4", ".avi", ".mkv",
                                                                     ".mov"};

/// Returns true for an address of a peer in the network: "http://…", https, rtsp, rtp, udp, tcp.
bool is_address(std::string_view name);

/// Returns true for an address of another scheme ("rtmp://…") if no file has this name.
bool is_other_address(const std::string& name);

/// Lists the modes of the camera at `path`; empty if it is no camera. Does not load the module.
std::vector<CameraMode> camera_modes(const std::string& path);

}  // namespace warpwise::live
