// The module libwarpwise_tiff.so: TIFF files through libtiff.

#include <tiffio.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/io/codec.hpp"
#include "warpwise/io/image_module.hpp"
#include "warpwise/io/tiff_stream.hpp"

namespace warpwise::io {
namespace {

// Tags that describe a picture's layout.
struct Tags {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint16_t bits = 0;  // per sample
  std::uint16_t samples = 0;
  std::uint16_t photometric = 0;
  std::uint16_t format = 0;
  std::uint16_t planar = 0;
  std::uint16_t orientation = 0;
  bool has_alpha = false;  // true if alpha is the only sample besides grey or the colours
  bool has_straight_alpha = false;
  bool has_premultiplied_alpha = false;
  bool tiled = false;
  std::uint32_t block_width = 0;  // width of a tile or a strip
  std::uint32_t block_height = 0;

  bool is_grey() const {
    return photometric == PHOTOMETRIC_MINISWHITE || photometric == PHOTOMETRIC_MINISBLACK;
  }
  bool is_grey_beside_another() const { return is_grey() && samples == 2; }
  bool is_log_luv() const { return photometric == PHOTOMETRIC_LOGLUV && samples == 3; }
  /// Returns true if libtiff converts the pixels to 8-bit RGBA: up to 8 bits, palette, CMYK, YCbCr.
  /// 8-bit colours with straight alpha are excluded, because the conversion multiplies colours by
  /// alpha. 8-bit grey with alpha is excluded, because the conversion drops alpha.
  bool is_coloured_by_libtiff() const {
    if (photometric == PHOTOMETRIC_RGB && samples == 4 && bits == 8 && has_straight_alpha) {
      return false;
    }
    if (is_grey_beside_another() && bits == 8) return false;
    return bits <= 8 || (samples == 2 && !is_grey()) ||
           (photometric > PHOTOMETRIC_RGB && !is_log_luv());
  }
};

Tags tags_of(TIFF* tiff, const std::string& name) {
  Tags tags;
  if (TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &tags.width) == 0 ||
      TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &tags.height) == 0 ||
      TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &tags.photometric) == 0) {
    refuse_damaged(name, "TIFF", "it has no size or no colour space");
  }
  require_readable_size(tags.width, tags.height, name);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &tags.samples);
  if (tags.is_log_luv() &&  // request 32-bit floats
      TIFFSetField(tiff, TIFFTAG_SGILOGDATAFMT, SGILOGDATAFMT_FLOAT) == 0) {
    refuse_damaged(name, "TIFF", "it has LogLuv colours, but not their compression");
  }
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &tags.bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &tags.format);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &tags.planar);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &tags.orientation);
  std::uint16_t extra_samples = 0;
  const std::uint16_t* kinds = nullptr;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extra_samples, &kinds);
  tags.has_straight_alpha = extra_samples == 1 && kinds[0] == EXTRASAMPLE_UNASSALPHA;
  tags.has_premultiplied_alpha = extra_samples == 1 && kinds[0] == EXTRASAMPLE_ASSOCALPHA;
  tags.has_alpha = tags.has_straight_alpha || tags.has_premultiplied_alpha;
  tags.tiled = TIFFIsTiled(tiff) != 0;
  if (tags.tiled) {
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &tags.block_width);
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &tags.block_height);
  } else {
    tags.block_width = tags.width;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &tags.block_height);
    tags.block_height = std::min(tags.block_height, tags.height);
  }
  if (tags.block_width == 0 || tags.block_height == 0) {
    refuse_damaged(name, "TIFF", "its tiles or strips have no size");
  }
  return tags;
}

[[noreturn]] void refuse_kind(const std::string& name, const Tags& tags) {
  const char* format = tags.format == SAMPLEFORMAT_IEEEFP ? "float"
                       : tags.format == SAMPLEFORMAT_INT  ? "signed"
                       : tags.format == SAMPLEFORMAT_UINT ? "unsigned"
                                                          : "complex or unknown";
  throw IoError("cannot read " + name + ": a pixel of it is " + std::to_string(tags.samples) +
                " x " + std::to_string(tags.bits) + " bits, " + format +
                "; TIFF files of 1 to 4 samples of 8 or 16 bits, and of 1, 3 or 4 of signed 32 "
                "bits or 32-bit floats, are read");
}

