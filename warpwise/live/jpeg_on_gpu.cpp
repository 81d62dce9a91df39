#include "warpwise/live/jpeg_on_gpu.hpp"

#include <algorithm>

#include "warpwise/io/exif.hpp"

namespace warpwise::live {

std::optional<io::PictureShape> JpegOnGpu::begin(std::span<const std::byte> file, bool luma,
                                                 bool autorotate) {
  scan_ = jpeg::scan_of(file);
  if (!scan_) return std::nullopt;
  const auto exif = std::ranges::find_if(scan_->app1, io::has_exif_name);
  if (autorotate && exif != scan_->app1.end() && io::exif_orientation(*exif) != 1) {
    return std::nullopt;
  }
  const bool is_grey = luma || scan_->components == 1;
  pixels_ = is_grey ? jpeg::Pixels::gray8 : jpeg::Pixels::rgb24;
  return io::PictureShape::interleaved(ElementType::u8, is_grey ? 1 : 3, scan_->width,
                                       scan_->height);
}

bool JpegOnGpu::decode(std::byte* pixels, gpu::StreamHandle stream) {
  return decoder_.decode(*scan_, pixels_, pixels, stream);
}

}  // namespace warpwise::live
