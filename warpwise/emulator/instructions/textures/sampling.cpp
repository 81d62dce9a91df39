// Texture reads at coordinates. NVIDIA documents the formulas but not their rounding. "As measured"
// below means: an H200 gave the same bits for thousands of random coordinates.

#include "warpwise/emulator/instructions/textures/sampling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/instructions/lanes/numbers.hpp"
#include "warpwise/emulator/instructions/textures/srgb.hpp"

namespace warpwise::emulator {
namespace {

// The integer for a weight of 1. The hardware keeps 8 fraction bits of a position in texels.
constexpr std::int64_t weight_one = 256;
// Number of units in a normalized coordinate of 1, which has 21 fraction bits, as measured.
constexpr double normalized_unit = 1 << 21;

/// Maps a texel index into the texture by its address mode. -1 stands for the border colour.
std::int64_t fold(std::int64_t i, std::int64_t size, AddressMode mode) {
  switch (mode) {
    case AddressMode::border: return i < 0 || i >= size ? -1 : i;
    case AddressMode::wrap: return (i % size + size) % size;
    case AddressMode::mirror: {
      const std::int64_t period = (i % (2 * size) + 2 * size) % (2 * size);
      return period < size ? period : 2 * size - 1 - period;
    }
    case AddressMode::clamp: break;
  }
  return std::clamp<std::int64_t>(i, 0, size - 1);
}

/// One dimension of a texture.
struct Axis {
  std::int64_t size = 1;
  AddressMode mode = AddressMode::clamp;
  bool normalized = false;

  /// Returns a coordinate's position in texels; NaN is 0 as measured.
  double position(float coordinate) const {
    if (!(coordinate == coordinate)) return 0;
    double x = flush_to_zero(coordinate);
    const auto extent = static_cast<double>(size);
    if (normalized) {
      // First removes whole periods, because a far position would not fit an integer.
      if (mode == AddressMode::wrap || mode == AddressMode::mirror) {
        if (std::isinf(x)) return 0;
        const double periods = mode == AddressMode::wrap ? 1 : 2;
        x -= periods * std::floor(x / periods);
      }
      x = std::floor(x * normalized_unit) / normalized_unit * extent;
    }
    // All positions beyond these limits give the same result as the limits.
    return std::clamp(x, -2.0, 2 * extent + 2);
  }
};

/// The three dimensions of a texture.
std::array<Axis, 3> axes_of(const Texture& texture) {
  std::array<Axis, 3> axes;
  const std::array<std::uint64_t, 3> sizes = {texture.width, texture.height, texture.depth};
  for (std::size_t d = 0; d < 3; ++d) {
    axes[d].size = static_cast<std::int64_t>(std::max<std::uint64_t>(sizes[d], 1));
    axes[d].normalized = texture.normalized_coordinates;
    const AddressMode mode = texture.address_mode[d];
    const bool periodic = mode == AddressMode::wrap || mode == AddressMode::mirror;
    // Only normalized coordinates have periods. The hardware clamps other coordinates.
    axes[d].mode = periodic && !texture.normalized_coordinates ? AddressMode::clamp : mode;
  }
  return axes;
}

/// A texel's indices; if any of them is -1 the border colour is read.
struct Place {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;  ///< a plane or a layer
  bool is_border() const { return x < 0 || y < 0 || z < 0; }
};

std::int64_t read_integer(const std::byte* place, const Texture& texture) {
  const bool is_signed = texture.kind == TexelKind::signed_integer;
  std::uint32_t bits = 0;
  std::memcpy(&bits, place, static_cast<std::size_t>(texture.channel_bytes));
  if (!is_signed) return bits;
  const int unused = 32 - 8 * texture.channel_bytes;
  return static_cast<std::int32_t>(bits << unused) >> unused;
}

const std::byte* place_of(const BoundTexture& bound, const Place& at, int channel) {
  const Texture& t = bound.texture;
  const auto column = static_cast<std::uint64_t>(at.x) * static_cast<std::uint64_t>(t.channels) +
                      static_cast<std::uint64_t>(channel);
  return bound.texels + static_cast<std::uint64_t>(at.z) * t.slice_bytes +
         static_cast<std::uint64_t>(at.y) * t.pitch_bytes +
         column * static_cast<std::uint64_t>(t.channel_bytes);
}

/// Returns the largest value of an integer channel, which a normalized read returns as 1.
std::int64_t full_scale(const Texture& texture) {
  const int bits = 8 * texture.channel_bytes - (texture.kind == TexelKind::signed_integer ? 1 : 0);
  return (std::int64_t{1} << bits) - 1;
}

float read_float(const std::byte* place, int bytes) {
  if (bytes == 2) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, place, sizeof(bits));
    return static_cast<float>(decode(bits, half_format));
  }
  float value = 0;
  std::memcpy(&value, place, sizeof(value));
  return value;
}