// Returns the shape of the picture that read_coloured() or read_samples() makes. Grey with alpha
// becomes R G B A, as from a PNG file.
PictureShape shape_of(const Tags& tags, const std::string& name) {
  if (tags.samples < 1 || tags.samples > 4) refuse_kind(name, tags);
  int channels = tags.samples;
  std::optional<ElementType> type;
  if (tags.is_coloured_by_libtiff()) {
    if ((tags.bits >= 8 || tags.bits == 1) && tags.format == SAMPLEFORMAT_UINT) {
      type = ElementType::u8;
    }
    if (tags.is_grey()) channels = 1;
    if (tags.photometric == PHOTOMETRIC_PALETTE && tags.bits != 1) channels = 3;
  } else if (tags.bits <= 16) {
    const bool packed = tags.bits == 10 || tags.bits == 12 || tags.bits == 14;
    if (tags.format == SAMPLEFORMAT_UINT && tags.bits == 8) type = ElementType::u8;
    if (tags.format == SAMPLEFORMAT_UINT && (packed || tags.bits == 16)) type = ElementType::u16;
    if (tags.format == SAMPLEFORMAT_INT && tags.bits == 16) type = ElementType::i16;
    if (tags.is_grey_beside_another() && type != ElementType::i16) {
      channels = tags.has_alpha ? 4 : 1;
    } else if (tags.is_grey() && channels != 1) {
      type.reset();
    }
  } else if (tags.bits == 32) {
    if (tags.format == SAMPLEFORMAT_IEEEFP || tags.is_log_luv()) type = ElementType::f32;
    if (tags.format == SAMPLEFORMAT_INT && !tags.is_log_luv()) type = ElementType::i32;
  }
  if (!type || channels == 2) refuse_kind(name, tags);
  return PictureShape::interleaved(*type, channels, tags.width, tags.height);
}

struct Colours {
  TIFFRGBAImage image{};
  bool begun = false;

  ~Colours() {
    if (begun) TIFFRGBAImageEnd(&image);
  }
};

// Reads pixels of 8 bits through libtiff's conversion, one band of strips or tiles at a time.
Picture read_coloured(const TiffStream& stream, const Tags& tags, const std::string& name) {
  Picture picture(shape_of(tags, name));
  Colours colours;
  TIFFRGBAImage& image = colours.image;
  std::array<char, 1024> why{};
  constexpr int stop_on_error = 1;  // 0 would leave damaged parts black
  colours.begun = TIFFRGBAImageOK(stream.tiff(), why.data()) != 0 &&
                  TIFFRGBAImageBegin(&image, stream.tiff(), stop_on_error, why.data()) != 0;
  if (!colours.begun) refuse_damaged(name, "TIFF", why.data());
  image.req_orientation = image.orientation;  // keeps the file's order of rows and columns
  const std::uint32_t band = std::min(tags.block_height, tags.height);
  const auto raster =
      std::make_unique_for_overwrite<std::uint32_t[]>(std::size_t{tags.width} * band);
  auto* to = reinterpret_cast<std::uint8_t*>(picture.bytes().data());
  const int channels = picture.shape().channels;
  for (std::uint32_t y = 0; y < tags.height; y += band) {
    const std::uint32_t rows = std::min(band, tags.height - y);
    image.row_offset = static_cast<int>(y);
    if (TIFFRGBAImageGet(&image, raster.get(), tags.width, rows) == 0) {
      refuse_damaged(name, "TIFF", stream.what_libtiff_said());
    }
    for (std::size_t i = 0; i < std::size_t{tags.width} * rows; ++i, to += channels) {
      const std::uint32_t pixel = raster[i];
      const unsigned red = TIFFGetR(pixel);
      const unsigned green = TIFFGetG(pixel);
      const unsigned blue = TIFFGetB(pixel);
      if (channels == 1) {
        to[0] = static_cast<std::uint8_t>((4899 * red + 9617 * green + 1868 * blue + 8192) >> 14);
        continue;
      }
      to[0] = static_cast<std::uint8_t>(red);
      to[1] = static_cast<std::uint8_t>(green);
      to[2] = static_cast<std::uint8_t>(blue);
      if (channels == 4) to[3] = static_cast<std::uint8_t>(TIFFGetA(pixel));
    }
  }
  return picture;
}

