// Reads through textures against plain loops over the texels.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {
namespace {

struct Point {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
};
Point at(float x, float y) {
  return {std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(y)};
}
Point at_index(int x, int y) {
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)};
}

using Words = std::array<std::uint32_t, 4>;
float value(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// A kernel that reads a texture at one place for each thread: `read` is the instruction, of
/// coordinates %x, %y.
std::string kernel(const std::string& read) {
  return ".version 8.0\n.target sm_75\n.address_size 64\n"
         ".visible .entry kernel(.param .u64 tex, .param .u64 from, .param .u64 to, .param .u32 "
         "count) {\n"
         ".reg .b64 %t, %f, %o, %a; .reg .b32 %i, %n, %b, %d, %x, %y, %r<4>; .reg .pred %p;\n"
         "ld.param.u64 %t, [tex]; ld.param.u64 %f, [from]; ld.param.u64 %o, [to]; ld.param.u32 %n, "
         "[count];\n"
         "mov.u32 %i, %ctaid.x; mov.u32 %b, %ntid.x; mov.u32 %d, %tid.x; mad.lo.s32 %i, %i, %b, "
         "%d;\n"
         "setp.ge.u32 %p, %i, %n; @%p bra END;\n"
         "mad.wide.u32 %a, %i, 8, %f; ld.global.v2.b32 {%x, %y}, [%a];\n" +
         read +
         "\nmad.wide.u32 %a, %i, 16, %o; st.global.v4.b32 [%a], {%r0, %r1, %r2, %r3};\nEND: "
         "ret;\n}\n";
}

const std::string read_2d = "tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%x, %y}];";
const std::string read_2d_index = "tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%x, %y}];";
const std::string read_1d = "tex.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%x}];";
const std::string read_1d_index = "tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%t, {%x}];";

struct Readings {
  std::vector<Words> words;
  LaunchResult result;
};

Readings run(Device& device, const std::string& read, std::uint64_t handle,
             const std::vector<Point>& points) {
  const Address from = device.allocate(points.size() * sizeof(Point), "from");
  const Address to = device.allocate(points.size() * sizeof(Words), "to");
  device.write(from, std::as_bytes(std::span(points)));
  struct {
    std::uint64_t texture, from, to;
    std::uint32_t count, unused;
  } parameters{handle, from, to, static_cast<std::uint32_t>(points.size()), 0};
  Readings readings;
  LaunchOptions options;
  options.compute_capabilities = {{9, 0}};
  readings.result =
      Program(kernel(read))
          .launch(device, "kernel", {static_cast<std::uint32_t>((points.size() + 63) / 64), 1, 1},
                  {64, 1, 1}, 0, std::as_bytes(std::span(&parameters, 1)).first(28), options);
  readings.words.resize(points.size());
  device.read(to, std::as_writable_bytes(std::span(readings.words)));
  return readings;
}

/// A texture with random texels, its rows further apart than they need be.
struct Image {
  Texture texture;
  std::vector<std::byte> bytes;

  Image(Device& device, Texture description, unsigned seed) : texture(description) {
    const std::uint64_t row =
        texture.width * static_cast<std::uint64_t>(texture.channels * texture.channel_bytes);
    const std::uint64_t rows = std::max<std::uint64_t>(texture.height, 1);
    texture.pitch_bytes = row + 32;
    bytes.resize(texture.pitch_bytes * rows);
    std::mt19937 random(seed);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
    if (texture.kind == TexelKind::floating && texture.channel_bytes == 4) {
      std::uniform_real_distribution<float> floats(-1, 3);
      for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
        const float f = floats(random);
        std::memcpy(bytes.data() + i, &f, sizeof(f));
      }
    }
    // Halves without infinities.
    if (texture.kind == TexelKind::floating && texture.channel_bytes == 2) {
      for (std::size_t i = 1; i < bytes.size(); i += 2) bytes[i] &= std::byte{0xbb};
    }
    texture.data = device.allocate(bytes.size(), "texels");
    device.write(texture.data, bytes);
  }

  /// Any channel of any texel as a number, 0 for a border.
  double number(std::int64_t x, std::int64_t y, int channel) const {
    if (x < 0 || y < 0) return 0;
    const std::byte* p =
        bytes.data() + static_cast<std::uint64_t>(y) * texture.pitch_bytes +
        (static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(texture.channels) +
         static_cast<std::uint64_t>(channel)) *
            static_cast<std::uint64_t>(texture.channel_bytes);
    const auto as = [&]<class T>(T v) {
      std::memcpy(&v, p, sizeof(v));
      return v;
    };
    if (texture.kind == TexelKind::floating) {
      if (texture.channel_bytes == 4) return as(0.0f);
      const std::uint16_t h = as(std::uint16_t{});
      const int e = h >> 10 & 31;
      const double m = e == 0 ? std::ldexp(h & 1023, -24) : std::ldexp((h & 1023) + 1024, e - 25);
      return (h & 0x8000) != 0 ? -m : m;
    }
    const bool is_signed = texture.kind == TexelKind::signed_integer;
    switch (texture.channel_bytes) {
      case 1: return is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
      case 2: return is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
      default: return is_signed ? as(std::int32_t{}) : as(std::uint32_t{});
    }
  }
};

