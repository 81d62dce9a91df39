#include "warpwise/live/chroma.hpp"

#include <algorithm>
#include <cstring>

#include "warpwise/base/error.hpp"
#include "warpwise/live/colours.hpp"
#include "warpwise/live/samples.hpp"

namespace warpwise::live {
namespace {

void copy_luma(ConstHostFrame from, HostFrame to, const Samples& luma) {
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

// Computes chroma as the mean of four pixels. If fewer pixels share a sample, by format or at an
// odd edge, they count twice, which leaves the mean unchanged.
void share(ConstHostFrame from, int component, HostFrame to) {
  const Samples samples = samples_of(to.format(), component);
  const int across = is_subsampled(to.format()) ? 2 : 1;
  const int down = across == 2 && plane_count(to.format()) > 1 ? 2 : 1;
  const auto level = [](std::byte byte) { return std::to_integer<int>(byte); };
  for (std::int64_t y = 0; y < from.height(); y += down) {
    const std::byte* above = from.row(component, y);
    const std::byte* below = from.row(component, std::min(y + down, from.height()) - 1);
    std::byte* out = to.row(samples.plane, y / down) + samples.first;
    for (std::int64_t x = 0; x < from.width(); x += across, out += samples.step) {
      const std::int64_t right = std::min(x + across, from.width()) - 1;
      const int sum = level(above[x]) + level(above[right]) + level(below[x]) + level(below[right]);
      *out = static_cast<std::byte>((sum + 2) / 4);
    }
  }
}

}  // namespace

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

void share_chroma(ConstHostFrame i444, HostFrame to) {
  if (i444.format() != PixelFormat::i444 || i444.width() != to.width() ||
      i444.height() != to.height()) {
    throw InvalidArgument("share_chroma() takes an i444 frame of the result's size");
  }
  if (!has_luma(to.format()) || to.format() == PixelFormat::gray8) {
    throw InvalidArgument("share_chroma() makes no " + std::string(name_of(to.format())) +
                          " frames");
  }
  copy_luma(i444, to, samples_of(to.format(), 0));
  share(i444, 1, to);
  share(i444, 2, to);
  fill_unused(to);
}

}  // namespace warpwise::live
