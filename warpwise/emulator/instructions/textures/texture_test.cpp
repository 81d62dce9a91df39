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

#include "warpwise/emulator/instructions/textures/texture_testing.hpp"

namespace warpwise::emulator {
namespace {

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
      // Mirror mode repeats the edge texel, so the first step to the left stays at texel 0.
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

/// Returns a bilinear interpolation with weights that are not rounded.
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
  // The points are multiples of 2^-12 of the texture, which normalized coordinates hold exactly.
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
          // Values of texels lie in -1 ... 3. Each of the weights is off by 1/512 at most, and
          // their product by another 1/512.
          ASSERT_NEAR(value(got.words[i][0]), expected_linear(image, x, y, 0), 4 * 3 / 512.0)
              << width << "x" << height << " at " << x << ", " << y << " mode "
              << static_cast<int>(mode);
        }
      }
    }
  }
}

/// Returns a texel's weight in a linear read of 2 x 2 texels. This texel is 1, the others are 0.
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
  // The weights before the loop are results of an H200.
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

/// Returns the weights of eight texels at a place of a 2 x 2 x 2 texture, in 256ths, x first.
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

// The expected weights are an H200's. The emulator agreed with an H200 at 8192 random places.
TEST(Texture, WeightsInAVolumeHaveEightBits) {
  using Weights = std::array<int, 8>;
  EXPECT_EQ(weights_in_volume(89, 133, 1), (Weights{80, 43, 86, 46, 0, 0, 1, 0}));
  EXPECT_EQ(weights_in_volume(58, 109, 193), (Weights{28, 8, 21, 6, 86, 25, 63, 19}));
  EXPECT_EQ(weights_in_volume(221, 95, 230), (Weights{3, 14, 1, 8, 19, 125, 12, 74}));
  EXPECT_EQ(weights_in_volume(128, 191, 43), (Weights{27, 27, 79, 80, 5, 6, 16, 16}));
  EXPECT_EQ(weights_in_volume(64, 244, 254), (Weights{0, 0, 1, 1, 9, 3, 181, 61}));
  EXPECT_EQ(weights_in_volume(32, 20, 212), (Weights{35, 6, 3, 0, 171, 25, 14, 2}));
  // Left of the first texel's centre, this texel has all the weight along x.
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
      // Coordinates are multiples of 1/16 of a texel, so their weights are exact.
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

/// Makes a line of two texels of four channels, with a border colour.
template <class T>
Texture line_of(Device& device, const std::array<T, 8>& texels, TexelKind kind) {
  Texture t;
  t.width = 2;
  t.channels = 4;
  t.channel_bytes = sizeof(T);
  t.kind = kind;
  t.address_mode[0] = AddressMode::border;
  t.border_color = {0.3f, 1.7f, -3.3f, 200.6f};
  t.data = device.allocate(512);
  device.write(t.data, std::as_bytes(std::span(texels)));
  return t;
}

// The expected words of this test and the next two were measured on an H200.
TEST(Texture, ABorderHasItsColourInTheTexelsFormat) {
  Device device;
  const auto border = [&](const Texture& t) {
    return run(device, read_1d, device.create_texture(t), {at(-1, 0)}).words[0];
  };
  Texture bytes =
      line_of<std::uint8_t>(device, {1, 2, 3, 4, 5, 6, 7, 8}, TexelKind::unsigned_integer);
  EXPECT_EQ(border(bytes), (Words{0x9a, 0x9a, 0x33, 0x9a})) << "the lowest bits";
  bytes.normalized_float = true;
  EXPECT_EQ(border(bytes), (Words{0x3e989899, 0x3f800000, 0, 0x3f800000}));
  bytes.srgb = true;
  EXPECT_EQ(border(bytes), (Words{0x3e9a0000, 0x3f800000, 0, 0x3f800000}));
  Texture signed_bytes =
      line_of<std::int8_t>(device, {1, 2, 3, 4, 5, 6, 7, 8}, TexelKind::signed_integer);
  EXPECT_EQ(border(signed_bytes), (Words{0xffffff9a, 0xffffff9a, 0x33, 0xffffff9a}));
  signed_bytes.normalized_float = true;
  EXPECT_EQ(border(signed_bytes), (Words{0x3e993265, 0x3f800000, 0xbf800000, 0x3f800000}));
  Texture one = line_of<float>(device, {1, 2, 3, 4, 5, 6, 7, 8}, TexelKind::floating);
  EXPECT_EQ(border(one), (Words{0x3e99999a, 0x3fd9999a, 0xc0533333, 0x4348999a}));
  one.channels = 1;
  EXPECT_EQ(border(one), (Words{0x3e99999a, 0, 0, 0}));
}

TEST(Texture, ABorderIsFilteredWithItsColour) {
  Device device;
  Texture t = line_of<float>(device, {1, 2, 3, 4, 5, 6, 7, 8}, TexelKind::floating);
  t.filter = FilterMode::linear;
  t.address_mode[1] = AddressMode::border;  // the border colour gets half of the weight
  const std::vector<Words> words =
      run(device, read_1d, device.create_texture(t), {at(-0.375f, 0), at(0.5f, 0), at(1, 0)}).words;
  EXPECT_EQ(words[0], (Words{0x3eb00000, 0x3fdc0000, 0xc03a0000, 0x433c5000}));
  EXPECT_EQ(words[1], (Words{0x3f266667, 0x3feccccd, 0xbe199998, 0x42cc999a}));
  EXPECT_EQ(words[2], (Words{0x3fd33333, 0x40366667, 0x3f59999a, 0x42ce999a}));
  t.address_mode[1] = AddressMode::clamp;
  EXPECT_EQ(value(run(device, read_1d, device.create_texture(t), {at(1, 0)}).words[0][0]), 3);
}

TEST(Texture, BytesInSrgb) {
  Device device;
  Texture t = line_of<std::uint8_t>(device, {0, 10, 200, 0, 255, 200, 90, 255},
                                    TexelKind::unsigned_integer);
  t.normalized_float = t.srgb = true;
  EXPECT_EQ(run(device, read_1d, device.create_texture(t), {at(0.5f, 0)}).words[0],
            (Words{0, 0x3b480000, 0x3f140000, 0}));
  t.filter = FilterMode::linear;
  const std::vector<Words> words =
      run(device, read_1d, device.create_texture(t), {at(0.5625f, 0), at(1.4375f, 0)}).words;
  EXPECT_EQ(words[0], (Words{0x3d800000, 0x3d140000, 0x3f0c6000, 0x3d800080}));
  EXPECT_EQ(words[1], (Words{0x3f700000, 0x3f0ac000, 0x3e068000, 0x3f6ffff0}));
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

}  // namespace
}  // namespace warpwise::emulator
