#include "warpwise/io/picture_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <climits>
#include <filesystem>

#include "warpwise/base/counted.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/io/bmp.hpp"
#include "warpwise/io/codec.hpp"
#include "warpwise/io/image_format.hpp"
#include "warpwise/io/npy.hpp"
#include "warpwise/io/pnm.hpp"
#include "warpwise/io/truncation.hpp"

namespace warpwise::io {
namespace {

// Elements and channels that one image file type can hold. image_module_test writes a picture for
// each row and reads it back.
struct ImageType {
  std::string_view extension;
  std::string_view elements;  // "u8 u16"
  std::string_view channels;  // digits: "134" for 1, 3 and 4
  bool lossy;
};
constexpr ImageType image_types[] = {
    {".png", "u8 u16", "134", false},  {".tif", "u8 u16", "134", false},
    {".tif", "i16 i32", "1", false},   {".tif", "f32", "14", false},
    {".tiff", "u8 u16", "134", false}, {".tiff", "i16 i32", "1", false},
    {".tiff", "f32", "14", false},     {".bmp", "u8", "13", false},
    {".dib", "u8", "13", false},       {".pgm", "u8 u16", "1", false},
    {".ppm", "u8 u16", "3", false},    {".pnm", "u8 u16", "13", false},
    {".pam", "u8 u16", "134", false},  {".pfm", "f32", "13", false},
    {".webp", "u8", "3", false},       {".exr", "f32", "134", false},
    {".jpg", "u8", "13", true},        {".jpeg", "u8", "13", true},
    {".jpe", "u8", "13", true},        {".jp2", "u8 u16", "134", true},
};

// Extensions of files that are read, but never written.
constexpr std::string_view read_only[] = {".pbm", ".sr", ".ras", ".hdr", ".pic"};

// Returns true for interleaved grey or colour pixels, and false for YUV. A viewer would show YCbCr
// bytes in a .png file as RGB.
bool is_grey_or_colour(const PictureShape& shape) {
  if (!shape.format) return shape.channels > 0;
  switch (*shape.format) {
    case PixelFormat::gray8:
    case PixelFormat::rgb24:
    case PixelFormat::bgr24:
    case PixelFormat::rgba32:
    case PixelFormat::bgra32: return true;
    default: return false;
  }
}

bool is_written_image(std::string_view extension) {
  return std::any_of(std::begin(image_types), std::end(image_types),
                     [&](const ImageType& type) { return type.extension == extension; });
}

bool lists_word(std::string_view words, std::string_view word) {
  const std::size_t at = words.find(word);
  return at != std::string_view::npos && (at == 0 || words[at - 1] == ' ') &&
         (at + word.size() == words.size() || words[at + word.size()] == ' ');
}

// Returns the image format of a file; nullopt for an .npy file.
std::optional<ImageFormat> image_format_in(InputFile& file) {
  const std::span<const std::byte> start = file.peek(image_format_bytes);
  if (start.empty()) throw IoError("cannot read " + file.name() + ": it is empty");
  if (is_npy(start)) return std::nullopt;
  const std::optional<ImageFormat> format = image_format_of(start);
  if (!format) {
    throw IoError("cannot read " + file.name() +
                  ": it is no image of a known format and no .npy file");
  }
  return format;
}

bool has_module(const ImageFormat& format) { return !is_pnm(format.name) && format.name != "BMP"; }

std::vector<std::byte> content_of(InputFile& file) {
  std::vector<std::byte> content;
  if (!file.read_rest(content, INT_MAX)) {
    throw IoError("cannot read " + file.name() + ": it is over 2 GiB");
  }
  require_complete(content, file.name());
  return content;
}

Picture decode(const ImageFormat& format, std::span<const std::byte> content,
               const std::string& name, bool luma) {
  if (is_pnm(format.name)) return decode_pnm(content, name);
  if (format.name == "BMP") return decode_bmp(content, name);
  const ImageModule& module = image_module_of_format(format.name);
  return luma ? module.decode_luma(content, name) : module.decode(content, name);
}

std::vector<std::byte> encode(const Picture& picture, std::string_view extension,
                              const std::string& name) {
  if (extension == ".bmp" || extension == ".dib") return encode_bmp(picture, name);
  for (const std::string_view each : {".pgm", ".ppm", ".pnm", ".pam", ".pfm"}) {
    if (extension == each) return encode_pnm(picture, extension);
  }
  return image_module_of_extension(extension).encode(picture, std::string(extension), name);
}

class OnePage final : public Pages {
 public:
  explicit OnePage(Picture picture) : picture_(std::move(picture)) {}

