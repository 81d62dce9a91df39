#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "warpwise/io/picture.hpp"

namespace warpwise::io {

/// Image files through OpenCV's imgcodecs, which brings a hundred shared libraries: it lives in a
/// module of its own that is loaded when the first image file needs it.
class ImageModule {
 public:
  /// The picture in an image file, channels in the order R G B A; of a file of several images the
  /// first. A JPEG is turned upright as its Exif orientation says.
  /// \throws IoError  OpenCV cannot read it.
  virtual Picture decode(std::span<const std::byte> content, const std::string& name) const = 0;

  /// The bytes of an image file of the type that `extension` (".png") names.
  /// \throws IoError  OpenCV cannot write it.
  virtual std::vector<std::byte> encode(const Picture& picture, const std::string& extension,
                                        const std::string& name) const = 0;

 protected:
  ~ImageModule() = default;
};

inline constexpr const char* image_module_file = "libwarpwise_images.so";

/// What the module exports: `const ImageModule* warpwise_image_module_1()`; the number changes with
/// this interface.
inline constexpr const char* image_module_entry = "warpwise_image_module_1";
using ImageModuleEntry = const ImageModule* (*)();

}  // namespace warpwise::io
