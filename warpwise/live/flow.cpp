#include "warpwise/live/flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <optional>

#include "warpwise/cpu/parallel.hpp"
#include "warpwise/io/output_file.hpp"

namespace warpwise::live {
namespace {

// Returns, for each position along an axis, the index of the image block that it belongs to.
// Returns nullopt for positions outside all blocks.
std::vector<std::optional<std::int64_t>> owners(std::int64_t length, std::int64_t block,
                                                std::int64_t stride, std::int64_t count) {
  std::vector<std::optional<std::int64_t>> result(static_cast<std::size_t>(length));
  std::int64_t nearest = 0;
  for (std::int64_t at = 0; at < length; ++at) {
    // Returns twice the distance between the centres of the pixel and of the block.
    const auto distance = [&](std::int64_t index) {
      return std::abs(2 * at + 1 - (2 * index * stride + block));
    };
    while (nearest + 1 < count && distance(nearest + 1) < distance(nearest)) ++nearest;
    if (distance(nearest) < block) result[static_cast<std::size_t>(at)] = nearest;
  }
  return result;
}

// Index of the image block to which each column and each row of the image belongs.
struct Owners {
  Owners(ConstHostView displacement, const MatchOptions& options, std::int64_t width,
         std::int64_t height)
      : columns(owners(width, options.block_width,
                       options.stride_x == 0 ? options.block_width : options.stride_x,
                       displacement.width())),
        rows(owners(height, options.block_height,
                    options.stride_y == 0 ? options.block_height : options.stride_y,
                    displacement.height())) {}

  std::vector<std::optional<std::int64_t>> columns;
  std::vector<std::optional<std::int64_t>> rows;
};

FlowVector vector_of(ConstHostView displacement, std::int64_t column, std::int64_t row) {
  const auto dx = load<std::int16_t>(displacement.row(row), 2 * column);
  const auto dy = load<std::int16_t>(displacement.row(row), 2 * column + 1);
  if (dx == no_match) return unknown_flow;
  return {static_cast<float>(dx), static_cast<float>(dy)};
}

bool is_known(FlowVector vector) { return std::abs(vector.x) < 1e9F && std::abs(vector.y) < 1e9F; }

using Colour = std::array<std::uint8_t, 3>;
constexpr Colour unknown_colour = {0, 0, 0};

Colour colour_of(FlowVector vector, float full) {
  if (!is_known(vector)) return unknown_colour;
  const double saturation = std::min(std::hypot(vector.x, vector.y) / full, 1.0F);
  const double hue = std::atan2(vector.y, vector.x) * 3 / std::numbers::pi;  // 6 is a full turn
  Colour colour{};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    // Distance between the hue and the hue of this channel, 0 to 3.
    const double off = std::abs(std::remainder(hue - 2.0 * static_cast<double>(channel), 6.0));
    const double pure = std::clamp(2.0 - off, 0.0, 1.0);
    colour[channel] = static_cast<std::uint8_t>(std::lround(255 * (1 - saturation * (1 - pure))));
  }
  return colour;
}

// Computes one colour for each block, because there are fewer blocks than pixels.
std::vector<Colour> colours_of_blocks(ConstHostView displacement, float full) {
  std::vector<Colour> colours;
  for (std::int64_t row = 0; row < displacement.height(); ++row) {
    for (std::int64_t column = 0; column < displacement.width(); ++column) {
      colours.push_back(colour_of(vector_of(displacement, column, row), full));
    }
  }
  return colours;
}

}  // namespace

Flow flow_of(ConstHostView displacement, const MatchOptions& options, std::int64_t width,
             std::int64_t height) {
  const Owners owner(displacement, options, width, height);
  Flow flow{width, height, {}};
  flow.vectors.reserve(static_cast<std::size_t>(width * height));
  for (const auto& row : owner.rows) {
    for (const auto& column : owner.columns) {
      flow.vectors.push_back(row && column ? vector_of(displacement, *column, *row) : unknown_flow);
    }
  }
  return flow;
}

std::vector<std::byte> flo_header(const Flow& flow) {
  std::vector<std::byte> header(12);
  store(header.data(), 0, 202021.25F);  // the file type's magic number, "PIEH" as bytes
  store(header.data(), 1, static_cast<std::int32_t>(flow.width));
  store(header.data(), 2, static_cast<std::int32_t>(flow.height));
  return header;
}

void write_flo(const std::string& path, const Flow& flow) {
  io::OutputFile file(path);
  file.write(flo_header(flow));
  file.write(std::as_bytes(std::span(flow.vectors)));
  file.finish();
}

float max_vector_length(const Flow& flow) {
  float length = 0;
  for (const FlowVector vector : flow.vectors) {
    if (is_known(vector)) length = std::max(length, std::hypot(vector.x, vector.y));
  }
  return length;
}

float p99_vector_length(ConstHostView displacement) {
  std::vector<float> lengths;
  for (std::int64_t row = 0; row < displacement.height(); ++row) {
    for (std::int64_t column = 0; column < displacement.width(); ++column) {
      const auto dx = load<std::int16_t>(displacement.row(row), 2 * column);
      const auto dy = load<std::int16_t>(displacement.row(row), 2 * column + 1);
      if (dx != no_match) lengths.push_back(std::hypot(static_cast<float>(dx), dy));
    }
  }
  if (lengths.empty()) return 1;
  const auto at =
      lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() * 99 + 99) / 100 - 1);
  std::nth_element(lengths.begin(), at, lengths.end());
  return std::max(*at, 1.0F);
}

void draw_motion(ConstHostView displacement, const MatchOptions& options, float full,
                 HostView rgb) {
  const Owners owner(displacement, options, rgb.width(), rgb.height());
  const std::vector<Colour> colours = colours_of_blocks(displacement, full);
  const auto colour_at = [&](std::size_t x, std::size_t y) {
    if (!owner.columns[x] || !owner.rows[y]) return unknown_colour;
    return colours[static_cast<std::size_t>(*owner.rows[y] * displacement.width() +
                                            *owner.columns[x])];
  };
  cpu::parallel_rows(rgb.height(), rgb.row_bytes(), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t y = first; y < last; ++y) {
      for (std::int64_t x = 0; x < rgb.width(); ++x) {
        store(rgb.row(y), x, colour_at(static_cast<std::size_t>(x), static_cast<std::size_t>(y)));
      }
    }
  });
}

}  // namespace warpwise::live
