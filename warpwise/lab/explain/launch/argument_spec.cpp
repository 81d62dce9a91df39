#include "warpwise/lab/explain/launch/argument_spec.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "warpwise/base/error.hpp"
#include "warpwise/base/float16.hpp"

namespace warpwise::lab {
namespace {

constexpr std::string_view forms =
    "i32:5, u32:5, i64:5, f32:1.5, f64:1.5, f32[1024], f32[1024]:iota, f32[1024]:random, "
    "f32[1024]:@file.npy, tex2d<u8>[640x480]:@file.png, a structure {f32[1024], i32:5} or a "
    "pointer "
    "to one, &{i32:5}";

constexpr std::uint64_t most_elements = std::uint64_t{1} << 62;

// An error in a part of an argument. parse_argument() adds the whole argument to the message.
struct Refusal : std::exception {
  Refusal(std::string_view text, std::string reason) : part(text), why(std::move(reason)) {}
  std::string part;
  std::string why;
};

[[noreturn]] void refuse(std::string_view part, const std::string& why) {
  throw Refusal(part, why);
}

template <class Number>
std::optional<Number> whole(std::string_view text, int base = 10) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Layout of a structure, as C++ lays it out on every platform of CUDA.
struct ArgumentLayout {
  Extent extent;
  std::vector<std::uint64_t> offsets;
};

ArgumentLayout laid_out(const ArgumentSpec& structure) {
  ArgumentLayout layout;
  Extent& all = layout.extent;
  for (const ArgumentSpec& member : structure.members) {
    const Extent own = extent_of(member);
    layout.offsets.push_back(align_up(all.bytes, own.alignment));
    all.bytes = layout.offsets.back() + own.bytes;
    all.alignment = std::max(all.alignment, own.alignment);
  }
  all.bytes = align_up(all.bytes, all.alignment);
  return layout;
}

ScalarType type_named(std::string_view name, std::string_view text) {
  if (const auto type = value_named<ScalarType>(name)) return *type;
  refuse(
      text,
      "'" + std::string(name) +
          "' is no type; types are i8, u8, i16, u16, i32, u32, i64, u64, f16, f32 and f64, as in " +
          std::string(forms));
}

std::uint64_t integer_bits(ScalarType type, std::string_view number, std::string_view text) {
  const int bits = 8 * size_of(type);
  const std::uint64_t greatest_unsigned = ~std::uint64_t{0} >> (64 - bits);
  const bool negative = number.starts_with('-');
  std::string_view digits = negative ? number.substr(1) : number;
  const bool hexadecimal = digits.starts_with("0x");
  if (hexadecimal) digits.remove_prefix(2);
  const auto magnitude = whole<std::uint64_t>(digits, hexadecimal ? 16 : 10);
  if (!magnitude) refuse(text, "'" + std::string(number) + "' is no integer such as 5, -1 or 0x1f");
  // 0xffffffff may also give the bits of an i32.
  const std::uint64_t greatest =
      !is_signed(type) || (hexadecimal && !negative) ? greatest_unsigned : greatest_unsigned / 2;
  const std::uint64_t least_magnitude = is_signed(type) ? greatest_unsigned / 2 + 1 : 0;
  if (negative ? *magnitude > least_magnitude : *magnitude > greatest) {
    refuse(text, "it is beyond the range of " + std::string(name_of(type)) + ", " +
                     (is_signed(type) ? "-" + std::to_string(least_magnitude) : "0") + " to " +
                     std::to_string(is_signed(type) ? greatest_unsigned / 2 : greatest_unsigned));
  }
  return (negative ? 0 - *magnitude : *magnitude) & greatest_unsigned;
}

// Returns the greatest value of `type`, which must be a floating-point type.
double greatest_of(ScalarType type) {
  constexpr double of_f16 = 65504;
  if (type == ScalarType::f16) return of_f16;
  return type == ScalarType::f32 ? std::numeric_limits<float>::max()
                                 : std::numeric_limits<double>::max();
}

std::uint64_t float_bits(ScalarType type, std::string_view number, std::string_view text) {
  double value = 0;
  const char* end = number.data() + number.size();
  const auto [rest, error] = std::from_chars(number.data(), end, value);
  const bool is_number = rest == end && end != number.data();
  if (!is_number || (error != std::errc() && error != std::errc::result_out_of_range))
    refuse(text, "'" + std::string(number) + "' is no number such as 1.5, -2e10, inf or nan");
  const double greatest = greatest_of(type);
  if (error != std::errc() || (std::isfinite(value) && std::abs(value) > greatest)) {
    refuse(text, fmt::format("it is beyond the range of {}, -{:.5g} to {:.5g}", name_of(type),
                             greatest, greatest));
  }
  return bits_of(type, value);
}

// Parses "0..99". Both ends must be values of the argument's type.
ValueRange range_of(std::string_view range, const ArgumentSpec& spec) {
  const std::size_t dots = range.find("..");
  if (dots == std::string_view::npos)
    refuse(spec.text, "a range is written as random:0..99, not '" + std::string(range) + "'");
  constexpr double exact = 0x1p53;  // doubles hold every integer up to here
  const auto number = [&](std::string_view text) {
    if (is_float(spec.type)) {
      float_bits(spec.type, text, spec.text);  // refuses what the type does not hold
      return std::bit_cast<double>(float_bits(ScalarType::f64, text, spec.text));
    }
    const std::uint64_t bits = integer_bits(spec.type, text, spec.text);
    const int unused = 64 - 8 * size_of(spec.type);
    const double value =
        is_signed(spec.type)
            ? static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused)
            : static_cast<double>(bits);
    if (std::abs(value) > exact) refuse(spec.text, "the ends of a range are at most 2^53");
    return value;
  };
  const ValueRange result = {number(range.substr(0, dots)), number(range.substr(dots + 2))};
  const bool is_range =
      is_float(spec.type) ? result.least < result.most && std::isfinite(result.most - result.least)
                          : result.least <= result.most;
  if (!is_range) refuse(spec.text, "the range '" + std::string(range) + "' has no values");
  return result;
}

void take_fill(std::string_view fill, ArgumentSpec& spec) {
  if (fill == "zero") {
    spec.fill = ArgumentSpec::Fill::zero;
  } else if (fill == "iota") {
    spec.fill = ArgumentSpec::Fill::iota;
  } else if (fill == "random") {
    spec.fill = ArgumentSpec::Fill::random;
  } else if (constexpr std::string_view with_range = "random:"; fill.starts_with(with_range)) {
    spec.fill = ArgumentSpec::Fill::random;
    spec.range = range_of(fill.substr(with_range.size()), spec);
  } else if (fill.starts_with('@') && fill.size() > 1) {
    spec.fill = ArgumentSpec::Fill::file;
    spec.path = fill.substr(1);
  } else {
    refuse(spec.text, "the contents are zero, iota, random, random:LOW..HIGH or @FILE, not '" +
                          std::string(fill) + "'");
  }
}

// Parses "1024", or a product, "32*32".
std::uint64_t extent(std::string_view number, std::string_view text) {
  std::uint64_t product = 1;
  for (std::string_view rest = number;;) {
    const std::size_t star = rest.find('*');
    const auto value = whole<std::uint64_t>(rest.substr(0, star));
    if (!value || *value == 0 || rest.starts_with('-')) {
      refuse(text, "'" + std::string(number) + "' is no number of elements from 1 on");
    }
    if (product > most_elements / *value) refuse(text, "it is larger than any machine's memory");
    product *= *value;
    if (star == std::string_view::npos) return product;
    rest.remove_prefix(star + 1);
  }
}

// Parses "[N]" or "[WxH]" and the text after it; `rest` begins at the bracket.
void take_extents(std::string_view rest, ArgumentSpec& spec) {
  const std::size_t close = rest.find(']');
  if (close == std::string_view::npos) refuse(spec.text, "the ']' is missing");
  const std::string_view inside = rest.substr(1, close - 1);
  const std::size_t x = inside.find('x');
  if (spec.kind == ArgumentSpec::Kind::texture) {
    if (x == std::string_view::npos) refuse(spec.text, "a texture's size is written [640x480]");
    spec.width = extent(inside.substr(0, x), spec.text);
    spec.height = extent(inside.substr(x + 1), spec.text);
  } else {
    spec.width = extent(inside, spec.text);
  }
  if (spec.width > most_elements / spec.height / static_cast<std::uint64_t>(size_of(spec.type))) {
    refuse(spec.text, "it is larger than any machine's memory");
  }
  const std::string_view fill = rest.substr(close + 1);
  if (fill.empty()) return;
  if (!fill.starts_with(':')) {
    refuse(spec.text, "after ']' comes ':' and the contents, not '" + std::string(fill) + "'");
  }
  take_fill(fill.substr(1), spec);
}

ArgumentSpec parse_texture(std::string_view text, ArgumentSpec spec) {
  const std::size_t open = text.find('<');
  const std::size_t close = text.find('>');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
      text.substr(0, open) != "tex2d" || !text.substr(close + 1).starts_with('[')) {
    refuse(text, "a texture is written tex2d<u8>[640x480]:@file.png");
  }
  spec.kind = ArgumentSpec::Kind::texture;
  spec.type = type_named(text.substr(open + 1, close - open - 1), text);
  if (size_of(spec.type) > 4) refuse(text, "a texel's channel has at most 32 bits");
  take_extents(text.substr(close + 1), spec);
  return spec;
}

}  // namespace

