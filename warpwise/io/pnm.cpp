#include "warpwise/io/pnm.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/io/codec.hpp"
#include "warpwise/io/image_format.hpp"

namespace warpwise::io {
namespace {

constexpr std::uint32_t most_maximum = 65535;

struct PnmHeader {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t channels = 1;
  std::uint32_t maximum = 1;
  bool plain = false;  // samples are decimal numbers
  bool bits = false;   // PBM: a pixel is a bit, or a digit if plain; 1 is black
};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads a file's words, lines, numbers and samples from its start to its end.
class PnmReader {
 public:
  PnmReader(std::span<const std::byte> content, const std::string& name, std::string_view format)
      : content_(content), name_(name), format_(format) {}

  [[noreturn]] void fail(std::string_view why) const { refuse_damaged(name_, format_, why); }

  bool at_end() const { return at_ == content_.size(); }
  char next() {
    if (at_end()) fail("it ends early");
    return static_cast<char>(content_[at_++]);
  }

  // Returns the next word, or "" at the end. Comments reach from # to the end of the line.
  std::string word() {
    std::string text;
    while (!at_end()) {
      const char c = next();
      if (c == '#') skip_line();
      if (c != '#' && !is_space(c)) {
        text += c;
        continue;
      }
      if (!text.empty()) break;
    }
    return text;
  }

  std::string line() {
    std::string text;
    while (!at_end()) {
      const char c = next();
      if (c == '\n') break;
      text += c;
    }
    return text;
  }

  std::uint32_t number_of(const std::string& text) const {
    std::uint64_t number = 0;
    for (const char c : text) {
      if (!is_digit(c)) fail("a number is '" + text.substr(0, 20) + "'");
      number = number * 10 + static_cast<std::uint64_t>(c - '0');
      if (number > UINT32_MAX) fail("a number is too large");
    }
    if (text.empty()) fail("it ends early");
    return static_cast<std::uint32_t>(number);
  }
  std::uint32_t number() { return number_of(word()); }

  // Returns the next digit of a plain PBM. No space is needed between two digits.
  std::uint32_t bit() {
    char c = ' ';
    while (is_space(c) || c == '#') {
      c = next();
      if (c == '#') skip_line();
    }
    if (c != '0' && c != '1') fail("a pixel is neither 0 nor 1");
    return c == '1' ? 1 : 0;
  }

  void require_left(std::uint64_t count) const {
    if (content_.size() - at_ < count) fail("it ends early");
  }
  // Skips the LF if the header ends with CR LF, because word() has consumed only the CR. The LF is
  // not a byte of a pixel if the `count` bytes of the pixels follow it.
  void skip_rest_of_line_end(std::uint64_t count) {
    if (at_ > 0 && content_.size() - at_ == count + 1 && content_[at_ - 1] == std::byte{'\r'} &&
        content_[at_] == std::byte{'\n'})
      ++at_;
  }
  const std::byte* bytes(std::uint64_t count) {
    require_left(count);
    const std::byte* first = content_.data() + at_;
    at_ += count;
    return first;
  }

 private:
  void skip_line() {
    while (!at_end() && next() != '\n') {
    }
  }

