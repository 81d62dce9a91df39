#include "warpwise/live/ffmpeg/file_end.hpp"

#include <cstdint>
#include <string_view>

namespace warpwise::live::ffmpeg {
namespace {

std::int64_t palette_bytes(int flags) {
  return (flags & 0x80) != 0 ? std::int64_t{3} << ((flags & 7) + 1) : 0;
}

// Skips length-prefixed blocks of up to 255 bytes, and the empty block that ends them.
void skip_blocks(AVIOContext& file) {
  for (int bytes = avio_r8(&file); bytes != 0 && !avio_feof(&file); bytes = avio_r8(&file)) {
    avio_skip(&file, bytes);
  }
}

// Walks from picture to picture to the byte that ends the file. Bytes of no known kind end the
// pictures as well.
bool gif_has_an_end(AVIOContext& file) {
  avio_seek(&file, 10, SEEK_SET);
  const int flags = avio_r8(&file);
  avio_skip(&file, 2 + palette_bytes(flags));
  while (true) {
    const int kind = avio_r8(&file);
    if (avio_feof(&file)) return false;
    if (kind == '!') {
      avio_skip(&file, 1);
    } else if (kind == ',') {
      avio_skip(&file, 8);
      const int picture_flags = avio_r8(&file);
      avio_skip(&file, palette_bytes(picture_flags) + 1);
    } else {
      return true;
    }
    skip_blocks(file);
  }
}

constexpr std::uint32_t four(const char (&name)[5]) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(name[i]);
  return value;
}

// Compares the lengths of the lists of frames ("movi") with the file's. A file of more than a GiB
// has several.
bool avi_has_its_frames(AVIOContext& file) {
  constexpr std::uint32_t unknown = 0xffffffff;
  const std::int64_t end = avio_size(&file);
  for (std::int64_t at = 0; at + 12 <= end;) {
    if (avio_seek(&file, at, SEEK_SET) != at) return true;
    const std::uint32_t kind = avio_rl32(&file);
    const std::uint32_t bytes = avio_rl32(&file);
    const std::uint32_t list = avio_rl32(&file);
    const bool is_part = kind == four("RIFF");
    if (!is_part && bytes == unknown) return true;
    const std::int64_t behind = at + 8 + bytes + bytes % 2;
    if (kind == four("LIST") && list == four("movi") && at + 8 + bytes > end) return false;
    at = is_part ? at + 12 : behind;
  }
  return true;
}

}  // namespace

bool ends_too_early(AVFormatContext& input) {
  AVIOContext* const file = input.pb;
  if (file == nullptr || (file->seekable & AVIO_SEEKABLE_NORMAL) == 0) return false;
  const std::string_view format = input.iformat->name;
  return (format == "gif" && !gif_has_an_end(*file)) ||
         (format == "avi" && !avi_has_its_frames(*file));
}

}  // namespace warpwise::live::ffmpeg
