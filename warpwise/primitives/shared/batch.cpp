#include "warpwise/primitives/shared/batch.hpp"

#include <algorithm>

namespace warpwise::detail {

void require_disjoint(std::string_view primitive, std::vector<BatchRows> rows) {
  std::sort(rows.begin(), rows.end(),
            [](const BatchRows& a, const BatchRows& b) { return a.memory.data < b.memory.data; });
  const auto name_of = [](const BatchRows& r) {
    return std::string(r.is_dst ? "dst[" : "src[") + std::to_string(r.image) + "]";
  };
  for (auto a = rows.begin(); a != rows.end(); ++a) {
    const std::byte* end = a->memory.data + a->memory.bytes();
    for (auto b = a + 1; b != rows.end() && b->memory.data < end; ++b) {
      if ((!a->is_dst && !b->is_dst) || !rows_overlap(a->memory, b->memory)) continue;
      throw InvalidArgument(std::string(primitive) + ": " + name_of(*a) + " and " + name_of(*b) +
                            " overlap in memory");
    }
  }
}

}  // namespace warpwise::detail
