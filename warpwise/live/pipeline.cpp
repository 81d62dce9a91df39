#include "warpwise/live/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "warpwise/base/error.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

// Returns true if the first plane is the luma of every pixel.
bool begins_with_luma(PixelFormat format) { return has_luma(format) && plane_count(format) > 1; }

Stream luma_of(const Stream& stream) {
  Stream luma = stream;
  luma.shape =
      io::PictureShape::interleaved(stream.shape.type, 1, stream.shape.width, stream.shape.height);
  luma.shape.full_range = stream.shape.full_range;
  return luma;
}

std::shared_ptr<Stage> conversion(const Stream& from, const Sink::AcceptedFrames& wanted) {
  ConvertChoices options;
  options.to_range = wanted.range;
  options.matrix = wanted.matrix;
  if (wanted.format == PixelFormat::gray8 && !has_luma(from.format())) {
    options.convention = convention_of_grey;
  }
  return convert_stage(std::string(name_of(wanted.format)), wanted.format, options);
}

// Returns true if the stream already has the wanted range and matrix.
bool has_wanted_colours(const Stream& from, const Sink::AcceptedFrames& wanted) {
  if (!has_luma(wanted.format)) return true;
  const Colours& colours = from.colours;
  const bool has_chroma = wanted.format != PixelFormat::gray8;
  return colours.range.value == wanted.range.value_or(colours.range.value) &&
         (!has_chroma || colours.matrix.value == wanted.matrix.value_or(colours.matrix.value));
}

// Describes a step's output, and the conversion of this output for the next step.
std::string text_of(const Stream& gives, const Stream& taken) {
  std::string text = fmt::format("giving {} {}x{}", gives.shape.pixel_text(), gives.shape.width,
                                 gives.shape.height);
  if (taken.shape.pixel_text() != gives.shape.pixel_text()) {
    text += fmt::format(", converted to {}", taken.shape.pixel_text());
  }
  return text;
}

/// Returns true if a Chain computes the steps in one kernel. The answer is for buffers with the
/// alignment of a Lane's buffers.
bool are_one_kernel(std::span<const Step> steps) {
  std::vector<ChainStep> chain;
  for (const Step& step : steps) {
    const auto of_chain = step.stage ? step.stage->chain_step() : std::nullopt;
    if (!of_chain) return false;
    chain.push_back(*of_chain);
  }
  // No memory is accessed here, so any address with the alignment of a buffer will do.
  std::byte* const aligned = reinterpret_cast<std::byte*>(std::uintptr_t{256});
  const DeviceSource from{steps.front().from.shape, aligned};
  const DeviceResult to{steps.back().to.shape, aligned};
  return steps.front().from.shape.channels > 0 &&
         Chain(std::move(chain)).is_fused(from.view(), to.view());
}

}  // namespace

Pipeline::Pipeline(std::vector<std::shared_ptr<Stage>> stages, const Stream& source,
                   const Sink& sink)
    : source_(source) {
  std::string before = "the source";
  for (std::shared_ptr<Stage>& stage : stages) {
    const std::string text = stage->text();
    const Stream gives = result();
    if (!stage->accepts_deep_frames()) narrow_for(text);
    convert_for(*stage);
    add(std::move(stage), before + ", " + text_of(gives, result()), false);
    before = "'" + text + "'";
    if (result().shape.format || result().is_deep()) continue;
    throw InvalidArgument(before + " gives " + result().shape.pixel_text() +
                          ", which does not fit the frames of a stream, u8 or u16");
  }
  if (keep_depth_for(sink)) return;
  narrow_for(sink.name());
  insert(sink.name(), sink.accepted_frames(result()));
}

Pipeline::Pipeline(std::shared_ptr<Stage> stage, const io::PictureShape& source)
    : source_(stream_of(source)) {
  if (source_.is_deep() && !stage->accepts_deep_frames()) narrow_for(stage->text());
  convert_for(*stage);
  const Stream from = result();
  const Stream to = stage->begin(from);
  steps_.push_back({std::move(stage), from, to, false});
}

std::vector<io::PictureShape> Pipeline::results() const {
  std::vector<io::PictureShape> results = {result().shape};
  if (steps_.empty() || !steps_.back().stage) return results;
  const std::vector<io::PictureShape> further = steps_.back().stage->further_results();
  results.insert(results.end(), further.begin(), further.end());
  return results;
}

// Converts deep frames to RGB or to YUV, if the sink keeps the depth of the converted frames.
bool Pipeline::keep_depth_for(const Sink& sink) {
  if (!result().is_deep()) return false;
  if (sink.accepts_deep_frames(result())) return true;
  const DeepTarget yuv{sink.planes_for_rgb()};
  for (const DeepTarget to : {DeepTarget{}, yuv}) {
    ConvertChoices choices;
    if (to.planes) choices.to_range = Range::limited;
    std::shared_ptr<Stage> conversion = deep_stage(std::string(name_of(to)), to, choices);
    if (!sink.accepts_deep_frames(conversion->begin(result()))) continue;
    add(std::move(conversion), sink.name(), true);
    return true;
  }
  return false;
}

