#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/live/stream.hpp"

namespace warpwise::live {

/// Gives frames one after another.
class Source {
 public:
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const Stream& stream() const { return stream_; }

  /// The source's name with its kind: "samples/street.avi (mpeg4)".
  const std::string& name() const { return name_; }

  /// Reads the next frame into `pixels`, which has stream().shape.bytes() bytes; false after the
  /// last one. \throws IoError  the source ends inside a frame, is gone, or changes its size.
  virtual bool next(std::span<std::byte> pixels) = 0;

  /// Returns true if OpenGL draws the frames: they may then stay on the GPU.
  virtual bool is_opengl() const { return false; }

  /// Says why next_on_gpu() cannot be called; empty if it can. Its memory must be on the GPU that
  /// was current when the source was opened and still is. For a source that OpenGL draws, no other
  /// OpenGL context may be current on the calling thread.
  virtual std::string why_not_on_gpu() { return name_ + " gives its frames to the host"; }

  /// Reads the next frame into memory of that GPU, without passing through the host. Work enqueued
  /// on `stream` afterwards sees the frame. \throws CudaError, …
  virtual bool next_on_gpu(std::byte* /*pixels*/, gpu::StreamHandle /*stream*/) {
    throw Error(why_not_on_gpu());
  }

  /// Returns true for a camera: its frames arrive at their own pace, and are lost if nobody takes
  /// them.
  virtual bool is_live() const { return false; }

  /// Number of frames; nullopt if unknown.
  virtual std::optional<std::int64_t> frames() const { return std::nullopt; }

 protected:
  Source(std::string name, const Stream& stream) : name_(std::move(name)), stream_(stream) {}

 private:
  std::string name_;
  Stream stream_;
};

/// Properties of a source that its name does not state.
struct SourceOptions {
  ColourTags colours = {};                            ///< win over the source's own tags
  std::optional<PixelFormat> format = std::nullopt;   ///< of a camera, a pattern, …
  std::optional<std::int64_t> width = std::nullopt;   ///< likewise; set with height
  std::optional<std::int64_t> height = std::nullopt;  ///< likewise; set with width
  std::optional<Rate> rate = std::nullopt;
};

/// Opens the source of that name:
///
/// | name                           | frames                                                   |
/// |--------------------------------|----------------------------------------------------------|
/// | /dev/video0, camera:0          | of a camera                                              |
/// | test:bars, test:zone …         | made up here, without an end                             |
/// | scene:                         | drawn by OpenGL, without an end                          |
/// | pipe:rgb24:1280x720@30         | on standard input, without headers; "@30" may be missing |
/// | -                              | a .y4m stream on standard input                          |
/// | FOLDER, frames/0*.png, a.png   | pictures of one size in the order of their names         |
/// | FILE.raw                       | without headers, of the options' format and size         |
/// | any other                      | a .y4m or video file                                     |
///
/// \throws IoError  the source is missing, or is no video.
/// \throws InvalidArgument  the kind of source does not take an option, or the name is not valid.
std::unique_ptr<Source> open_source(const std::string& name, const SourceOptions& options);

}  // namespace warpwise::live
