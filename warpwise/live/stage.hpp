#pragma once

#include <memory>
#include <optional>
#include <string>

#include "warpwise/algorithms/chain/chain.hpp"
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

  /// The format that the stage wants frames of `from` converted to, gray8, rgb24 or another
  /// order of RGB; none where it takes them as they are. To gray8, YUV gives the luma as it is and
  /// RGB the grey of cv::cvtColor(COLOR_RGB2GRAY); to rgb24, YUV is converted as convert_stage()
  /// does.
  virtual std::optional<PixelFormat> reads(const Stream& from) const = 0;

  /// Called once, before the first frame, with frames as reads() asked for: what comes of them.
  /// \throws InvalidArgument  the stage cannot do it; the message says what it takes.
  virtual Stream begin(const Stream& from) = 0;

  /// Whether a frame's result depends on frames before it: frames then pass one after another.
  virtual bool remembers() const { return false; }

  /// Whether the work on a GPU may be recorded into a graph: it only goes to the stream, and is the
  /// same for every frame.
  virtual bool is_recordable() const { return !remembers(); }

  /// Gives back what run() keeps on a GPU for the next frame, before its stream goes.
  virtual void release() {}

  /// What computes the luma of this stage's result alone, as gray8, where that is less work than
  /// all of the result; null where it is not.
  virtual std::unique_ptr<Stage> luma_alone() const { return nullptr; }

  /// After begin(): what the stage is as a step of a Chain; none where it is not one.
  virtual std::optional<ChainStep> chain_step() const { return std::nullopt; }

  /// The frame's own work, on the calling thread's oneTBB arena; of a stage that does not remember
  /// it may run for several frames at a time.
  virtual void run(HostSource from, HostResult to) = 0;
  /// The same on a GPU: asynchronous on `stream`, unless the stage is not recordable, which may
  /// wait for it. A stage that remembers gets every frame on one stream, which outlives the stage.
  virtual void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) = 0;

 protected:
  explicit Stage(std::string text) : text_(std::move(text)) {}

 private:
  std::string text_;
};

}  // namespace warpwise::live
