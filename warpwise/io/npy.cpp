#include "warpwise/io/npy.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace warpwise::io {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";

std::string_view npy_name(ElementType type) {
  switch (type) {
    case ElementType::u8: return "|u1";
    case ElementType::u16: return "<u2";
    case ElementType::i16: return "<i2";
    case ElementType::u32: return "<u4";
    case ElementType::i32: return "<i4";
    case ElementType::f32: return "<f4";
    case ElementType::f16: return "<f2";
    case ElementType::bf16: break;
  }
  throw InvalidArgument(".npy files hold no bf16 elements");
}

constexpr ElementType all_types[] = {ElementType::u8,  ElementType::u16, ElementType::i16,
                                     ElementType::u32, ElementType::i32, ElementType::f16,
                                     ElementType::f32};

// The header is the text of a Python dictionary with three known keys:
// {'descr': '<f4', 'fortran_order': False, 'shape': (480, 640), }
class Header {
 public:
  Header(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::string_view quoted(std::string_view key) const {
    const std::string_view value = after(key);
    const char quote = value.empty() ? '\0' : value.front();
    const std::size_t end = value.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos) {
      fail("its element type is not a plain number");
    }
    return value.substr(1, end - 1);
  }

  bool boolean(std::string_view key) const {
    const std::string_view value = after(key);
    if (value.starts_with("True")) return true;
    if (value.starts_with("False")) return false;
    fail("its header is damaged");
  }

  std::vector<std::int64_t> tuple(std::string_view key) const {
    std::string_view value = after(key);
    std::vector<std::int64_t> numbers;
    if (!value.starts_with('(')) fail("its header is damaged");
    value.remove_prefix(1);
    for (;;) {
      const std::size_t skip = value.find_first_not_of(" ,");
      if (skip == std::string_view::npos) fail("its header is damaged");
      value.remove_prefix(skip);
      if (value.front() == ')') return numbers;
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (error != std::errc() || number < 0) fail("its shape is damaged");
      numbers.push_back(number);
      value.remove_prefix(static_cast<std::size_t>(end - value.data()));
    }
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw IoError(name_ + " cannot be read as .npy: " + why);
  }

 private:
  std::string_view after(std::string_view key) const {
    std::string quoted_key(1, '\'');
    quoted_key.append(key).append(1, '\'');
    const std::size_t at = text_.find(quoted_key);
    if (at == std::string_view::npos) fail("its header has no " + std::string(key));
    const std::size_t colon = text_.find(':', at);
    const std::size_t value =
        colon == std::string_view::npos ? colon : text_.find_first_not_of(' ', colon + 1);
    return value == std::string_view::npos ? std::string_view() : text_.substr(value);
  }

  std::string_view text_;
  const std::string& name_;
};

struct Element {
  ElementType type;
  bool swapped;
};

Element element_named(std::string_view descr, const Header& header) {
  const bool order_known =
      !descr.empty() && std::string_view("<>|=").find(descr.front()) != std::string_view::npos;
  for (const ElementType type : all_types) {
    if (descr.size() == 3 && order_known && descr.substr(1) == npy_name(type).substr(1)) {
      return {type, descr.front() == '>' && size_of(type) > 1};
    }
  }
  header.fail("its elements are " + std::string(descr) +
              "; u1, u2, i2, u4, i4, f2 and f4 can be read");
}

std::int64_t bytes_of(const PictureShape& shape, const Header& header) {
  try {
    return shape.bytes();
  } catch (const InvalidArgument& beyond) {
    header.fail(beyond.what());
  }
}

struct Parts {
  std::string_view header;
  std::span<const std::byte> elements;
};

// Offsets of the header's text and of the elements, in bytes.
struct Places {
  std::size_t header;
  std::size_t elements;
};

Places places_in(std::span<const std::byte> content, const std::string& name) {
  const auto byte_at = [&](std::size_t i) { return std::to_integer<std::size_t>(content[i]); };
  const std::size_t version = content.size() > 6 ? byte_at(6) : 0;
  const std::size_t length_at = 8;
  const std::size_t header_at = length_at + (version == 1 ? 2 : 4);
  if (!is_npy(content) || version < 1 || version > 3 || content.size() < header_at) {
    Header({}, name).fail("it does not begin as an .npy file of version 1 to 3 does");
  }
  std::size_t length = 0;
  for (std::size_t i = header_at; i-- > length_at;) length = length << 8 | byte_at(i);
  return {header_at, header_at + length};
}

