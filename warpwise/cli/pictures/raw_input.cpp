#include "warpwise/cli/pictures/raw_input.hpp"

#include "warpwise/io/raw_frames.hpp"

namespace warpwise::cli {
namespace {

// Frames of another layout than memory's.
class LayoutFrames final : public io::Frames {
 public:
  LayoutFrames(io::InputFile& input, const io::PictureShape& shape, const live::DeepLayout& layout)
      : Frames(shape), frames_(input, shape), copy_(layout, live::stream_of(shape)),
        in_layout_(static_cast<std::size_t>(shape.bytes())) {}

  bool next(std::span<std::byte> pixels) override {
    if (!frames_.next(in_layout_)) return false;
    copy_.read(in_layout_, pixels);
    return true;
  }

 private:
  io::RawFrames frames_;
  live::LayoutCopy copy_;
  std::vector<std::byte> in_layout_;
};

}  // namespace

std::vector<RawFormat> with_deep_formats(std::vector<RawFormat> formats) {
  for (const live::DeepLayout& each : live::deep_layouts) {
    io::PictureShape pixel = each.shape(1, 1);
    if (each.planes) pixel.full_range = false;
    formats.push_back({std::string(each.name), pixel});
  }
  return formats;
}

std::unique_ptr<io::Frames> raw_frames(io::InputFile& input, const InputOptions& options) {
  const auto layout = live::deep_layout_named(options.from->name);
  if (layout && layout->shares_plane) {
    return std::make_unique<LayoutFrames>(input, options.raw_shape(), *layout);
  }
  return std::make_unique<io::RawFrames>(input, options.raw_shape());
}

int depth_of_raw(const InputOptions& options) {
  const auto layout = live::deep_layout_named(options.from->name);
  return layout && layout->planes ? layout->depth : 8;
}

}  // namespace warpwise::cli
