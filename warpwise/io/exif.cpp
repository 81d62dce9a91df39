#include "warpwise/io/exif.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>

namespace warpwise::io {
namespace {

using namespace std::literals;

constexpr std::string_view exif_name = "Exif\0\0"sv;

// Reads numbers of a TIFF directory in the byte order that it declares. Returns 0 beyond its end.
struct Directory {
  std::span<const std::byte> bytes;
  bool little_endian;

  unsigned byte(std::size_t at) const {
    return at < bytes.size() ? std::to_integer<unsigned>(bytes[at]) : 0;
  }
  unsigned u16(std::size_t at) const {
    return little_endian ? byte(at) | byte(at + 1) << 8 : byte(at) << 8 | byte(at + 1);
  }
  std::size_t u32(std::size_t at) const {
    return little_endian ? u16(at) | std::size_t{u16(at + 2)} << 16
                         : std::size_t{u16(at)} << 16 | u16(at + 2);
  }
};

}  // namespace

bool has_exif_name(std::span<const std::byte> bytes) {
  return bytes.size() >= exif_name.size() &&
         std::memcmp(bytes.data(), exif_name.data(), exif_name.size()) == 0;
}

int exif_orientation(std::span<const std::byte> exif) {
  constexpr int none = 1;
  const auto bytes = has_exif_name(exif) ? exif.subspan(exif_name.size()) : exif;
  if (bytes.size() < 8) return none;
  const Directory directory{bytes, bytes[0] == std::byte{'I'} && bytes[1] == std::byte{'I'}};
  if (directory.u16(2) != 42) return none;
  constexpr unsigned orientation_tag = 0x0112;
  constexpr std::size_t entry_bytes = 12;
  std::size_t at = directory.u32(4);
  const unsigned entries = directory.u16(at);
  at += 2;
  for (unsigned i = 0; i < entries && at + entry_bytes <= bytes.size(); ++i, at += entry_bytes) {
    if (directory.u16(at) != orientation_tag) continue;
    const unsigned orientation = directory.u16(at + 8);
    return orientation >= 1 && orientation <= 8 ? static_cast<int>(orientation) : none;
  }
  return none;
}

}  // namespace warpwise::io
