#include <gtest/gtest.h>

#include "warpwise/primitives/gemv/launch.hpp"

// How gemv is launched for matrices that no test could hold in memory.
namespace warpwise::detail::gemv {
namespace {

GemvPlan transposed_plan(std::int64_t rows, std::int64_t columns, ElementType type) {
  kernels::gemv::GemvArguments a{};
  a.pitch = columns * size_of(type);
  a.rows = rows;
  a.columns = columns;
  return gemv_plan({a, size_of(type), type, true}, 132);
}

TEST(GemvLaunch, MoreChunksThanAGroupAreListsOfTheirOwn) {
  const std::int64_t most = std::int64_t{order::group} * order::chunk_rows;
  for (const ElementType type : {ElementType::f32, ElementType::f16}) {
    for (const std::int64_t columns : {8, 4095, 4096, 16384}) {
      EXPECT_EQ(transposed_plan(most + 1, columns, type).lists, order::group + 1) << columns;
    }
  }
  EXPECT_EQ(transposed_plan(most, 4096, ElementType::f32).lists, 1);
}

}  // namespace
}  // namespace warpwise::detail::gemv
