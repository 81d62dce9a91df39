// Reads through textures. NVIDIA documents what they compute, not how it is rounded: where a
// comment below says "as measured", an H200 gave the same bits for thousands of random coordinates.

#include "warpwise/emulator/instructions/texture.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/instructions/numbers.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {
namespace {

using Words = std::array<std::uint32_t, 4>;

// A weight's unit: hardware keeps 8 bits of a texel's fraction.
constexpr std::int64_t weight_one = 256;
// Fraction bits that a normalized coordinate keeps, as measured.
constexpr double normalized_unit = 1 << 21;

/// An index of a texel, folded into the texture; -1 where the border colour (zero) is read.
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

  /// The position of a coordinate, in texels; NaN is 0 as measured.
  double position(float coordinate) const {
    if (!(coordinate == coordinate)) return 0;
    double x = flush_to_zero(coordinate);
    const auto extent = static_cast<double>(size);
    if (normalized) {
      // Whole periods first: they would not fit an integer.
      if (mode == AddressMode::wrap || mode == AddressMode::mirror) {
        if (std::isinf(x)) return 0;
        const double periods = mode == AddressMode::wrap ? 1 : 2;
        x -= periods * std::floor(x / periods);
      }
      x = std::floor(x * normalized_unit) / normalized_unit * extent;
    }
    // All places more than two texels outside read the same.
    return std::clamp(x, -2.0, 2 * extent + 2);
  }
};

/// The two dimensions of a texture; without y for one-dimensional reads.
std::array<Axis, 2> axes_of(const Texture& texture) {
  std::array<Axis, 2> axes;
  for (std::size_t d = 0; d < 2; ++d) {
    axes[d].size = static_cast<std::int64_t>(d == 0 ? texture.width
                                                    : std::max<std::uint64_t>(texture.height, 1));
    axes[d].normalized = texture.normalized_coordinates;
    const AddressMode mode = texture.address_mode[d];
    const bool periodic = mode == AddressMode::wrap || mode == AddressMode::mirror;
    // Periods are of normalized coordinates; with others the hardware clamps.
    axes[d].mode = periodic && !texture.normalized_coordinates ? AddressMode::clamp : mode;
  }
  return axes;
}

std::int64_t read_integer(const std::byte* place, const Texture& texture) {
  const bool is_signed = texture.kind == TexelKind::signed_integer;
  std::uint32_t bits = 0;
  std::memcpy(&bits, place, static_cast<std::size_t>(texture.channel_bytes));
  if (!is_signed) return bits;
  const int unused = 32 - 8 * texture.channel_bytes;
  return static_cast<std::int32_t>(bits << unused) >> unused;
}

const std::byte* place_of(const BoundTexture& bound, std::int64_t x, std::int64_t y, int channel) {
  const Texture& t = bound.texture;
  const auto column = static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(t.channels) +
                      static_cast<std::uint64_t>(channel);
  return bound.texels + static_cast<std::uint64_t>(y) * t.pitch_bytes +
         column * static_cast<std::uint64_t>(t.channel_bytes);
}

/// The largest value of an integer channel that reads as 1.
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

/// A channel of a texel without a filter, as the 32 bits of the result register.
std::uint32_t channel_bits(const BoundTexture& bound, std::int64_t x, std::int64_t y, int channel) {
  const Texture& t = bound.texture;
  const std::byte* place = place_of(bound, x, y, channel);
  if (t.kind == TexelKind::floating) {
    if (t.channel_bytes == 2) return std::bit_cast<std::uint32_t>(read_float(place, 2));
    std::uint32_t bits = 0;
    std::memcpy(&bits, place, sizeof(bits));
    return bits;
  }
  const std::int64_t value = read_integer(place, t);
  if (!t.normalized_float) return static_cast<std::uint32_t>(value);
  const std::int64_t scale = full_scale(t);
  return std::bit_cast<std::uint32_t>(static_cast<float>(
      static_cast<double>(std::max(value, -scale)) / static_cast<double>(scale)));
}

/// The texel at folded indices; channels that the texture has not are zero, as measured.
Words texel(const BoundTexture& bound, std::int64_t x, std::int64_t y) {
  Words words{};
  if (x < 0 || y < 0) return words;
  for (int c = 0; c < bound.texture.channels; ++c)
    words[static_cast<std::size_t>(c)] = channel_bits(bound, x, y, c);
  return words;
}

/// The nearest float to an exact sum, halves away from zero as measured.
float round_away(double sum) {
  const auto nearest = static_cast<float>(sum);
  const float other = std::nextafter(nearest, sum > 0 ? HUGE_VALF : -HUGE_VALF);
  const bool tie =
      static_cast<double>(nearest) != sum &&
      std::fabs(static_cast<double>(other) - sum) == std::fabs(static_cast<double>(nearest) - sum);
  return tie ? other : nearest;
}

/// Two texels of an axis and the second one's weight in 256ths.
struct Span {
  std::array<std::int64_t, 2> at{};
  std::int64_t weight = 0;
};