int size_of(ScalarType type) {
  switch (type) {
    case ScalarType::i8:
    case ScalarType::u8: return 1;
    case ScalarType::i16:
    case ScalarType::u16:
    case ScalarType::f16: return 2;
    case ScalarType::i32:
    case ScalarType::u32:
    case ScalarType::f32: return 4;
    case ScalarType::i64:
    case ScalarType::u64:
    case ScalarType::f64: return 8;
  }
  __builtin_unreachable();
}

bool is_float(ScalarType type) { return name_of(type).front() == 'f'; }
bool is_signed(ScalarType type) { return name_of(type).front() == 'i'; }

std::optional<Element> element_of(std::string_view type) {
  static const std::map<std::string_view, ScalarType> types = {
      {"float", ScalarType::f32},        {"double", ScalarType::f64},
      {"int", ScalarType::i32},          {"unsignedint", ScalarType::u32},
      {"char", ScalarType::i8},          {"signedchar", ScalarType::i8},
      {"unsignedchar", ScalarType::u8},  {"bool", ScalarType::u8},
      {"short", ScalarType::i16},        {"unsignedshort", ScalarType::u16},
      {"long", ScalarType::i64},         {"longlong", ScalarType::i64},
      {"unsignedlong", ScalarType::u64}, {"unsignedlonglong", ScalarType::u64},
      {"__half", ScalarType::f16},       {"uchar", ScalarType::u8},
      {"ushort", ScalarType::u16},       {"uint", ScalarType::u32},
      {"unsigned", ScalarType::u32},     {"size_t", ScalarType::u64},
      {"int8_t", ScalarType::i8},        {"uint8_t", ScalarType::u8},
      {"int16_t", ScalarType::i16},      {"uint16_t", ScalarType::u16},
      {"int32_t", ScalarType::i32},      {"uint32_t", ScalarType::u32},
      {"int64_t", ScalarType::i64},      {"uint64_t", ScalarType::u64}};
  const auto found = types.find(type);
  if (found != types.end()) return Element{found->second};
  if (type.empty() || type.back() < '1' || type.back() > '4') return std::nullopt;
  const auto vector = types.find(type.substr(0, type.size() - 1));
  if (vector == types.end()) return std::nullopt;
  return Element{vector->second, type.back() - '0'};
}

