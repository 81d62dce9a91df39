#include <glob.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/io/picture_folder.hpp"
#include "warpwise/live/sources.hpp"

namespace warpwise::live {
namespace {

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  const int error = ::glob(pattern.c_str(), 0, nullptr, &found);
  const std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (error == GLOB_NOMATCH) throw IoError("no file matches " + pattern);
  if (error != 0) throw IoError("cannot read the folders of " + pattern);
  return paths;
}

std::vector<std::string> paths_of(const std::string& pattern) {
  std::error_code ignored;
  if (std::filesystem::is_directory(pattern, ignored)) return io::pictures_in(pattern, false);
  if (std::filesystem::exists(pattern, ignored)) return {pattern};
  return matches_of(pattern);
}

io::Picture read(const std::string& path) {
  io::InputFile file(path);
  return io::read_picture(file);
}

Stream stream_of(const io::PictureShape& shape, const std::string& path,
                 const SourceOptions& options) {
  if (!shape.format) {
    throw IoError(path + " has pixels of " + shape.pixel_text() +
                  "; frames are 8-bit grey, RGB or RGBA");
  }
  return stream_of(*shape.format, shape.width, shape.height, options.rate.value_or(Rate{}),
                   options.colours);
}

class PictureSource final : public Source {
 public:
  PictureSource(const std::string& pattern, std::vector<std::string> paths,
                const io::PictureShape& first, const SourceOptions& options)
      : Source(pattern, stream_of(first, paths[0], options)), paths_(std::move(paths)) {}

  bool next(std::span<std::byte> pixels) override {
    if (next_ == paths_.size()) return false;
    const std::string& path = paths_[next_++];
    const io::Picture picture = read(path);
    require_same(picture.shape(), path);
    std::memcpy(pixels.data(), picture.bytes().data(), pixels.size());
    return true;
  }

  std::optional<std::int64_t> frames() const override {
    return static_cast<std::int64_t>(paths_.size());
  }

 private:
  void require_same(const io::PictureShape& shape, const std::string& path) const {
    const io::PictureShape& first = stream().shape;
    const bool is_same =
        shape.width == first.width && shape.height == first.height && shape.format == first.format;
    if (is_same) return;
    const auto text = [](const io::PictureShape& of) {
      return std::to_string(of.width) + "x" + std::to_string(of.height) + " " + of.pixel_text();
    };
    throw IoError(path + " is " + text(shape) + ", but the frames before it are " + text(first));
  }

  std::vector<std::string> paths_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Source> picture_source(const std::string& pattern, const SourceOptions& options) {
  return picture_source(pattern, paths_of(pattern), options);
}

std::unique_ptr<Source> picture_source(const std::string& name, std::vector<std::string> paths,
                                       const SourceOptions& options) {
  const io::PictureShape first = read(paths[0]).shape();
  return std::make_unique<PictureSource>(name, std::move(paths), first, options);
}

}  // namespace warpwise::live
