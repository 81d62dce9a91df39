// The module libwarpwise_png.so: PNG files through libpng.

#include <png.h>
#include <zlib.h>

#include <bit>
#include <cstring>

#include "warpwise/base/error.hpp"
#include "warpwise/io/codec.hpp"
#include "warpwise/io/exif.hpp"
#include "warpwise/io/image_module.hpp"

namespace warpwise::io {
namespace {

static_assert(std::endian::native == std::endian::little, "PNG is big-endian, a picture is not");

[[noreturn]] void leave_libpng(png_structp png, png_const_charp message) {
  auto& exit = *static_cast<ErrorExit*>(png_get_error_ptr(png));
  std::strncpy(exit.message.data(), message, exit.message.size() - 1);
  exit.leave();
}

// Ignores libpng's warnings. They report damage that does not affect pixels, such as a text chunk
// with a wrong checksum.
void pass_over_warning(png_structp, png_const_charp) {}

struct Reader {
  ErrorExit exit;
  std::span<const std::byte> rest;
  png_structp png = nullptr;
  png_infop info = nullptr;

  explicit Reader(std::span<const std::byte> content) : rest(content) {}
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  static void read(png_structp png, png_bytep to, std::size_t size) {
    auto& reader = *static_cast<Reader*>(png_get_io_ptr(png));
    if (size > reader.rest.size()) png_error(png, "the file ends early");
    std::memcpy(to, reader.rest.data(), size);
    reader.rest = reader.rest.subspan(size);
  }

  void read_header() {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &exit, leave_libpng, pass_over_warning);
    if (png != nullptr) info = png_create_info_struct(png);
    if (info == nullptr) return;
    png_set_read_fn(png, this, read);
    // Lifts libpng's own limits, because require_readable_size() gives a clearer error than
    // "Invalid IHDR data".
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_read_info(png, info);
  }

  // Returns the number of channels. Pixels that may be transparent become colour with alpha. OpenCV
  // does the same, but ignores a tRNS chunk of grey. Chunks about colour, such as gAMA, are unused.
  int channels() const {
    const int color_type = png_get_color_type(png, info);
    const bool has_alpha = (color_type & PNG_COLOR_MASK_ALPHA) != 0;
    if (has_alpha || png_get_valid(png, info, PNG_INFO_tRNS) != 0) return 4;
    return color_type == PNG_COLOR_TYPE_GRAY ? 1 : 3;
  }

  // Must be called after the pixels were read, because the Exif chunk may follow them.
  int orientation() const {
    png_uint_32 size = 0;
    png_bytep exif = nullptr;
    if (png_get_eXIf_1(png, info, &size, &exif) == 0) return 1;
    return exif_orientation(std::as_bytes(std::span(exif, size)));
  }

  void set_transformations() {
    const int color_type = png_get_color_type(png, info);
    const int depth = png_get_bit_depth(png, info);
    if (depth == 16) png_set_swap(png);
    if (color_type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
    if (color_type == PNG_COLOR_TYPE_GRAY && depth < 8) png_set_expand_gray_1_2_4_to_8(png);
    if (channels() == 4) {
      if ((color_type & PNG_COLOR_MASK_COLOR) == 0) png_set_gray_to_rgb(png);
      png_set_tRNS_to_alpha(png);
    } else {
      png_set_strip_alpha(png);
    }
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
  }
};

struct Writer {
  ErrorExit exit;
  std::vector<std::byte> file;
  png_structp png = nullptr;
  png_infop info = nullptr;