std::uint64_t bits_of(ScalarType type, double value) {
  switch (type) {
    case ScalarType::f16: return to_float16(static_cast<float>(value)).bits;
    case ScalarType::f32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case ScalarType::f64: return std::bit_cast<std::uint64_t>(value);
    default: return bits_of(type, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  }
}

std::uint64_t bits_of(ScalarType type, std::uint64_t value) {
  if (is_float(type)) return bits_of(type, static_cast<double>(value));
  return value & (~std::uint64_t{0} >> (64 - 8 * size_of(type)));
}

Extent extent_of(const ArgumentSpec& spec) {
  constexpr std::uint64_t pointer = 8;
  if (spec.kind == ArgumentSpec::Kind::structure) return laid_out(spec).extent;
  if (spec.kind != ArgumentSpec::Kind::scalar) return {pointer, pointer};
  const auto bytes = static_cast<std::uint64_t>(size_of(spec.type));
  return {bytes, bytes};
}

std::vector<std::uint64_t> offsets_of(const ArgumentSpec& structure) {
  return laid_out(structure).offsets;
}

namespace {

ArgumentSpec parse_plain(std::string_view text) {
  ArgumentSpec spec;
  spec.text = text;
  const std::size_t stop = text.find_first_of(":[<");
  if (stop == std::string_view::npos || stop == 0) {
    refuse(text, "an argument is written as one of " + std::string(forms));
  }
  if (text[stop] == '<') return parse_texture(text, spec);
  spec.type = type_named(text.substr(0, stop), text);
  if (text[stop] == '[') {
    spec.kind = ArgumentSpec::Kind::buffer;
    take_extents(text.substr(stop), spec);
    return spec;
  }
  const std::string_view number = text.substr(stop + 1);
  spec.bits = is_float(spec.type) ? float_bits(spec.type, number, text)
                                  : integer_bits(spec.type, number, text);
  return spec;
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// Splits "a, {b, c}" at the commas outside of braces.
std::vector<std::string_view> parts_of(std::string_view inside) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    depth += inside[i] == '{' ? 1 : inside[i] == '}' ? -1 : 0;
    if (inside[i] != ',' || depth != 0) continue;
    parts.push_back(inside.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(inside.substr(begin));
  return parts;
}

ArgumentSpec parse_nested(std::string_view text, int depth) {
  constexpr int deepest = 16;
  if (depth > deepest) refuse(text, "it is nested too deeply");
  if (depth > 0) text = without_blanks(text);
  if (!text.starts_with('{') && !text.starts_with('&')) return parse_plain(text);
  ArgumentSpec spec;
  spec.text = text;
  if (text.starts_with('&')) {
    spec.kind = ArgumentSpec::Kind::pointer;
    spec.members.push_back(parse_nested(text.substr(1), depth + 1));
    return spec;
  }
  if (!text.ends_with('}'))
    refuse(text, "the '}' of a structure is missing, or comes before its end");
  spec.kind = ArgumentSpec::Kind::structure;
  for (const std::string_view part : parts_of(text.substr(1, text.size() - 2)))
    spec.members.push_back(parse_nested(part, depth + 1));
  return spec;
}

}  // namespace

ArgumentSpec parse_argument(std::string_view text) {
  try {
    return parse_nested(text, 0);
  } catch (const Refusal& refusal) {
    const std::string part = refusal.part == text ? "" : "'" + refusal.part + "': ";
    throw InvalidArgument("--arg '" + std::string(text) + "': " + part + refusal.why);
  }
}

emulator::Dim3 parse_dimensions(std::string_view option, std::string_view text) {
  std::uint32_t parts[3] = {1, 1, 1};
  std::string_view rest = text;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t comma = rest.find(',');
    const auto value = whole<std::uint32_t>(rest.substr(0, comma));
    if (!value || *value == 0) break;
    parts[i] = *value;
    if (comma == std::string_view::npos) return {parts[0], parts[1], parts[2]};
    rest.remove_prefix(comma + 1);
  }
  throw InvalidArgument(std::string(option) + " got '" + std::string(text) +
                        "' instead of X, X,Y or X,Y,Z, each an integer from 1 on");
}

namespace {

rules::ComputeCapability compute_capability_of(std::string_view part, std::string_view list) {
  const bool is_major = !part.empty() && part.find('.') == std::string_view::npos;
  try {
    return rules::parse_compute_capability(std::string(part) + (is_major ? ".0" : ""));
  } catch (const InvalidArgument& error) {
    throw InvalidArgument("--cc got '" + std::string(list) + "': " + error.what());
  }
}

}  // namespace

std::vector<rules::ComputeCapability> parse_compute_capabilities(std::string_view text) {
  std::vector<rules::ComputeCapability> result;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const auto cc = compute_capability_of(rest.substr(0, comma), text);
    if (std::find(result.begin(), result.end(), cc) == result.end()) result.push_back(cc);
    if (comma == std::string_view::npos) return result;
    rest.remove_prefix(comma + 1);
  }
}

DumpSpec parse_dump(std::string_view text) {
  const std::size_t equals = text.find('=');
  const auto index = whole<std::size_t>(text.substr(0, equals));
  if (equals == std::string_view::npos || !index || !text.ends_with(".npy") ||
      text.size() - equals <= 5) {
    throw InvalidArgument("--dump got '" + std::string(text) +
                          "', it needs INDEX=FILE.npy, with arguments counted from 0");
  }
  return {*index, std::string(text.substr(equals + 1))};
}

}  // namespace warpwise::lab
