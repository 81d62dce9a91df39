#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "warpwise/io/input_file.hpp"
#include "warpwise/io/picture.hpp"

// NumPy's .npy files: matrices, and signed or floating-point images, with their type and shape.
namespace warpwise::io {

/// Returns true if `content` begins with the magic of an .npy file.
bool is_npy(std::span<const std::byte> content);

/// Reads a whole .npy file. If the header states no usable size, reads only the header, which the
/// decoders then refuse. Reads at most one byte more than the header announces, because a pipe may
/// have no end.
/// \throws IoError  the header is damaged, or the file's size does not match its shape.
std::vector<std::byte> read_npy(InputFile& file);

/// Decodes the picture in an .npy file of version 1, 2 or 3. Its shape is (height, width) or
/// (height, width, channels) in C order; its elements are u1, u2, i2, u4, i4, f2 or f4 of either
/// byte order.
/// \throws IoError  the file has another shape, order or element type, or is damaged.
Picture decode_npy(std::span<const std::byte> content, const std::string& name);

/// Decodes the vector in an .npy file of shape (elements,) as a picture of one row.
/// \throws IoError  as decode_npy().
Picture decode_npy_vector(std::span<const std::byte> content, const std::string& name);

/// Holds the elements of an .npy file of any shape, converted to little-endian.
struct NpyElements {
  char kind = 'u';  ///< NumPy's letter: 'u', 'i' or 'f'
  int element_bytes = 1;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> elements;
};

/// Decodes an .npy file in C order, of any shape with at least one element. The elements are u or i
/// of 1, 2, 4 or 8 bytes, or f of 2, 4 or 8 bytes, in either byte order.
/// \throws IoError  as decode_npy().
NpyElements decode_npy_elements(std::span<const std::byte> content, const std::string& name);

/// Returns true if an .npy file can hold a picture of this shape: interleaved pixels of any type
/// except bf16, or i444 as (3, height, width).
bool npy_holds(const PictureShape& shape);

/// Returns the bytes that precede a picture's bytes in an .npy file (version 1).
/// \throws InvalidArgument  unless npy_holds(shape)
std::vector<std::byte> npy_header(const PictureShape& shape);

/// Returns the header of a vector that decode_npy_vector() reads.
std::vector<std::byte> npy_vector_header(ElementType type, std::int64_t elements);
/// Returns the header of a vector that decode_npy_elements() reads.
std::vector<std::byte> npy_vector_header(char kind, int element_bytes, std::int64_t elements);

}  // namespace warpwise::io