  std::span<const std::byte> content_;
  const std::string& name_;
  std::string_view format_;
  std::size_t at_ = 0;
};

struct TupleType {
  std::string_view name;
  std::uint32_t channels;
};
constexpr TupleType tuple_types[] = {
    {"BLACKANDWHITE", 1},   {"GRAYSCALE", 1}, {"BLACKANDWHITE_ALPHA", 2},
    {"GRAYSCALE_ALPHA", 2}, {"RGB", 3},       {"RGB_ALPHA", 4}};

void require_tuple_type(const std::string& type, std::uint32_t channels, const std::string& name) {
  if (type.empty() && channels >= 1 && channels <= 4) return;
  for (const TupleType& known : tuple_types) {
    if (known.name == type && known.channels == channels) return;
  }
  throw IoError("cannot read " + name + ": its tuples are of the type '" + type.substr(0, 40) +
                "' and of " + std::to_string(channels) +
                " samples; grey and RGB are read, each with or without alpha");
}

PnmHeader pam_header(PnmReader& reader, const std::string& name) {
  PnmHeader header;
  std::string type;
  std::set<std::string> seen;
  reader.line();
  while (true) {
    if (reader.at_end()) reader.fail("its header has no end");
    const std::string line = reader.line();
    const std::size_t space = line.find_first_of(" \t\r");
    const std::string key = line.substr(0, space);
    std::string value;
    if (space != std::string::npos) {
      const std::size_t first = line.find_first_not_of(" \t\r", space);
      if (first != std::string::npos)
        value = line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
    }
    if (key == "ENDHDR") break;
    if (key.empty() || key[0] == '#') continue;
    seen.insert(key);
    if (key == "WIDTH") {
      header.width = reader.number_of(value);
    } else if (key == "HEIGHT") {
      header.height = reader.number_of(value);
    } else if (key == "DEPTH") {
      header.channels = reader.number_of(value);
    } else if (key == "MAXVAL") {
      header.maximum = reader.number_of(value);
    } else if (key == "TUPLTYPE") {
      type += (type.empty() ? "" : " ") + value;
    } else {
      reader.fail("its header has a line '" + key.substr(0, 20) + "'");
    }
  }
  for (const char* field : {"WIDTH", "HEIGHT", "DEPTH", "MAXVAL"}) {
    if (!seen.contains(field)) reader.fail(std::string("its header has no ") + field);
  }
  require_tuple_type(type, header.channels, name);
  return header;
}

PnmHeader pnm_header(PnmReader& reader, char kind) {
  PnmHeader header;
  header.plain = kind <= '3';
  header.bits = kind == '1' || kind == '4';
  header.channels = kind == '3' || kind == '6' ? 3 : 1;
  reader.next();
  reader.next();
  header.width = reader.number();
  header.height = reader.number();
  if (!header.bits) header.maximum = reader.number();
  return header;
}

// Returns a table from a sample's value in the file to its value in the picture.
std::vector<std::uint16_t> scale_of(const PnmHeader& header) {
  const std::uint32_t full = header.maximum > 255 ? 65535 : 255;
  std::vector<std::uint16_t> scale(header.maximum + 1);
  for (std::uint32_t i = 0; i <= header.maximum; ++i) {
    scale[i] = static_cast<std::uint16_t>((i * full + header.maximum / 2) / header.maximum);
  }
  if (header.bits) scale = {255, 0};
  return scale;
}

void read_row(PnmReader& reader, const PnmHeader& header, std::vector<std::uint32_t>& row) {
  if (header.plain) {
    for (std::uint32_t& sample : row) sample = header.bits ? reader.bit() : reader.number();
  } else if (header.bits) {
    const std::byte* bytes = reader.bytes((header.width + 7) / 8);
    for (std::size_t x = 0; x < row.size(); ++x) {
      row[x] = std::to_integer<std::uint32_t>(bytes[x / 8]) >> (7 - x % 8) & 1;
    }
  } else if (header.maximum > 255) {
    const std::byte* bytes = reader.bytes(2 * row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = std::to_integer<std::uint32_t>(bytes[2 * i]) << 8 |
               std::to_integer<std::uint32_t>(bytes[2 * i + 1]);
    }
  } else {
    const std::byte* bytes = reader.bytes(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = std::to_integer<std::uint32_t>(bytes[i]);
    }
  }
}

// Writes a row, with each sample converted by the table `scale`. Grey with alpha becomes R G B A.
template <class Pixel>
void write_row(const std::vector<std::uint32_t>& row, const std::vector<std::uint16_t>& scale,
               bool grey_with_alpha, std::byte* to) {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto pixel = static_cast<Pixel>(scale[row[i]]);
    const int copies = grey_with_alpha && i % 2 == 0 ? 3 : 1;
    for (int copy = 0; copy < copies; ++copy) store(to, at++, pixel);
  }
}

// Reads a PFM file. Its last row comes first. A negative scale means little-endian floats.
Picture decode_pfm(PnmReader& reader, const std::string& name) {
  const std::string kind = reader.word();
  if (kind != "PF" && kind != "Pf") reader.fail("it begins with '" + kind.substr(0, 20) + "'");
  const int channels = kind == "PF" ? 3 : 1;
  const std::uint32_t width = reader.number();
  const std::uint32_t height = reader.number();
  std::string text = reader.word();
  if (text.starts_with('+')) text.erase(0, 1);
  double scale = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), scale).ptr;
  if (end != text.data() + text.size() || !std::isfinite(scale) || scale == 0)
    reader.fail("its scale is '" + text.substr(0, 20) + "'");
  require_readable_size(width, height, name);
  const std::uint64_t row_bytes = std::uint64_t{4} * width * static_cast<unsigned>(channels);
  reader.require_left(row_bytes * height);
  reader.skip_rest_of_line_end(row_bytes * height);
  Picture picture(PictureShape::interleaved(ElementType::f32, channels, width, height));
  const auto factor = static_cast<float>(1 / std::abs(scale));
  for (std::uint64_t y = height; y-- > 0;) {
    std::byte* to = picture.bytes().data() + y * row_bytes;
    std::memcpy(to, reader.bytes(row_bytes), row_bytes);
    for (std::uint64_t at = 0; at < row_bytes && scale > 0; at += 4) {
      std::reverse(to + at, to + at + 4);
    }
    for (std::int64_t i = 0; i < width * std::int64_t{channels} && factor != 1; ++i) {
      store(to, i, warpwise::load<float>(to, i) * factor);
    }
  }
  return picture;
}

}  // namespace

