#include "warpwise/cli/pictures/raw_input.hpp"

#include "warpwise/io/raw_frames.hpp"

namespace warpwise::cli {

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
  const io::PictureShape shape = options.raw_shape();
  if (layout) return live::frames_in(input, *layout, live::stream_of(shape));
  return std::make_unique<io::RawFrames>(input, shape);
}

}  // namespace warpwise::cli
