// Counts of reads through textures, faults, and refused forms.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/instructions/textures/texture_testing.hpp"

namespace warpwise::emulator {
namespace {

/// A device with an image of 8 by 8 texels.
struct SmallImage {
  Device device;
  Image image = Image(device, {.width = 8, .height = 8}, 12);
  std::uint64_t handle = device.create_texture(image.texture);
};

TEST(Texture, CountsOneRequestForEachWarpAndItsLanes) {
  SmallImage small;
  const std::vector<Point> points(100,
                                  at(1, 1));  // 2 blocks of 64: 4 warps, the last one with 4 lanes
  const Readings got = run(small.device, read_2d, small.handle, points);
  ASSERT_EQ(got.result.memory.size(), 1u);
  EXPECT_EQ(got.result.memory[0].texture_requests, 4u);
  EXPECT_EQ(got.result.memory[0].texture_references, 100u);
  EXPECT_EQ(got.result.instructions_by_class.at("texture"), 4u);
}

/// Expects that half of the accesses by 100 threads are faults, and that the others are counted.
void expect_half(const Readings& half) {
  ASSERT_EQ(half.result.faults.size(), 1u);
  EXPECT_EQ(half.result.faults[0].count, 50u);
  EXPECT_EQ(half.result.memory[0].texture_requests, 4u);
  EXPECT_EQ(half.result.memory[0].texture_references, 50u);
}

TEST(Texture, CountsNoLaneWhoseReadIsAFault) {
  SmallImage small;
  const std::vector<Point> points(100, at(1, 1));
  const std::string odd_lanes_have_none =
      "and.b32 %b, %d, 1; setp.eq.u32 %p, %b, 1; selp.b64 %t, 12345, %t, %p;";
  expect_half(run(small.device, odd_lanes_have_none + read_2d, small.handle, points));
  const Readings none = run(small.device, read_2d, 12345, points);
  EXPECT_EQ(none.result.memory[0].texture_requests, 0u);
  EXPECT_EQ(none.result.memory[0].texture_references, 0u);
}

TEST(Surface, CountsNoLaneWhoseAccessIsAFault) {
  SmallImage small;
  const std::string read = "suld.b.2d.b32.trap {%r0}, [%t, {%x, %y}];";
  std::vector<Point> points(100, at_index(4, 1));
  for (std::size_t i = 0; i < points.size(); i += 2) points[i] = at_index(-4, 1);
  const Readings half = run(small.device, read, small.handle, points);
  expect_half(half);
  const std::string place = "4 bytes at byte -4 of row 1, and the surface has 8 rows of ";
  EXPECT_NE(half.result.faults.at(0).message.find(place), std::string::npos);
  const Readings byte =
      run(small.device, "{ .reg .b16 %h; suld.b.2d.b8.trap {%h}, [%t, {%x, %y}]; }", small.handle,
          {at_index(-1, 1)});
  EXPECT_NE(byte.result.faults.at(0).message.find(": 1 byte at byte -1 of"), std::string::npos);
  const Readings none = run(small.device, read, 12345, points);
  EXPECT_EQ(none.result.memory[0].texture_requests, 0u);
}

TEST(Texture, FaultsForWhatIsNoTexture) {
  SmallImage small;
  const Readings none = run(small.device, read_2d, 12345, {at(0, 0), at(1, 1)});
  ASSERT_EQ(none.result.faults.size(), 1u);
  EXPECT_EQ(none.result.faults[0].kind, FaultKind::out_of_bounds);
  EXPECT_EQ(none.result.faults[0].count, 2u);
  EXPECT_NE(none.result.faults[0].message.find("12345"), std::string::npos);
  EXPECT_EQ(none.words[1][0], 0u);

  const Readings other = run(small.device, read_1d_index, small.handle, {at_index(0, 0)});
  EXPECT_EQ(other.result.faults.size(), 1u);
  small.device.free(small.image.texture.data);
  const Readings freed = run(small.device, read_2d, small.handle, {at(0, 0)});
  ASSERT_EQ(freed.result.faults.size(), 1u);
  EXPECT_NE(freed.result.faults[0].message.find("freed"), std::string::npos);
}

TEST(Texture, RefusesWhatNoGpuDoes) {
  Device device;
  Texture t;
  t.width = t.height = 4;
  t.pitch_bytes = 64;
  t.data = device.allocate(256);
  t.filter = FilterMode::linear;
  EXPECT_THROW(device.create_texture(t), InvalidArgument);
  t.normalized_float = true;
  EXPECT_NO_THROW(device.create_texture(t));
  t.channel_bytes = 4;
  EXPECT_THROW(device.create_texture(t), InvalidArgument);
}

TEST(Texture, OtherFormsAreRefusedByName) {
  for (const std::string read :
       {"tex.2dms.v4.f32.s32 {%r0, %r1, %r2, %r3}, [%t, {%x, %x, %y, %y}];",
        "tex.a2dms.v4.f32.s32 {%r0, %r1, %r2, %r3}, [%t, {%x, %x, %y, %y}];",
        "suld.p.2d.v4.f32.trap {%r0, %r1, %r2, %r3}, [%t, {%x, %y}];",
        "suld.b.2d.v4.b128.trap {%r0, %r1, %r2, %r3}, [%t, {%x, %y}];",
        "sust.b.1d.b32.wrap [%t, {%x}], {%r0};",
        "tex.grad.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%x, %y}], {%x, %x}, {%y, %y};",
        "tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, %t, {%x, %y}];",
        "tld4.r.a2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%x, %x, %y, %y}];",
        "tld4.r.2d.v4.f32.s32 {%r0, %r1, %r2, %r3}, [%t, {%x, %y}];",
        "tld4.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%x, %y}];"}) {
    Program program(kernel(read));
    try {
      program.kernel("kernel");
      ADD_FAILURE() << read;
    } catch (const Unsupported& error) {
      EXPECT_NE(std::string(error.what()).find(read.substr(0, read.find(' '))), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace warpwise::emulator
