#include "warpwise/base/error.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/raw_frames.hpp"
#include "warpwise/io/y4m.hpp"
#include "warpwise/live/sources.hpp"

namespace warpwise::live {
namespace {

class RawSource final : public Source {
 public:
  RawSource(const std::string& path, const Stream& stream,
            const std::optional<DeepLayout>& layout = std::nullopt)
      : Source(path == "-" ? "standard input" : path, stream), input_(path),
        frames_(layout ? frames_in(input_, *layout, stream)
                       : std::make_unique<io::RawFrames>(input_, stream.shape)) {}

  bool next(std::span<std::byte> pixels) override { return frames_->next(pixels); }

  std::optional<std::int64_t> frames() const override {
    if (!input_.size()) return std::nullopt;
    return *input_.size() / stream().shape.bytes();
  }

 private:
  io::InputFile input_;
  std::unique_ptr<io::Frames> frames_;
};

std::unique_ptr<Source> deep_source(const std::string& path, const DeepLayout& layout,
                                    const FrameSize& size, Rate rate, const ColourTags& colours) {
  Stream stream = stream_of(layout.shape(size.width, size.height), rate, colours, {});
  stream.depth = layout.depth;
  return std::make_unique<RawSource>(path, stream, layout);
}

// Returns the siting that a .y4m file's name of 4:2:0 states; nullopt for "420" alone.
std::optional<Siting> siting_of(const std::string& sampling) {
  if (sampling == "420jpeg") return Siting::centre;
  if (sampling == "420mpeg2") return Siting::left;
  if (sampling == "420paldv") return Siting::top_left;
  return std::nullopt;
}

Rate rate_of(const std::string& ratio) {
  const std::size_t colon = ratio.find(':');
  const Rate rate{std::stoll(ratio.substr(0, colon)), std::stoll(ratio.substr(colon + 1))};
  return rate.is_possible() ? rate : Rate{};
}

// An open file and its frames.
struct Y4mInput {
  io::InputFile file;
  std::unique_ptr<io::Y4mFrames> frames;
};

Stream stream_of(const io::Y4mHeader& header, const SourceOptions& options) {
  ColourTags tags;
  if (header.is_range_stated) {
    tags.range = header.shape.full_range.value() ? Range::full : Range::limited;
  }
  tags.siting = siting_of(header.sampling);
  Stream stream =
      stream_of(header.shape, options.rate.value_or(rate_of(header.rate)), options.colours, tags);
  stream.depth = header.depth;
  const std::size_t colon = header.aspect.find(':');
  stream.pixel_aspect = {std::stoll(header.aspect.substr(0, colon)),
                         std::stoll(header.aspect.substr(colon + 1))};
  return stream;
}

class Y4mSource final : public Source {
 public:
  Y4mSource(std::unique_ptr<Y4mInput> input, const SourceOptions& options)
      : Source(input->file.name(), stream_of(input->frames->header(), options)),
        input_(std::move(input)) {}

  bool next(std::span<std::byte> pixels) override { return input_->frames->next(pixels); }

 private:
  std::unique_ptr<Y4mInput> input_;
};

}  // namespace

std::unique_ptr<Source> pipe_source(const std::string& text, const SourceOptions& options) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    throw InvalidArgument("pipe:" + text +
                          " must describe its frames, such as pipe:rgb24:1280x720@30");
  }
  const std::size_t at = text.find('@', colon);
  const FrameSize size = parse_frame_size(text.substr(colon + 1, at - colon - 1));
  const Rate named = at == std::string::npos ? Rate{} : parse_rate(text.substr(at + 1));
  const Rate rate = options.rate.value_or(named);
  if (const auto layout = deep_layout_named(text.substr(0, colon))) {
    return deep_source("-", *layout, size, rate, options.colours);
  }
  const PixelFormat format = parse_format(text.substr(0, colon));
  return std::make_unique<RawSource>(
      "-", stream_of(format, size.width, size.height, rate, options.colours));
}

std::unique_ptr<Source> raw_source(const std::string& path, const SourceOptions& options) {
  const bool has_format = options.format || options.deep_format;
  if (!has_format || !options.width) {
    throw InvalidArgument(path + " has no header: --format and --size must describe its frames");
  }
  const Rate rate = options.rate.value_or(Rate{});
  if (options.deep_format) {
    return deep_source(path, *options.deep_format, {*options.width, *options.height}, rate,
                       options.colours);
  }
  return std::make_unique<RawSource>(
      path, stream_of(*options.format, *options.width, *options.height, rate, options.colours));
}

std::unique_ptr<Source> y4m_source(const std::string& path, const SourceOptions& options) {
  auto input = std::make_unique<Y4mInput>(Y4mInput{io::InputFile(path), nullptr});
  if (!io::is_y4m(input->file.peek(io::y4m_start_bytes))) return nullptr;
  std::optional<bool> full_range;
  if (options.colours.range) full_range = *options.colours.range == Range::full;
  input->frames = std::make_unique<io::Y4mFrames>(input->file, full_range);
  return std::make_unique<Y4mSource>(std::move(input), options);
}

}  // namespace warpwise::live
