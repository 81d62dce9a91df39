// The module libwarpwise_jpeg.so: JPEG files through libjpeg-turbo.

#include <cstdio>  // included before jpeglib.h, which uses FILE and size_t without their headers
//
#include <jpeglib.h>
//
#include <jerror.h>

#include <cstdlib>

#include "warpwise/base/error.hpp"
#include "warpwise/io/codec.hpp"
#include "warpwise/io/exif.hpp"
#include "warpwise/io/image_module.hpp"

namespace warpwise::io {
namespace {

struct Errors : jpeg_error_mgr {
  ErrorExit exit;

  Errors() {
    jpeg_std_error(this);
    error_exit = leave_libjpeg;
    emit_message = judge_warning;
    output_message = [](j_common_ptr) {};
  }

  [[noreturn]] static void leave_libjpeg(j_common_ptr info) {
    auto& errors = *static_cast<Errors*>(info->err);
    static_assert(sizeof errors.exit.message >= JMSG_LENGTH_MAX);
    errors.format_message(info, errors.exit.message.data());
    errors.exit.leave();
  }

  // Turns two warnings into errors. libjpeg only warns if the data end early, and fills the rest
  // with grey. After other warnings (extra bytes before a marker, an unknown Adobe transformation)
  // all pixels still come from the data.
  static void judge_warning(j_common_ptr info, int level) {
    const int code = info->err->msg_code;
    if (level < 0 && (code == JWRN_HIT_MARKER || code == JWRN_JPEG_EOF)) leave_libjpeg(info);
  }
};

struct Decompressor {
  jpeg_decompress_struct info{};
  Errors errors;

  Decompressor() { info.err = &errors; }
  ~Decompressor() { jpeg_destroy_decompress(&info); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  void read_header(std::span<const std::byte> content) {
    jpeg_create_decompress(&info);
    jpeg_save_markers(&info, JPEG_APP0 + 1, 0xffff);  // the whole Exif segment
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(content.data()), content.size());
    jpeg_read_header(&info, TRUE);
  }

  // Checks that the file is long enough for its pixels. Huffman-coded data have at least one bit
  // for each 8x8 block of a component. The component with the most columns has at least a quarter
  // of the picture's rows. Arithmetic coding may take less than a bit, so it is not checked.
  bool has_room_for_its_pixels(std::size_t content_bytes) const {
    const std::uint64_t pixels = std::uint64_t{info.image_width} * info.image_height;
    return info.arith_code != 0 || pixels / (64 * 4) / 8 <= content_bytes;
  }

  // Looks at all APP1 segments, because XMP also uses APP1 and may come before Exif.
  int orientation() const {
    for (const auto* marker = info.marker_list; marker != nullptr; marker = marker->next) {
      const auto bytes = std::as_bytes(std::span(marker->data, marker->data_length));
      if (marker->marker == JPEG_APP0 + 1 && has_exif_name(bytes)) return exif_orientation(bytes);
    }
    return 1;
  }
};

// Converts like OpenCV. C, M, Y and K are stored inverted, as by Adobe's programs.
void rgb_of_cmyk(const JSAMPLE* cmyk, JSAMPLE* rgb, std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i, cmyk += 4, rgb += 3) {
    const int black = cmyk[3];
    for (int c = 0; c < 3; ++c) {
      rgb[c] = static_cast<JSAMPLE>(black - ((255 - cmyk[c]) * black >> 8));
    }
  }
}

// Collects the file that libjpeg writes to memory. libjpeg-turbo's jpeg_mem_dest() is not used: it
// gives its buffer's address only at the end, so the buffer would leak after an error.
struct Destination : jpeg_destination_mgr {
  std::vector<std::byte> file;

  Destination() : jpeg_destination_mgr() {
    init_destination = [](j_compress_ptr info) { of(info).grow(info); };
    empty_output_buffer = [](j_compress_ptr info) -> boolean {
      of(info).grow(info);
      return TRUE;
    };
    term_destination = [](j_compress_ptr info) {
      of(info).file.resize(of(info).file.size() - of(info).free_in_buffer);
    };
  }

  static Destination& of(j_compress_ptr info) { return *static_cast<Destination*>(info->dest); }

  // Enlarges `file` when it is full. No exception may pass through libjpeg.
  void grow(j_compress_ptr info) {
    constexpr std::size_t at_first = 1 << 16;
    const std::size_t used = file.size();
    try {
      file.resize(std::max(at_first, 2 * used));
    } catch (const std::bad_alloc&) {
      free_in_buffer = 0;
    }
    if (file.size() == used) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
    next_output_byte = reinterpret_cast<JOCTET*>(file.data() + used);
    free_in_buffer = file.size() - used;
  }
};

struct Compressor {
  jpeg_compress_struct info{};
  Errors errors;
  Destination destination;