bool is_pnm(std::string_view format) {
  return format == "PBM" || format == "PGM" || format == "PPM" || format == "PAM" ||
         format == "PFM";
}

Picture decode_pnm(std::span<const std::byte> content, const std::string& name) {
  const std::string_view format = image_format_of(content).value().name;
  PnmReader reader(content, name, format);
  if (format == "PFM") return decode_pfm(reader, name);
  const auto kind = static_cast<char>(content[1]);
  const PnmHeader header = kind == '7' ? pam_header(reader, name) : pnm_header(reader, kind);
  require_readable_size(header.width, header.height, name);
  if (header.maximum < 1 || header.maximum > most_maximum)
    reader.fail("its maximum is " + std::to_string(header.maximum));
  const std::uint64_t samples = std::uint64_t{header.width} * header.height * header.channels;
  reader.require_left(header.bits && !header.plain ? samples / 8 : samples);
  const bool grey_with_alpha = header.channels == 2;
  const bool wide = header.maximum > 255;
  Picture picture(PictureShape::interleaved(wide ? ElementType::u16 : ElementType::u8,
                                            grey_with_alpha ? 4 : static_cast<int>(header.channels),
                                            header.width, header.height));
  if (header.maximum == 255 && !header.plain && !grey_with_alpha) {
    std::memcpy(picture.bytes().data(), reader.bytes(samples), samples);
    return picture;
  }
  const std::vector<std::uint16_t> scale = scale_of(header);
  std::vector<std::uint32_t> row(std::size_t{header.width} * header.channels);
  std::byte* to = picture.bytes().data();
  const std::size_t row_bytes = picture.bytes().size() / header.height;
  for (std::uint32_t y = 0; y < header.height; ++y, to += row_bytes) {
    read_row(reader, header, row);
    for (const std::uint32_t sample : row) {
      if (sample > header.maximum)
        reader.fail("a sample is " + std::to_string(sample) + ", and its maximum is " +
                    std::to_string(header.maximum));
    }
    if (wide) {
      write_row<std::uint16_t>(row, scale, grey_with_alpha, to);
    } else {
      write_row<std::uint8_t>(row, scale, grey_with_alpha, to);
    }
  }
  return picture;
}

}  // namespace warpwise::io
