#include "warpwise/io/image_module.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "warpwise/io/module.hpp"

namespace warpwise::io {
namespace {

struct KnownModule {
  std::string_view format;
  std::array<std::string_view, 3> extensions;
  std::string_view name;
  std::string_view package;  // Debian package that brings the library
};
constexpr KnownModule known_modules[] = {
    {"PNG", {".png"}, "png", "libpng-dev"},
    {"JPEG", {".jpg", ".jpeg", ".jpe"}, "jpeg", "libjpeg-dev"},
    {"TIFF", {".tif", ".tiff"}, "tiff", "libtiff-dev"},
    {"WebP", {".webp"}, "webp", "libwebp-dev"},
    {"GIF", {".gif"}, "gif", "libavcodec-dev"},
};
constexpr KnownModule all_others = {"other image", {}, "opencv", "libopencv-imgcodecs-dev"};

const ImageModule& load(const KnownModule& module) {
  static std::mutex mutex;
  static std::map<std::string_view, const ImageModule*> loaded;
  const std::scoped_lock lock(mutex);
  const ImageModule*& known = loaded[module.name];
  if (known != nullptr) return *known;
  const std::string file = "libwarpwise_" + std::string(module.name) + ".so";
  void* entry = module_entry(file, image_module_entry, std::string(module.format) + " files",
                             "install " + std::string(module.package) +
                                 " and build Warpwise again, or use .npy or .raw files or pipes");
  known = reinterpret_cast<ImageModuleEntry>(entry)();
  return *known;
}

}  // namespace

const ImageModule& image_module_of_format(std::string_view format) {
  for (const KnownModule& module : known_modules) {
    if (module.format == format) return load(module);
  }
  return load(all_others);
}

const ImageModule& image_module_of_extension(std::string_view extension) {
  for (const KnownModule& module : known_modules) {
    const auto& listed = module.extensions;
    if (std::find(listed.begin(), listed.end(), extension) != listed.end()) return load(module);
  }
  return load(all_others);
}

const ImageModule& opencv_module() { return load(all_others); }

}  // namespace warpwise::io
