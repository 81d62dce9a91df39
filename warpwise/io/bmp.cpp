#include "warpwise/io/bmp.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "warpwise/base/counted.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/io/codec.hpp"

namespace warpwise::io {
namespace {

using Colour = std::array<std::uint8_t, 4>;

// Compression kinds, with the numbers that BMP files use.
constexpr std::uint32_t uncompressed = 0;
constexpr std::uint32_t runs_of_bytes = 1;
constexpr std::uint32_t runs_of_nibbles = 2;
constexpr std::uint32_t with_masks = 3;
constexpr std::uint32_t with_alpha_mask = 6;

// One channel's bits in a pixel.
struct BmpMask {
  std::uint32_t bits = 0;

  std::uint8_t scaled(std::uint32_t pixel) const {
    if (bits == 0) return 0;
    const int shift = std::countr_zero(bits);
    const std::uint64_t most = bits >> shift;
    const std::uint64_t value = (pixel & bits) >> shift;
    return static_cast<std::uint8_t>((value * 255 + most / 2) / most);
  }
  bool is_adjacent() const {
    return bits == 0 || std::has_single_bit((std::uint64_t{bits} >> std::countr_zero(bits)) + 1);
  }
};

class BmpFile {
 public:
  BmpFile(std::span<const std::byte> content, const std::string& name)
      : content_(content), name_(name) {
    read_header();
    require_readable_size(width_, height_, name);
    if (bits_ <= 8) {
      read_palette();
    } else {
      read_masks();
    }
  }

  Picture decode() const {
    const int channels = bits_ > 8 ? (masks_[3].bits == 0 ? 3 : 4) : has_grey_palette() ? 1 : 3;
    const bool by_runs = compression_ == runs_of_bytes || compression_ == runs_of_nibbles;
    const std::uint64_t row_bytes = (width_ * bits_ + 31) / 32 * 4;
    if (by_runs) {
      require_room_for_runs();
    } else {
      require(offset_, row_bytes * height_);
    }
    Picture picture(PictureShape::interleaved(ElementType::u8, channels,
                                              static_cast<std::int64_t>(width_),
                                              static_cast<std::int64_t>(height_)));
    const std::vector<std::uint8_t> numbers =
        by_runs ? numbers_of_runs() : std::vector<std::uint8_t>();
    std::byte* to = picture.bytes().data();
    for (std::uint64_t y = 0; y < height_; ++y) {
      const std::uint64_t stored = top_down_ ? y : height_ - 1 - y;
      if (bits_ == 24) {
        to = put_row_of_24_bits(content_.data() + offset_ + stored * row_bytes, to);
        continue;
      }
      for (std::uint64_t x = 0; x < width_; ++x) {
        const Colour colour = by_runs ? colour_of(numbers[stored * width_ + x])
                                      : colour_at(offset_ + stored * row_bytes, x);
        for (int channel = 0; channel < channels; ++channel)
          *to++ = std::byte{colour[static_cast<std::size_t>(channel)]};
      }
    }
    return picture;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { refuse_damaged(name_, "BMP", why); }

  void require(std::uint64_t at, std::uint64_t count) const {
    if (at > content_.size() || content_.size() - at < count) fail("it ends early");
  }
  // Keeps a short file with run-length codes from making decode() allocate gigabytes. A picture of
  // more than `usual_pixels` needs one byte of the file for every 1032 pixels. Smaller pictures may
  // have fewer bytes, because a code of four bytes can skip thousands of pixels.
  void require_room_for_runs() const {
    constexpr std::uint64_t usual_pixels = 1 << 26;
    constexpr std::uint64_t most_pixels_of_a_byte = 1032;
    if (width_ * height_ <= std::max(usual_pixels, most_pixels_of_a_byte * content_.size())) return;
    fail("the file is too short for its " + std::to_string(width_) + "x" + std::to_string(height_) +
         " pixels");
  }
  // Returns `count` bytes from `at` on as a little-endian number.
  std::uint32_t number(std::uint64_t at, int count) const {
    std::uint32_t value = 0;
    require(at, static_cast<std::uint64_t>(count));
    for (int i = 0; i < count; ++i)
      value |= std::to_integer<std::uint32_t>(content_[at + static_cast<std::uint64_t>(i)])
               << (8 * i);
    return value;
  }

  void read_header() {
    offset_ = number(10, 4);
    header_ = number(14, 4);
    constexpr std::uint32_t known[] = {12, 40, 52, 56, 64, 108, 124};
    if (std::ranges::find(known, header_) == std::end(known))
      fail("its header has " + std::to_string(header_) + " bytes");
    if (header_ == 12) {
      width_ = number(18, 2);
      height_ = number(20, 2);
      bits_ = number(24, 2);
    } else {
      const auto height = static_cast<std::int32_t>(number(22, 4));
      width_ = number(18, 4);
      top_down_ = height < 0;
      height_ = static_cast<std::uint64_t>(std::abs(std::int64_t{height}));
      bits_ = number(28, 2);
      compression_ = number(30, 4);
      colours_ = number(46, 4);
    }
    require_layout();
  }

  void require_layout() const {
    if (offset_ < 14 + header_) fail("its pixels begin inside its header");
    constexpr std::uint32_t depths[] = {1, 2, 4, 8, 16, 24, 32};
    const bool known = std::ranges::find(depths, bits_) != std::end(depths);
    const bool fits = compression_ == uncompressed ||
                      (compression_ == runs_of_bytes && bits_ == 8) ||
                      (compression_ == runs_of_nibbles && bits_ == 4) ||
                      ((compression_ == with_masks || compression_ == with_alpha_mask) &&
                       (bits_ == 16 || bits_ == 32));
    if (known && fits) return;
    throw IoError("cannot read " + name_ + ": its BMP compression " + std::to_string(compression_) +
                  " of " + std::to_string(bits_) + " bits is not read here");
  }

  void read_palette() {
    const std::uint64_t entry = header_ == 12 ? 3 : 4;
    const std::uint64_t first = 14 + header_;
    std::uint64_t count = colours_ == 0 ? std::uint64_t{1} << bits_ : colours_;
    if (offset_ > first) count = std::min(count, (offset_ - first) / entry);
    count = std::min(count, std::uint64_t{1} << bits_);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t bgr = number(first + i * entry, 3);
      palette_.push_back({static_cast<std::uint8_t>(bgr >> 16), static_cast<std::uint8_t>(bgr >> 8),
                          static_cast<std::uint8_t>(bgr), 255});
    }
  }