/// Returns true for a channel that holds bytes in sRGB. The fourth channel is always linear.
bool is_srgb(const Texture& t, int channel) {
  return t.srgb && t.normalized_float && t.kind == TexelKind::unsigned_integer &&
         t.channel_bytes == 1 && channel < 3;
}

/// Returns the bytes of a border colour's channel in the texel's format. A float is stored
/// unchanged. A normalized integer is rounded to the channel's bits. An integer that is not
/// normalized takes the colour's lowest bits. All cases except halves were measured.
std::array<std::byte, 4> border_bytes(const Texture& t, int channel) {
  const float color = t.border_color[static_cast<std::size_t>(channel)];
  auto bits = std::bit_cast<std::uint32_t>(color);
  if (t.kind == TexelKind::floating) {
    if (t.channel_bytes == 2) bits = static_cast<std::uint32_t>(encode(color, half_format));
  } else if (t.normalized_float) {
    const float least = t.kind == TexelKind::signed_integer ? -1.0f : 0.0f;
    const float inside = color == color ? std::clamp(color, least, 1.0f) : 0.0f;
    const float shown = is_srgb(t, channel) ? to_srgb(inside) : inside;
    bits = static_cast<std::uint32_t>(std::lrint(shown * static_cast<float>(full_scale(t))));
  }
  return std::bit_cast<std::array<std::byte, 4>>(bits);
}

/// Returns a channel of an unfiltered texel, as the 32 bits of its result register.
std::uint32_t channel_bits(const Texture& t, const std::byte* place, int channel) {
  if (t.kind == TexelKind::floating) {
    if (t.channel_bytes == 2) return std::bit_cast<std::uint32_t>(read_float(place, 2));
    std::uint32_t bits = 0;
    std::memcpy(&bits, place, sizeof(bits));
    return bits;
  }
  const std::int64_t value = read_integer(place, t);
  if (!t.normalized_float) return static_cast<std::uint32_t>(value);
  if (is_srgb(t, channel)) return std::bit_cast<std::uint32_t>(from_srgb(value));
  const std::int64_t scale = full_scale(t);
  return std::bit_cast<std::uint32_t>(static_cast<float>(
      static_cast<double>(std::max(value, -scale)) / static_cast<double>(scale)));
}

/// Reads the texel at mapped indices; channels that the texture lacks are zero, as measured.
TexelWords texel(const BoundTexture& bound, const Place& at) {
  const Texture& t = bound.texture;
  TexelWords words{};
  for (int c = 0; c < t.channels; ++c) {
    words[static_cast<std::size_t>(c)] = at.is_border()
                                             ? channel_bits(t, border_bytes(t, c).data(), c)
                                             : channel_bits(t, place_of(bound, at, c), c);
  }
  return words;
}

/// Rounds an exact sum to the nearest float, ties away from zero as measured.
float round_away(double sum) {
  const auto nearest = static_cast<float>(sum);
  const float other = std::nextafter(nearest, sum > 0 ? HUGE_VALF : -HUGE_VALF);
  const bool tie =
      static_cast<double>(nearest) != sum &&
      std::fabs(static_cast<double>(other) - sum) == std::fabs(static_cast<double>(nearest) - sum);
  return tie ? other : nearest;
}

/// Two texels of an axis, and the second one's weight in 256ths.
struct Span {
  std::array<std::int64_t, 2> at{};
  std::int64_t weight = 0;
};

Span span_at(const Axis& axis, double position) {
  // Texel centres are at .5. The fraction is rounded, with ties up.
  const auto fixed = static_cast<std::int64_t>(std::floor((position - 0.5) * weight_one + 0.5));
  const std::int64_t first = fixed >> 8;
  return {{fold(first, axis.size, axis.mode), fold(first + 1, axis.size, axis.mode)},
          fixed & (weight_one - 1)};
}

/// Returns the two texels of a filtered read along one axis, and the second one's weight.
Span span_of(const Axis& axis, float coordinate) {
  double position = axis.position(coordinate);
  // Beyond the centres of the outer texels, one texel has all the weight, as measured.
  if (axis.mode == AddressMode::clamp)
    position = std::clamp(position, 0.5, static_cast<double>(axis.size) - 0.5);
  return span_at(axis, position);
}

