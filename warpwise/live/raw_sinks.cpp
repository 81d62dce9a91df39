#include <optional>

#include "warpwise/base/error.hpp"
#include "warpwise/base/samples.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/y4m.hpp"
#include "warpwise/live/depth.hpp"
#include "warpwise/live/sinks.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

class NullSink final : public Sink {
 public:
  NullSink() : Sink("null") {}
  AcceptedFrames accepted_frames(const Stream& stream) const override {
    return {stream.format(), std::nullopt};
  }
  bool accepts_deep_frames(const Stream&) const override { return true; }
  void begin(const Stream&) override {}
  void write(std::span<const std::byte>) override {}
  void finish() override {}
};

// Writes frames unconverted and without headers.
class RawSink : public Sink {
 public:
  RawSink(const std::string& path, const std::optional<DeepLayout>& layout)
      : Sink(path == "-" ? "standard output" : path), layout_(layout), file_(path) {}

  AcceptedFrames accepted_frames(const Stream& stream) const override {
    return {stream.format(), std::nullopt};
  }
  bool accepts_deep_frames(const Stream&) const override { return true; }
  std::string stored_format_name(const Stream& taken) const override {
    return layout_ ? std::string(layout_->name) : Sink::stored_format_name(taken);
  }
  std::vector<std::string> unstored_parts(const Stream& stream,
                                          const Companions* companions) const override {
    return unstored_parts_of_frame_file(stream, companions);
  }

  void begin(const Stream& stream) override {
    if (!layout_ || layout_->is_memory_layout()) return;
    copy_.emplace(*layout_, stream);
    in_layout_.resize(static_cast<std::size_t>(stream.shape.bytes()));
  }
  void write(std::span<const std::byte> pixels) override {
    if (!copy_) return file_.write(pixels);
    copy_->write(pixels, in_layout_);
    file_.write(in_layout_);
  }
  void finish() override { file_.finish(); }

 private:
  std::optional<DeepLayout> layout_;
  io::OutputFile file_;
  std::optional<LayoutCopy> copy_;
  std::vector<std::byte> in_layout_;
};

// Writes frames of one format to standard output.
class PipeSink final : public RawSink {
 public:
  explicit PipeSink(PixelFormat format) : RawSink("-", std::nullopt), format_(format) {}

  AcceptedFrames accepted_frames(const Stream&) const override { return {format_, std::nullopt}; }
  bool accepts_deep_frames(const Stream&) const override { return false; }

 private:
  PixelFormat format_;
};

class DeepPipeSink final : public RawSink {
 public:
  explicit DeepPipeSink(const DeepLayout& layout) : RawSink("-", layout), layout_(layout) {}

  AcceptedFrames accepted_frames(const Stream& stream) const override {
    throw InvalidArgument("pipe:" + std::string(layout_.name) +
                          " takes frames of more than 8 bits, not " + stream.shape.pixel_text());
  }
  bool accepts_deep_frames(const Stream& deep) const override {
    return deep.shape.planes == layout_.planes && deep.shape.channels == layout_.channels;
  }
  io::DeepPlanes planes_for_rgb() const override {
    return layout_.planes.value_or(io::DeepPlanes::yuv444);
  }

 private:
  DeepLayout layout_;
};

std::string sampling_of(Siting siting) {
  switch (siting) {
    case Siting::left: return "420mpeg2";
    case Siting::centre: return "420jpeg";
    case Siting::top_left: return "420paldv";
  }
  throw InvalidArgument("the chroma siting is unknown");
}

std::string ratio_text(std::int64_t first, std::int64_t second) {
  return std::to_string(first) + ":" + std::to_string(second);
}

// Appends the planes of a frame with subsampled chroma.
void append_planes(const ConstHostFrame& frame, std::vector<std::byte>& planes) {
  for (int component = 0; component < 3; ++component) {
    const Samples samples = samples_of(frame.format(), component);
    const std::int64_t columns = component == 0 ? frame.width() : (frame.width() + 1) / 2;
    const std::int64_t rows = plane_rows(frame.format(), samples.plane, frame.height());
    for (std::int64_t y = 0; y < rows; ++y) {
      const std::byte* row = frame.row(samples.plane, y) + samples.first;
      for (std::int64_t x = 0; x < columns; ++x) planes.push_back(row[x * samples.step]);
    }
  }
}