  std::int64_t count() const override { return 1; }
  std::optional<Page> next() override {
    if (!picture_) return std::nullopt;
    Page page{std::move(*picture_)};
    picture_.reset();
    return page;
  }

 private:
  std::optional<Picture> picture_;
};

// Returns all pictures in a file's content; null if only the first picture can be read.
std::unique_ptr<Pages> pages_of(const ImageFormat& format, std::span<const std::byte> content,
                                const std::string& name) {
  return has_module(format) ? image_module_of_format(format.name).pages(content, name) : nullptr;
}

void require_number(std::int64_t number, std::int64_t count, bool are_pages,
                    const std::string& name) {
  if (number > count) {
    throw IoError(name + " has no picture " + std::to_string(number) + ", only " +
                  counted(static_cast<std::size_t>(count), "picture"));
  }
  if (number > 1 && !are_pages) {
    throw IoError(name + " is an animation: as a picture only its first is read; warpwise stream " +
                  name + " frames/ reads all");
  }
}

// Owns a file's content and the `pages` that read from it. The pages stay valid when the content is
// moved into this object, because moving a vector does not move its elements in memory.
class ContentPages final : public Pages {
 public:
  ContentPages(std::vector<std::byte> content, std::unique_ptr<Pages> pages)
      : content_(std::move(content)), pages_(std::move(pages)) {}

  std::int64_t count() const override { return pages_->count(); }
  std::int64_t milliseconds() const override { return pages_->milliseconds(); }
  bool has_constant_rate() const override { return pages_->has_constant_rate(); }
  std::optional<Page> next() override { return pages_->next(); }
  void skip() override { pages_->skip(); }

 private:
  std::vector<std::byte> content_;
  std::unique_ptr<Pages> pages_;
};

}  // namespace

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (path == "-" || (extension.empty() && written_directly(path))) return ".raw";
  return extension;
}

bool is_readable_extension(std::string_view extension) {
  return extension == ".npy" || extension == ".y4m" || is_written_image(extension) ||
         std::find(std::begin(read_only), std::end(read_only), extension) != std::end(read_only);
}

StorageFidelity storage_fidelity(std::string_view extension, const PictureShape& shape) {
  if (extension == ".raw") return StorageFidelity::exact;
  if (extension == ".npy")
    return npy_holds(shape) ? StorageFidelity::exact : StorageFidelity::unsupported;
  if (extension == ".y4m")
    return y4m_holds(shape) ? StorageFidelity::exact : StorageFidelity::unsupported;
  if (!is_grey_or_colour(shape)) return StorageFidelity::unsupported;
  const std::string channels = std::to_string(shape.channels);
  for (const ImageType& type : image_types) {
    if (type.extension == extension && lists_word(type.elements, name_of(shape.type)) &&
        type.channels.find(channels) != std::string_view::npos) {
      return type.lossy ? StorageFidelity::lossy : StorageFidelity::exact;
    }
  }
  return StorageFidelity::unsupported;
}

std::string extensions_that_hold(const PictureShape& shape) {
  std::string list;
  std::string_view last;
  for (const ImageType& type : image_types) {
    if (type.extension != last &&
        storage_fidelity(type.extension, shape) == StorageFidelity::exact) {
      list += std::string(type.extension) + ", ";
      last = type.extension;
    }
  }
  if (npy_holds(shape)) list += ".npy, ";
  if (y4m_holds(shape)) list += ".y4m, ";
  return list + ".raw";
}

std::string why_not_held(const std::string& path, const PictureShape& shape) {
  const std::string extension = extension_of(path);
  std::string reason = path + " cannot hold " + shape.pixel_text();
  if (extension.empty()) {
    reason +=
        ": its name has no extension that names the file type, and a new folder's name ends with /";
  } else if (extension != ".npy" && extension != ".y4m" && !is_written_image(extension)) {
    reason += ": no " + extension + " files are written here";
  }
  return reason + "; files of these types can: " + extensions_that_hold(shape);
}