  Compressor() { info.err = &errors; }
  ~Compressor() { jpeg_destroy_compress(&info); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  void start(const PictureShape& shape) {
    jpeg_create_compress(&info);
    info.dest = &destination;
    info.image_width = static_cast<JDIMENSION>(shape.width);
    info.image_height = static_cast<JDIMENSION>(shape.height);
    info.input_components = shape.channels;
    info.in_color_space = shape.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, 95, TRUE);  // OpenCV's quality
    jpeg_start_compress(&info, TRUE);
  }
};

class JpegFiles final : public ImageModule {
 public:
  Picture decode(std::span<const std::byte> content, const std::string& name) const override {
    return decoded(content, name, false);
  }
  Picture decode_luma(std::span<const std::byte> content, const std::string& name) const override {
    return decoded(content, name, true);
  }

  std::vector<std::byte> encode(const Picture& picture, const std::string&,
                                const std::string& name) const override {
    const PictureShape& shape = picture.shape();
    if (std::max(shape.width, shape.height) > JPEG_MAX_DIMENSION) {
      throw IoError("cannot write " + name + ": JPEG files end at " +
                    std::to_string(JPEG_MAX_DIMENSION) + " columns and rows");
    }
    Compressor jpeg;
    std::vector<std::byte> buffer(picture.bytes().size() / static_cast<std::size_t>(shape.height));
    const bool complete = jpeg.errors.exit.run_guarded([&] {
      jpeg.start(shape);
      for (std::int64_t y = 0; y < shape.height; ++y) {
        auto* row = const_cast<JSAMPLE*>(  // libjpeg only reads it
            reinterpret_cast<const JSAMPLE*>(row_in_rgb_order(picture, y, buffer).data()));
        jpeg_write_scanlines(&jpeg.info, &row, 1);
      }
      jpeg_finish_compress(&jpeg.info);
    });
    if (!complete) {
      throw IoError("cannot write " + name + ": libjpeg says: " + jpeg.errors.exit.message.data());
    }
    return std::move(jpeg.destination.file);
  }

 private:
  static Picture decoded(std::span<const std::byte> content, const std::string& name, bool luma) {
    Decompressor jpeg;
    jpeg_decompress_struct& info = jpeg.info;
    if (!jpeg.errors.exit.run_guarded([&] { jpeg.read_header(content); })) {
      refuse_damaged(name, "JPEG", jpeg.errors.exit.message.data());
    }
    require_readable_size(info.image_width, info.image_height, name);
    if (!jpeg.has_room_for_its_pixels(content.size())) {
      refuse_damaged(name, "JPEG",
                     "the file is too short for its " + std::to_string(info.image_width) + "x" +
                         std::to_string(info.image_height) + " pixels");
    }
    const bool cmyk = info.num_components == 4;
    const bool is_grey = info.num_components == 1 || (luma && info.jpeg_color_space == JCS_YCbCr);
    const int channels = is_grey ? 1 : 3;
    info.out_color_space = cmyk ? JCS_CMYK : is_grey ? JCS_GRAYSCALE : JCS_RGB;
    Picture picture(
        PictureShape::interleaved(ElementType::u8, channels, info.image_width, info.image_height));
    const std::size_t row_bytes = picture.bytes().size() / info.image_height;
    std::vector<JSAMPLE> cmyk_row(cmyk ? std::size_t{4} * info.image_width : 0);
    const bool complete = jpeg.errors.exit.run_guarded([&] {
      jpeg_start_decompress(&info);
      auto* row = reinterpret_cast<JSAMPLE*>(picture.bytes().data());
      for (; info.output_scanline < info.output_height; row += row_bytes) {
        JSAMPLE* to = cmyk ? cmyk_row.data() : row;
        jpeg_read_scanlines(&info, &to, 1);
        if (cmyk) rgb_of_cmyk(to, row, info.image_width);
      }
    });
    if (!complete) refuse_damaged(name, "JPEG", jpeg.errors.exit.message.data());
    picture.set_orientation(jpeg.orientation());
    return picture;
  }
};

}  // namespace
}  // namespace warpwise::io

extern "C" __attribute__((visibility("default"))) const warpwise::io::ImageModule*
warpwise_image_module_4() {
  static const warpwise::io::JpegFiles files;
  return &files;
}
