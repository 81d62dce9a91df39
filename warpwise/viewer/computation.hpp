#pragma once

#include <array>
#include <memory>
#include <vector>

#include "warpwise/live/lane.hpp"
#include "warpwise/viewer/viewer.hpp"

namespace warpwise::viewer {

/// A source's frame and the pipeline's result, both in the window's formats: gray8 of full range or
/// rgb24.
class Frame {
 public:
  Frame(std::unique_ptr<live::Lane> original, std::unique_ptr<live::Lane> result)
      : original_(std::move(original)), result_(std::move(result)) {}

  /// Lets the source write its next frame into this memory. Returns false after the last one.
  bool read(live::Source& source) { return original_->read(source); }
  /// Copies the source's frame from another Frame.
  void copy_source_from(const Frame& other) { original_->copy_source_from(*other.original_); }
  /// Computes the original's picture and the result from the source's frame. \throws CudaError
  void compute();

  const live::Lane& original() const { return *original_; }
  const live::Lane& result() const { return *result_; }

  /// Returns the mean milliseconds of each step, over all frames computed here.
  std::vector<double> milliseconds() const;

 private:
  std::unique_ptr<live::Lane> original_;
  std::unique_ptr<live::Lane> result_;
  std::int64_t computed_ = 0;
};

/// A pipeline that makes pictures for the window, with memory for three frames: one that is being
/// computed, one that waits, and one that is shown.
class Computation {
 public:
  /// \throws InvalidArgument  the stages cannot take the frames.
  Computation(std::vector<std::shared_ptr<live::Stage>> stages, const live::Stream& source);

  /// Allocates the memory, once, before the first frame. \throws CudaError
  void reserve(const ViewOptions& options, live::OnGpu on_gpu);

  const live::Pipeline& pipeline() const { return pipeline_; }
  const io::PictureShape& original() const { return conversion_.result().shape; }
  const io::PictureShape& result() const { return pipeline_.result().shape; }

  /// Returns one of the three frames that is neither `one` nor `another`.
  Frame& other_than(const Frame* one, const Frame* another);

 private:
  live::Pipeline conversion_;
  live::Pipeline pipeline_;
  std::vector<Frame> frames_;
};

}  // namespace warpwise::viewer
