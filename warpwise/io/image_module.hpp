#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/io/picture.hpp"

namespace warpwise::io {

/// One picture of a file that holds several pictures.
struct Page {
  Picture picture;
  std::int64_t milliseconds = 0;  ///< display time; 0 if the file states none
};

/// Reads a file's pictures in order. Each frame of an animation is drawn over the earlier frames.
/// The pictures are not turned upright.
class Pages {
 public:
  virtual ~Pages() = default;
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  /// Returns the next picture; nullopt after the last. \throws IoError  as ImageModule::decode()
  virtual std::optional<Page> next() = 0;
  /// Skips the next picture. An override need not decode it if later pictures do not build on it.
  /// \throws IoError  as ImageModule::decode()
  virtual void skip() { next(); }
  virtual std::int64_t count() const = 0;
  /// Returns the display time of all pictures together; 0 if the file states none.
  virtual std::int64_t milliseconds() const { return 0; }
  /// Returns true if all pictures are shown for the same time.
  virtual bool has_constant_rate() const { return true; }

 protected:
  Pages() = default;
};

/// Reads and writes image files of one format, or of all that OpenCV reads, with a third-party
/// library. Each implementation is a shared library that is loaded when a file first needs it.
/// Programs therefore start without the third-party libraries, and run where they are missing.
class ImageModule {
 public:
  /// Decodes the first picture of an image file, to channels in the order R G B A. The pixels stay
  /// as stored; the result's orientation says how to turn them upright. OpenCV's module turns
  /// JPEG pictures itself.
  /// \throws IoError  the library cannot read the file, or the picture exceeds the size limits.
  virtual Picture decode(std::span<const std::byte> content, const std::string& name) const = 0;

  /// Returns the pictures of a file that holds several; null for any other file. `content` must
  /// outlive the result. \throws IoError  as decode()
  virtual std::unique_ptr<Pages> pages(std::span<const std::byte> /*content*/,
                                       const std::string& /*name*/) const {
    return nullptr;
  }

  /// Decodes only the luma of a JPEG file in YCbCr, as a grey picture. Decodes any other file as
  /// decode() does.
  /// \throws IoError  as decode()
  virtual Picture decode_luma(std::span<const std::byte> content, const std::string& name) const {
    return decode(content, name);
  }

  /// Encodes a picture as an image file of the type that `extension` (".png") names.
  /// \throws IoError  the library cannot write the picture.
  virtual std::vector<std::byte> encode(const Picture& picture, const std::string& extension,
                                        const std::string& name) const = 0;

 protected:
  ~ImageModule() = default;
};

/// Name of the function that a module exports: `const ImageModule* warpwise_image_module_4()`. The
/// number changes with this interface.
inline constexpr const char* image_module_entry = "warpwise_image_module_4";
using ImageModuleEntry = const ImageModule* (*)();

/// Returns the module for files of a format, which is named as in ImageFormat: "PNG".
/// \throws IoError  the module cannot be loaded; the message says what to install.
const ImageModule& image_module_of_format(std::string_view format);

/// Returns the module for files with an extension (".png"). \throws IoError  it cannot be loaded.
const ImageModule& image_module_of_extension(std::string_view extension);

/// Returns the OpenCV module, for formats without a module of their own. It can also read the other
/// formats, so tests compare the other modules with it.
/// \throws IoError  the module cannot be loaded.
const ImageModule& opencv_module();

}  // namespace warpwise::io
