#include "warpwise/live/deep_layout.hpp"

#include <algorithm>

#include "warpwise/live/depth.hpp"

namespace warpwise::live {

io::PictureShape DeepLayout::shape(std::int64_t width, std::int64_t height) const {
  if (planes) return io::PictureShape::of(*planes, width, height);
  return io::PictureShape::interleaved(ElementType::u16, channels, width, height);
}

std::optional<DeepLayout> deep_layout_named(std::string_view name) {
  const auto* const found = std::ranges::find(deep_layouts, name, &DeepLayout::name);
  return found == std::end(deep_layouts) ? std::nullopt : std::optional(*found);
}

LayoutCopy::LayoutCopy(const DeepLayout& layout, const Stream& frames)
    : layout_(layout), shape_(frames.shape) {
  const int unused_bits = 16 - layout.depth;
  for (int component = 0; component < frames.components(); ++component) {
    const Coding coding = coding_of(frames, component);
    const std::vector<std::uint16_t> more = levels(layout.depth, 16, coding);
    to_layout_.push_back(levels(16, layout.depth, coding));
    for (std::uint16_t& code : to_layout_.back()) {
      code = static_cast<std::uint16_t>(code << unused_bits);
    }
    to_memory_.emplace_back();
    for (std::size_t code = 0; code < to_layout_.back().size(); ++code) {
      to_memory_.back().push_back(more[code >> unused_bits]);
    }
  }
}

std::int64_t LayoutCopy::in_memory(int component, std::int64_t sample) const {
  return shape_.planes ? shape_.plane_begin(component) + sample
                       : component + sample * shape_.channels;
}

std::int64_t LayoutCopy::in_layout(int component, std::int64_t sample) const {
  if (component == 0 || !layout_.shares_plane) return in_memory(component, sample);
  return shape_.plane_begin(1) + 2 * sample + component - 1;
}

void LayoutCopy::copy(std::span<const std::byte> from, Places from_places, std::span<std::byte> to,
                      Places to_places, const Tables& tables) const {
  for (int i = 0; i < static_cast<int>(tables.size()); ++i) {
    const std::vector<std::uint16_t>& table = tables[static_cast<std::size_t>(i)];
    const int plane = shape_.planes ? i : 0;
    const std::int64_t samples = shape_.plane_width(plane) * shape_.plane_height(plane);
    for (std::int64_t k = 0; k < samples; ++k) {
      const auto code = load<std::uint16_t>(from.data(), (this->*from_places)(i, k));
      store(to.data(), (this->*to_places)(i, k), table[code]);
    }
  }
}

void LayoutCopy::read(std::span<const std::byte> from, std::span<std::byte> to) const {
  copy(from, &LayoutCopy::in_layout, to, &LayoutCopy::in_memory, to_memory_);
}

void LayoutCopy::write(std::span<const std::byte> from, std::span<std::byte> to) const {
  copy(from, &LayoutCopy::in_memory, to, &LayoutCopy::in_layout, to_layout_);
}

}  // namespace warpwise::live