  bool has_grey_palette() const {
    return std::ranges::all_of(palette_,
                               [](const Colour& c) { return c[0] == c[1] && c[1] == c[2]; });
  }

  void read_masks() {
    masks_ = {BmpMask{0xff0000}, BmpMask{0xff00}, BmpMask{0xff}, BmpMask{}};
    if (bits_ == 16) masks_ = {BmpMask{0x7c00}, BmpMask{0x3e0}, BmpMask{0x1f}, BmpMask{}};
    if (compression_ != with_masks && compression_ != with_alpha_mask) return;
    const bool with_alpha = compression_ == with_alpha_mask || header_ >= 56;
    for (std::uint64_t i = 0; i < (with_alpha ? 4U : 3U); ++i) {
      masks_[i].bits = number(14 + 40 + 4 * i, 4);
      if (!masks_[i].is_adjacent()) fail("the bits of a mask are not adjacent");
    }
  }

  Colour colour_of(std::uint32_t index) const {
    if (index >= palette_.size())
      fail("a pixel has colour number " + std::to_string(index) + ", but the palette has " +
           counted(palette_.size(), "colour"));
    return palette_[index];
  }

  Colour colour_at(std::uint64_t row, std::uint64_t x) const {
    if (bits_ > 8) {
      const std::uint32_t pixel = number(row + x * (bits_ / 8), static_cast<int>(bits_ / 8));
      return {masks_[0].scaled(pixel), masks_[1].scaled(pixel), masks_[2].scaled(pixel),
              masks_[3].scaled(pixel)};
    }
    const std::uint64_t bit = x * bits_;
    return colour_of(number(row + bit / 8, 1) >> (8 - bits_ - bit % 8) & ((1U << bits_) - 1));
  }

  std::byte* put_row_of_24_bits(const std::byte* bgr, std::byte* to) const {
    for (std::uint64_t x = 0; x < width_; ++x, bgr += 3, to += 3) {
      to[0] = bgr[2];
      to[1] = bgr[1];
      to[2] = bgr[0];
    }
    return to;
  }