// Unpacks samples of 10, 12 or 14 bits, stored from the highest bit on, into the upper bits of u16.
void unpack(const std::byte* from, int bits, std::span<std::uint16_t> to) {
  std::uint32_t held = 0;
  int held_bits = 0;
  for (std::uint16_t& sample : to) {
    while (held_bits < bits) {
      held = held << 8 | std::to_integer<std::uint32_t>(*from++);
      held_bits += 8;
    }
    held_bits -= bits;
    sample = static_cast<std::uint16_t>(held >> held_bits << (16 - bits));
  }
}

// Reads samples of 8, 10, 12, 14, 16 or 32 bits from the file's strips or tiles. A strip or tile
// holds whole pixels or, in a planar file, the samples of one channel.
class SampleReader {
 public:
  SampleReader(const TiffStream& stream, const Tags& tags, const std::string& name,
               Picture& picture)
      : stream_(stream), tags_(tags), name_(name), picture_(picture),
        planes_(tags.planar == PLANARCONFIG_SEPARATE ? tags.samples : 1),
        row_samples_(std::size_t{tags.block_width} * (tags.samples / planes_)),
        row_bytes_((row_samples_ * tags.bits + 7) / 8),
        element_(static_cast<std::size_t>(size_of(picture.shape().type))) {}

  void read() {
    TIFF* tiff = stream_.tiff();
    if (row_bytes_ !=
        static_cast<std::size_t>(tags_.tiled ? TIFFTileRowSize(tiff) : TIFFScanlineSize(tiff))) {
      refuse_damaged(name_, "TIFF", "its rows do not have the size that its header says");
    }
    const std::uint64_t block_bytes = std::uint64_t{row_bytes_} * tags_.block_height;
    if (block_bytes > std::uint64_t{most_block_bytes}) {
      throw IoError("cannot read " + name_ +
                    ": its strips or tiles are larger than 1 GiB; use smaller ones");
    }
    block_ = std::make_unique_for_overwrite<std::byte[]>(block_bytes);
    if (is_packed()) unpacked_.resize(row_samples_);
    for (int plane = 0; plane < planes_; ++plane) {
      for (std::uint32_t y = 0; y < tags_.height; y += tags_.block_height) {
        for (std::uint32_t x = 0; x < tags_.width; x += tags_.block_width) {
          read_block(x, y, plane, static_cast<tmsize_t>(block_bytes));
        }
      }
    }
  }

 private:
  bool is_packed() const { return tags_.bits < 16 && tags_.bits != 8; }

  void read_block(std::uint32_t x, std::uint32_t y, int plane, tmsize_t size) {
    TIFF* tiff = stream_.tiff();
    const auto sample = static_cast<std::uint16_t>(plane);
    const tmsize_t got =
        tags_.tiled
            ? TIFFReadEncodedTile(tiff, TIFFComputeTile(tiff, x, y, 0, sample), block_.get(), size)
            : TIFFReadEncodedStrip(tiff, TIFFComputeStrip(tiff, y, sample), block_.get(), size);
    const std::size_t rows = std::min(tags_.block_height, tags_.height - y);
    const std::size_t columns = std::min(tags_.block_width, tags_.width - x);
    if (got < static_cast<tmsize_t>(rows * row_bytes_)) {
      refuse_damaged(name_, "TIFF", stream_.what_libtiff_said());
    }
    const std::size_t pixel = tags_.samples * element_;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::byte* from = block_.get() + row * row_bytes_;
      if (is_packed()) {
        unpack(from, tags_.bits, unpacked_);
        from = reinterpret_cast<const std::byte*>(unpacked_.data());
      }
      std::byte* to = picture_.bytes().data() + ((y + row) * tags_.width + x) * pixel +
                      static_cast<std::size_t>(plane) * element_;
      if (planes_ == 1) {
        std::memcpy(to, from, columns * pixel);
        continue;
      }
      for (std::size_t i = 0; i < columns; ++i, to += pixel, from += element_) {
        std::memcpy(to, from, element_);
      }
    }
  }

  const TiffStream& stream_;
  const Tags& tags_;
  const std::string& name_;
  Picture& picture_;
  int planes_;
  std::size_t row_samples_;  // samples in a row of a strip or tile
  std::size_t row_bytes_;
  std::size_t element_;
  std::unique_ptr<std::byte[]> block_;
  std::vector<std::uint16_t> unpacked_;
};

