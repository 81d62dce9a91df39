#include "bench/gemv_shapes.hpp"

#include <gtest/gtest.h>

#include "bench/gpu_run.hpp"

namespace warpwise::bench {
namespace {

Row row_of(const char* variant, const char* implementation, std::int64_t columns,
           std::optional<double> ratio) {
  Row row;
  row.work.variant = variant;
  row.work.implementation = implementation;
  row.work.width = columns;
  row.work.height = 3;
  if (ratio) row.beside = Comparison{.ratio = *ratio};
  return row;
}

TEST(GemvShapes, AreSummedUpByOrder) {
  const std::vector<Row> rows = {row_of("f32 odd", "warpwise", 5, std::nullopt),
                                 row_of("f32 odd", "a peer", 5, 2.0),
                                 row_of("f32 odd", "a peer", 7, 0.5),
                                 row_of("f32 tall", "a peer", 9, 1.0),
                                 row_of("f32 tall", "a peer", 11, 1.5),
                                 row_of("f32 odd transposed", "a peer", 5, 0.9)};
  EXPECT_EQ(
      gemv_shapes_summary(rows),
      (std::vector<std::string>{
          "plain: as fast as a peer or faster at 3 of 4 shapes, median 1.25, least 0.50 (7x3)",
          "transposed: as fast as a peer or faster at 0 of 1 shapes, median 0.90, least 0.90 "
          "(5x3)"}));
  EXPECT_TRUE(gemv_shapes_summary({}).empty());
}

TEST(GemvShapes, AreThereInBothOrdersWithCuda) {
  EXPECT_EQ(std::size(gemv_shapes), 64U);
  const std::size_t count = gemv_shape_cases().size();
  EXPECT_TRUE(count == 0 || count == 4 * std::size(gemv_shapes)) << count;
}

}  // namespace
}  // namespace warpwise::bench
