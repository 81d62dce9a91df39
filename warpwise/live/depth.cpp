#include "warpwise/live/depth.hpp"

#include <algorithm>

namespace warpwise::live {
namespace {

std::int64_t divided_half_up(std::int64_t number, std::int64_t by) {
  const std::int64_t doubled = 2 * number + by;
  return doubled >= 0 ? doubled / (2 * by) : -((-doubled + 2 * by - 1) / (2 * by));
}

}  // namespace

Coding coding_of(const Stream& stream, int component) {
  if (stream.shape.channels == 3) return Coding::full;
  if (stream.colours.range.value == Range::limited) return Coding::limited;
  return component == 0 ? Coding::full : Coding::full_chroma;
}

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

Stream narrowed(const Stream& deep) {
  Stream result = deep;
  result.depth = 8;
  result.shape =
      io::PictureShape::of(deep.samples_of_8_bits(), deep.shape.width, deep.shape.height);
  result.shape.full_range = deep.shape.full_range;
  return result;
}

}  // namespace warpwise::live