Span span_of(const Axis& axis, float coordinate) {
  // Texels have their centres at halves; the fraction is rounded, halves up.
  const auto fixed =
      static_cast<std::int64_t>(std::floor((axis.position(coordinate) - 0.5) * weight_one + 0.5));
  const std::int64_t first = fixed >> 8;
  return {{fold(first, axis.size, axis.mode), fold(first + 1, axis.size, axis.mode)},
          fixed & (weight_one - 1)};
}

/// A channel's value in the units that the filter sums in: 16-bit fractions of 1 for integers.
double filter_value(const BoundTexture& bound, std::int64_t x, std::int64_t y, int channel) {
  const Texture& t = bound.texture;
  if (x < 0 || y < 0) return 0;
  const std::byte* place = place_of(bound, x, y, channel);
  if (t.kind == TexelKind::floating) return read_float(place, t.channel_bytes);
  const std::int64_t scale = full_scale(t);
  const double wide = t.kind == TexelKind::signed_integer ? 32767 : 65535;
  return static_cast<double>(std::max(read_integer(place, t), -scale)) * wide /
         static_cast<double>(scale);
}

/// The filtered sum as the unit gives it: integers to 16-bit fractions, halves to halves. As
/// measured, but for signed bytes (one of 32767 units off in a twentieth of all reads) and halves
/// (rarely a unit in the last place).
float filter_result(const Texture& t, double sum) {
  if (t.kind != TexelKind::floating) {
    const double wide = t.kind == TexelKind::signed_integer ? 32767 : 65535;
    return static_cast<float>(std::floor(sum + 0.5) / wide);
  }
  if (t.channel_bytes == 4) return round_away(sum);
  return static_cast<float>(decode(encode(sum, half_format), half_format));
}

Words filtered(const BoundTexture& bound, const Span& x, const Span& y) {
  // The weight of the corner texel is rounded to 8 bits too; the other weights are what remains of
  // each side's weight, as measured.
  const std::int64_t corner = (x.weight * y.weight + weight_one / 2) >> 8;
  const std::array<std::int64_t, 4> weights = {weight_one - x.weight - y.weight + corner,
                                               x.weight - corner, y.weight - corner, corner};
  Words words{};
  for (int c = 0; c < bound.texture.channels; ++c) {
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      if (weights[k] == 0) continue;
      sum += static_cast<double>(weights[k]) * filter_value(bound, x.at[k & 1], y.at[k >> 1], c);
    }
    words[static_cast<std::size_t>(c)] =
        std::bit_cast<std::uint32_t>(filter_result(bound.texture, sum / weight_one));
  }
  return words;
}

Words sample(const BoundTexture& bound, int dimensions, float x, float y) {
  const std::array<Axis, 2> axes = axes_of(bound.texture);
  if (bound.texture.filter == FilterMode::linear) {
    const Span one_row{{0, 0}, 0};
    return filtered(bound, span_of(axes[0], x), dimensions == 2 ? span_of(axes[1], y) : one_row);
  }
  const auto at = [](const Axis& axis, float coordinate) {
    return fold(static_cast<std::int64_t>(std::floor(axis.position(coordinate))), axis.size,
                axis.mode);
  };
  return texel(bound, at(axes[0], x), dimensions == 2 ? at(axes[1], y) : 0);
}

/// A read by index, which knows no filter and no address mode: 0 outside, in two dimensions too as
/// measured.
Words fetch(const BoundTexture& bound, int dimensions, std::int32_t x, std::int32_t y) {
  const std::array<Axis, 2> axes = axes_of(bound.texture);
  const auto at = [](const Axis& axis, std::int32_t i) {
    return fold(i, axis.size, AddressMode::border);
  };
  return texel(bound, at(axes[0], x), dimensions == 2 ? at(axes[1], y) : 0);
}

/// The texture of a handle, looked up once for each worker of a launch; without texels if there is
/// none.
const BoundTexture& find_texture(Worker& worker, std::uint64_t handle) {
  const auto [found, is_new] = worker.textures.try_emplace(handle);
  BoundTexture& bound = found->second;
  if (!is_new) return bound;
  const auto texture = worker.device->texture(handle);
  if (!texture) return bound;
  bound.texture = *texture;
  bound.exists = true;
  const AllocationView view = worker.device->find(texture->data);
  const std::uint64_t row =
      texture->width * static_cast<std::uint64_t>(texture->channels * texture->channel_bytes);
  const std::uint64_t bytes =
      texture->height > 0 ? (texture->height - 1) * texture->pitch_bytes + row : row;
  if (view.host != nullptr && bytes <= view.end - texture->data) {
    bound.texels = view.host + (texture->data - view.begin);
  }
  return bound;
}

/// What is wrong with reading a texture in this way; empty if nothing is.
std::string refusal(const BoundTexture& bound, std::uint64_t handle, int dimensions) {
  if (!bound.exists)
    return "a texture read through " + std::to_string(handle) + ", which is no texture object";
  if (bound.texels == nullptr) return "a texture read of memory that has been freed";
  if ((bound.texture.height > 0) != (dimensions == 2)) {
    return bound.texture.height > 0 ? "a one-dimensional read of a two-dimensional texture"
                                    : "a two-dimensional read of a linear texture";
  }
  return {};
}

