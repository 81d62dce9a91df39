#pragma once

#include <string>
#include <vector>

#include "warpwise/io/picture.hpp"
#include "warpwise/primitives/match/match.hpp"

namespace warpwise::live {

struct FlowVector {
  float x;
  float y;
};

/// Value of unknown motion in Middlebury's .flo files. Readers treat any component beyond 1e9 as
/// unknown.
inline constexpr FlowVector unknown_flow = {1e10F, 1e10F};

/// Motion of every pixel of an image, row by row.
struct Flow {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::vector<FlowVector> vectors;
};

/// Expands the motion of blocks to pixels. Each pixel gets the vector of its block. If blocks
/// overlap, the block with the nearest centre counts; at equal distances, the first block. Motion
/// is unknown outside all blocks, and in blocks without a candidate.
Flow flow_of(ConstHostView displacement, const MatchOptions& options, std::int64_t width,
             std::int64_t height);

/// Returns the header of a .flo file; the vectors follow it, row by row.
std::vector<std::byte> flo_header(const Flow& flow);

/// Writes the header and the vectors. \throws IoError
void write_flo(const std::string& path, const Flow& flow);

/// Returns the length of the longest known vector.
float max_vector_length(const Flow& flow);

/// Returns the 99th percentile of the lengths of known block vectors, at least 1. If colours are
/// scaled by this length, a few wrong vectors do not wash out the picture.
float p99_vector_length(ConstHostView displacement);

/// Draws the motion into `rgb`, a u8 image of three channels and of the frames' size. Pixels get
/// their vectors as in flow_of().
///
/// - hue: direction (right red, down yellow-green, left cyan, up violet)
/// - saturation: the vector's length divided by `full`, at most 1
/// - white: no motion
/// - black: unknown motion
void draw_motion(ConstHostView displacement, const MatchOptions& options, float full, HostView rgb);

}  // namespace warpwise::live