// Converts LogLuv's floats, which are CIE XYZ, to Rec. 709's R, G and B with a white of D65.
void rgb_of_xyz(std::span<std::byte> pixels) {
  for (std::size_t i = 0; i + 12 <= pixels.size(); i += 12) {
    float xyz[3];
    std::memcpy(xyz, pixels.data() + i, sizeof xyz);
    const auto [x, y, z] = xyz;
    const float rgb[3] = {3.240479F * x - 1.53715F * y - 0.498535F * z,
                          -0.969256F * x + 1.875991F * y + 0.041556F * z,
                          0.055648F * x - 0.204043F * y + 1.057311F * z};
    std::memcpy(pixels.data() + i, rgb, sizeof rgb);
  }
}

// Inverts the unsigned grey of a file in which 0 is white. Alpha stays.
template <class Sample>
void invert(const Tags& tags, std::span<std::byte> samples) {
  constexpr int sample_bits = 8 * sizeof(Sample);
  // Samples of 10, 12 and 14 bits lie in the upper bits of a u16.
  const auto all_bits =
      static_cast<Sample>((1U << sample_bits) - (1U << (sample_bits - tags.bits)));
  const auto count = static_cast<std::int64_t>(samples.size() / sizeof(Sample));
  for (std::int64_t i = 0; i < count; i += tags.samples) {
    store(samples.data(), i, static_cast<Sample>(all_bits ^ load<Sample>(samples.data(), i)));
  }
}

// Copies pixels of grey and one other sample. They become R G B A if that sample is alpha, and grey
// otherwise.
template <class Sample>
void copy_grey(const Picture& samples, Picture& picture) {
  const std::byte* const from = samples.bytes().data();
  std::byte* const to = picture.bytes().data();
  const int channels = picture.shape().channels;
  for (std::int64_t i = 0; i < picture.shape().width * picture.shape().height; ++i) {
    const auto grey = load<Sample>(from, 2 * i);
    for (int c = 0; c < std::min(channels, 3); ++c) store(to, i * channels + c, grey);
    if (channels == 4) store(to, 4 * i + 3, load<Sample>(from, 2 * i + 1));
  }
}

// Divides colours by their alpha. Colours of a transparent pixel, and colours above alpha, have no
// quotient: the former stay, and the latter become full.
template <class Sample>
void divide_by_alpha(const Tags& tags, std::span<std::byte> samples) {
  // Samples of 10, 12 and 14 bits lie in the upper bits of a u16.
  const std::uint64_t full = sizeof(Sample) == 1 ? 0xff : 0x10000 - (1U << (16 - tags.bits));
  const auto count = static_cast<std::int64_t>(samples.size() / sizeof(Sample));
  for (std::int64_t i = 0; i < count; i += 4) {
    const std::uint64_t alpha = load<Sample>(samples.data(), i + 3);
    if (alpha == 0) continue;
    for (std::int64_t c = i; c < i + 3; ++c) {
      const std::uint64_t colour = load<Sample>(samples.data(), c);
      const std::uint64_t quotient = (2 * colour * full + alpha) / (2 * alpha);
      store(samples.data(), c, static_cast<Sample>(std::min(full, quotient)));
    }
  }
}

// Makes the alpha of unsigned integers straight, as in a PNG or WebP file.
void make_alpha_straight(const Tags& tags, Picture& picture) {
  const PictureShape& shape = picture.shape();
  const bool is_multiplied = tags.has_premultiplied_alpha && shape.channels == 4 &&
                             tags.photometric != PHOTOMETRIC_MINISWHITE;
  if (is_multiplied && shape.type == ElementType::u8) {
    divide_by_alpha<std::uint8_t>(tags, picture.bytes());
  }
  if (is_multiplied && shape.type == ElementType::u16) {
    divide_by_alpha<std::uint16_t>(tags, picture.bytes());
  }
}

