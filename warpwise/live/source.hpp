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

/// Where frames come from, one after another.
class Source {
 public:
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const Stream& stream() const { return stream_; }

  /// "samples/street.avi (mpeg4)".
  const std::string& name() const { return name_; }

  /// Reads the next frame into `pixels`, of which there are stream().shape.bytes(); false after the
  /// last one. \throws IoError  the source ends inside a frame, is gone, or changes its size.
  virtual bool next(std::span<std::byte> pixels) = 0;

  /// Whether OpenGL draws the frames: they may then stay on the GPU.
  virtual bool is_opengl() const { return false; }

  /// Why next_on_gpu() cannot be called with memory of the GPU that was current when the source was
  /// opened and still is, in words; empty where it can. Where OpenGL draws, no other context of it
  /// may be current on the calling thread.
  virtual std::string why_not_on_gpu() { return name_ + " gives its frames to the host"; }

  /// As next(), to memory of that GPU, with no way through the host's. The frame is there
  /// for what goes to `stream` then. \throws CudaError, …
  virtual bool next_on_gpu(std::byte* /*pixels*/, gpu::StreamHandle /*stream*/) {
    throw Error(why_not_on_gpu());
  }

  /// Whether frames come when they come, and are lost where nobody takes them: a camera's.
  virtual bool is_live() const { return false; }

  /// How many frames there are, where that is known.
  virtual std::optional<std::int64_t> frames() const { return std::nullopt; }

 protected:
  Source(std::string name, const Stream& stream) : name_(std::move(name)), stream_(stream) {}

 private:
  std::string name_;
  Stream stream_;
};

/// What a source's own name leaves open.
struct SourceOptions {
  ColourTags colours = {};                            ///< go before what the source says of itself
  std::optional<PixelFormat> format = std::nullopt;   ///< of a camera or a pattern
  std::optional<std::int64_t> width = std::nullopt;   ///< likewise, and
  std::optional<std::int64_t> height = std::nullopt;  ///< always both
  std::optional<Rate> rate = std::nullopt;
};

/// The source of that name:
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
/// \throws IoError  it is missing or no video.  \throws InvalidArgument  an option that the kind of
/// source does not take, or a name that says what cannot be.
std::unique_ptr<Source> open_source(const std::string& name, const SourceOptions& options);

}  // namespace warpwise::live