Parts split(std::span<const std::byte> content, const std::string& name) {
  const Places at = places_in(content, name);
  if (content.size() < at.elements) Header({}, name).fail("it ends inside its header");
  return {{reinterpret_cast<const char*>(content.data()) + at.header, at.elements - at.header},
          content.subspan(at.elements)};
}

// Returns the size of the elements in bytes. Returns nullopt if the header does not state it; the
// decoders then refuse the header.
std::optional<std::size_t> bytes_of_elements(const Header& header) {
  const std::string_view descr = header.quoted("descr");
  if (descr.size() != 3 || descr[2] < '1' || descr[2] > '8') return std::nullopt;
  try {
    std::int64_t bytes = descr[2] - '0';
    for (const std::int64_t extent : header.tuple("shape")) bytes = checked_mul(bytes, extent);
    return static_cast<std::size_t>(bytes);
  } catch (const InvalidArgument&) {
    return std::nullopt;  // the size exceeds 64 bits
  }
}

void swap_bytes(std::span<std::byte> elements, std::size_t size) {
  for (std::size_t at = 0; at < elements.size(); at += size) {
    std::reverse(elements.data() + at, elements.data() + at + size);
  }
}

using Dimensions = std::vector<std::int64_t>;

void require_elements(const Dimensions& shape, const Header& header) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) header.fail("it has no elements");
}

PictureShape picture_of(const Dimensions& shape, ElementType type, const Header& header) {
  require_elements(shape, header);
  const bool is_picture = shape.size() == 2 || shape.size() == 3;
  if (!is_picture || (shape.size() == 3 && shape[2] > 4)) {
    header.fail("its shape is not (height, width) or (height, width, 1 to 4 channels)");
  }
  return PictureShape::interleaved(type, shape.size() == 3 ? static_cast<int>(shape[2]) : 1,
                                   shape[1], shape[0]);
}

PictureShape vector_of(const Dimensions& shape, ElementType type, const Header& header) {
  require_elements(shape, header);
  if (shape.size() != 1) {
    header.fail("its shape is not that of a vector, (elements,)");
  }
  return PictureShape::interleaved(type, 1, shape[0], 1);
}

Picture decode(std::span<const std::byte> content, const std::string& name,
               PictureShape (*shape_of)(const Dimensions&, ElementType, const Header&)) {
  const Parts parts = split(content, name);
  const Header header(parts.header, name);
  const Element element = element_named(header.quoted("descr"), header);
  const Dimensions shape = header.tuple("shape");
  if (header.boolean("fortran_order") && shape.size() > 1) {
    header.fail("its elements are in Fortran order; save numpy.ascontiguousarray(array)");
  }
  const PictureShape wanted = shape_of(shape, element.type, header);
  const std::int64_t needed = bytes_of(wanted, header);
  if (static_cast<std::int64_t>(parts.elements.size()) != needed) {
    header.fail("its shape needs " + std::to_string(needed) + " bytes of elements, it has " +
                std::to_string(parts.elements.size()));
  }
  Picture picture(wanted);
  std::memcpy(picture.bytes().data(), parts.elements.data(), parts.elements.size());
  if (element.swapped) swap_bytes(picture.bytes(), static_cast<std::size_t>(size_of(element.type)));
  return picture;
}