// Operands: four results, the handle, x and y (for one dimension x again).
template <class Observers, int dimensions, class Coordinate>
void read_texture(Warp& warp, const Operation& op) {
  const std::int32_t* list = list_of(warp, op);
  const auto* handles = source<std::uint64_t>(warp, list[4]);
  const auto* x = source<Coordinate>(warp, list[5]);
  const auto* y = source<Coordinate>(warp, list[6]);
  std::array<Words, warp_lanes> out{};
  const BoundTexture* bound = nullptr;
  std::uint64_t handle = 0;
  Mask valid = 0;
  for (Mask left = warp.active; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    const auto lane = static_cast<std::size_t>(i);
    if (bound == nullptr || handles[i] != handle) {
      handle = handles[i];
      bound = &find_texture(*warp.worker, handle);
    }
    if (bound->texels == nullptr || (bound->texture.height > 0) != (dimensions == 2)) {
      record_fault(warp, op, FaultKind::out_of_bounds, i, refusal(*bound, handle, dimensions));
      continue;
    }
    valid |= Mask{1} << i;
    if constexpr (std::is_same_v<Coordinate, float>) {
      out[lane] = sample(*bound, dimensions, x[i], y[i]);
    } else {
      out[lane] = fetch(*bound, dimensions, x[i], y[i]);
    }
  }
  if constexpr (Observers::any) {
    // Before the results are written: a register of theirs may be where the handles lie.
    if (valid != 0) Observers::of(warp).reads_texture(warp, op, {valid, handles});
  }
  for (std::size_t c = 0; c < 4; ++c) {
    auto* to = destination<std::uint32_t>(warp, list[c]);
    for (Mask left = warp.active; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      to[i] = out[static_cast<std::size_t>(i)][c];
    }
  }
}

bool is_known(const std::vector<std::string>& m) {
  // [level | base,] geometry, v4, result type, coordinate type
  if (m.size() != 4) return false;
  const bool result = m[2] == "f32" || m[2] == "s32" || m[2] == "u32";
  return (m[0] == "1d" || m[0] == "2d") && m[1] == "v4" && result &&
         (m[3] == "f32" || m[3] == "s32");
}

template <class Observers>
Handler handler_of(bool two_dimensional, bool by_index) {
  if (two_dimensional) {
    return by_index ? read_texture<Observers, 2, std::int32_t> : read_texture<Observers, 2, float>;
  }
  return by_index ? read_texture<Observers, 1, std::int32_t> : read_texture<Observers, 1, float>;
}

/// Modifiers without the one that chooses a level: these textures have one.
std::vector<std::string> without_level(const ptx::Instruction& instruction) {
  std::vector<std::string> m = instruction.modifiers;
  if (!m.empty() && (m[0] == "level" || m[0] == "base")) m.erase(m.begin());
  return m;
}

}  // namespace

std::optional<ListedOperation> texture_operation(const ptx::Instruction& instruction,
                                                 ObserverSet observers, const OperandReader& read) {
  using Kind = ptx::Operand::Kind;
  if (instruction.opcode != "tex") return std::nullopt;
  const std::vector<std::string> m = without_level(instruction);
  if (!is_known(m)) return std::nullopt;
  // {a, b, c, d}, [texture, {x, y}] and a level's number; other forms (a sampler, offsets, a
  // comparison) have more.
  const bool has_level = instruction.modifiers[0] == "level";
  const auto& operands = instruction.operands;
  if (operands.size() != (has_level ? 3U : 2U)) return std::nullopt;
  const ptx::Operand& result = operands[0];
  const ptx::Operand& place = operands[1];
  if (result.kind != Kind::vector || result.elements.size() != 4) return std::nullopt;
  if (place.kind != Kind::address || place.elements.size() != 2) return std::nullopt;
  const ptx::Operand& at = place.elements[1];
  const std::vector<ptx::Operand> coordinates =
      at.kind == Kind::vector ? at.elements : std::vector{at};
  const std::size_t dimensions = m[0] == "2d" ? 2 : 1;
  if (coordinates.size() < dimensions) return std::nullopt;
  ListedOperation found;
  found.kind = InstructionClass::texture;
  found.handler = with_observers(observers, [&](auto set) {
    return handler_of<typename decltype(set)::type>(dimensions == 2, m[3] == "s32");
  });
  for (const ptx::Operand& e : result.elements) found.list.push_back(read(e, Width::w32, true));
  found.list.push_back(read(place.elements[0], Width::w64, false));
  found.list.push_back(read(coordinates[0], Width::w32, false));
  found.list.push_back(dimensions == 2 ? read(coordinates[1], Width::w32, false)
                                       : found.list.back());
  return found;
}

}  // namespace warpwise::emulator
