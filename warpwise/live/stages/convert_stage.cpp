#include <array>
#include <vector>

#include "warpwise/base/samples.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/live/stages/stages.hpp"
#include "warpwise/primitives/convert/share_chroma.hpp"

namespace warpwise::live {
namespace {

// Calls convert() with one pixel. convert() itself throws for an undefined conversion.
void require_defined(PixelFormat from, PixelFormat to, const ConvertOptions& options) {
  const std::array<std::byte, 4> pixel{};
  std::array<std::byte, 4> result{};
  convert(ConstHostFrame(pixel.data(), from, 1, 1), HostFrame(result.data(), to, 1, 1), options);
}

void require_chroma_on_the_left(const Stream& from) {
  const WithOrigin<Siting>& siting = from.colours.siting;
  if (!is_subsampled(from.format()) || siting.value == Siting::left) return;
  throw InvalidArgument(
      "convert: linear chroma is defined for samples on the left, this stream's " +
      std::string("are ") + std::string(name_of(siting.value)) + " (" +
      std::string(name_of(siting.origin)) + "); take replicate");
}

// Refuses to convert YUV to another matrix, because convert() changes only the range of YUV. The
// codes would keep the old matrix but be tagged with the new one.
void require_its_matrix(const Stream& from, PixelFormat to, const ConvertChoices& choices) {
  const bool has_chroma = has_luma(from.format()) && from.format() != PixelFormat::gray8;
  const WithOrigin<Matrix>& matrix = from.colours.matrix;
  if (!has_chroma || !has_luma(to) || choices.matrix.value_or(matrix.value) == matrix.value) return;
  throw InvalidArgument("convert cannot change the matrix of YUV from " +
                        std::string(name_of(matrix.value)) + " (" +
                        std::string(name_of(matrix.origin)) + ") to " +
                        std::string(name_of(*choices.matrix)) + "; put the stage rgb24 before it");
}

// Returns the default matrix of a conversion. The conventions opencv and jfif define only BT.601
// for RGB input.
Matrix matrix_for(const Stream& from, Convention convention) {
  const bool has_one = convention == Convention::opencv || convention == Convention::jfif;
  return has_one && !has_luma(from.format()) ? Matrix::bt601 : from.colours.matrix.value;
}

void complete(ConvertOptions& options, const Stream& from, PixelFormat to,
              const ConvertChoices& choices) {
  options.convention = choices.convention;
  options.upsampling = choices.upsampling;
  options.matrix = choices.matrix.value_or(matrix_for(from, choices.convention));
  options.from_range = choices.from_range;
  if (!options.from_range && has_luma(from.format())) {
    options.from_range = from.colours.range.value;
  }
  options.to_range = choices.to_range;
  if (!options.to_range && has_luma(to)) {
    options.to_range = has_luma(from.format()) ? options.from_range : Range::full;
  }
}

// Returns the default range of a YUV or grey result, as ConvertOptions describes it.
Range range_by_convention(PixelFormat from, const ConvertOptions& options) {
  const bool codes_stay = has_luma(from) && options.convention != Convention::exact;
  if (codes_stay && options.from_range) return *options.from_range;
  const bool is_limited =
      options.convention == Convention::libyuv ||
      (codes_stay && is_subsampled(from) && options.convention == Convention::opencv);
  return is_limited ? Range::limited : Range::full;
}

// convert() treats grey as RGB, which has no limited range. Grey of limited range is therefore read
// as a YUV frame with neutral chroma.
constexpr PixelFormat with_chroma = PixelFormat::i420;
constexpr std::uint8_t neutral = 128;

std::int64_t chroma_bytes(const io::PictureShape& shape) {
  return plane_row_bytes(with_chroma, 1, shape.width) * plane_rows(with_chroma, 1, shape.height);
}

template <Memory memory>
BasicFrame<memory, Access::read> joined(const io::PixelsOf<memory, Access::read>& luma,
                                        const std::byte* chroma) {
  return {with_chroma,
          luma.shape.width,
          luma.shape.height,
          {{{luma.view().data(), 0}, {chroma, 0}, {chroma, 0}}}};
}

class ConvertStage final : public Stage {
 public:
  ConvertStage(std::string text, PixelFormat to, const ConvertChoices& choices,
               bool gray_is_luma = false)
      : Stage(std::move(text)), to_(to), choices_(choices) {
    options_.gray_is_luma = gray_is_luma;
  }

  std::optional<PixelFormat> required_format(const Stream&) const override { return std::nullopt; }
  bool keeps_alpha() const override { return has_alpha(to_); }

  Stream begin(const Stream& from) override {
    if (!from.shape.format)
      throw PixelsNotTaken("convert takes grey, RGB and RGBA of 8 and 16 bits");
    from_ = from.format();
    choices_.by_convention ? take_conventions_defaults(from) : take_streams_defaults(from);
    Stream result = from;
    result.shape = io::PictureShape::of(to_, from.shape.width, from.shape.height);
    if (!has_luma(to_)) return result;
    const auto say = [&]<class T>(WithOrigin<T>& told, T value) {
      const bool was_so = has_luma(from_) && told.value == value;
      if (!was_so) told = {value, Origin::stage};
    };
    const Range range = options_.to_range.value_or(range_by_convention(from_, options_));
    say(result.colours.matrix, options_.matrix);
    say(result.colours.range, range);
    result.shape.full_range = range == Range::full;
    return result;
  }