/// Returns a channel's value in the filter's units: integers in 65535ths, signed ones in 32767ths.
double filter_value(const BoundTexture& bound, const Place& at, int channel) {
  const Texture& t = bound.texture;
  const std::array<std::byte, 4> border =
      at.is_border() ? border_bytes(t, channel) : std::array<std::byte, 4>{};
  const std::byte* place = at.is_border() ? border.data() : place_of(bound, at, channel);
  if (is_srgb(t, channel)) return from_srgb(read_integer(place, t));
  if (t.kind == TexelKind::floating) return read_float(place, t.channel_bytes);
  const std::int64_t scale = full_scale(t);
  const double wide = t.kind == TexelKind::signed_integer ? 32767 : 65535;
  return static_cast<double>(std::max(read_integer(place, t), -scale)) * wide /
         static_cast<double>(scale);
}

/// Rounds the filtered sum as the texture unit does: integers to 16-bit fractions, halves to
/// halves. This agrees with measurements except for
///
/// - signed bytes: a twentieth of all reads differ by 1/32767
/// - halves: a few reads differ by one unit in the last place
float filter_result(const Texture& t, double sum) {
  if (t.kind != TexelKind::floating) {
    const double wide = t.kind == TexelKind::signed_integer ? 32767 : 65535;
    return static_cast<float>(std::floor(sum + 0.5) / wide);
  }
  if (t.channel_bytes == 4) return round_away(sum);
  return static_cast<float>(decode(encode(sum, half_format), half_format));
}

/// Returns the weights of the eight texels around a position. Texel x + 2y + 4z is at
/// (x, y, z). The whole weight is split along z, then x, then y. Each split rounds the weight of
/// one side. The other side gets the rest, as measured.
std::array<std::int64_t, 8> weights_of(const std::array<Span, 3>& spans) {
  const auto part = [](std::int64_t whole, std::int64_t weight) {
    return (whole * weight + weight_one / 2) >> 8;
  };
  std::array<std::int64_t, 8> weights{};
  for (std::size_t z = 0; z < 2; ++z) {
    const std::int64_t plane = z == 0 ? weight_one - spans[2].weight : spans[2].weight;
    const std::int64_t right = part(plane, spans[0].weight);
    const std::int64_t left = plane - right;
    weights[4 * z + 3] = part(right, spans[1].weight);
    weights[4 * z + 1] = right - weights[4 * z + 3];
    weights[4 * z] = part(left, weight_one - spans[1].weight);
    weights[4 * z + 2] = left - weights[4 * z];
  }
  return weights;
}

TexelWords filtered(const BoundTexture& bound, const std::array<Span, 3>& spans) {
  const std::array<std::int64_t, 8> weights = weights_of(spans);
  TexelWords words{};
  for (int c = 0; c < bound.texture.channels; ++c) {
    const bool srgb = is_srgb(bound.texture, c);
    double sum = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      if (weights[k] == 0) continue;
      const Place at{spans[0].at[k & 1], spans[1].at[k >> 1 & 1], spans[2].at[k >> 2]};
      double value = filter_value(bound, at, c);
      // Truncates a decoded sRGB value to 8 fraction bits before it is weighted. This gives an
      // H200's results for the two pairs of bytes that were measured. Other pairs may differ.
      if (srgb && weights[k] != weight_one) value = std::floor(value * 256) / 256;
      sum += static_cast<double>(weights[k]) * value;
    }
    const double mean = sum / weight_one;
    words[static_cast<std::size_t>(c)] = std::bit_cast<std::uint32_t>(
        srgb ? static_cast<float>(mean) : filter_result(bound.texture, mean));
  }
  return words;
}

/// Returns the layer of a read; a layer beyond the end is the last one, as measured.
std::int64_t layer_of(const Texture& texture, std::uint32_t layer) {
  const std::uint64_t faces = texture.cube ? 6 : 1;
  const std::uint64_t layers = std::max<std::uint64_t>(texture.depth / faces, 1);
  return static_cast<std::int64_t>(std::min<std::uint64_t>(layer, layers - 1) * faces);
}

/// The cube face that a direction hits, with coordinates of 0 … 1 in it.
struct Face {
  int number = 0;
  float u = 0;
  float v = 0;
};