/// Returns the index that an address mode maps `i` to, step by step.
std::int64_t walked(std::int64_t i, std::int64_t size, AddressMode mode) {
  if (mode == AddressMode::border) return i < 0 || i >= size ? -1 : i;
  if (mode == AddressMode::clamp) return i < 0 ? 0 : i >= size ? size - 1 : i;
  std::int64_t place = 0;
  std::int64_t step = 1;
  for (std::int64_t k = 0; k < std::abs(i); ++k) {
    if (mode == AddressMode::wrap) {
      place = (place + (i > 0 ? 1 : size - 1)) % size;
    } else {
      // A mirror shows the edge texel twice. Going left begins at the left edge.
      if (k == 0 && i < 0) {
        step = 1;
        continue;
      }
      if (place + step < 0 || place + step >= size)
        step = -step;
      else
        place += step;
    }
  }
  return place;
}

AddressMode in_effect(const Texture& t, int dimension) {
  const AddressMode mode = t.address_mode[static_cast<std::size_t>(dimension)];
  const bool periodic = mode == AddressMode::wrap || mode == AddressMode::mirror;
  return periodic && !t.normalized_coordinates ? AddressMode::clamp : mode;
}

double expected_point(const Image& image, double x, double y, int channel) {
  const Texture& t = image.texture;
  return image.number(walked(static_cast<std::int64_t>(std::floor(x)),
                             static_cast<std::int64_t>(t.width), in_effect(t, 0)),
                      walked(static_cast<std::int64_t>(std::floor(y)),
                             static_cast<std::int64_t>(t.height), in_effect(t, 1)),
                      channel);
}

/// Bilinear interpolation with weights that are not rounded.
double expected_linear(const Image& image, double x, double y, int channel) {
  const double left = std::floor(x - 0.5);
  const double top = std::floor(y - 0.5);
  const double a = x - 0.5 - left;
  const double b = y - 0.5 - top;
  return (1 - a) * (1 - b) * expected_point(image, left, top, channel) +
         a * (1 - b) * expected_point(image, left + 1, top, channel) +
         (1 - a) * b * expected_point(image, left, top + 1, channel) +
         a * b * expected_point(image, left + 1, top + 1, channel);
}

std::vector<Point> random_points(const Texture& t, unsigned seed) {
  // In steps of 2^-10 of the texture, which normalized coordinates hold exactly.
  std::mt19937 random(seed);
  std::vector<Point> points;
  for (int i = 0; i < 500; ++i) {
    const auto u = (static_cast<float>(random() % 7168) - 3072.0f + 0.25f) / 1024.0f;
    const auto v = (static_cast<float>(random() % 7168) - 3072.0f + 0.25f) / 1024.0f;
    points.push_back(t.normalized_coordinates
                         ? at(u, v)
                         : at(u * static_cast<float>(t.width), v * static_cast<float>(t.height)));
  }
  return points;
}

double in_texels(std::uint32_t coordinate, std::uint64_t size, bool normalized) {
  const double x = value(coordinate);
  return normalized ? x * static_cast<double>(size) : x;
}

constexpr AddressMode modes[] = {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror,
                                 AddressMode::border};

