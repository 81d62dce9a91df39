// Reads of textures in the pace of a block.

#include <gtest/gtest.h>

#include <functional>

#include "warpwise/emulator/instructions/textures/texture_testing.hpp"

namespace warpwise::emulator {
namespace {

constexpr PaceModel model{.loads = {},
                          .arithmetic_cycles = 4,
                          .texture_cycles = 100,
                          .l1_cycles = 30,
                          .l2_cycles = 200,
                          .dram_cycles = 1000,
                          .l1_bytes = 65536};

using Place = std::function<Point(int lane)>;

/// Returns the pace of a warp that reads a texture of floats at a place for each lane.
PaceCounts pace_of(const Place& place, const std::string& read = read_2d_index,
                   std::uint64_t height = 64, int channels = 1) {
  Device device;
  const Image image(device,
                    {.width = 64,
                     .height = height,
                     .channels = channels,
                     .channel_bytes = 4,
                     .kind = TexelKind::floating},
                    1);
  std::vector<Point> points;
  for (int lane = 0; lane < 32; ++lane) points.push_back(place(lane));
  LaunchOptions options;
  options.pace = model;
  return run(device, read, device.create_texture(image.texture), points, options).result.pace;
}

TEST(PaceOfTextures, FourLanesTakeLongerInSeveralTiles) {
  const auto tiles = [](const Place& place) { return pace_of(place).texture_plane_tiles; };
  // The count for four lanes is 1 more than the number of 8 x 8 tiles of texels that they read.
  EXPECT_EQ(tiles([](int lane) { return at_index(lane, 0); }), 8U * 2);
  EXPECT_EQ(tiles([](int lane) { return at_index(0, lane); }), 8U * 2);
  EXPECT_EQ(tiles([](int lane) { return at_index(4 * (lane % 16), 0); }), 8U * 3);
  EXPECT_EQ(tiles([](int lane) { return at_index(8 * (lane % 8), 0); }), 8U * 5);
  // Four lanes read 64 bytes, which are two sectors. Each sector counts as two tiles.
  EXPECT_EQ(
      pace_of([](int lane) { return at_index(lane, 0); }, read_2d_index, 64, 4).texture_plane_tiles,
      8U * 4);
}

TEST(PaceOfTextures, OfOneDimensionHaveTheirLines) {
  const auto tiles = [](int apart) {
    return pace_of([=](int lane) { return at_index(apart * lane % 64, 0); }, read_1d_index, 0)
        .texture_line_tiles;
  };
  EXPECT_EQ(tiles(1), 8U);
  EXPECT_EQ(tiles(16), 8U * 2);
}

TEST(PaceOfTextures, GoThroughL1AndL2AsArrays) {
  const PaceCounts row = pace_of([](int lane) { return at_index(lane, 0); });
  // The lanes load coordinates from 8 sectors. A sector of the texture has 4 by 2 texels.
  EXPECT_EQ(row.l2_read_sectors, 8U + 8);
  EXPECT_EQ(row.texture_sectors, 8U);
  EXPECT_GT(row.block_cycles, model.dram_cycles + model.texture_cycles - model.l1_cycles);
  EXPECT_EQ(pace_of([](int lane) { return at_index(lane % 4, lane / 4); }).l2_read_sectors, 8U + 4);
  EXPECT_EQ(pace_of([](int lane) { return at_index(0, lane); }).l2_read_sectors, 8U + 16);
}

}  // namespace
}  // namespace warpwise::emulator
