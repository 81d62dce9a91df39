#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpwise/algorithms/chain/chain.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/live/deep_layout.hpp"
#include "warpwise/live/stream.hpp"

namespace warpwise::live {

using HostSource = io::PixelsOf<Memory::host, Access::read>;
using HostResult = io::PixelsOf<Memory::host, Access::read_write>;
using DeviceSource = io::PixelsOf<Memory::device, Access::read>;
using DeviceResult = io::PixelsOf<Memory::device, Access::read_write>;

/// The error for pixels that a stage does not take. The message says which pixels it takes: "sobel
/// takes grey and colour pixels of u8, u16 and f32".
class PixelsNotTaken : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

/// One step of a pipeline: computes a result from each frame or picture.
class Stage {
 public:
  virtual ~Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Returns the stage's text in the pipeline: "threshold window=31".
  const std::string& text() const { return text_; }

  /// Returns the format that frames of `from` are converted to before this stage: gray8, rgb24 or
  /// another order of RGB; nullopt for no conversion.
  ///
  /// - gray8: YUV gives its luma, RGB the grey of cv::cvtColor(COLOR_RGB2GRAY). RGB of u16 and f32
  ///   gives grey of its own type.
  /// - rgb24: YUV is converted as by convert_stage().
  virtual std::optional<PixelFormat> required_format(const Stream& from) const = 0;

  /// Returns true if the stage takes deep frames (more than 8 bits), or their grey if
  /// required_format() is gray8. Otherwise frames are rounded to 8 bits before the stage.
  virtual bool accepts_deep_frames() const { return false; }

  /// Prepares the stage for frames of required_format(), and returns the result's stream. Called
  /// before the first frame.
  /// \throws PixelsNotTaken   the stage takes other pixels.
  /// \throws InvalidArgument  the stage cannot process them; the message says what it takes.
  virtual Stream begin(const Stream& from) = 0;

  /// Returns the shapes of the results after the first. Called after begin(). run_all() computes
  /// these results for a pipeline's last stage. From other stages only the first result is used.
  virtual std::vector<io::PictureShape> further_results() const { return {}; }

  /// Returns the layout of results in files without headers; nullopt for the layout in memory.
  virtual std::optional<DeepLayout> layout() const { return std::nullopt; }

  /// Returns true if RGBA results keep the alpha of the input frames.
  virtual bool keeps_alpha() const { return false; }

  /// Returns true if a result depends on earlier frames; frames then pass one after another.
  virtual bool is_stateful() const { return false; }

  /// Returns true if the GPU work may be recorded into a graph: it only enqueues on the stream, and
  /// is the same for every frame.
  virtual bool is_recordable() const { return !is_stateful(); }

  /// Frees the GPU memory that run() keeps between frames. Called before the stream is destroyed.
  virtual void release() {}

  /// Returns a stage that computes only the luma of this stage's result, as gray8; null if there is
  /// none.
  virtual std::unique_ptr<Stage> luma_alone() const { return nullptr; }

  /// Returns the stage as a step of a Chain; nullopt if it cannot be one. Called after begin().
  virtual std::optional<ChainStep> chain_step() const { return std::nullopt; }

  /// Computes one frame in the calling thread's oneTBB arena. Several threads may call it at once,
  /// for different frames, unless is_stateful().
  virtual void run(HostSource from, HostResult to) = 0;
  /// Computes one frame on a GPU, asynchronously on `stream`. A stage that is not recordable may
  /// wait for the stream. A stateful stage gets all frames on one stream, until release().
  virtual void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) = 0;

  /// Computes all results of a frame; begin() describes the first.
  virtual void run_all(HostSource from, std::span<const HostResult> to) { run(from, to.front()); }
  virtual void run_all(DeviceSource from, std::span<const DeviceResult> to,
                       gpu::StreamHandle stream) {
    run(from, to.front(), stream);
  }

 protected:
  explicit Stage(std::string text) : text_(std::move(text)) {}

 private:
  std::string text_;
};

}  // namespace warpwise::live
