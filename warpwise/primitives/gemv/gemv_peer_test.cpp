#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "warpwise/base/image.hpp"
#include "warpwise/primitives/gemv/gemv.hpp"

// The only function of BLAS's C interface used here. It is declared because its header's place
// differs between systems. order 101: row-major, 102: column-major. transpose 111: A, 112: the
// transpose of A.
extern "C" void cblas_sgemv(int order, int transpose, int rows, int columns, float alpha,
                            const float* a, int leading, const float* x, int x_step, float beta,
                            float* y, int y_step);

namespace warpwise {
namespace {

std::vector<float> random_floats(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) number = uniform(random);
  return numbers;
}

struct Shape {
  int rows;
  int columns;
  int leading;  ///< floats from row to row, at least `columns`
  int x_step;
  int y_step;
};

// Returns a view of `size` floats, each `step` floats after the one before.
template <class View, class Float>
View vector(Float* data, int size, int step) {
  return step == 1 ? View(data, size, 1)
                   : View(data, 1, size, 1, step * std::int64_t{sizeof(float)});
}

void compare(const Shape& shape, float alpha, float beta, bool transpose, bool column_major) {
  SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.columns << " in rows of "
                                  << shape.leading << ", steps " << shape.x_step << " and "
                                  << shape.y_step << (transpose ? ", transposed" : "")
                                  << (column_major ? ", column-major" : ""));
  const int terms = transpose ? shape.rows : shape.columns;
  const int outputs = transpose ? shape.columns : shape.rows;
  const auto a = random_floats(std::int64_t{shape.rows} * shape.leading, 1);
  const auto x = random_floats(std::int64_t{terms} * shape.x_step, 2);
  std::vector<float> ours = random_floats(std::int64_t{outputs} * shape.y_step, 3);
  std::vector<float> theirs = ours;

  const ConstHostView matrix(a.data(), shape.columns, shape.rows, 1,
                             shape.leading * std::int64_t{sizeof(float)});
  gemv(matrix, vector<ConstHostView>(x.data(), terms, shape.x_step),
       vector<HostView>(ours.data(), outputs, shape.y_step), {alpha, beta, transpose});
  if (column_major) {
    // Read as a column-major matrix, the same memory is the transpose of A.
    cblas_sgemv(102, transpose ? 111 : 112, shape.columns, shape.rows, alpha, a.data(),
                shape.leading, x.data(), shape.x_step, beta, theirs.data(), shape.y_step);
  } else {
    cblas_sgemv(101, transpose ? 112 : 111, shape.rows, shape.columns, alpha, a.data(),
                shape.leading, x.data(), shape.x_step, beta, theirs.data(), shape.y_step);
  }
  // Elements are in [-1, 1]. Our sums are within 80 roundings of the exact sum. BLAS promises no
  // order, so its sums have at worst one rounding for each term.
  const double bound = (80.0 + terms + 2) * 0x1p-24 * (std::abs(alpha) * terms + std::abs(beta));
  for (std::size_t i = 0; i < ours.size(); ++i) ASSERT_NEAR(ours[i], theirs[i], bound) << i;
}

TEST(GemvPeer, Agrees) {
  std::vector<Shape> shapes;
  for (const int rows : {1, 2, 7, 16, 33, 100, 257, 1000}) {
    for (const int columns : {1, 3, 8, 31, 64, 130, 1025, 2000}) {
      shapes.push_back({rows, columns, columns, 1, 1});
    }
  }
  shapes.push_back({100, 70, 96, 1, 1});
  shapes.push_back({100, 70, 71, 3, 2});
  shapes.push_back({1, 100'000, 100'000, 1, 1});
  shapes.push_back({100'000, 1, 1, 1, 1});
  shapes.push_back({3, 1 << 20, 1 << 20, 1, 1});
  for (const Shape& shape : shapes) {
    for (const bool transpose : {false, true}) {
      compare(shape, 1, 0, transpose, false);
      compare(shape, -0.5F, 2, transpose, true);
    }
  }
}

TEST(GemvPeer, NeitherReadsYWhenBetaIsZero) {
  const auto a = random_floats(30, 1);
  const auto x = random_floats(6, 2);
  std::vector<float> ours(5, std::nanf(""));
  std::vector<float> theirs = ours;
  gemv(ConstHostView(a.data(), 6, 5), ConstHostView(x.data(), 6, 1), HostView(ours.data(), 5, 1));
  cblas_sgemv(101, 111, 5, 6, 1, a.data(), 6, x.data(), 1, 0, theirs.data(), 1);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(ours[i], theirs[i], 1e-5);
}

}  // namespace
}  // namespace warpwise