std::unique_ptr<Y4mFrames> y4m_frames_in(InputFile& file, std::optional<bool> full_range) {
  if (!is_y4m(file.peek(y4m_start_bytes))) return nullptr;
  return std::make_unique<Y4mFrames>(file, full_range);
}

void require_readable_format(InputFile& file) {
  if (y4m_frames_in(file)) return;
  const std::optional<ImageFormat> format = image_format_in(file);
  if (format && has_module(*format)) image_module_of_format(format->name);
}

Picture read_picture(InputFile& file) { return upright(read_stored_picture(file)); }

Picture read_stored_picture(InputFile& file, bool luma) {
  const std::optional<ImageFormat> format = image_format_in(file);
  if (!format) return decode_npy(read_npy(file), file.name());
  return decode(*format, content_of(file), file.name(), luma);
}

std::optional<std::vector<std::byte>> read_jpeg(InputFile& file) {
  const std::optional<ImageFormat> format = image_format_in(file);
  if (!format || format->name != "JPEG") return std::nullopt;
  return content_of(file);
}

Picture decode_jpeg(std::span<const std::byte> content, const std::string& name, bool luma) {
  return decode(ImageFormat{"JPEG"}, content, name, luma);
}

PictureOfSeveral read_picture_of_several(InputFile& file, const PictureSelection& selection) {
  const std::int64_t wanted = selection.page.value_or(1);
  const std::optional<ImageFormat> format = image_format_in(file);
  if (!format) {
    require_number(wanted, 1, false, file.name());
    return {decode_npy(read_npy(file), file.name())};
  }
  const std::vector<std::byte> content = content_of(file);
  const std::unique_ptr<Pages> pages = pages_of(*format, content, file.name());
  const std::int64_t count = pages ? pages->count() : pictures_of_animation(content);
  require_number(wanted, count, pages != nullptr, file.name());
  if (!pages) return {decode(*format, content, file.name(), selection.luma), 1, count};
  for (std::int64_t i = 1; i < wanted; ++i) pages->skip();
  std::optional<Page> page = pages->next();
  if (!page) throw IoError(file.name() + " has no picture " + std::to_string(wanted));
  return {std::move(page->picture), wanted, count};
}

std::int64_t count_pictures(InputFile& file) {
  const std::optional<ImageFormat> format = image_format_in(file);
  if (!format) return 1;
  const std::vector<std::byte> content = content_of(file);
  const std::unique_ptr<Pages> pages = pages_of(*format, content, file.name());
  return pages ? pages->count() : pictures_of_animation(content);
}

std::unique_ptr<Pages> pages_in(InputFile& file, bool luma) {
  const std::optional<ImageFormat> format = image_format_in(file);
  if (!format) return std::make_unique<OnePage>(decode_npy(read_npy(file), file.name()));
  std::vector<std::byte> content = content_of(file);
  auto pages = pages_of(*format, content, file.name());
  if (pages) return std::make_unique<ContentPages>(std::move(content), std::move(pages));
  return std::make_unique<OnePage>(decode(*format, content, file.name(), luma));
}

bool takes_many_pictures(std::string_view extension) {
  return extension == ".raw" || extension == ".y4m";
}

void write_picture(OutputFile& file, std::string_view extension, const Picture& picture,
                   const Sequence& sequence) {
  if (storage_fidelity(extension, picture.shape()) == StorageFidelity::unsupported) {
    throw IoError("cannot write " + file.name() + ": such a file holds no " +
                  picture.shape().pixel_text() +
                  "; these do: " + extensions_that_hold(picture.shape()));
  }
  if (extension == ".npy") file.write(npy_header(picture.shape()));
  if (extension == ".y4m") {
    std::string text(y4m_frame_line);
    if (sequence.pictures_written == 0) {
      text = y4m_header(picture.shape(), sequence.rate, sequence.aspect, sequence.sampling) + text;
    }
    file.write(std::as_bytes(std::span(text)));
  }
  if (extension == ".npy" || takes_many_pictures(extension)) {
    file.write(picture.bytes());
  } else {
    file.write(encode(picture, extension, file.name()));
  }
}

}  // namespace warpwise::io