TEST(Texture, PointReadsByAddressMode) {
  unsigned seed = 1;
  for (const bool normalized : {false, true}) {
    for (const AddressMode in_x : modes) {
      for (const AddressMode in_y : modes) {
        for (const auto& [width, height] : {std::pair{8, 5}, {7, 3}, {1, 1}, {33, 2}}) {
          Device device;
          Texture t;
          t.width = static_cast<std::uint64_t>(width);
          t.height = static_cast<std::uint64_t>(height);
          t.channel_bytes = 4;
          t.kind = TexelKind::floating;
          t.normalized_coordinates = normalized;
          t.address_mode = {in_x, in_y};
          const Image image(device, t, ++seed);
          const std::vector<Point> points = random_points(t, seed);
          const Readings got = run(device, read_2d, device.create_texture(image.texture), points);
          ASSERT_TRUE(got.result.faults.empty());
          for (std::size_t i = 0; i < points.size(); ++i) {
            const double x = in_texels(points[i].x, t.width, normalized);
            const double y = in_texels(points[i].y, t.height, normalized);
            ASSERT_EQ(value(got.words[i][0]), expected_point(image, x, y, 0))
                << width << "x" << height << " at " << x << ", " << y << " modes "
                << static_cast<int>(in_x) << static_cast<int>(in_y)
                << (normalized ? " normalized" : "");
          }
        }
      }
    }
  }
}

TEST(Texture, LinearReadsAreWithinTheRoundingOfTheirWeights) {
  unsigned seed = 100;
  for (const bool normalized : {false, true}) {
    for (const AddressMode mode : modes) {
      for (const auto& [width, height] : {std::pair{8, 5}, {7, 3}, {1, 1}, {2, 33}}) {
        Device device;
        Texture t;
        t.width = static_cast<std::uint64_t>(width);
        t.height = static_cast<std::uint64_t>(height);
        t.channel_bytes = 4;
        t.kind = TexelKind::floating;
        t.filter = FilterMode::linear;
        t.normalized_coordinates = normalized;
        t.address_mode = {mode, mode};
        const Image image(device, t, ++seed);
        const std::vector<Point> points = random_points(t, seed);
        const Readings got = run(device, read_2d, device.create_texture(image.texture), points);
        for (std::size_t i = 0; i < points.size(); ++i) {
          const double x = in_texels(points[i].x, t.width, normalized);
          const double y = in_texels(points[i].y, t.height, normalized);
          // Texels lie in -1 ... 3; each of the weights is off by 1/512 at most, their product by
          // another.
          ASSERT_NEAR(value(got.words[i][0]), expected_linear(image, x, y, 0), 4 * 3 / 512.0)
              << width << "x" << height << " at " << x << ", " << y << " mode "
              << static_cast<int>(mode);
        }
      }
    }
  }
}

/// 2 x 2 texels with one 1, the others 0: a linear read gives that texel's weight.
float weight(int texel, float x, float y) {
  Device device;
  Texture t;
  t.width = t.height = 2;
  t.pitch_bytes = 32;
  t.channel_bytes = 4;
  t.kind = TexelKind::floating;
  t.filter = FilterMode::linear;
  t.data = device.allocate(64);
  const float one = 1;
  device.write(t.data + static_cast<Address>(texel / 2 * 32 + texel % 2 * 4),
               std::as_bytes(std::span(&one, 1)));
  return value(run(device, read_2d, device.create_texture(t), {at(x, y)}).words[0][0]);
}

TEST(Texture, WeightsHaveEightBits) {
  // The first ones are results of an H200.
  EXPECT_EQ(weight(1, 0.5f + 0.375f / 256, 0.5f), 0);
  EXPECT_EQ(weight(1, 0.5f + 0.5f / 256, 0.5f), 1 / 256.0f);
  EXPECT_EQ(weight(3, 0.5f + 252 / 256.0f, 0.5f + 193 / 256.0f), 190 / 256.0f);
  EXPECT_EQ(weight(3, 0.5f + 2 / 256.0f, 0.5f + 54 / 256.0f), 0);
  EXPECT_EQ(weight(3, 0.5f + 138 / 256.0f, 0.5f + 172 / 256.0f), 93 / 256.0f);
  EXPECT_EQ(weight(3, 0.5f + 8 / 256.0f, 0.5f + 16 / 256.0f), 1 / 256.0f);
  for (const auto& [a, b] : {std::pair{100, 30}, {255, 255}, {1, 200}, {128, 128}}) {
    const float x = 0.5f + static_cast<float>(a) / 256;
    const float y = 0.5f + static_cast<float>(b) / 256;
    EXPECT_EQ(weight(0, x, y) + weight(1, x, y) + weight(2, x, y) + weight(3, x, y), 1);
    EXPECT_EQ(weight(1, x, y) + weight(3, x, y), static_cast<float>(a) / 256);
    EXPECT_EQ(weight(2, x, y) + weight(3, x, y), static_cast<float>(b) / 256);
  }
}

