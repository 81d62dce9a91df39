#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/io/picture.hpp"

namespace warpwise::io {

/// Image files of one format, or of those that OpenCV reads, through somebody else's library. Each
/// lives in a module of its own that is loaded when the first such file needs it: a program starts
/// without these libraries, and runs where they are missing.
class ImageModule {
 public:
  /// The picture in an image file, channels in the order R G B A; of a file of several images the
  /// first. JPEG and TIFF pictures are turned upright as the file says.
  /// \throws IoError  the library cannot read it, or the picture is larger than image files may be.
  virtual Picture decode(std::span<const std::byte> content, const std::string& name) const = 0;

  /// The bytes of an image file of the type that `extension` (".png") names.
  /// \throws IoError  the library cannot write it.
  virtual std::vector<std::byte> encode(const Picture& picture, const std::string& extension,
                                        const std::string& name) const = 0;

 protected:
  ~ImageModule() = default;
};

/// What a module exports: `const ImageModule* warpwise_image_module_1()`; the number changes with
/// this interface.
inline constexpr const char* image_module_entry = "warpwise_image_module_1";
using ImageModuleEntry = const ImageModule* (*)();

/// The module for files of a format, "PNG" as image_format.hpp names it.
/// \throws IoError  it cannot be loaded; the message says what to install.
const ImageModule& image_module_of_format(std::string_view format);

/// The module for files whose names end so: ".png". \throws IoError  it cannot be loaded.
const ImageModule& image_module_of_extension(std::string_view extension);

/// The module for all other files, which reads those above as well: the tests compare with it.
/// \throws IoError  it cannot be loaded.
const ImageModule& opencv_module();

}  // namespace warpwise::io
