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

GemvPlan plan_of(std::int64_t rows, std::int64_t columns, bool transpose, bool clusters) {
  kernels::gemv::GemvArguments a{};
  a.pitch = 4 * columns;
  a.rows = rows;
  a.columns = columns;
  return gemv_plan({a, 4, ElementType::f32, transpose}, 132, {}, clusters);
}

TEST(GemvLaunch, ClustersSaveTheSecondLaunchWhereThereAreAny) {
  struct Shape {
    std::int64_t rows, columns;
    bool transpose;
  };
  for (const Shape& s : {Shape{64, 12288, false},
                         {64, 16384, false},
                         {16, 65536, false},
                         {8192, 8, true},
                         {16384, 64, true},
                         {32768, 128, true}}) {
    const GemvPlan with = plan_of(s.rows, s.columns, s.transpose, true);
    EXPECT_TRUE(with.has_cluster()) << s.rows << "x" << s.columns;
    EXPECT_EQ(with.lists, 1) << s.rows << "x" << s.columns;
    const GemvPlan without = plan_of(s.rows, s.columns, s.transpose, false);
    EXPECT_FALSE(without.has_cluster()) << s.rows << "x" << s.columns;
    EXPECT_GT(without.lists, 1) << s.rows << "x" << s.columns;
  }
  // What a block does alone, or many blocks do better apart.
  for (const Shape& s : {Shape{64, 8192, false},
                         {256, 65536, false},
                         {4096, 4096, true},
                         {1000000, 1, true},
                         {262144, 8, true}}) {
    EXPECT_FALSE(plan_of(s.rows, s.columns, s.transpose, true).has_cluster())
        << s.rows << "x" << s.columns;
  }
}

}  // namespace
}  // namespace warpwise::detail::gemv
