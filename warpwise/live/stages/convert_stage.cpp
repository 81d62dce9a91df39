#include <array>

#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

// convert() itself says whether it is defined: it is asked with one pixel.
void require_defined(PixelFormat from, PixelFormat to, const ConvertOptions& options) {
  const std::array<std::byte, 4> pixel{};
  std::array<std::byte, 4> result{};
  convert(ConstHostFrame(pixel.data(), from, 1, 1), HostFrame(result.data(), to, 1, 1), options);
}

void require_chroma_on_the_left(const Stream& from) {
  const Told<Siting>& siting = from.colours.siting;
  if (!is_subsampled(from.format()) || siting.value == Siting::left) return;
  throw InvalidArgument(
      "convert: linear chroma is defined for samples on the left, this stream's " +
      std::string("are ") + std::string(name_of(siting.value)) + " (" +
      std::string(name_of(siting.origin)) + "); take replicate");
}

ConvertOptions options_for(const Stream& from, PixelFormat to, const ConvertChoices& choices) {
  ConvertOptions options;
  options.convention = choices.convention;
  options.upsampling = choices.upsampling;
  options.matrix = choices.matrix.value_or(from.colours.matrix.value);
  options.from_range = choices.from_range;
  if (!options.from_range && has_luma(from.format())) {
    options.from_range = from.colours.range.value;
  }
  options.to_range = choices.to_range;
  if (!options.to_range && has_luma(to)) {
    options.to_range = has_luma(from.format()) ? options.from_range : Range::full;
  }
  return options;
}

class ConvertStage final : public Stage {
 public:
  ConvertStage(std::string text, PixelFormat to, const ConvertChoices& choices)
      : Stage(std::move(text)), to_(to), choices_(choices) {}

  std::optional<PixelFormat> reads(const Stream&) const override { return std::nullopt; }

  Stream begin(const Stream& from) override {
    if (choices_.upsampling == ChromaUpsampling::linear) require_chroma_on_the_left(from);
    options_ = options_for(from, to_, choices_);
    require_defined(from.format(), to_, options_);
    Stream result = from;
    result.shape = io::PictureShape::of(to_, from.shape.width, from.shape.height);
    if (!has_luma(to_)) return result;
    const auto say = [&]<class T>(Told<T>& told, T value) {
      const bool was_so = has_luma(from.format()) && told.value == value;
      if (!was_so) told = {value, Origin::stage};
    };
    say(result.colours.matrix, options_.matrix);
    say(result.colours.range, *options_.to_range);
    result.shape.full_range = options_.to_range == Range::full;
    return result;
  }

  void run(HostSource from, HostResult to) override { convert(from.frame(), to.frame(), options_); }
  void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) override {
    convert(from.frame(), to.frame(), options_, stream);
  }

 private:
  PixelFormat to_;
  ConvertChoices choices_;
  ConvertOptions options_;  // begin() completes them
};

}  // namespace

std::unique_ptr<Stage> convert_stage(std::string text, PixelFormat to,
                                     const ConvertChoices& choices) {
  return std::make_unique<ConvertStage>(std::move(text), to, choices);
}

}  // namespace warpwise::live