Picture read_samples(const TiffStream& stream, const Tags& tags, const std::string& name) {
  const PictureShape shape = shape_of(tags, name);
  Picture samples(PictureShape::interleaved(shape.type, tags.samples, shape.width, shape.height));
  SampleReader(stream, tags, name, samples).read();
  if (tags.is_log_luv()) rgb_of_xyz(samples.bytes());
  const bool is_u8 = shape.type == ElementType::u8;
  if (tags.photometric == PHOTOMETRIC_MINISWHITE && (is_u8 || shape.type == ElementType::u16)) {
    is_u8 ? invert<std::uint8_t>(tags, samples.bytes())
          : invert<std::uint16_t>(tags, samples.bytes());
  }
  if (!tags.is_grey_beside_another()) return samples;
  Picture picture(shape);
  is_u8 ? copy_grey<std::uint8_t>(samples, picture) : copy_grey<std::uint16_t>(samples, picture);
  return picture;
}

bool write_tiff(TIFF* tiff, const Picture& picture) {
  const PictureShape& shape = picture.shape();
  const auto element = static_cast<int>(size_of(shape.type));
  const std::size_t row_bytes = picture.bytes().size() / static_cast<std::size_t>(shape.height);
  // Uses OpenCV's choices: strips of 8 KiB, and LZW with differences. 32-bit elements are not
  // compressed, since LZW makes them longer.
  const auto rows_per_strip = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>((1 << 13) / static_cast<std::int64_t>(row_bytes), 1, shape.height));
  const int compression = element < 4 ? COMPRESSION_LZW : COMPRESSION_NONE;
  const bool is_signed = shape.type == ElementType::i16 || shape.type == ElementType::i32;
  const int format = shape.type == ElementType::f32 ? SAMPLEFORMAT_IEEEFP
                     : is_signed                    ? SAMPLEFORMAT_INT
                                                    : SAMPLEFORMAT_UINT;
  const auto set = [tiff](std::uint32_t tag, auto value) {
    return TIFFSetField(tiff, tag, value) != 0;
  };
  if (!set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(shape.width)) ||
      !set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(shape.height)) ||
      !set(TIFFTAG_BITSPERSAMPLE, 8 * element) || !set(TIFFTAG_COMPRESSION, compression) ||
      !set(TIFFTAG_PHOTOMETRIC, shape.channels > 1 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK) ||
      !set(TIFFTAG_SAMPLESPERPIXEL, shape.channels) ||
      !set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) ||
      !set(TIFFTAG_ROWSPERSTRIP, rows_per_strip) || !set(TIFFTAG_SAMPLEFORMAT, format) ||
      (compression == COMPRESSION_LZW && !set(TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL))) {
    return false;
  }
  // Without this tag, other programs take alpha for a sample of no meaning. The alpha of floats
  // stays untold, since EXR files have it multiplied, and .npy files do not say.
  const std::uint16_t straight = EXTRASAMPLE_UNASSALPHA;
  if (shape.channels == 4 && shape.type != ElementType::f32 &&
      TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &straight) == 0) {
    return false;
  }
  std::vector<std::byte> row(row_bytes);  // a copy, because libtiff writes the differences into it
  for (std::int64_t y = 0; y < shape.height; ++y) {
    const auto bytes = row_in_rgb_order(picture, y, row);
    std::copy(bytes.begin(), bytes.end(), row.begin());
    if (TIFFWriteScanline(tiff, row.data(), static_cast<std::uint32_t>(y), 0) != 1) return false;
  }
  return TIFFWriteDirectory(tiff) != 0;
}

// Reads the picture whose directory libtiff read last.
Picture read_tiff(const TiffStream& stream, const std::string& name) {
  const Tags tags = tags_of(stream.tiff(), name);
  Picture picture = tags.is_coloured_by_libtiff() ? read_coloured(stream, tags, name)
                                                  : read_samples(stream, tags, name);
  make_alpha_straight(tags, picture);
  picture.set_orientation(tags.orientation);
  return picture;
}

// Reads numbers of a TIFF file in the byte order that the file declares.
class TiffNumbers {
 public:
  explicit TiffNumbers(std::span<const std::byte> content) : content_(content) {}