Face face_of(float x, float y, float z) {
  const float ax = std::fabs(x);
  const float ay = std::fabs(y);
  const float az = std::fabs(z);
  // For equal magnitudes z comes before y and y before x, as measured.
  const float most = std::max({ax, ay, az});
  Face face;
  float s = 0;
  float t = 0;
  if (az == most) {
    face.number = std::signbit(z) ? 5 : 4;
    s = std::signbit(z) ? -x : x;
    t = -y;
  } else if (ay == most) {
    face.number = std::signbit(y) ? 3 : 2;
    s = x;
    t = std::signbit(y) ? -z : z;
  } else {
    face.number = std::signbit(x) ? 1 : 0;
    s = std::signbit(x) ? z : -z;
    t = -y;
  }
  face.u = most > 0 ? (s / most + 1) / 2 : 0.5f;
  face.v = most > 0 ? (t / most + 1) / 2 : 0.5f;
  return face;
}

/// Returns the address of a texel in a CUDA array. The order of an array's bytes comes from the
/// driver Nouveau: https://envytools.readthedocs.io/en/latest/hw/memory/g80-surface.html.
Address address_in_array(const Texture& texture, const Place& at) {
  if (at.is_border()) return 0;
  constexpr std::uint64_t piece_columns = 64, piece_rows = 8;  // bytes, rows
  const std::uint64_t column = static_cast<std::uint64_t>(at.x) * texture.texel_bytes();
  if (texture.height == 0)
    return texture.data + static_cast<std::uint64_t>(at.z) * texture.slice_bytes + column;
  const auto row = static_cast<std::uint64_t>(at.y);
  const std::uint64_t across =
      (texture.width * texture.texel_bytes() + piece_columns - 1) / piece_columns;
  const std::uint64_t down = (texture.height + piece_rows - 1) / piece_rows;
  const std::uint64_t piece =
      (static_cast<std::uint64_t>(at.z) * down + row / piece_rows) * across +
      column / piece_columns;
  return texture.data + piece * piece_columns * piece_rows + column / 32 % 2 * 256 +
         row / 2 % 4 * 64 + column / 16 % 2 * 32 + row % 2 * 16 + column % 16;
}

/// Returns the place of an unfiltered read.
Place nearest(int dimensions, const std::array<float, 3>& at, std::int64_t layer,
              const std::array<Axis, 3>& axes) {
  std::array<std::int64_t, 3> place = {0, 0, layer};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
    place[d] = fold(static_cast<std::int64_t>(std::floor(axes[d].position(at[d]))), axes[d].size,
                    axes[d].mode);
  }
  return {place[0], place[1], place[2]};
}

/// Returns the place of a read by index.
Place indexed(const BoundTexture& bound, const Geometry& geometry,
              const std::array<std::int32_t, 3>& at, std::uint32_t layer) {
  const std::array<Axis, 3> axes = axes_of(bound.texture);
  std::array<std::int64_t, 3> place = {0, 0, geometry.layered ? layer_of(bound.texture, layer) : 0};
  for (std::size_t d = 0; d < static_cast<std::size_t>(geometry.dimensions); ++d)
    place[d] = fold(at[d], axes[d].size, AddressMode::border);
  return {place[0], place[1], place[2]};
}

TexelWords sample_planes(const BoundTexture& bound, int dimensions, const std::array<float, 3>& at,
                         std::int64_t layer) {
  std::array<Axis, 3> axes = axes_of(bound.texture);
  if (bound.texture.cube) {
    axes[0].normalized = axes[1].normalized = true;
    axes[0].mode = axes[1].mode = AddressMode::clamp;
  }
  const auto used = static_cast<std::size_t>(dimensions);
  if (bound.texture.filter == FilterMode::linear) {
    std::array<Span, 3> spans{};
    spans[2].at = {layer, layer};
    for (std::size_t d = 0; d < used; ++d) spans[d] = span_of(axes[d], at[d]);
    // The filter treats a 1D texture as a 2D texture of one row, and reads it at y = 0. This is the
    // row's upper edge, halfway between the row and the outside. If the address mode of y is
    // border, the border colour therefore gets half of the weight, as measured.
    if (used == 1 && bound.texture.address_mode[1] == AddressMode::border && layer == 0)
      spans[1] = {{-1, 0}, weight_one / 2};
    return filtered(bound, spans);
  }
  return texel(bound, nearest(dimensions, at, layer, axes));
}

