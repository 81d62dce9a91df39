#include <gtest/gtest.h>

#include "warpwise/primitives/gemv/launch.hpp"

// Checks gemv's launches for matrices that no test could hold in memory.
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
  return gemv_plan({a, 4, ElementType::f32, transpose}, 132, clusters);
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
  // Shapes for a single block, or for many blocks with separate sums.
  for (const Shape& s : {Shape{64, 8192, false},
                         {256, 65536, false},
                         {4096, 4096, true},
                         {1000000, 1, true},
                         {262144, 8, true}}) {
    EXPECT_FALSE(plan_of(s.rows, s.columns, s.transpose, true).has_cluster())
        << s.rows << "x" << s.columns;
  }
}

TEST(GemvLaunch, LargeMatricesHaveBlocksForMostMultiprocessors) {
  for (const ElementType type : {ElementType::f32, ElementType::f16}) {
    for (const std::int64_t rows : {4096, 8192, 11008}) {
      for (const std::int64_t columns : {4096, 6144, 8192}) {
        const GemvPlan plan = transposed_plan(rows, columns, type);
        EXPECT_GE(plan.columns.tiles * plan.columns.sets, 96U)
            << name_of(type) << " " << rows << "x" << columns;
        EXPECT_GE(
            plan.columns.tiles * plan.columns.sets * static_cast<unsigned>(plan.columns.threads),
            48U << 10)
            << name_of(type) << " " << rows << "x" << columns;
      }
    }
  }
}

TEST(GemvLaunch, BlocksHoldAllStrandsOfAChunk) {
  for (const ElementType type : {ElementType::f32, ElementType::f16}) {
    for (const std::int64_t columns : {8, 64, 512, 768, 1024, 4096}) {
      for (std::int64_t rows = 257; rows < 5000; rows += 13) {
        kernels::gemv::GemvArguments a{};
        a.pitch = columns * size_of(type);
        a.rows = rows;
        a.columns = columns;
        const GemvPlan plan = gemv_plan({a, size_of(type), type, true}, 132, true);
        if (plan.strand_chunks > 0) continue;
        EXPECT_GE(plan.columns.threads >> plan.columns.log_strand_threads, order::chunk_strands)
            << name_of(type) << " " << rows << "x" << columns;
      }
    }
  }
}

TEST(GemvLaunch, ShortColumnsAreSummedByAWarp) {
  struct Shape {
    std::int64_t rows, columns;
    int width;
  };
  for (const Shape& s : {Shape{1, 1, 32},
                         {32, 4096, 32},
                         {64, 16384, 16},
                         {128, 128, 8},
                         {129, 128, 0},
                         {32, 1'000'001, 32},
                         {64, 1'000'001, 0}}) {
    EXPECT_EQ(plan_of(s.rows, s.columns, true, true).short_width, s.width)
        << s.rows << "x" << s.columns;
  }
}

TEST(GemvLaunch, FewColumnsAreStaged) {
  struct Shape {
    std::int64_t rows, columns;
    int chunks;
  };
  // Most multiprocessors have a block, and no block takes more chunks than shared memory holds.
  for (const Shape& s : {Shape{1'000'000, 1, 16},
                         {10'000, 2, 1},
                         {100'000, 3, 2},
                         {1'000'000, 4, 4},
                         {262'144, 8, 4},
                         {65'536, 16, 2},
                         {8'192, 8, 0},
                         {262'144, 5, 0},
                         {262'144, 20, 0}}) {
    EXPECT_EQ(plan_of(s.rows, s.columns, true, true).strand_chunks, s.chunks)
        << s.rows << "x" << s.columns;
  }
}

TEST(GemvLaunch, BlocksOfWordsAreThereAtOnce) {
  EXPECT_EQ(plan_of(262'144, 64, true, true).columns.sets, 4 * 132);
  EXPECT_EQ(plan_of(100'000, 100, true, true).columns.sets, 391);
}

}  // namespace
}  // namespace warpwise::detail::gemv
