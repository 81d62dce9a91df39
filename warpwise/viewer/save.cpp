#include "warpwise/viewer/save.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"

namespace warpwise::viewer {

void write_png(const std::string& path, const io::PictureShape& shape,
               std::span<const std::byte> pixels) {
  io::Picture picture(shape);
  std::memcpy(picture.bytes().data(), pixels.data(), pixels.size());
  io::OutputFile file(path);
  io::write_picture(file, ".png", picture);
  file.finish();
}

std::string unused_file_name(const std::string& extension) {
  for (int number = 1;; ++number) {
    std::string name = fmt::format("warpwise-{:03}{}", number, extension);
    if (!std::filesystem::exists(name)) return name;
  }
}

}  // namespace warpwise::viewer
