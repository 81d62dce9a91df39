#include "warpwise/io/truncation.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "warpwise/base/error.hpp"

namespace warpwise::io {
namespace {

using Bytes = std::span<const std::byte>;

unsigned byte_at(Bytes content, std::size_t i) { return std::to_integer<unsigned>(content[i]); }

bool begins_with(Bytes content, std::string_view text) {
  return content.size() >= text.size() &&
         std::memcmp(content.data(), text.data(), text.size()) == 0;
}

// Markers without a length after them: TEM, the restart markers, and the start of the image.
bool stands_alone(unsigned marker) { return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8); }

bool jpeg_reaches_its_end(Bytes content) {
  constexpr unsigned end_of_image = 0xd9;
  constexpr unsigned start_of_scan = 0xda;
  std::size_t at = 2;
  bool in_scan = false;
  while (at + 1 < content.size()) {
    const unsigned marker = byte_at(content, at + 1);
    if (byte_at(content, at) != 0xff) {
      ++at;  // an entropy-coded byte, or a stray byte that decoders skip too
    } else if (marker == 0xff) {
      ++at;  // fill byte
    } else if (marker == end_of_image) {
      return true;
    } else if (stands_alone(marker) || (marker == 0x00 && in_scan)) {
      at += 2;
    } else {
      if (at + 3 >= content.size()) return false;
      in_scan = marker == start_of_scan;
      at += 2 + (byte_at(content, at + 2) << 8 | byte_at(content, at + 3));
    }
  }
  return false;
}

// Returns the position after a GIF's length-prefixed blocks and the empty block that ends them.
// Returns 0 if the content ends first.
std::size_t behind_blocks(Bytes content, std::size_t at) {
  while (at < content.size() && byte_at(content, at) != 0) at += 1 + byte_at(content, at);
  return at < content.size() ? at + 1 : 0;
}

// Returns the size in bytes of the palette that a GIF's byte of flags declares; 0 for none.
std::size_t palette_bytes(unsigned flags) {
  return (flags & 0x80) != 0 ? std::size_t{3} << ((flags & 7) + 1) : 0;
}

// Counts the whole pictures of a GIF file, up to `most`.
std::int64_t pictures_of_gif(Bytes content, std::int64_t most) {
  constexpr std::size_t header_bytes = 13;
  if (content.size() < header_bytes) return 0;
  std::int64_t count = 0;
  std::size_t at = header_bytes + palette_bytes(byte_at(content, 10));
  while (at != 0 && at + 10 < content.size() && count < most) {
    const unsigned kind = byte_at(content, at);
    if (kind != ',' && kind != '!') break;
    const bool is_picture = kind == ',';
    const std::size_t blocks =
        is_picture ? at + 11 + palette_bytes(byte_at(content, at + 9)) : at + 2;
    at = behind_blocks(content, blocks);
    if (is_picture && at != 0) ++count;
  }
  return count;
}

bool is_png(Bytes content) { return begins_with(content, "\x89PNG\r\n\x1a\n"); }

std::uint64_t number_at(Bytes content, std::size_t at) {
  return std::uint64_t{byte_at(content, at)} << 24 | byte_at(content, at + 1) << 16 |
         byte_at(content, at + 2) << 8 | byte_at(content, at + 3);
}

// Returns the data of the first chunk of the type `wanted`. Returns nullopt if a chunk of the type
// `last` comes first, or if `content` ends first.
std::optional<Bytes> png_chunk(Bytes content, std::string_view wanted, std::string_view last) {
  constexpr std::size_t length_type_and_check = 12;
  std::size_t at = 8;
  while (content.size() - at >= length_type_and_check) {
    const std::uint64_t length = number_at(content, at);
    if (length > content.size() - at - length_type_and_check) return std::nullopt;
    const Bytes type = content.subspan(at + 4, 4);
    if (begins_with(type, wanted)) return content.subspan(at + 8, length);
    if (begins_with(type, last)) return std::nullopt;
    at += length + length_type_and_check;
  }
  return std::nullopt;
}

}  // namespace

void require_complete(Bytes content, const std::string& name) {
  const char* format = nullptr;
  if (begins_with(content, "\xff\xd8\xff") && !jpeg_reaches_its_end(content)) format = "JPEG";
  if (begins_with(content, "GIF8") && pictures_of_gif(content, 1) == 0) format = "GIF";
  if (is_png(content) && !png_chunk(content, "IEND", "IEND")) format = "PNG";
  if (format != nullptr) {
    throw IoError(name + " is cut short: the " + format + " image has no end");
  }
}

bool is_animated_png(Bytes start) { return is_png(start) && png_chunk(start, "acTL", "IDAT"); }

std::int64_t pictures_of_animation(Bytes content) {
  if (begins_with(content, "GIF8")) {
    return pictures_of_gif(content, std::numeric_limits<std::int64_t>::max());
  }
  const auto control = is_png(content) ? png_chunk(content, "acTL", "IDAT") : std::nullopt;
  const bool is_animated = control && control->size() >= 4;
  return is_animated ? std::max<std::int64_t>(1, static_cast<std::int64_t>(number_at(*control, 0)))
                     : 1;
}

}  // namespace warpwise::io
