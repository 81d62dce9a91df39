#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warpwise/live/sink.hpp"
#include "warpwise/live/stage.hpp"
#include "warpwise/live/stream.hpp"

namespace warpwise::live {

/// One step of a pipeline: a stage with the streams before and after it.
struct Step {
  /// null if the step only takes the frame's luma plane as a grey picture, which costs nothing
  std::shared_ptr<Stage> stage;
  Stream from;
  Stream to;
  bool is_inserted = false;  ///< inserted to convert frames for a stage or the sink
};

/// Holds stages in their order, checked against the source's frames and the sink's. Inserts the
/// conversions that the stages and the sink need. For example, deep frames (more than 8 bits) are
/// rounded for stages and sinks that take only 8 bits. If only the luma of a conversion to 4:4:4 is
/// read, only the luma is computed.
class Pipeline {
 public:
  /// \throws InvalidArgument  a stage, or the sink, cannot take its input: the message names it,
  ///                          the stage or source before it, and the frames that it takes. Also
  ///                          thrown if a stage's results are neither u8 nor u16.
  Pipeline(std::vector<std::shared_ptr<Stage>> stages, const Stream& source, const Sink& sink);
  /// Makes a pipeline of one stage for pictures. Source and results may have any element type.
  /// \throws PixelsNotTaken, InvalidArgument  as the stage's begin()
  Pipeline(std::shared_ptr<Stage> stage, const io::PictureShape& source);

  /// Fuses consecutive steps into one step if their Chain is a single GPU kernel. The results stay
  /// the same, byte for byte. A fused step's text joins the texts of its steps with '|'.
  void join_chains();

  const std::vector<Step>& steps() const { return steps_; }
  const Stream& source() const { return source_; }
  const Stream& result() const { return steps_.empty() ? source_ : steps_.back().to; }
  /// Returns the shapes of all results of the last step; result() has the first.
  std::vector<io::PictureShape> results() const;

  /// Returns true if deep frames are rounded to 8 bits for a stage or the sink.
  bool rounds_to_8_bits() const;

  /// Returns true if a result depends on earlier frames. Frames then pass one after another.
  bool is_stateful() const;
  /// Returns true if all stages are recordable; the GPU's work for a frame is then one graph.
  bool is_recordable() const;

  /// Lists each step with its output format, inserted steps in brackets: "nv12 -> (rgb24) -> track
  /// box=0,0,8,8 rgb24".
  std::string text() const;

 private:
  bool keep_depth_for(const Sink& sink);
  void narrow_for(const std::string& who);
  void convert_for(const Stage& stage);
  void insert(const std::string& who, const Sink::AcceptedFrames& wanted);
  bool take_luma_alone();
  void add(std::shared_ptr<Stage> stage, const std::string& neighbour, bool is_inserted);

  Stream source_;
  std::vector<Step> steps_;
};

}  // namespace warpwise::live
