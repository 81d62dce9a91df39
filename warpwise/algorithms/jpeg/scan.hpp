#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "warpwise/algorithms/jpeg/arguments.hpp"
#include "warpwise/base/export.hpp"

namespace warpwise::jpeg {

/// The parts of a JPEG file that the GPU's kernels decode. Spans refer to the file.
struct Scan {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int components = 0;  ///< 1: grey; 3: Y, Cb, Cr
  int across = 1;      ///< columns of luma samples for each chroma sample
  int down = 1;        ///< rows of luma samples for each chroma sample
  kernels::jpeg::Tables tables{};
  std::vector<std::span<const std::byte>> app1;      ///< contents of segments that may be Exif's
  std::vector<std::span<const std::byte>> segments;  ///< entropy-coded data between restart markers
  std::int64_t units_of_segment = 0;

  std::int64_t units_in_row() const { return (width + 8 * across - 1) / (8 * across); }
  std::int64_t rows_of_units() const { return (height + 8 * down - 1) / (8 * down); }
  std::int64_t blocks_of_unit() const { return across * down + components - 1; }
};

/// Reads the structure of a baseline JPEG file of 8 bits, grey or YCbCr, with one scan, up to 2^26
/// pixels and 2^28 bytes. Returns nullopt for any other file, for a nearly blank picture, and for a
/// file that deviates anywhere from what encoders write: another decoder then has to judge it. Does
/// not read the entropy-coded data beyond its markers.
WARPWISE_EXPORT std::optional<Scan> scan_of(std::span<const std::byte> file);

}  // namespace warpwise::jpeg