  // Decodes the runs. Returns each pixel's palette index, in file order. Skipped pixels get 0.
  std::vector<std::uint8_t> numbers_of_runs() const {
    std::vector<std::uint8_t> numbers(width_ * height_);
    std::uint64_t at = offset_;
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    const auto put = [&](std::uint32_t value) {
      if (x >= width_ || y >= height_) fail("a run of pixels goes past the edge of the picture");
      numbers[y * width_ + x++] = static_cast<std::uint8_t>(value);
    };
    const auto part = [&](std::uint32_t byte, std::uint32_t i) {
      return bits_ == 8 ? byte : i % 2 == 0 ? byte >> 4 : byte & 15;
    };
    while (true) {
      const std::uint32_t count = number(at, 1);
      const std::uint32_t value = number(at + 1, 1);
      at += 2;
      if (count > 0) {
        for (std::uint32_t i = 0; i < count; ++i) put(part(value, i));
      } else if (value == 0) {
        x = 0;
        ++y;
      } else if (value == 1) {
        return numbers;
      } else if (value == 2) {
        x += number(at, 1);
        y += number(at + 1, 1);
        at += 2;
      } else {
        for (std::uint32_t i = 0; i < value; ++i) put(part(number(at + i * bits_ / 8, 1), i));
        at += (value * bits_ / 8 + (value * bits_ % 8 != 0 ? 1 : 0) + 1) / 2 * 2;
      }
    }
  }

  std::span<const std::byte> content_;
  const std::string& name_;
  std::uint64_t offset_ = 0;  // offset of the pixels
  std::uint32_t header_ = 0;  // size of the header after the file's first 14 bytes
  std::uint64_t width_ = 0;
  std::uint64_t height_ = 0;
  std::uint32_t bits_ = 0;
  std::uint32_t compression_ = uncompressed;
  std::uint32_t colours_ = 0;
  bool top_down_ = false;
  std::vector<Colour> palette_;
  std::array<BmpMask, 4> masks_{};
};

}  // namespace

Picture decode_bmp(std::span<const std::byte> content, const std::string& name) {
  return BmpFile(content, name).decode();
}

std::vector<std::byte> encode_bmp(const Picture& picture, const std::string& name) {
  const PictureShape& shape = picture.shape();
  const auto channels = static_cast<std::uint64_t>(shape.channels);
  const auto width = static_cast<std::uint64_t>(shape.width);
  const std::uint32_t colours = channels == 1 ? 256 : 0;
  const std::uint64_t row_bytes = (width * channels + 3) / 4 * 4;
  const std::uint64_t begin = 14 + 40 + 4 * colours;
  const std::uint64_t size = begin + row_bytes * static_cast<std::uint64_t>(shape.height);
  if (size > UINT32_MAX)
    throw IoError("cannot write " + name +
                  ": a BMP file has at most 4 GiB; .pnm and .npy have no limit");
  std::vector<std::byte> file;
  file.reserve(size);
  const auto put = [&](std::uint64_t number, int bytes) {
    for (int i = 0; i < bytes; ++i) file.push_back(static_cast<std::byte>(number >> 8 * i & 255));
  };
  put('B' | 'M' << 8, 2);
  put(size, 4);
  put(0, 4);
  put(begin, 4);
  put(40, 4);
  put(width, 4);
  put(static_cast<std::uint64_t>(shape.height), 4);
  put(1, 2);
  put(8 * channels, 2);
  put(uncompressed, 4);
  put(size - begin, 4);
  put(2835, 4);  // pixels per metre, which are 72 per inch
  put(2835, 4);
  put(colours, 4);
  put(0, 4);
  for (std::uint32_t grey = 0; grey < colours; ++grey) put(grey * 0x10101, 4);
  std::vector<std::byte> buffer;
  for (std::int64_t y = shape.height - 1; y >= 0; --y) {
    const auto row = row_in_rgb_order(picture, y, buffer);
    const std::size_t at = file.size();
    file.insert(file.end(), row.begin(), row.end());
    for (std::uint64_t i = at; channels == 3 && i < file.size(); i += 3)
      std::swap(file[i], file[i + 2]);
    file.resize(at + row_bytes);
  }
  return file;
}

}  // namespace warpwise::io