/// The weights of the eight texels around a place in a 2 x 2 x 2 texture, in 256ths, x first.
std::array<int, 8> weights_in_volume(int x, int y, int z) {
  std::array<int, 8> found{};
  for (std::size_t texel = 0; texel < 8; ++texel) {
    Device device;
    Texture t;
    t.width = t.height = t.depth = 2;
    t.pitch_bytes = 8;
    t.slice_bytes = 16;
    t.channel_bytes = 4;
    t.kind = TexelKind::floating;
    t.filter = FilterMode::linear;
    t.data = device.allocate(32);
    const float one = 1;
    device.write(t.data + 4 * texel, std::as_bytes(std::span(&one, 1)));
    const auto place = [](int fraction) { return 0.5f + static_cast<float>(fraction) / 256; };
    const std::string read = "mov.f32 %r3, 0f" + [](float v) {
      char text[9];
      std::snprintf(text, sizeof(text), "%08X", std::bit_cast<std::uint32_t>(v));
      return std::string(text);
    }(place(z)) + "; tex.3d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%x, %y, %r3, %r3}];";
    const Readings got = run(device, read, device.create_texture(t), {at(place(x), place(y))});
    found[texel] = static_cast<int>(256 * value(got.words[0][0]));
  }
  return found;
}

// Results of an H200; 8192 random places agreed.
TEST(Texture, WeightsInAVolumeHaveEightBits) {
  using Weights = std::array<int, 8>;
  EXPECT_EQ(weights_in_volume(89, 133, 1), (Weights{80, 43, 86, 46, 0, 0, 1, 0}));
  EXPECT_EQ(weights_in_volume(58, 109, 193), (Weights{28, 8, 21, 6, 86, 25, 63, 19}));
  EXPECT_EQ(weights_in_volume(221, 95, 230), (Weights{3, 14, 1, 8, 19, 125, 12, 74}));
  EXPECT_EQ(weights_in_volume(128, 191, 43), (Weights{27, 27, 79, 80, 5, 6, 16, 16}));
  EXPECT_EQ(weights_in_volume(64, 244, 254), (Weights{0, 0, 1, 1, 9, 3, 181, 61}));
  EXPECT_EQ(weights_in_volume(32, 20, 212), (Weights{35, 6, 3, 0, 171, 25, 14, 2}));
  // Left of the first texel's centre, which has the right one's weight too.
  EXPECT_EQ(weights_in_volume(-64, 191, 43), (Weights{54, 0, 159, 0, 11, 0, 32, 0}));
}

TEST(Texture, CoordinatesOutOfAllBounds) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const bool normalized : {false, true}) {
    for (const AddressMode mode : modes) {
      Device device;
      Texture t;
      t.width = 5;
      t.height = 1;
      t.channel_bytes = 4;
      t.kind = TexelKind::floating;
      t.normalized_coordinates = normalized;
      t.address_mode = {mode, AddressMode::clamp};
      const Image image(device, t, 7);
      const Readings got =
          run(device, read_2d, device.create_texture(image.texture),
              {at(inf, 0), at(-inf, 0), at(1e30f, 0), at(-1e30f, 0), at(nan, 0), at(-1e-40f, 0)});
      const double first = image.number(0, 0, 0);
      const double last = image.number(4, 0, 0);
      const bool periodic =
          normalized && (mode == AddressMode::wrap || mode == AddressMode::mirror);
      const bool border = mode == AddressMode::border;
      for (std::size_t i = 0; i < 4; ++i) {
        const double edge = i % 2 == 0 ? last : first;
        EXPECT_EQ(value(got.words[i][0]), periodic ? first
                                          : border ? 0
                                                   : edge)
            << i << " mode " << static_cast<int>(mode);
      }
      EXPECT_EQ(value(got.words[4][0]), first);
      EXPECT_EQ(value(got.words[5][0]), first);  // a subnormal coordinate is zero
    }
  }
}