  Writer() = default;
  ~Writer() { png_destroy_write_struct(&png, &info); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  static void write(png_structp png, png_bytep from, std::size_t size) {
    auto& file = static_cast<Writer*>(png_get_io_ptr(png))->file;
    const auto bytes = std::as_bytes(std::span(from, size));
    bool written = true;
    try {  // no exception may pass through libpng
      file.insert(file.end(), bytes.begin(), bytes.end());
    } catch (const std::bad_alloc&) {
      written = false;
    }
    if (!written) png_error(png, "there is not enough memory");
  }
  static void flush(png_structp) {}

  void write_header(const PictureShape& shape) {
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &exit, leave_libpng, pass_over_warning);
    if (png != nullptr) info = png_create_info_struct(png);
    if (info == nullptr) return;
    png_set_write_fn(png, this, write, flush);
    // Uses OpenCV's settings, so that the files have the same bytes. Encoding is fast, and the
    // files of photographs are hardly larger.
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_compression_level(png, Z_BEST_SPEED);
    png_set_compression_strategy(png, Z_RLE);
    const int color_type = shape.channels == 1   ? PNG_COLOR_TYPE_GRAY
                           : shape.channels == 3 ? PNG_COLOR_TYPE_RGB
                                                 : PNG_COLOR_TYPE_RGBA;
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png, info, static_cast<png_uint_32>(shape.width),
                 static_cast<png_uint_32>(shape.height), shape.type == ElementType::u8 ? 8 : 16,
                 color_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (shape.type == ElementType::u16) png_set_swap(png);
    if (shape.format == PixelFormat::bgr24 || shape.format == PixelFormat::bgra32) png_set_bgr(png);
  }
};

class PngFiles final : public ImageModule {
 public:
  Picture decode(std::span<const std::byte> content, const std::string& name) const override {
    Reader reader(content);
    if (!reader.exit.run_guarded([&] { reader.read_header(); })) {
      refuse_damaged(name, "PNG", reader.exit.message.data());
    }
    if (reader.info == nullptr) throw std::bad_alloc();
    const std::uint64_t width = png_get_image_width(reader.png, reader.info);
    const std::uint64_t height = png_get_image_height(reader.png, reader.info);
    require_readable_size(width, height, name);
    // Two bits of deflated data stand for at most 258 bytes, so one byte stands for 4 * 258.
    constexpr std::uint64_t most_bytes_of_a_byte = 1032;
    if (height * png_get_rowbytes(reader.png, reader.info) >
        most_bytes_of_a_byte * content.size()) {
      refuse_damaged(name, "PNG",
                     "the file is too short for its " + std::to_string(width) + "x" +
                         std::to_string(height) + " pixels");
    }
    Picture picture(PictureShape::interleaved(
        png_get_bit_depth(reader.png, reader.info) == 16 ? ElementType::u16 : ElementType::u8,
        reader.channels(), static_cast<std::int64_t>(width), static_cast<std::int64_t>(height)));
    const std::size_t row_bytes = picture.bytes().size() / height;
    std::vector<png_bytep> rows(height);
    for (std::size_t y = 0; y < height; ++y) {
      rows[y] = reinterpret_cast<png_bytep>(picture.bytes().data() + y * row_bytes);
    }
    const bool complete = reader.exit.run_guarded([&] {
      reader.set_transformations();
      if (png_get_rowbytes(reader.png, reader.info) != row_bytes) {
        png_error(reader.png, "its rows do not have the size that its header says");
      }
      png_read_image(reader.png, rows.data());
      png_read_end(reader.png, reader.info);
    });
    if (!complete) refuse_damaged(name, "PNG", reader.exit.message.data());
    picture.set_orientation(reader.orientation());
    return picture;
  }

  std::vector<std::byte> encode(const Picture& picture, const std::string&,
                                const std::string& name) const override {
    Writer writer;
    const PictureShape& shape = picture.shape();
    if (std::max(shape.width, shape.height) > PNG_UINT_31_MAX) {
      throw IoError("cannot write " + name + ": PNG files have at most 2^31 - 1 columns and rows");
    }
    const std::size_t row_bytes = picture.bytes().size() / static_cast<std::size_t>(shape.height);
    const bool complete = writer.exit.run_guarded([&] {
      writer.write_header(shape);
      if (writer.info == nullptr) return;
      const auto* row = reinterpret_cast<png_const_bytep>(picture.bytes().data());
      for (std::int64_t y = 0; y < shape.height; ++y, row += row_bytes) {
        png_write_row(writer.png, row);
      }
      png_write_end(writer.png, writer.info);
    });
    if (!complete) {
      throw IoError("cannot write " + name + ": libpng says: " + writer.exit.message.data());
    }
    if (writer.info == nullptr) throw std::bad_alloc();
    return std::move(writer.file);
  }
};

}  // namespace
}  // namespace warpwise::io

extern "C" __attribute__((visibility("default"))) const warpwise::io::ImageModule*
warpwise_image_module_4() {
  static const warpwise::io::PngFiles files;
  return &files;
}
