#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/emulator/emulator.hpp"

// Reads the textual description of a launch for `warpwise explain`.
namespace warpwise::lab {

enum class ScalarType : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64 };
constexpr auto enum_names(ScalarType) {
  return std::to_array<EnumName<ScalarType>>({{ScalarType::i8, "i8"},
                                              {ScalarType::u8, "u8"},
                                              {ScalarType::i16, "i16"},
                                              {ScalarType::u16, "u16"},
                                              {ScalarType::i32, "i32"},
                                              {ScalarType::u32, "u32"},
                                              {ScalarType::i64, "i64"},
                                              {ScalarType::u64, "u64"},
                                              {ScalarType::f16, "f16"},
                                              {ScalarType::f32, "f32"},
                                              {ScalarType::f64, "f64"}});
}
int size_of(ScalarType type);
bool is_float(ScalarType type);
bool is_signed(ScalarType type);

/// The element of a C++ type: f32 and 4 for float4.
struct Element {
  ScalarType type;
  int count = 1;
};
/// Returns the element of a C++ type, written without blanks and qualifiers: "unsignedint". Returns
/// nothing for structures and unknown types.
std::optional<Element> element_of(std::string_view type);

/// Returns the bits of `value` as a `type`, in the low bytes. Integers wrap at the type's range,
/// and floats are rounded to nearest.
std::uint64_t bits_of(ScalarType type, double value);
std::uint64_t bits_of(ScalarType type, std::uint64_t value);

/// Range of random values. Integers include both ends, floats only the lower end.
struct ValueRange {
  double least = 0;
  double most = 0;
};

/// One argument of a kernel:
///   i32:5  u32:0x10  i64:-1  f32:1.5  f64:-2e10   a scalar; also i8, u8, i16, u16, u64, f16
///   f32[N]                                        a buffer of N elements, zero
///   f32[N]:iota  f32[N]:random                    0, 1, 2 …; values that are the same in every run
///   i32[N]:random:0..99  f32[N]:random:-1..1      integers from 0 to 99; floats from -1 up to 1
///   f32[N]:@file.npy  f32[N]:@file.raw            the elements of a file
///   tex2d<u8>[WxH]:@file.png                      a texture, filled like a buffer
///   {f32[N], i32:5, {u8:1, f64:2}}                a structure with these members, laid out as in
///                                                 C++. A buffer is a pointer to it. An array is
///                                                 written as its elements. A member with a larger
///                                                 alignment than its parts, such as float4, needs
///                                                 extra members for the gaps
///   &{i32:5, f32[N]}                              a pointer to memory with a structure;
///                                                 &{f32[N], f32[N]}: with two pointers
struct ArgumentSpec {
  enum class Kind : std::uint8_t { scalar, buffer, texture, structure, pointer };
  enum class Fill : std::uint8_t { zero, iota, random, file };

  Kind kind = Kind::scalar;
  ScalarType type = ScalarType::i32;
  std::uint64_t bits = 0;   ///< scalar only
  std::uint64_t width = 0;  ///< elements of a buffer, or of a texture's row
  std::uint64_t height = 1;
  Fill fill = Fill::zero;
  std::optional<ValueRange> range;    ///< Fill::random only; default: floats 0 to 1, any integers
  std::string path;                   ///< Fill::file only
  std::vector<ArgumentSpec> members;  ///< members of a structure, or memory behind a pointer
  std::string text;                   ///< text that parse_argument() parsed

  /// Returns the bytes of all elements of a buffer or texture: at most 2^62.
  std::uint64_t bytes() const { return width * height * static_cast<std::uint64_t>(size_of(type)); }
};

/// Size and alignment of an argument in a parameter block or a structure. A buffer counts as its
/// pointer.
struct Extent {
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;
};
Extent extent_of(const ArgumentSpec& spec);
/// Returns the offsets of a structure's members.
std::vector<std::uint64_t> offsets_of(const ArgumentSpec& structure);

/// Parses an argument. \throws InvalidArgument  with what is wrong and what would be right
ArgumentSpec parse_argument(std::string_view text);

/// Parses "X", "X,Y" or "X,Y,Z", each at least 1. `option` is the option's name for the message.
/// \throws InvalidArgument
emulator::Dim3 parse_dimensions(std::string_view option, std::string_view text);

/// Parses a list such as "1.3,2.0,9.0" without repeats. \throws InvalidArgument  one is unknown
std::vector<rules::ComputeCapability> parse_compute_capabilities(std::string_view text);

/// A buffer to write to a file: "INDEX=FILE.npy".
struct DumpSpec {
  std::size_t index = 0;
  std::string path;
};
/// Parses "INDEX=FILE.npy". \throws InvalidArgument
DumpSpec parse_dump(std::string_view text);

}  // namespace warpwise::lab