  bool has(std::uint64_t at, std::uint64_t bytes) const {
    return at <= content_.size() && bytes <= content_.size() - at;
  }
  std::uint64_t number(std::uint64_t at, unsigned bytes) const {
    const bool is_big_endian = content_[0] == std::byte{'M'};
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      value = value << 8 |
              std::to_integer<unsigned>(content_[at + (is_big_endian ? i : bytes - 1 - i)]);
    }
    return value;
  }

 private:
  std::span<const std::byte> content_;
};

// Follows the offsets from each page's directory to the next one. Returns false if a directory
// reaches beyond the file's end.
bool has_all_pages(std::span<const std::byte> content) {
  const TiffNumbers file(content);
  if (!file.has(0, 16)) return true;
  const bool is_big_tiff = file.number(2, 2) == 43;
  const unsigned place_bytes = is_big_tiff ? 8 : 4;
  const unsigned count_bytes = is_big_tiff ? 8 : 2;
  const unsigned field_bytes = is_big_tiff ? 20 : 12;
  constexpr std::size_t most_pages = 1 << 20;  // libtiff reads no more
  std::set<std::uint64_t> seen;
  for (std::uint64_t at = file.number(place_bytes, place_bytes); at != 0;) {
    if (!seen.insert(at).second || seen.size() > most_pages) return true;
    if (!file.has(at, count_bytes)) return false;
    const std::uint64_t fields = file.number(at, count_bytes);
    if (fields > content.size() / field_bytes) return false;
    const std::uint64_t next = at + count_bytes + fields * field_bytes;
    if (!file.has(next, place_bytes)) return false;
    at = file.number(next, place_bytes);
  }
  return true;
}

class TiffPages final : public Pages {
 public:
  TiffPages(std::span<const std::byte> content, std::string name)
      : name_(std::move(name)), stream_(content, name_),
        // In a truncated file libtiff may count 0 pages, although it read the first one on opening.
        whole_(std::max<tdir_t>(1, TIFFNumberOfDirectories(stream_.tiff()))),
        is_cut_(!has_all_pages(content)) {}

  // Also counts the missing page of a truncated file, so that reading all pages finds the damage.
  std::int64_t count() const override { return std::int64_t{whole_} + (is_cut_ ? 1 : 0); }

  std::optional<Page> next() override {
    if (!read_directory()) return std::nullopt;
    return Page{read_tiff(stream_, name_)};
  }
  void skip() override { read_directory(); }

 private:
  // Goes to the next page. Returns false after the last one.
  bool read_directory() {
    if (next_ == whole_ && is_cut_) refuse_damaged(name_, "TIFF", "its next page is missing");
    if (next_ == whole_) return false;
    if (next_++ > 0 && TIFFReadDirectory(stream_.tiff()) == 0) {
      refuse_damaged(name_, "TIFF", stream_.what_libtiff_said());
    }
    return true;
  }

  std::string name_;
  TiffStream stream_;
  tdir_t whole_;
  bool is_cut_;
  tdir_t next_ = 0;
};

class TiffFiles final : public ImageModule {
 public:
  Picture decode(std::span<const std::byte> content, const std::string& name) const override {
    return read_tiff(TiffStream(content, name), name);
  }

  std::unique_ptr<Pages> pages(std::span<const std::byte> content,
                               const std::string& name) const override {
    auto pages = std::make_unique<TiffPages>(content, name);
    return pages->count() > 1 ? std::move(pages) : nullptr;
  }

  std::vector<std::byte> encode(const Picture& picture, const std::string&,
                                const std::string& name) const override {
    const PictureShape& shape = picture.shape();
    if (std::max(shape.width, shape.height) > INT32_MAX) {
      throw IoError("cannot write " + name + ": TIFF files have at most 2^31 - 1 columns and rows");
    }
    TiffStream stream;
    if (stream.tiff() == nullptr || !write_tiff(stream.tiff(), picture)) {
      throw IoError("cannot write " + name + ": libtiff says: " + stream.what_libtiff_said());
    }
    stream.close();
    return std::move(stream.written());
  }
};

}  // namespace
}  // namespace warpwise::io

extern "C" __attribute__((visibility("default"))) const warpwise::io::ImageModule*
warpwise_image_module_4() {
  static const warpwise::io::TiffFiles files;
  return &files;
}
