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

/// What Middlebury's .flo files hold where the motion is unknown; readers take any component beyond
/// 1e9 as that.
inline constexpr FlowVector unknown_flow = {1e10F, 1e10F};

/// The motion of every pixel of an image, row by row.
struct Flow {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::vector<FlowVector> vectors;
};

/// Each pixel gets the vector of its block, of several blocks that overlap the one whose centre is
/// nearest (the first of two); pixels of no block, and of blocks without a candidate, are unknown.
Flow flow_of(ConstHostView displacement, const MatchOptions& options, std::int64_t width,
             std::int64_t height);

/// The head of a .flo file; the vectors follow, row by row.
std::vector<std::byte> flo_header(const Flow& flow);

/// Writes both. \throws IoError
void write_flo(const std::string& path, const Flow& flow);

/// Length of the longest known vector.
float longest(const Flow& flow);

/// The length that 99 % of the blocks with a known vector do not exceed, at least 1: what a picture
/// of the motion is scaled by, so that a few wrong vectors leave it its colours.
float usual_longest(ConstHostView displacement);

/// Draws the motion into `rgb`, which is u8 of three channels and of the image's size: as flow_of()
/// has it of every pixel, the direction as hue (right red, down yellow-green, left cyan, up
/// violet), the length over `full` as saturation, at most 1. What does not move is white, what is
/// unknown black.
void draw_motion(ConstHostView displacement, const MatchOptions& options, float full, HostView rgb);

}  // namespace warpwise::live