void Pipeline::narrow_for(const std::string& who) {
  if (result().is_deep()) add(narrow_stage(), who, true);
}

// Inserts the conversion that a stage needs.
void Pipeline::convert_for(const Stage& stage) {
  const std::optional<PixelFormat> wanted = stage.required_format(result());
  if (!wanted) return;
  if (result().shape.format) return insert(stage.text(), {*wanted, std::nullopt});
  if (result().shape.planes) {
    steps_.push_back({nullptr, result(), luma_of(result()), true});
    return;
  }
  add(grey_stage(), stage.text(), true);
}

void Pipeline::insert(const std::string& who, const Sink::AcceptedFrames& wanted) {
  const Stream& from = result();
  const bool has_colours = has_wanted_colours(from, wanted);
  if (from.format() == wanted.format && has_colours) return;
  if (wanted.format == PixelFormat::gray8 && has_colours) {
    if (take_luma_alone()) return;
    if (begins_with_luma(from.format())) {
      steps_.push_back({nullptr, from, luma_of(from), true});
      return;
    }
  }
  // No stage changes the matrix of YUV directly, so the frames are first converted to rgb24.
  const bool matrix_changes = has_luma(from.format()) && from.format() != PixelFormat::gray8 &&
                              wanted.matrix && *wanted.matrix != from.colours.matrix.value;
  if (matrix_changes) add(conversion(from, {PixelFormat::rgb24, std::nullopt}), who, true);
  add(conversion(result(), wanted), who, true);
}

// Replaces the last step by a step that computes only the luma. Called if only the luma of the
// result is read. Returns false if the stage has no luma_alone().
bool Pipeline::take_luma_alone() {
  if (steps_.empty() || !steps_.back().stage) return false;
  std::shared_ptr<Stage> luma = steps_.back().stage->luma_alone();
  if (!luma) return false;
  const Stream from = steps_.back().from;
  const Stream to = luma->begin(from);
  // No step is needed if the input already holds this luma. A colour matrix does not change the
  // luma of YUV pixels, so the input's luma is the result's if both have the same range.
  const bool is_there =
      begins_with_luma(from.format()) && from.colours.range.value == to.colours.range.value;
  steps_.back() = is_there ? Step{nullptr, from, luma_of(from), true}
                           : Step{std::move(luma), from, to, steps_.back().is_inserted};
  return true;
}

void Pipeline::add(std::shared_ptr<Stage> stage, const std::string& neighbour, bool is_inserted) {
  const Stream from = result();
  try {
    const Stream to = stage->begin(from);
    steps_.push_back({std::move(stage), from, to, is_inserted});
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(is_inserted ? fmt::format("{} cannot take {} frames: {}", neighbour,
                                                    from.shape.pixel_text(), error.what())
                                      : fmt::format("'{}' cannot follow {}: {}", stage->text(),
                                                    neighbour, error.what()));
  }
}

void Pipeline::join_chains() {
  std::vector<Step> joined;
  for (std::size_t i = 0; i < steps_.size();) {
    std::size_t count = std::min<std::size_t>(3, steps_.size() - i);  // a kernel fuses at most 3
    while (count > 1 && !are_one_kernel(std::span(steps_).subspan(i, count))) --count;
    Step step = steps_[i];
    if (count > 1) {
      std::vector<std::shared_ptr<Stage>> stages;
      for (std::size_t k = 0; k < count; ++k) stages.push_back(steps_[i + k].stage);
      step.stage = chain_stage(std::move(stages));
      step.is_inserted = false;
      step.to = step.stage->begin(step.from);
    }
    joined.push_back(std::move(step));
    i += count;
  }
  steps_ = std::move(joined);
}

bool Pipeline::rounds_to_8_bits() const {
  return std::any_of(steps_.begin(), steps_.end(), [](const Step& step) {
    return step.is_inserted && step.from.is_deep() && step.to.shape.format;
  });
}

bool Pipeline::is_stateful() const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [](const Step& step) { return step.stage && step.stage->is_stateful(); });
}

bool Pipeline::is_recordable() const {
  return std::all_of(steps_.begin(), steps_.end(),
                     [](const Step& step) { return !step.stage || step.stage->is_recordable(); });
}

std::string Pipeline::text() const {
  std::string text = source_.shape.pixel_text();
  for (const Step& step : steps_) {
    const std::string name = step.stage ? step.stage->text() : "luma";
    text += " -> " + (step.is_inserted ? "(" + name + ")" : name);
    const std::string gives = step.to.shape.pixel_text();
    if (name != gives) text += " " + gives;
  }
  return text;
}

}  // namespace warpwise::live
