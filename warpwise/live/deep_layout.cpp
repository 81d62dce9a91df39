#include "warpwise/live/deep_layout.hpp"

#include <algorithm>

namespace warpwise::live {
namespace {

// Copies the samples of each component, converted by the component's table.
void copy(std::span<const std::byte> from, const std::vector<SamplePositions>& from_places,
          std::span<std::byte> to, const std::vector<SamplePositions>& to_places,
          const LevelTables& tables) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::uint16_t* const table = tables[i].data();
    const SamplePositions in = from_places[i];
    const SamplePositions out = to_places[i];
    for (std::int64_t k = 0; k < in.columns * in.rows; ++k) {
      const auto code = load<std::uint16_t>(from.data(), in.first + k * in.step);
      store(to.data(), out.first + k * out.step, table[code]);
    }
  }
}

// Reads frames whose layout in the file differs from the layout in memory.
class LayoutFrames final : public io::Frames {
 public:
  LayoutFrames(io::InputFile& input, const DeepLayout& layout, const Stream& stream)
      : Frames(stream.shape), frames_(input, stream.shape), copy_(layout, stream) {}

  bool next(std::span<std::byte> pixels) override {
    in_layout_.resize(pixels.size());  // allocated with the first frame only
    if (!frames_.next(in_layout_)) return false;
    copy_.read(in_layout_, pixels);
    return true;
  }

 private:
  io::RawFrames frames_;
  LayoutCopy copy_;
  std::vector<std::byte> in_layout_;
};

}  // namespace

io::PictureShape DeepLayout::shape(std::int64_t width, std::int64_t height) const {
  if (planes) return io::PictureShape::of(*planes, width, height);
  return io::PictureShape::interleaved(ElementType::u16, channels, width, height);
}

std::optional<DeepLayout> deep_layout_named(std::string_view name) {
  const auto* const found = std::ranges::find(deep_layouts, name, &DeepLayout::name);
  return found == std::end(deep_layouts) ? std::nullopt : std::optional(*found);
}

LayoutCopy::LayoutCopy(const DeepLayout& layout, const Stream& frames)
    : to_layout_(levels_of(frames, 16, layout.depth)) {
  const int unused_bits = 16 - layout.depth;
  const LevelTables more = levels_of(frames, layout.depth, 16);
  for (int component = 0; component < frames.components(); ++component) {
    SamplePositions& place =
        in_layout_.emplace_back(in_memory_.emplace_back(sample_positions(frames.shape, component)));
    if (component > 0 && layout.interleaves_chroma) {
      place.first = frames.shape.plane_begin(1) + component - 1;
      place.step = 2;
    }
    const auto number = static_cast<std::size_t>(component);
    for (std::uint16_t& code : to_layout_[number]) {
      code = static_cast<std::uint16_t>(code << unused_bits);
    }
    to_memory_.emplace_back();
    for (std::size_t code = 0; code < to_layout_[number].size(); ++code) {
      to_memory_.back().push_back(more[number][code >> unused_bits]);
    }
  }
}

void LayoutCopy::read(std::span<const std::byte> from, std::span<std::byte> to) const {
  copy(from, in_layout_, to, in_memory_, to_memory_);
}

void LayoutCopy::write(std::span<const std::byte> from, std::span<std::byte> to) const {
  copy(from, in_memory_, to, in_layout_, to_layout_);
}

std::unique_ptr<io::Frames> frames_in(io::InputFile& input, const DeepLayout& layout,
                                      const Stream& stream) {
  if (layout.is_memory_layout()) return std::make_unique<io::RawFrames>(input, stream.shape);
  return std::make_unique<LayoutFrames>(input, layout, stream);
}

}  // namespace warpwise::live