TEST(Texture, EveryTexelFormat) {
  unsigned seed = 300;
  for (const TexelKind kind :
       {TexelKind::unsigned_integer, TexelKind::signed_integer, TexelKind::floating}) {
    for (const int bytes : {1, 2, 4}) {
      if (kind == TexelKind::floating && bytes == 1) continue;
      for (const int channels : {1, 2, 4}) {
        for (const bool fraction : {false, true}) {
          if (fraction && (bytes == 4 || kind == TexelKind::floating)) continue;
          Device device;
          Texture t;
          t.width = 7;
          t.height = 3;
          t.channels = channels;
          t.channel_bytes = bytes;
          t.kind = kind;
          t.normalized_float = fraction;
          const Image image(device, t, ++seed);
          std::vector<Point> points;
          for (int y = -1; y < 4; ++y) {
            for (int x = -1; x < 8; ++x) points.push_back(at_index(x, y));
          }
          const Readings got =
              run(device, read_2d_index, device.create_texture(image.texture), points);
          for (std::size_t i = 0; i < points.size(); ++i) {
            for (int c = 0; c < 4; ++c) {
              const std::uint32_t bits = got.words[i][static_cast<std::size_t>(c)];
              if (c >= channels) {
                ASSERT_EQ(bits, 0u);
                continue;
              }
              const auto x = static_cast<std::int32_t>(points[i].x);
              const auto y = static_cast<std::int32_t>(points[i].y);
              // An index outside reads 0 although the address mode clamps.
              const bool inside = x >= 0 && x < 7 && y >= 0 && y < 3;
              const double number = inside ? image.number(x, y, c) : 0;
              if (fraction) {
                const bool is_signed = kind == TexelKind::signed_integer;
                const double one = std::ldexp(1, 8 * bytes - (is_signed ? 1 : 0)) - 1;
                ASSERT_EQ(value(bits), static_cast<float>(std::max(number / one, -1.0)));
              } else if (kind == TexelKind::floating) {
                ASSERT_EQ(value(bits), number);
              } else {
                ASSERT_EQ(bits, static_cast<std::uint32_t>(static_cast<std::int64_t>(number)));
              }
            }
          }
        }
      }
    }
  }
}

TEST(Texture, FiltersFractionsAndHalves) {
  unsigned seed = 400;
  for (const TexelKind kind :
       {TexelKind::unsigned_integer, TexelKind::signed_integer, TexelKind::floating}) {
    for (const int bytes : {1, 2}) {
      if (kind == TexelKind::floating && bytes == 1) continue;
      Device device;
      Texture t;
      t.width = 6;
      t.height = 5;
      t.channels = 2;
      t.channel_bytes = bytes;
      t.kind = kind;
      t.normalized_float = kind != TexelKind::floating;
      t.filter = FilterMode::linear;
      const Image image(device, t, ++seed);
      std::vector<Point> points;
      // Fractions of a texel of whole 16ths: their weights are exact.
      for (int i = 0; i < 16 * 16; ++i) {
        points.push_back(
            at(static_cast<float>(i % 97) / 16 - 0.25f, static_cast<float>(i % 83) / 16 - 0.125f));
      }
      const Readings got = run(device, read_2d, device.create_texture(image.texture), points);
      const double one =
          kind == TexelKind::floating
              ? 1
              : std::ldexp(1, 8 * bytes - (kind == TexelKind::signed_integer ? 1 : 0)) - 1;
      const double tolerance = kind == TexelKind::floating ? 1.0 / 64 : 1.0 / 32767;
      for (std::size_t i = 0; i < points.size(); ++i) {
        for (int c = 0; c < 2; ++c) {
          const double expected =
              expected_linear(image, value(points[i].x), value(points[i].y), c) / one;
          const double scale = kind == TexelKind::floating ? std::max(1.0, std::fabs(expected)) : 1;
          ASSERT_NEAR(value(got.words[i][static_cast<std::size_t>(c)]), expected,
                      tolerance * scale + 1.0 / 127 * (kind == TexelKind::signed_integer));
        }
      }
    }
  }
}