  std::unique_ptr<Stage> luma_alone() const override {
    if (!has_luma(to_) || to_ == PixelFormat::gray8) return nullptr;
    return std::make_unique<ConvertStage>("luma of " + text(), PixelFormat::gray8, choices_, true);
  }

  std::optional<ChainStep> chain_step() const override {
    if (lacks_chroma_ || plane_count(from_) != 1 || plane_count(to_) != 1) return std::nullopt;
    return ChainConvert{from_, to_, options_};
  }

  void run(HostSource from, HostResult to) override {
    convert(lacks_chroma_ ? joined(from, chroma_.data()) : from.frame(), to.frame(), options_);
  }
  void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) override {
    if (lacks_chroma_) return convert_grey(from, to, stream);
    convert(from.frame(), to.frame(), options_, stream);
  }

 private:
  void take_streams_defaults(const Stream& from) {
    if (choices_.upsampling == ChromaUpsampling::linear) require_chroma_on_the_left(from);
    require_its_matrix(from, to_, choices_);
    complete(options_, from, to_, choices_);
    lacks_chroma_ = from_ == PixelFormat::gray8 && options_.from_range == Range::limited;
    require_defined(lacks_chroma_ ? with_chroma : from_, to_, options_);
    if (lacks_chroma_) chroma_.assign(chroma_bytes(from.shape), std::byte{neutral});
  }

  // Does not check the options. convert() itself throws for undefined combinations.
  void take_conventions_defaults(const Stream& from) {
    options_ = {choices_.convention, choices_.matrix.value_or(Matrix::bt601), choices_.from_range,
                choices_.to_range, choices_.upsampling};
    if (!options_.from_range && from.shape.full_range) {
      options_.from_range = from.colours.range.value;
    }
  }

  void convert_grey(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) const {
    const gpu::Buffer chroma(chroma_bytes(from.shape), stream);
    gpu::fill_bytes(chroma.data(), neutral, chroma.bytes(), stream);
    convert(joined(from, chroma.data()), to.frame(), options_, stream);
  }

  PixelFormat from_ = PixelFormat::rgb24;  // set by begin()
  PixelFormat to_;
  ConvertChoices choices_;
  ConvertOptions options_;  // completed by begin()
  bool lacks_chroma_ = false;
  std::vector<std::byte> chroma_;  // neutral chroma for frames on the host
};

// Converts to i444, then to a subsampled format: shared chroma is the mean of its pixels' chroma.
class SharedChromaStage final : public Stage {
 public:
  SharedChromaStage(std::string text, PixelFormat to, const ConvertChoices& choices)
      : Stage(std::move(text)), to_(to), upsampling_(choices.upsampling),
        whole_("i444", PixelFormat::i444, choices) {}

  std::optional<PixelFormat> required_format(const Stream&) const override { return std::nullopt; }

  Stream begin(const Stream& from) override {
    Stream result = whole_.begin(from);
    i444_ = result.shape;
    result.shape = io::PictureShape::of(to_, from.shape.width, from.shape.height);
    result.shape.full_range = i444_.full_range;
    result.colours.siting = {Siting::centre, Origin::stage};
    const std::optional<PixelFormat> format = from.shape.format;
    if (!format || !is_subsampled(*format) || upsampling_ != ChromaUpsampling::replicate)
      return result;
    // Replicated chroma keeps its horizontal siting.
    const auto has_all_rows = [](PixelFormat each) {
      return each == PixelFormat::yuyv || each == PixelFormat::uyvy;
    };
    result.colours.siting = has_all_rows(*format) && !has_all_rows(to_)
                                ? siting_of_row_means(from.colours.siting)
                                : from.colours.siting;
    return result;
  }

  void run(HostSource from, HostResult to) override {
    io::Picture between(i444_);
    whole_.run(from, HostResult{i444_, between.bytes().data()});
    share_chroma(HostSource{i444_, between.bytes().data()}.frame(), to.frame());
  }
  void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) override {
    const gpu::Buffer between(i444_.bytes(), stream);
    whole_.run(from, DeviceResult{i444_, between.data()}, stream);
    share_chroma(DeviceSource{i444_, between.data()}.frame(), to.frame(), stream);
  }

 private:
  PixelFormat to_;
  ChromaUpsampling upsampling_;
  ConvertStage whole_;
  io::PictureShape i444_;
};

}  // namespace

std::unique_ptr<Stage> convert_stage(std::string text, PixelFormat to,
                                     const ConvertChoices& choices) {
  if (is_subsampled(to)) return std::make_unique<SharedChromaStage>(std::move(text), to, choices);
  return std::make_unique<ConvertStage>(std::move(text), to, choices);
}

}  // namespace warpwise::live