/// Describes a geometry for messages: "two-dimensional layered".
std::string described(const Geometry& geometry) {
  constexpr std::array<const char*, 3> counts = {"one", "two", "three"};
  const std::string shape =
      geometry.cube
          ? "cube"
          : std::string(counts[static_cast<std::size_t>(geometry.dimensions - 1)]) + "-dimensional";
  return shape + (geometry.layered ? " layered" : "");
}

/// Returns the geometry that an instruction must state to read this texture.
Geometry geometry_of(const Texture& texture) {
  const int dimensions = texture.height == 0 ? 1 : texture.is_volume() ? 3 : 2;
  return {texture.cube ? 3 : dimensions, texture.layered, texture.cube};
}

}  // namespace

Geometry Geometry::of(const std::string& word) {
  if (word == "cube") return {3, false, true};
  if (word == "acube") return {3, true, true};
  const bool layered = word == "a1d" || word == "a2d";
  if (word == "1d" || word == "a1d") return {1, layered, false};
  if (word == "2d" || word == "a2d") return {2, layered, false};
  return {word == "3d" ? 3 : 0, false, false};
}

TexelWords sample(const BoundTexture& bound, const Geometry& geometry,
                  const std::array<float, 3>& at, std::uint32_t layer) {
  const std::int64_t first = geometry.layered ? layer_of(bound.texture, layer) : 0;
  if (!geometry.cube) return sample_planes(bound, geometry.dimensions, at, first);
  const Face face = face_of(at[0], at[1], at[2]);
  return sample_planes(bound, 2, {face.u, face.v, 0}, first + face.number);
}

TexelWords gather(const BoundTexture& bound, const std::array<float, 3>& at, int channel) {
  const std::array<Axis, 3> axes = axes_of(bound.texture);
  const std::array<std::int64_t, 2> x = span_at(axes[0], axes[0].position(at[0])).at;
  const std::array<std::int64_t, 2> y = span_at(axes[1], axes[1].position(at[1])).at;
  const std::array<Place, 4> places = {
      {{x[0], y[1], 0}, {x[1], y[1], 0}, {x[1], y[0], 0}, {x[0], y[0], 0}}};
  TexelWords words{};
  for (std::size_t k = 0; k < 4; ++k)
    words[k] = texel(bound, places[k])[static_cast<std::size_t>(channel)];
  return words;
}

TexelWords fetch(const BoundTexture& bound, const Geometry& geometry,
                 const std::array<std::int32_t, 3>& at, std::uint32_t layer) {
  const Place place = indexed(bound, geometry, at, layer);
  return place.is_border() ? TexelWords{} : texel(bound, place);  // zero outside
}

Address texel_address(const BoundTexture& bound, const Geometry& geometry,
                      const std::array<float, 3>& at, std::uint32_t layer) {
  if (geometry.cube) return 0;
  const std::int64_t first = geometry.layered ? layer_of(bound.texture, layer) : 0;
  return address_in_array(bound.texture,
                          nearest(geometry.dimensions, at, first, axes_of(bound.texture)));
}

Address texel_address(const BoundTexture& bound, const Geometry& geometry,
                      const std::array<std::int32_t, 3>& at, std::uint32_t layer) {
  if (geometry.cube) return 0;
  return address_in_array(bound.texture, indexed(bound, geometry, at, layer));
}

const BoundTexture& find_texture(Worker& worker, std::uint64_t handle) {
  const auto [found, is_new] = worker.textures.try_emplace(handle);
  BoundTexture& bound = found->second;
  if (!is_new) return bound;
  const auto texture = worker.device->texture(handle);
  if (!texture) return bound;
  bound.texture = *texture;
  bound.exists = true;
  const AllocationView view = worker.device->find(texture->data);
  if (view.host != nullptr && bytes_of(*texture) <= view.end - texture->data) {
    bound.texels = view.host + (texture->data - view.begin);
  }
  return bound;
}

bool is_of(const Geometry& geometry, const Texture& texture) {
  const Geometry fits = geometry_of(texture);
  return fits.dimensions == geometry.dimensions && fits.layered == geometry.layered &&
         fits.cube == geometry.cube;
}

std::string refusal(const BoundTexture& bound, std::uint64_t handle, const Geometry& geometry) {
  if (!bound.exists)
    return "a texture read through handle " + std::to_string(handle) +
           ", which is no texture object";
  if (bound.texels == nullptr) return "a texture read of memory that has been freed";
  if (is_of(geometry, bound.texture)) return {};
  return "a " + described(geometry) + " read of a " + described(geometry_of(bound.texture)) +
         " texture";
}

}  // namespace warpwise::emulator