class Y4mSink final : public Sink {
 public:
  explicit Y4mSink(const std::string& path)
      : Sink(path == "-" ? "standard output" : path), file_(path) {}

  AcceptedFrames accepted_frames(const Stream& stream) const override {
    const PixelFormat format = stream.format();
    if (io::y4m_holds(stream.shape) || is_subsampled(format)) return {format, std::nullopt};
    return {PixelFormat::i444, has_luma(format) ? std::nullopt : std::optional(Range::limited)};
  }

  bool accepts_deep_frames(const Stream& deep) const override { return io::y4m_holds(deep.shape); }
  io::DeepPlanes planes_for_rgb() const override { return io::DeepPlanes::yuv444; }

  // The .y4m names of 4:2:0 above 8 bits do not state the chroma siting, so readers assume left.
  std::vector<std::string> unstored_parts(const Stream& stream,
                                          const Companions* companions) const override {
    std::vector<std::string> dropped = unstored_parts_of_frame_file(stream, companions);
    const bool is_left = stream.colours.siting.value == Siting::left;
    if (stream.shape.planes == io::DeepPlanes::yuv420 && !is_left) {
      dropped.emplace_back("the chroma siting");
    }
    return dropped;
  }

  void begin(const Stream& stream) override {
    const Rate rate = stream.rate.is_known() ? stream.rate : assumed_rate;
    const PixelAspect& pixel = stream.pixel_aspect;
    const int depth = io::y4m_depth(stream.shape, stream.depth);
    shape_ = stream.shape;
    if (stream.is_deep() && depth < 16) levels_ = levels_of(stream, 16, depth);
    write_text(io::y4m_header(stream.shape, ratio_text(rate.numerator, rate.denominator),
                              pixel.is_known() ? ratio_text(pixel.width, pixel.height) : "0:0",
                              sampling_of(stream.colours.siting.value), depth));
  }

  void write(std::span<const std::byte> pixels) override {
    write_text(io::y4m_frame_line);
    if (!levels_.empty()) {
      planes_.resize(pixels.size());
      io::map_planes(shape_, levels_, pixels, planes_);
      file_.write(planes_);
    } else if (shape_.format && !io::y4m_holds(shape_)) {
      planes_.clear();
      append_planes({pixels.data(), *shape_.format, shape_.width, shape_.height}, planes_);
      file_.write(planes_);
    } else {
      file_.write(pixels);
    }
  }
  void finish() override { file_.finish(); }

 private:
  void write_text(std::string_view text) { file_.write(std::as_bytes(std::span(text))); }

  io::OutputFile file_;
  io::PictureShape shape_;
  LevelTables levels_;             // for samples of 9 to 15 bits
  std::vector<std::byte> planes_;  // a frame in the file's layout
};

}  // namespace

std::vector<std::string> unstored_parts_of_frame_file(const Stream& stream,
                                                      const Companions* companions) {
  std::vector<std::string> dropped;
  if (companions != nullptr) dropped = companions->parts();
  if (stream.is_varying) dropped.emplace_back("varying frame durations (--fps makes them equal)");
  if (stream.orientation != 1) dropped.emplace_back("the rotation tag");
  if (stream.has_wide_range()) dropped.emplace_back("the transfer function");
  if (stream.primaries == bt2020_primaries) dropped.emplace_back("the colour primaries");
  return dropped;
}

std::unique_ptr<Sink> null_sink() { return std::make_unique<NullSink>(); }

std::unique_ptr<Sink> pipe_sink(const std::string& format) {
  std::string known;
  for (const PixelFormat each : frame_destinations) {
    if (name_of(each) == format) return std::make_unique<PipeSink>(each);
    known += (known.empty() ? "" : ", ") + std::string(name_of(each));
  }
  if (const auto layout = deep_layout_named(format)) return std::make_unique<DeepPipeSink>(*layout);
  for (const DeepLayout& each : deep_layouts) known += ", " + std::string(each.name);
  throw InvalidArgument("pipe:" + format + " is no format to write; these are: " + known);
}

std::unique_ptr<Sink> raw_sink(const std::string& path, const std::optional<DeepLayout>& layout) {
  return std::make_unique<RawSink>(path, layout);
}

std::unique_ptr<Sink> y4m_sink(const std::string& path) { return std::make_unique<Y4mSink>(path); }

}  // namespace warpwise::live
