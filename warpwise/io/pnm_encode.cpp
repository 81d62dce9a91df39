#include <cstring>
#include <utility>

#include "warpwise/io/codec.hpp"
#include "warpwise/io/pnm.hpp"

namespace warpwise::io {
namespace {

std::string header_of(const PictureShape& shape, std::string_view extension) {
  const std::string width = std::to_string(shape.width);
  const std::string height = std::to_string(shape.height);
  const std::string maximum = shape.type == ElementType::u16 ? "65535" : "255";
  const bool grey = shape.channels == 1;
  if (extension == ".pfm") {
    return (grey ? "Pf\n" : "PF\n") + width + ' ' + height + "\n-1.0\n";
  }
  if (extension == ".pam") {
    return "P7\nWIDTH " + width + "\nHEIGHT " + height + "\nDEPTH " +
           std::to_string(shape.channels) + "\nMAXVAL " + maximum + "\nTUPLTYPE " +
           (grey                  ? "GRAYSCALE"
            : shape.channels == 3 ? "RGB"
                                  : "RGB_ALPHA") +
           "\nENDHDR\n";
  }
  return (grey ? "P5\n" : "P6\n") + width + ' ' + height + '\n' + maximum + '\n';
}

}  // namespace

std::vector<std::byte> encode_pnm(const Picture& picture, std::string_view extension) {
  const PictureShape& shape = picture.shape();
  const std::string header = header_of(shape, extension);
  std::vector<std::byte> file(header.size() + picture.bytes().size());
  std::memcpy(file.data(), header.data(), header.size());
  std::vector<std::byte> buffer;
  std::byte* to = file.data() + header.size();
  for (std::int64_t y = 0; y < shape.height; ++y) {
    const std::int64_t row = extension == ".pfm" ? shape.height - 1 - y : y;
    const auto bytes = row_in_rgb_order(picture, row, buffer);
    std::memcpy(to, bytes.data(), bytes.size());
    if (shape.type == ElementType::u16) {  // samples are big-endian
      for (std::size_t i = 0; i < bytes.size(); i += 2) std::swap(to[i], to[i + 1]);
    }
    to += bytes.size();
  }
  return file;
}

}  // namespace warpwise::io
