#include "warpwise/primitives/convert/share_chroma.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "warpwise/primitives/convert/byte_components.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise {
namespace {

using detail::convert::component_of;
using kernels::convert::ByteArguments;

template <class Source, class Result>
void validate_sharing(const Source& i444, const Result& dst) {
  if (i444.format() != PixelFormat::i444 || i444.width() != dst.width() ||
      i444.height() != dst.height()) {
    throw InvalidArgument("share_chroma() takes an i444 frame of the result's size");
  }
  if (!detail::convert::holds_yuv(dst.format())) {
    throw InvalidArgument("share_chroma() makes no " + std::string(name_of(dst.format())) +
                          " frames");
  }
  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to < plane_count(dst.format()); ++to) {
      detail::require_disjoint("share_chroma", detail::memory_of(i444, from),
                               detail::memory_of(dst, to), "src and dst");
    }
  }
}

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

// Computes chroma as the mean of four pixels. If only one or two pixels share a sample, because of
// the format or at an odd edge, each counts four times or twice. The mean stays the same.
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

namespace detail::convert {

void fill_unused(HostFrame frame) {
  if (frame.format() == PixelFormat::ycbcr32) {
    for (std::int64_t y = 0; y < frame.height(); ++y) {
      for (std::int64_t x = 0; x < frame.width(); ++x) frame.row(0, y)[4 * x + 3] = std::byte{255};
    }
  }
  if (!has_unused_luma(frame)) return;
  const std::int64_t last = samples_of(frame.format(), 0).first + 2 * (frame.width() - 1);
  for (std::int64_t y = 0; y < frame.height(); ++y) {
    frame.row(0, y)[last + 2] = frame.row(0, y)[last];
  }
}

}  // namespace detail::convert

void share_chroma(ConstHostFrame i444, HostFrame dst) {
  validate_sharing(i444, dst);
  copy_luma(i444, dst, samples_of(dst.format(), 0));
  share(i444, 1, dst);
  share(i444, 2, dst);
  detail::convert::fill_unused(dst);
}

void share_chroma(ConstDeviceFrame i444, DeviceFrame dst, gpu::StreamHandle stream) {
  validate_sharing(i444, dst);
  const auto component = [&](int i) {
    ByteArguments made = component_of(dst, i);
    made.src = {reinterpret_cast<const unsigned char*>(i444.plane(i).data),
                i444.plane(i).pitch_bytes, 1};
    made.last_x = i444.width() - 1;
    made.last_y = i444.height() - 1;
    made.rule = kernels::convert::ByteRule::mean;
    return made;
  };
  detail::convert::bytes_on_gpu(dst, 3, component, stream);
}

}  // namespace warpwise
