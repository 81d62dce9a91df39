#include "warpwise/io/levels.hpp"

#include <algorithm>

namespace warpwise::io {
namespace {

std::int64_t divided_half_up(std::int64_t number, std::int64_t by) {
  const std::int64_t doubled = 2 * number + by;
  return doubled >= 0 ? doubled / (2 * by) : -((-doubled + 2 * by - 1) / (2 * by));
}

}  // namespace

std::vector<std::uint16_t> levels(int from, int to, Coding coding) {
  const std::int64_t count = std::int64_t{1} << from;
  const std::int64_t result_count = std::int64_t{1} << to;
  const std::int64_t neutral = coding == Coding::full_chroma ? count / 2 : 0;
  const std::int64_t neutral_result = coding == Coding::full_chroma ? result_count / 2 : 0;
  const bool is_limited = coding == Coding::limited;
  const std::int64_t numerator = is_limited ? result_count : result_count - 1;
  const std::int64_t denominator = is_limited ? count : count - 1;
  std::vector<std::uint16_t> table;
  for (std::int64_t code = 0; code < count; ++code) {
    const std::int64_t level =
        divided_half_up((code - neutral) * numerator, denominator) + neutral_result;
    table.push_back(
        static_cast<std::uint16_t>(std::clamp<std::int64_t>(level, 0, result_count - 1)));
  }
  return table;
}

void map_planes(const PictureShape& shape, std::span<const std::vector<std::uint16_t>> tables,
                std::span<const std::byte> from, std::span<std::byte> to) {
  std::int64_t sample = 0;
  int plane = 0;
  for (const std::vector<std::uint16_t>& table : tables) {
    const std::int64_t end = sample + shape.plane_width(plane) * shape.plane_height(plane);
    for (; sample < end; ++sample) {
      const std::size_t code = warpwise::load<std::uint16_t>(from.data(), sample);
      warpwise::store(to.data(), sample, table[std::min(code, table.size() - 1)]);
    }
    ++plane;
  }
}

}  // namespace warpwise::io
