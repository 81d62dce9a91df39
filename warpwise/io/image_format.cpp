#include "warpwise/io/image_format.hpp"

#include <cstring>

namespace warpwise::io {
namespace {

using namespace std::literals;

struct Signature {
  ImageFormat format;
  std::size_t at;
  std::string_view bytes;
};
constexpr Signature signatures[] = {
    {{"PNG"}, 0, "\x89PNG\r\n\x1a\n"sv},
    {{"JPEG"}, 0, "\xff\xd8\xff"sv},
    {{"TIFF"}, 0, "II*\0"sv},
    {{"TIFF"}, 0, "MM\0*"sv},
    {{"TIFF"}, 0, "II+\0"sv},  // BigTIFF, for files of more than 4 GiB
    {{"TIFF"}, 0, "MM\0+"sv},
    {{"BMP"}, 0, "BM"sv},
    {{"PBM"}, 0, "P1"sv},
    {{"PGM"}, 0, "P2"sv},
    {{"PPM"}, 0, "P3"sv},
    {{"PBM"}, 0, "P4"sv},
    {{"PGM"}, 0, "P5"sv},
    {{"PPM"}, 0, "P6"sv},
    {{"PAM"}, 0, "P7"sv},
    {{"PFM"}, 0, "PF"sv},
    {{"PFM"}, 0, "Pf"sv},
    {{"WebP"}, 8, "WEBP"sv},
    {{"OpenEXR", false}, 0, "\x76\x2f\x31\x01"sv},
    {{"JPEG 2000", false}, 4, "jP  \r\n\x87\n"sv},
    {{"JPEG 2000", false}, 0, "\xff\x4f\xff\x51"sv},
    {{"Radiance"}, 0, "#?R"sv},
    {{"Sun raster"}, 0, "\x59\xa6\x6a\x95"sv},
    {{"DICOM", false}, 128, "DICM"sv},
    {{"GIF"}, 0, "GIF8"sv},
    // The list names each image brand, because most other files with a box "ftyp" are videos.
    {{"HEIF or AVIF", false}, 4, "ftyphei"sv},
    {{"HEIF or AVIF", false}, 4, "ftyphev"sv},
    {{"HEIF or AVIF", false}, 4, "ftypavi"sv},
    {{"HEIF or AVIF", false}, 4, "ftypmif1"sv},
    {{"HEIF or AVIF", false}, 4, "ftypmsf1"sv},
};

}  // namespace

std::optional<ImageFormat> image_format_of(std::span<const std::byte> start) {
  for (const Signature& each : signatures) {
    if (start.size() >= each.at + each.bytes.size() &&
        std::memcmp(start.data() + each.at, each.bytes.data(), each.bytes.size()) == 0) {
      return each.format;
    }
  }
  return std::nullopt;
}

}  // namespace warpwise::io
