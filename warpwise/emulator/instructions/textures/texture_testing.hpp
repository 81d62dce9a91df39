#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "warpwise/emulator/emulator.hpp"

// Kernels and images of the tests of textures.
namespace warpwise::emulator {

struct Point {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
};
inline Point at(float x, float y) {
  return {std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(y)};
}
inline Point at_index(int x, int y) {
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)};
}

using Words = std::array<std::uint32_t, 4>;
inline float value(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// Returns a kernel in which each thread reads a texture once. `read` is the instruction, with the
/// coordinates %x and %y.
inline std::string kernel(const std::string& read) {
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

inline const std::string read_2d = "tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%x, %y}];";
inline const std::string read_2d_index = "tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%x, %y}];";
inline const std::string read_1d = "tex.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%x}];";
inline const std::string read_1d_index = "tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%t, {%x}];";

struct Readings {
  std::vector<Words> words;
  LaunchResult result;
};

inline Readings run(Device& device, const std::string& read, std::uint64_t handle,
                    const std::vector<Point>& points, LaunchOptions options = {}) {
  const Address from = device.allocate(points.size() * sizeof(Point), "from");
  const Address to = device.allocate(points.size() * sizeof(Words), "to");
  device.write(from, std::as_bytes(std::span(points)));
  struct {
    std::uint64_t texture, from, to;
    std::uint32_t count, unused;
  } parameters{handle, from, to, static_cast<std::uint32_t>(points.size()), 0};
  Readings readings;
  options.compute_capabilities = {{9, 0}};
  readings.result =
      Program(kernel(read))
          .launch(device, "kernel", {static_cast<std::uint32_t>((points.size() + 63) / 64), 1, 1},
                  {64, 1, 1}, 0, std::as_bytes(std::span(&parameters, 1)).first(28), options);
  readings.words.resize(points.size());
  device.read(to, std::as_writable_bytes(std::span(readings.words)));
  return readings;
}

/// A texture with random texels, and with unused bytes after each row.
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
    // Clears exponent bits, so that halves are finite.
    if (texture.kind == TexelKind::floating && texture.channel_bytes == 2) {
      for (std::size_t i = 1; i < bytes.size(); i += 2) bytes[i] &= std::byte{0xbb};
    }
    texture.data = device.allocate(bytes.size(), "texels");
    device.write(texture.data, bytes);
  }

  /// Returns a channel of a texel as a number, 0 for a border.
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

}  // namespace warpwise::emulator
