#include "warpwise/primitives/shared/batch.hpp"

#include <algorithm>
#include <utility>

namespace warpwise::detail {

void require_disjoint(std::string_view primitive, std::vector<BatchRows> rows) {
  const auto first_source =
      std::partition(rows.begin(), rows.end(), [](const BatchRows& r) { return r.is_dst; });
  const std::span<const BatchRows> written(rows.begin(), first_source);
  const std::span<const BatchRows> read(first_source, rows.end());
  const auto by_start = [](const BatchRows& a, const BatchRows& b) {
    return std::pair(a.memory.data, a.image) < std::pair(b.memory.data, b.image);
  };
  std::sort(rows.begin(), first_source, by_start);
  std::sort(first_source, rows.end(), by_start);

  const auto name_of = [](const BatchRows& r) {
    return std::string(r.is_dst ? "dst[" : "src[") + std::to_string(r.image) + "]";
  };
  // If two ranges overlap, one starts in the other. Sources are not compared with each other: there
  // may be thousands of them at the same address.
  const auto refuse_starts_in = [&](const BatchRows& a, std::span<const BatchRows> others) {
    const auto first = std::ranges::lower_bound(others, a.memory.data, {},
                                                [](const BatchRows& r) { return r.memory.data; });
    const std::byte* end = a.memory.data + a.memory.bytes();
    for (auto b = first; b != others.end() && b->memory.data < end; ++b) {
      if (&*b == &a || !rows_overlap(a.memory, b->memory)) continue;
      throw InvalidArgument(std::string(primitive) + ": " + name_of(a) + " and " + name_of(*b) +
                            " overlap in memory");
    }
  };
  for (const BatchRows& dst : written) {
    refuse_starts_in(dst, written);
    refuse_starts_in(dst, read);
  }
  for (const BatchRows& src : read) refuse_starts_in(src, written);
}

}  // namespace warpwise::detail
