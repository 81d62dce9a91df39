#include "warpwise/live/depth.hpp"
#include "warpwise/live/stages/stages.hpp"
#include "warpwise/primitives/convert/deep.hpp"

namespace warpwise::live {
namespace {

class DeepStage final : public Stage {
 public:
  DeepStage(std::string text, DeepTarget to, const ConvertChoices& choices)
      : Stage(std::move(text)), to_(to), choices_(choices) {}

  std::optional<PixelFormat> required_format(const Stream&) const override { return std::nullopt; }
  bool accepts_deep_frames() const override { return true; }
  std::optional<DeepLayout> layout() const override { return deep_layout_named(to_.layout); }

  Stream begin(const Stream& from) override {
    require_defined(from);
    options_.matrix = choices_.matrix.value_or(from.colours.matrix.value);
    Stream result = from;
    result.depth = deep_layout_named(name_of(to_))->depth;
    const io::PictureShape& shape = from.shape;
    const bool is_rgb = from.shape.channels >= 3;
    if (!is_rgb) options_.from_range = choices_.from_range.value_or(from.colours.range.value);
    if (!to_.planes) {
      result.shape = io::PictureShape::interleaved(ElementType::u16, 3, shape.width, shape.height);
      return result;
    }
    const Range range = options_.to_range =
        choices_.to_range.value_or(shape.planes ? options_.from_range : Range::limited);
    result.shape = io::PictureShape::of(*to_.planes, shape.width, shape.height);
    result.shape.full_range = range == Range::full;
    result.colours = {
        {options_.matrix, Origin::stage}, {range, Origin::stage}, {Siting::centre, Origin::stage}};
    if (from.shape.planes) keep_colours(from, result);
    return result;
  }

  void run(HostSource from, HostResult to) override {
    convert_deep(views_of(from), views_of(to), options_);
  }
  void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) override {
    convert_deep(views_of(from), views_of(to), options_, stream);
  }

 private:
  // Copies the origins (option, tag, guess) of a YUV input's colour properties. The range must be
  // unchanged for this. The siting is copied if the number of chroma columns is unchanged.
  void keep_colours(const Stream& from, Stream& result) const {
    result.colours.matrix = from.colours.matrix;
    result.colours.matrix.value = options_.matrix;
    if (from.colours.range.value == result.colours.range.value) {
      result.colours.range = from.colours.range;
    }
    const bool shared_columns = *from.shape.planes != io::DeepPlanes::yuv444;
    const bool shares_columns = *to_.planes != io::DeepPlanes::yuv444;
    if (shared_columns != shares_columns) return;
    const bool has_means_of_rows =
        from.shape.planes == io::DeepPlanes::yuv422 && to_.planes == io::DeepPlanes::yuv420;
    result.colours.siting =
        has_means_of_rows ? siting_of_row_means(from.colours.siting) : from.colours.siting;
  }

  void require_defined(const Stream& from) const {
    if (!from.is_deep()) {
      throw PixelsNotTaken(text() + " takes frames of more than 8 bits, not " +
                           from.shape.pixel_text() + "; for 8 bits use rgb24, i420, and the like");
    }
    const WithOrigin<Matrix>& matrix = from.colours.matrix;
    if (to_.planes && from.shape.planes && !choices_.by_convention &&
        choices_.matrix.value_or(matrix.value) != matrix.value) {
      throw InvalidArgument(
          text() + " cannot change the matrix of YUV from " + std::string(name_of(matrix.value)) +
          " (" + std::string(name_of(matrix.origin)) + ") to " +
          std::string(name_of(*choices_.matrix)) + "; put the stage rgb48 before it");
    }
    if (!to_.planes && choices_.to_range.value_or(Range::full) != Range::full) {
      throw InvalidArgument(text() + " is RGB, whose range is full");
    }
    if (from.shape.channels >= 3 && choices_.from_range.value_or(Range::full) != Range::full) {
      throw InvalidArgument(text() + ": the frames are RGB, whose range is full");
    }
    if (choices_.convention != Convention::exact ||
        choices_.upsampling != ChromaUpsampling::replicate) {
      throw InvalidArgument(text() + " has convention exact and chroma replicate only");
    }
  }

  DeepTarget to_;
  ConvertChoices choices_;
  DeepOptions options_;  // completed by begin()
};

}  // namespace

std::unique_ptr<Stage> deep_stage(std::string text, DeepTarget to, const ConvertChoices& choices) {
  return std::make_unique<DeepStage>(std::move(text), to, choices);
}

}  // namespace warpwise::live
