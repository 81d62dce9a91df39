#pragma once

#include <string>

#include "warpwise/gpu/handles.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/live/stream.hpp"

namespace warpwise::live {

using HostSource = io::PixelsOf<Memory::host, Access::read>;
using HostResult = io::PixelsOf<Memory::host, Access::read_write>;
using DeviceSource = io::PixelsOf<Memory::device, Access::read>;
using DeviceResult = io::PixelsOf<Memory::device, Access::read_write>;

/// One step of a pipeline: what is done with each frame.
class Stage {
 public:
  virtual ~Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// As it was written: "threshold window=31".
  const std::string& text() const { return text_; }

  /// Whether the stage reads brightness alone. Frames of colours are then converted: of YUV it gets
  /// the luma as it is, of RGB the grey of cv::cvtColor(COLOR_RGB2GRAY).
  virtual bool reads_grey() const = 0;

  /// What comes of such frames. \throws InvalidArgument  the stage cannot do it; the message says
  /// what it takes.
  virtual Stream result(const Stream& from) const = 0;

  /// Whether a frame's result depends on frames before it: frames then pass one after another.
  virtual bool remembers() const { return false; }

  /// The frame's own work, on the calling thread's oneTBB arena; of a stage that does not remember
  /// it may run for several frames at a time.
  virtual void run(HostSource from, HostResult to) = 0;
  /// The same on a GPU: asynchronous on `stream`, and recordable into a graph unless the stage
  /// remembers.
  virtual void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) = 0;

 protected:
  explicit Stage(std::string text) : text_(std::move(text)) {}

 private:
  std::string text_;
};

}  // namespace warpwise::live