// Returns the bytes before the elements: magic, version, length, text.
std::vector<std::byte> header_of(std::string_view descr, const std::string& size) {
  std::string text =
      "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (" + size + "), }";
  // The format requires a line feed after the text, and elements that start at a multiple of 64.
  constexpr std::size_t before = npy_magic.size() + 4;
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  std::string header(npy_magic);
  header +=
      {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  header += text;
  const auto bytes = std::as_bytes(std::span(header));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

bool is_npy(std::span<const std::byte> content) {
  return content.size() >= npy_magic.size() &&
         std::memcmp(content.data(), npy_magic.data(), npy_magic.size()) == 0;
}

std::vector<std::byte> read_npy(InputFile& file) {
  constexpr std::size_t length_is_before = 12;
  constexpr std::size_t most_header = 1 << 20;  // NumPy itself reads no more than 10,000 bytes
  const std::string& name = file.name();
  std::vector<std::byte> start;
  const auto read_up_to = [&](std::size_t size) {
    if (start.size() < size) file.read_some(start, size - start.size());
  };
  read_up_to(length_is_before);
  const std::size_t begin = places_in(start, name).elements;
  if (begin > most_header) Header({}, name).fail("its header is damaged");
  read_up_to(begin);
  const Header header(split(start, name).header, name);
  const std::optional<std::size_t> needed = bytes_of_elements(header);
  if (!needed) return start;
  const auto refuse = [&](const std::string& has) {
    header.fail("its shape needs " + std::to_string(*needed) + " bytes of elements, it has " + has);
  };
  if (file.size() && static_cast<std::size_t>(*file.size()) != begin + *needed) {
    refuse(std::to_string(static_cast<std::size_t>(*file.size()) - begin));
  }
  std::vector<std::byte> content = start;
  if (!file.read_rest(content, begin + *needed)) refuse("more");
  return content;
}

Picture decode_npy(std::span<const std::byte> content, const std::string& name) {
  return decode(content, name, picture_of);
}

Picture decode_npy_vector(std::span<const std::byte> content, const std::string& name) {
  return decode(content, name, vector_of);
}

NpyElements decode_npy_elements(std::span<const std::byte> content, const std::string& name) {
  const Parts parts = split(content, name);
  const Header header(parts.header, name);
  const std::string_view descr = header.quoted("descr");
  NpyElements result;
  result.shape = header.tuple("shape");
  const bool is_plain = descr.size() == 3 &&
                        std::string_view("<>|=").find(descr[0]) != std::string_view::npos &&
                        std::string_view("uif").find(descr[1]) != std::string_view::npos &&
                        std::string_view("1248").find(descr[2]) != std::string_view::npos;
  if (!is_plain || descr.substr(1) == "f1") {
    header.fail("its elements are " + std::string(descr) + ", neither integers nor floats");
  }
  result.kind = descr[1];
  result.element_bytes = descr[2] - '0';
  if (header.boolean("fortran_order") && result.shape.size() > 1) {
    header.fail("its elements are in Fortran order; save numpy.ascontiguousarray(array)");
  }
  // Divides by each extent, because the product of the extents may exceed 64 bits.
  std::size_t left = parts.elements.size() / static_cast<std::size_t>(result.element_bytes);
  bool matches = parts.elements.size() % static_cast<std::size_t>(result.element_bytes) == 0;
  for (const std::int64_t extent : result.shape) {
    const auto each = static_cast<std::size_t>(extent);
    matches = matches && each > 0 && left % each == 0;
    if (matches) left /= each;
  }
  if (!matches || left != 1) {
    header.fail("its shape does not match its " + std::to_string(parts.elements.size()) +
                " bytes of elements");
  }
  result.elements.assign(parts.elements.begin(), parts.elements.end());
  if (descr[0] == '>') {
    swap_bytes(result.elements, static_cast<std::size_t>(result.element_bytes));
  }
  return result;
}

bool npy_holds(const PictureShape& shape) {
  return shape.type != ElementType::bf16 &&
         (shape.channels > 0 || shape.format == PixelFormat::i444);
}

std::vector<std::byte> npy_header(const PictureShape& shape) {
  if (!npy_holds(shape)) throw InvalidArgument("an .npy file cannot hold " + shape.pixel_text());
  std::string size = shape.format == PixelFormat::i444 ? "3, " : "";
  size += std::to_string(shape.height) + ", " + std::to_string(shape.width);
  if (shape.channels > 1) size += ", " + std::to_string(shape.channels);
  return header_of(npy_name(shape.type), size);
}

std::vector<std::byte> npy_vector_header(ElementType type, std::int64_t elements) {
  return header_of(npy_name(type), std::to_string(elements) + ",");
}

std::vector<std::byte> npy_vector_header(char kind, int element_bytes, std::int64_t elements) {
  std::string descr(1, element_bytes == 1 ? '|' : '<');
  descr += kind;
  return header_of(descr + std::to_string(element_bytes), std::to_string(elements) + ",");
}

}  // namespace warpwise::io
