#include "warpwise/live/chroma.hpp"

#include <algorithm>
#include <cstring>

#include "warpwise/base/error.hpp"

namespace warpwise::live {
namespace {

// How many pixels share a sample, and where sample i of a row lies: at first + i * step of a plane.
struct Layout {
  int across;
  int down;
  struct Channel {
    int plane;
    int first;
    int step;
  } luma, cb, cr;
};

Layout layout_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::i420: return {2, 2, {0, 0, 1}, {1, 0, 1}, {2, 0, 1}};
    case PixelFormat::nv12: return {2, 2, {0, 0, 1}, {1, 0, 2}, {1, 1, 2}};
    case PixelFormat::nv21: return {2, 2, {0, 0, 1}, {1, 1, 2}, {1, 0, 2}};
    case PixelFormat::yuyv: return {2, 1, {0, 0, 2}, {0, 1, 4}, {0, 3, 4}};
    case PixelFormat::uyvy: return {2, 1, {0, 1, 2}, {0, 0, 4}, {0, 2, 4}};
    case PixelFormat::ycbcr32: return {1, 1, {0, 0, 4}, {0, 1, 4}, {0, 2, 4}};
    case PixelFormat::i444: return {1, 1, {0, 0, 1}, {1, 0, 1}, {2, 0, 1}};
    default:
      throw InvalidArgument("share_chroma() makes no " + std::string(name_of(format)) + " frames");
  }
}

void copy_luma(ConstHostFrame from, HostFrame to, const Layout::Channel& luma) {
  for (std::int64_t y = 0; y < from.height(); ++y) {
    const std::byte* source = from.row(0, y);
    std::byte* out = to.row(luma.plane, y) + luma.first;
    if (luma.step == 1) {
      std::memcpy(out, source, static_cast<std::size_t>(from.width()));
      continue;
    }
    for (std::int64_t x = 0; x < from.width(); ++x) out[x * luma.step] = source[x];
  }
}

// Where fewer pixels share a sample than four, or an odd size leaves fewer, some are counted twice,
// which leaves the mean what it is.
void share(ConstHostFrame from, int plane, HostFrame to, const Layout::Channel& channel,
           const Layout& layout) {
  const auto level = [](std::byte byte) { return std::to_integer<int>(byte); };
  for (std::int64_t y = 0; y < from.height(); y += layout.down) {
    const std::byte* above = from.row(plane, y);
    const std::byte* below = from.row(plane, std::min(y + layout.down, from.height()) - 1);
    std::byte* out = to.row(channel.plane, y / layout.down) + channel.first;
    for (std::int64_t x = 0; x < from.width(); x += layout.across, out += channel.step) {
      const std::int64_t right = std::min(x + layout.across, from.width()) - 1;
      const int sum = level(above[x]) + level(above[right]) + level(below[x]) + level(below[right]);
      *out = static_cast<std::byte>((sum + 2) / 4);
    }
  }
}

// Bytes without a meaning get a value all the same: equal frames are then equal bytes.
void fill_unused(HostFrame to) {
  if (to.format() == PixelFormat::ycbcr32) {
    for (std::int64_t y = 0; y < to.height(); ++y) {
      for (std::int64_t x = 0; x < to.width(); ++x) to.row(0, y)[4 * x + 3] = std::byte{255};
    }
  }
  const bool is_packed = to.format() == PixelFormat::yuyv || to.format() == PixelFormat::uyvy;
  if (!is_packed || to.width() % 2 == 0) return;
  const int luma = to.format() == PixelFormat::yuyv ? 0 : 1;
  for (std::int64_t y = 0; y < to.height(); ++y) {
    std::byte* last = to.row(0, y) + 2 * (to.width() - 1) + luma;
    last[2] = last[0];
  }
}

}  // namespace

void share_chroma(ConstHostFrame i444, HostFrame to) {
  if (i444.format() != PixelFormat::i444 || i444.width() != to.width() ||
      i444.height() != to.height()) {
    throw InvalidArgument("share_chroma() takes an i444 frame of the result's size");
  }
  const Layout layout = layout_of(to.format());
  copy_luma(i444, to, layout.luma);
  share(i444, 1, to, layout.cb, layout);
  share(i444, 2, to, layout.cr, layout);
  fill_unused(to);
}

}  // namespace warpwise::live
