#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warpwise/live/sink.hpp"
#include "warpwise/live/stage.hpp"
#include "warpwise/live/stream.hpp"

namespace warpwise::live {

/// What is done with a frame at one point of a pipeline.
struct Step {
  /// Null where the frame's plane of luma is taken as a grey picture, which costs nothing.
  std::shared_ptr<Stage> stage;
  Stream from;
  Stream to;
  bool is_inserted = false;  ///< between two stages, to bring frames from one to the other
};

/// Stages in their order, checked against the frames that come and those that the sink takes, with
/// the conversions that this needs. Of a conversion to YUV whose luma alone is read, that alone is
/// computed.
class Pipeline {
 public:
  /// \throws InvalidArgument  a stage, or the sink, cannot take what comes; the message names it,
  /// what stands before it, and what it takes.
  Pipeline(std::vector<std::shared_ptr<Stage>> stages, const Stream& source, const Sink& sink);

  /// Has one kernel of a GPU compute steps that follow one another, where a Chain of them is one
  /// kernel: to the same bytes. The steps are one then, whose text is theirs with '|' between.
  void join_chains();

  const std::vector<Step>& steps() const { return steps_; }
  const Stream& source() const { return source_; }
  const Stream& result() const { return steps_.empty() ? source_ : steps_.back().to; }

  /// Whether any stage does: frames then pass one after another.
  bool remembers() const;
  /// Whether all of them are: a GPU's work for a frame is then one graph.
  bool is_recordable() const;

  /// "nv12 -> (rgb24) -> track box=0,0,8,8 rgb24": each step with what comes of it, in brackets
  /// where it is inserted.
  std::string text() const;

 private:
  void insert(const std::string& who, const Sink::Taken& wanted);
  bool take_luma_alone();
  void add(std::shared_ptr<Stage> stage, const std::string& neighbour, bool is_inserted);

  Stream source_;
  std::vector<Step> steps_;
};

}  // namespace warpwise::live
