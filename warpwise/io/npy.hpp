#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "warpwise/io/input_file.hpp"
#include "warpwise/io/picture.hpp"

// NumPy's .npy files: matrices and signed or floating-point images with their type and shape.
namespace warpwise::io {

/// Whether `content` begins as an .npy file does.
bool is_npy(std::span<const std::byte> content);

/// The whole of an .npy file, for the functions below. No more is read than its header says that
/// there is: a device or a pipe may have no end.
/// \throws IoError  its header is damaged, or it has more bytes than its shape needs.
std::vector<std::byte> read_npy(InputFile& file);

/// The picture in an .npy file of version 1, 2 or 3: shape (height, width) or
/// (height, width, channels), C order, elements u1, u2, i2, u4, i4, f2, f4 of either byte order.
/// \throws IoError  another shape, order or element, a damaged header, too few or too many bytes.
Picture decode_npy(std::span<const std::byte> content, const std::string& name);

/// The vector in an .npy file of shape (elements), as a picture of one row.
/// \throws IoError  as above.
Picture decode_npy_vector(std::span<const std::byte> content, const std::string& name);

/// The elements of an .npy file as they lie there, little-endian: an array of any shape.
struct NpyElements {
  char kind = 'u';  ///< as NumPy names it: 'u', 'i' or 'f'
  int element_bytes = 1;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> elements;
};

/// Elements u, i of 1 to 8 bytes and f of 2 to 8, of either byte order, in C order.
/// \throws IoError  as above.
NpyElements decode_npy_elements(std::span<const std::byte> content, const std::string& name);

/// Whether npy_header() can describe it: interleaved pixels, and i444 as (3, height, width).
bool npy_holds(const PictureShape& shape);

/// What stands before the picture's bytes in an .npy file (version 1).
/// \throws InvalidArgument  unless npy_holds(shape).
std::vector<std::byte> npy_header(const PictureShape& shape);

/// The same for a vector, as decode_npy_vector() reads it.
std::vector<std::byte> npy_vector_header(ElementType type, std::int64_t elements);
/// The same for elements that decode_npy_elements() reads.
std::vector<std::byte> npy_vector_header(char kind, int element_bytes, std::int64_t elements);

}  // namespace warpwise::io