TEST(Texture, LinearMemory) {
  Device device;
  Texture t;
  t.width = 70;
  t.channels = 2;
  t.channel_bytes = 2;
  t.kind = TexelKind::signed_integer;
  const Image image(device, t, 9);
  std::vector<Point> points;
  for (int i = -5; i < 80; ++i) points.push_back(at_index(i, 99));
  for (const int i :
       {1 << 27, 1 << 30, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    points.push_back(at_index(i, 0));
  }
  const Readings got = run(device, read_1d_index, device.create_texture(image.texture), points);
  ASSERT_TRUE(got.result.faults.empty());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto x = static_cast<std::int32_t>(points[i].x);
    const bool inside = x >= 0 && x < 70;
    for (int c = 0; c < 2; ++c) {
      ASSERT_EQ(static_cast<std::int32_t>(got.words[i][static_cast<std::size_t>(c)]),
                inside ? image.number(x, 0, c) : 0)
          << x;
    }
  }
}

TEST(Texture, OneDimensionalCoordinatesAndLevels) {
  Device device;
  Texture t;
  t.width = 4;
  t.channel_bytes = 4;
  t.kind = TexelKind::floating;
  const Image image(device, t, 10);
  const std::uint64_t handle = device.create_texture(image.texture);
  EXPECT_EQ(value(run(device, read_1d, handle, {at(2.75f, 0)}).words[0][0]), image.number(2, 0, 0));
  t.height = 2;
  const Image flat(device, t, 11);
  const std::string level = "tex.level.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%x, %y}], %y;";
  EXPECT_EQ(
      value(run(device, level, device.create_texture(flat.texture), {at(2.75f, 1.5f)}).words[0][0]),
      flat.number(2, 1, 0));
}

TEST(Texture, CountsOneRequestForEachWarpAndItsLanes) {
  Device device;
  Texture t;
  t.width = 8;
  t.height = 8;
  const Image image(device, t, 12);
  const std::vector<Point> points(100,
                                  at(1, 1));  // 2 blocks of 64: 4 warps, the last one with 4 lanes
  const Readings got = run(device, read_2d, device.create_texture(image.texture), points);
  ASSERT_EQ(got.result.memory.size(), 1u);
  EXPECT_EQ(got.result.memory[0].texture_requests, 4u);
  EXPECT_EQ(got.result.memory[0].texture_references, 100u);
  EXPECT_EQ(got.result.instructions_by_class.at("texture"), 4u);
}

TEST(Texture, CountsNoLaneWhoseReadIsAFault) {
  Device device;
  Texture t;
  t.width = 8;
  t.height = 8;
  const Image image(device, t, 12);
  const std::uint64_t handle = device.create_texture(image.texture);
  const std::vector<Point> points(100, at(1, 1));
  const std::string odd_lanes_have_none =
      "and.b32 %b, %d, 1; setp.eq.u32 %p, %b, 1; selp.b64 %t, 12345, %t, %p;";
  const Readings half = run(device, odd_lanes_have_none + read_2d, handle, points);
  ASSERT_EQ(half.result.faults.size(), 1u);
  EXPECT_EQ(half.result.faults[0].count, 50u);
  EXPECT_EQ(half.result.memory[0].texture_requests, 4u);
  EXPECT_EQ(half.result.memory[0].texture_references, 50u);
  const Readings none = run(device, read_2d, 12345, points);
  EXPECT_EQ(none.result.memory[0].texture_requests, 0u);
  EXPECT_EQ(none.result.memory[0].texture_references, 0u);
}

TEST(Texture, FaultsForWhatIsNoTexture) {
  Device device;
  const Readings none = run(device, read_2d, 12345, {at(0, 0), at(1, 1)});
  ASSERT_EQ(none.result.faults.size(), 1u);
  EXPECT_EQ(none.result.faults[0].kind, FaultKind::out_of_bounds);
  EXPECT_EQ(none.result.faults[0].count, 2u);
  EXPECT_NE(none.result.faults[0].message.find("12345"), std::string::npos);
  EXPECT_EQ(none.words[1][0], 0u);

  Texture t;
  t.width = 8;
  t.height = 8;
  const Image image(device, t, 13);
  const std::uint64_t handle = device.create_texture(image.texture);
  EXPECT_EQ(run(device, read_1d_index, handle, {at_index(0, 0)}).result.faults.size(), 1u);
  device.free(image.texture.data);
  const Readings freed = run(device, read_2d, handle, {at(0, 0)});
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
