#include "warpwise/live/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "warpwise/base/error.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

// Its first plane is the luma of every pixel.
bool begins_with_luma(PixelFormat format) { return has_luma(format) && plane_count(format) > 1; }

Stream luma_of(const Stream& stream) {
  Stream luma = stream;
  luma.shape = io::PictureShape::of(PixelFormat::gray8, stream.shape.width, stream.shape.height);
  luma.shape.full_range = stream.shape.full_range;
  return luma;
}

std::shared_ptr<Stage> conversion(const Stream& from, PixelFormat to, std::optional<Range> range) {
  ConvertChoices options;
  options.to_range = range;
  if (to == PixelFormat::gray8 && !has_luma(from.format())) {
    options.convention = Convention::opencv;
    options.matrix = Matrix::bt601;  // the only one it has
  }
  return convert_stage(std::string(name_of(to)), to, options);
}

}  // namespace

Pipeline::Pipeline(std::vector<std::shared_ptr<Stage>> stages, const Stream& source,
                   const Sink& sink)
    : source_(source) {
  std::string before = "the source";
  for (std::shared_ptr<Stage>& stage : stages) {
    const std::string text = stage->text();
    const std::optional<PixelFormat> wanted = stage->reads(result());
    if (wanted) insert(text, *wanted, std::nullopt);
    add(std::move(stage), before, false);
    before = "'" + text + "'";
  }
  const Sink::Taken taken = sink.takes(result());
  insert(sink.name(), taken.format, taken.range);
}

void Pipeline::insert(const std::string& who, PixelFormat format, std::optional<Range> range) {
  const Stream& from = result();
  const bool same_range = !range || !has_luma(format) || from.colours.range.value == *range;
  if (from.format() == format && same_range) return;
  if (format == PixelFormat::gray8 && begins_with_luma(from.format()) && same_range) {
    steps_.push_back({nullptr, from, luma_of(from), true});
    return;
  }
  add(conversion(from, format, range), who, true);
}

void Pipeline::add(std::shared_ptr<Stage> stage, const std::string& neighbour, bool is_inserted) {
  Stream from = result();
  try {
    Stream to = stage->begin(from);
    steps_.push_back({std::move(stage), std::move(from), std::move(to), is_inserted});
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(is_inserted
                              ? fmt::format("{} cannot take the {} frames that come to it: {}",
                                            neighbour, from.shape.pixel_text(), error.what())
                              : fmt::format("'{}' cannot follow {}, which gives {} {}x{}: {}",
                                            stage->text(), neighbour, from.shape.pixel_text(),
                                            from.shape.width, from.shape.height, error.what()));
  }
}

bool Pipeline::remembers() const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [](const Step& step) { return step.stage && step.stage->remembers(); });
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
