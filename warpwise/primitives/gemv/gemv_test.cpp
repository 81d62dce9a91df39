#include "warpwise/primitives/gemv/gemv.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "support/backend.hpp"
#include "support/guarded_image.hpp"
#include "warpwise/primitives/gemv/launch.hpp"

namespace warpwise {
namespace {

using test::Backend;
using test::GuardedImage;
using test::Layout;
using test::OnDevice;

constexpr ElementType types[] = {ElementType::f32, ElementType::f16, ElementType::bf16};
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

// --- Elements ------------------------------------------------------------------------------------

float get(ConstHostView view, std::int64_t row, std::int64_t column) {
  switch (view.type()) {
    case ElementType::f16: return to_float(load<Float16>(view.row(row), column));
    case ElementType::bf16: return to_float(load<BFloat16>(view.row(row), column));
    default: return load<float>(view.row(row), column);
  }
}

float get(ConstHostView vector, std::int64_t i) {
  return vector.height() == 1 ? get(vector, 0, i) : get(vector, i, 0);
}

void set(HostView view, std::int64_t row, std::int64_t column, float value) {
  switch (view.type()) {
    case ElementType::f16: return store(view.row(row), column, to_float16(value));
    case ElementType::bf16: return store(view.row(row), column, to_bfloat16(value));
    default: return store(view.row(row), column, value);
  }
}

void fill(HostView view, const std::function<float()>& value) {
  for (std::int64_t row = 0; row < view.height(); ++row) {
    for (std::int64_t column = 0; column < view.width(); ++column) set(view, row, column, value());
  }
}

void fill_random(HostView view, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-2, 2);
  fill(view, [&] { return uniform(random); });
}

// --- The order of the sums, as README.md states it, one number at a time -------------------------

float halves(std::vector<float> lanes) {
  for (std::size_t half = lanes.size() / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

std::vector<float> in_lanes(const std::vector<float>& terms, std::size_t first, std::size_t last) {
  std::vector<float> lanes(32);
  for (std::size_t i = first; i < last && i < terms.size(); ++i)
    lanes[(i - first) % 32] += terms[i];
  return lanes;
}

float sum_of_sums(std::vector<float> sums) {
  while (sums.size() > 1) {
    std::vector<float> groups;
    for (std::size_t i = 0; i < sums.size(); i += 1024) {
      groups.push_back(halves(in_lanes(sums, i, i + 1024)));
    }
    sums = groups;
  }
  return sums[0];
}

float sum_of_row(const std::vector<float>& products) {
  std::vector<float> chunks;
  for (std::size_t first = 0; first < products.size(); first += 1024) {
    std::vector<std::vector<float>> piece;
    for (std::size_t p = 0; p < 4; ++p) {
      piece.push_back(in_lanes(products, first + 256 * p, first + 256 * (p + 1)));
    }
    std::vector<float> lanes(32);
    for (std::size_t i = 0; i < 32; ++i) {
      lanes[i] = (piece[0][i] + piece[1][i]) + (piece[2][i] + piece[3][i]);
    }
    chunks.push_back(halves(lanes));
  }
  return sum_of_sums(chunks);
}

float sum_of_column(const std::vector<float>& products) {
  std::vector<float> chunks;
  for (std::size_t first = 0; first < products.size(); first += 256) {
    float chunk = 0;
    for (std::size_t strand = 0; strand < 8; ++strand) {
      float sum = 0;
      for (std::size_t i = 0; i < 32; ++i) {
        const std::size_t at = first + 32 * strand + i;
        if (at < products.size()) sum += products[at];
      }
      chunk += sum;
    }
    chunks.push_back(chunk);
  }
  return sum_of_sums(chunks);
}

// --- A product and its check ---------------------------------------------------------------------

enum class Shape { row, column };

struct Problem {
  GuardedImage a;
  GuardedImage x;
  GuardedImage y;
  GemvOptions options;

  static std::int64_t columns(std::int64_t rows, std::int64_t cols, bool transpose) {
    return transpose ? rows : cols;
  }
  static GuardedImage vector(ElementType type, std::int64_t size, Shape shape, Layout layout) {
    return shape == Shape::row ? GuardedImage(type, size, 1, 1, layout)
                               : GuardedImage(type, 1, size, 1, layout);
  }

  Problem(ElementType type, std::int64_t rows, std::int64_t cols, const GemvOptions& how,
          Layout layout = {}, Shape shape = Shape::row)
      : a(type, cols, rows, 1, layout),
        x(vector(type, columns(rows, cols, how.transpose), shape, layout)),
        y(vector(ElementType::f32, columns(cols, rows, how.transpose), shape, layout)),
        options(how) {
    const auto seed = static_cast<unsigned>(rows * 31 + cols);
    fill_random(a.view(), seed);
    fill_random(x.view(), seed + 1);
    fill_random(y.view(), seed + 2);
  }

  void run(Backend backend) {
    if (backend == Backend::cpu) {
      gemv(a.view(), x.view(), y.view(), options);
      return;
    }
    const gpu::Stream stream;
    OnDevice device_a(a, stream);
    OnDevice device_x(x, stream);
    OnDevice device_y(y, stream);
    gemv(device_a.view(), device_x.view(), device_y.view(), options, stream);
    device_y.download(stream);
  }

  /// Runs the product. Requires the fixed order's bits and an error within the documented bound.
  void run_and_compare(Backend backend) {
    const ConstHostView m = std::as_const(a).view();
    GuardedImage before = y;
    GuardedImage exact = y;
    reference::gemv(m, std::as_const(x).view(), exact.view(), options);
    run(backend);
    y.expect_guards_intact();

    const std::int64_t outputs = options.transpose ? m.width() : m.height();
    const std::int64_t terms = options.transpose ? m.height() : m.width();
    for (std::int64_t i = 0; i < outputs; ++i) {
      std::vector<float> products;
      double magnitude = std::abs(options.beta * get(before.view(), i));
      for (std::int64_t k = 0; k < terms; ++k) {
        const float element = options.transpose ? get(m, k, i) : get(m, i, k);
        products.push_back(element * get(x.view(), k));
        magnitude += std::abs(double{options.alpha} * element * get(x.view(), k));
      }
      const float sum = options.alpha == 0
                            ? 0
                            : options.alpha * (options.transpose ? sum_of_column(products)
                                                                 : sum_of_row(products));
      const float want = options.beta == 0 ? sum : sum + options.beta * get(before.view(), i);
      const float got = get(y.view(), i);
      ASSERT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(want))
          << got << " is not " << want << " at element " << i;
      const double levels = terms > (options.transpose ? 1 << 18 : 1 << 20) ? 116 : 80;
      ASSERT_LE(std::abs(got - double{get(exact.view(), i)}), levels * 0x1p-24 * magnitude)
          << "at element " << i;
    }
  }
};

class GemvTest : public test::BackendTest {
 protected:
  void compare(ElementType type, std::int64_t rows, std::int64_t columns,
               const GemvOptions& options, Layout layout = {}, Shape shape = Shape::row) {
    SCOPED_TRACE(testing::Message()
                 << name_of(type) << " " << rows << " rows, " << columns << " columns"
                 << (options.transpose ? ", transposed" : "") << ", offset " << layout.offset_bytes
                 << ", padding " << layout.padding_bytes);
    Problem problem(type, rows, columns, options, layout, shape);
    problem.run_and_compare(GetParam());
  }
  void compare_both(ElementType type, std::int64_t rows, std::int64_t columns, Layout layout = {},
                    Shape shape = Shape::row) {
    compare(type, rows, columns, {1, 0, false}, layout, shape);
    compare(type, rows, columns, {-0.75F, 1.5F, true}, layout, shape);
  }
};

TEST_P(GemvTest, AwkwardSizesAndLayouts) {
  int turn = 0;
  for (const auto& size : test::awkward_sizes()) {
    for (const Layout& layout : test::awkward_layouts()) {
      for (const ElementType type : types) {
        compare_both(type, size.height, size.width, layout,
                     ++turn % 2 == 0 ? Shape::row : Shape::column);
      }
    }
  }
}

TEST_P(GemvTest, SizesAroundEveryPartOfTheOrder) {
  for (const ElementType type : types) {
    for (const std::int64_t size :
         {7,   8,   9,   15,  16,  24,  31,   32,   33,   63,   64,   100, 255,
          256, 257, 511, 512, 513, 768, 1023, 1024, 1025, 2047, 2049, 4097}) {
      compare_both(type, 5, size);
      compare_both(type, size, 5);
      compare_both(type, 1, size, {2, 2});
      compare_both(type, size, 1, {4, 4});
    }
  }
}

TEST_P(GemvTest, MoreChunksThanLanes) {
  compare_both(ElementType::f32, 3, 40'000);
  compare_both(ElementType::f32, 40'000, 3);
  compare_both(ElementType::f16, 9'000, 130);
  compare_both(ElementType::bf16, 2, 70'001, {2, 2}, Shape::column);
}

// On a GPU, one block or a cluster of two, four or eight adds the chunks, or a second launch does.
TEST_P(GemvTest, EveryNumberOfChunksInARow) {
  for (const ElementType type : types) {
    for (const std::int64_t columns : {3000, 8192, 8200, 12'289, 16'384, 32'760, 33'000}) {
      compare(type, 5, columns, {1.5F, 0.5F, false});
    }
  }
  compare(ElementType::f32, 1100, 9'000, {});
  compare(ElementType::f16, 700, 16'384, {});
}

TEST_P(GemvTest, LoadsOfEveryWidth) {
  // The rows start at multiples of 16, 8, 4 and 2 bytes, with widths for each of the kernels.
  for (const ElementType type : types) {
    for (const std::int64_t columns : {24, 28, 30, 31, 136, 140, 142, 143, 400, 404, 406, 407}) {
      compare_both(type, 150, columns);
    }
  }
}

TEST_P(GemvTest, FewColumns) {
  for (const std::int64_t columns : {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17}) {
    for (const std::int64_t rows : {127, 130, 256, 2600, 8193, 8449, 20'000}) {
      compare_both(ElementType::f32, rows, columns);
    }
    compare(ElementType::f32, 8500, columns, {2, 1, true}, {4, 0});
    compare(ElementType::f32, 8500, columns, {2, 1, true}, {0, 16}, Shape::column);
    Problem unaligned_x(ElementType::f32, 8500, columns, {1, 0, true});
    unaligned_x.x = GuardedImage(ElementType::f32, 8500, 1, 1, {4, 0});
    fill_random(unaligned_x.x.view(), 5);
    unaligned_x.run_and_compare(GetParam());
  }
  // Each block takes several chunks; the last block may have fewer.
  compare(ElementType::f32, 70'001, 16, {1, 0, true});
  compare(ElementType::f32, 140'003, 3, {1, 0, true});
}

TEST_P(GemvTest, SumsOfNegativeZerosAreZero) {
  for (const std::int64_t columns : {1, 3, 5, 8, 12, 16, 17, 32, 40, 300}) {
    for (const bool transpose : {false, true}) {
      Problem problem(ElementType::f32, 11, columns, {1, 0, transpose});
      fill(problem.a.view(), [] { return 1.0F; });
      fill(problem.x.view(), [] { return -0.0F; });
      problem.run_and_compare(GetParam());
    }
  }
}

TEST_P(GemvTest, ShortColumns) {
  for (const ElementType type : types) {
    for (const std::int64_t rows : {1, 31, 32, 33, 64, 65, 100, 128, 129}) {
      for (const std::int64_t columns : {1, 8, 9, 33, 71}) compare_both(type, rows, columns);
    }
  }
}

TEST_P(GemvTest, MoreChunksThanAGroup) {
  compare(ElementType::f32, 2, (1 << 20) + 1500, {});
  compare(ElementType::f32, (1 << 18) + 300, 2, {1, 0, true});
  compare(ElementType::f16, (1 << 18) + 300, 1, {1, 0, true});
  // The kernel loads whole words, and there are more chunks than blocks.
  compare(ElementType::f16, (1 << 18) + 300, 8, {1, 0, true});
  compare(ElementType::bf16, (1 << 18) + 300, 8, {1, 0, true});
}

TEST_P(GemvTest, ChunksOfMoreOutputsThanWarpsAddUp) {
  // Each block of gemv_sum adds the chunks of 32 columns; the last block has fewer.
  constexpr std::int64_t rows = 950, columns = 2065;
  Problem problem(ElementType::f32, rows, columns, {1, 0, true}, {2, 2});
  detail::gemv::GemvCall call{
      .arguments = {}, .x_stride = 4, .type = ElementType::f32, .transpose = true};
  call.arguments.a = reinterpret_cast<const unsigned char*>(problem.a.view().data());
  call.arguments.pitch = problem.a.view().pitch_bytes();
  call.arguments.rows = rows;
  call.arguments.columns = columns;
  constexpr int multiprocessors_of_h100 = 132;
  EXPECT_GT(detail::gemv::gemv_plan(call, multiprocessors_of_h100, true).lists, 1);
  problem.run_and_compare(GetParam());
}

TEST_P(GemvTest, LargerThanOneTask) {
  for (const ElementType type : types) {
    compare_both(type, 700, 700);
    compare_both(type, 513, 2500, {4, 4});
    compare_both(type, 1000, 768);
    compare(type, 1025, 2051, {1, 0, true});  // single elements that bypass the first-level cache
  }
}

TEST_P(GemvTest, Scales) {
  for (const bool transpose : {false, true}) {
    for (const float alpha : {0.0F, 1.0F, -1.0F, 0.3F}) {
      for (const float beta : {0.0F, 1.0F, -1.0F, 0.7F}) {
        compare(ElementType::f32, 50, 300, {alpha, beta, transpose});
      }
    }
  }
}

TEST_P(GemvTest, DoesNotReadYWhenBetaIsZero) {
  for (const bool transpose : {false, true}) {
    Problem problem(ElementType::f32, 40, 33, {2, 0, transpose});
    fill(problem.y.view(), [] { return nan; });
    problem.run(GetParam());
    for (int i = 0; i < (transpose ? 33 : 40); ++i) {
      ASSERT_FALSE(std::isnan(get(problem.y.view(), i)));
    }
  }
}

TEST_P(GemvTest, DoesNotReadTheMatrixWhenAlphaIsZero) {
  for (const bool transpose : {false, true}) {
    for (const float beta : {0.0F, 3.0F}) {
      Problem problem(ElementType::f16, 40, 33, {0, beta, transpose});
      fill(problem.a.view(), [] { return nan; });
      fill(problem.x.view(), [] { return infinity; });
      fill(problem.y.view(), [] { return 2.0F; });
      problem.run(GetParam());
      for (int i = 0; i < (transpose ? 33 : 40); ++i) {
        ASSERT_EQ(get(problem.y.view(), i), 2 * beta);
      }
    }
  }
}

TEST_P(GemvTest, ReadsNothingBesideTheSubView) {
  for (const ElementType type : types) {
    for (const bool transpose : {false, true}) {
      Problem problem(type, 45, 70, {1, 0, transpose});
      GuardedImage around(type, 70 + 64, 45 + 64);
      fill(around.view(), [] { return nan; });
      const HostView inside = around.view().sub_view(32, 32, 70, 45);
      for (int row = 0; row < 45; ++row) {
        for (int column = 0; column < 70; ++column) {
          set(inside, row, column, get(problem.a.view(), row, column));
        }
      }
      GuardedImage separate = problem.y;
      if (GetParam() == Backend::cpu) {
        gemv(inside, problem.x.view(), separate.view(), problem.options);
      } else {
        const gpu::Stream stream;
        OnDevice device_a(around, stream);
        OnDevice device_x(problem.x, stream);
        OnDevice device_y(separate, stream);
        gemv(device_a.view().sub_view(32, 32, 70, 45), device_x.view(), device_y.view(),
             problem.options, stream);
        device_y.download(stream);
      }
      problem.run(GetParam());
      test::expect_equal(problem.y.view(), separate.view());
    }
  }
}

TEST_P(GemvTest, CarriesInfinityAndNan) {
  for (const ElementType type : types) {
    for (const bool transpose : {false, true}) {
      Problem problem(type, 300, 300, {1, 0, transpose});
      set(problem.a.view(), 7, 7, infinity);
      set(problem.x.view(), 0, 7, 1);
      set(problem.a.view(), 290, 290, nan);
      problem.run(GetParam());
      for (int i = 0; i < 300; ++i) {
        const float got = get(problem.y.view(), i);
        if (i == 7)
          ASSERT_EQ(got, infinity);
        else if (i == 290)
          ASSERT_TRUE(std::isnan(got));
        else
          ASSERT_TRUE(std::isfinite(got)) << i;
      }
    }
  }
}

TEST_P(GemvTest, KeepsSubnormalNumbers) {
  for (const ElementType type : types) {
    Problem problem(type, 3, 40, {});
    // A subnormal number of the type. In f16 it is larger, because the exponent has fewer bits.
    const float least = type == ElementType::f16 ? 0x1p-24F : 0x1p-130F;
    fill(problem.a.view(), [&] { return least; });
    fill(problem.x.view(), [] { return 1.0F; });
    problem.run(GetParam());
    ASSERT_EQ(get(problem.y.view(), 0), 40 * least);
  }
}

TEST(Gemv, GivesTheSameBitsFromManyThreads) {
  const Problem original(ElementType::f32, 900, 1300, {1.25F, 0.5F, true});
  Problem alone = original;
  alone.run(Backend::cpu);
  std::vector<Problem> copies(8, original);
  std::vector<std::thread> threads;
  for (Problem& copy : copies) threads.emplace_back([&copy] { copy.run(Backend::cpu); });
  for (std::thread& thread : threads) thread.join();
  for (const Problem& copy : copies) test::expect_equal(alone.y.view(), copy.y.view());
}

TEST(Gemv, ReferenceMultiplies) {
  const float a[] = {1, 2, 3, 4, 5, 6};
  const float x[] = {1, 10, 100};
  float y[] = {1000, 2000};
  reference::gemv(ConstHostView(a, 3, 2), ConstHostView(x, 3, 1), HostView(y, 1, 2), {2, 1, false});
  EXPECT_EQ(y[0], 2 * 321 + 1000);
  EXPECT_EQ(y[1], 2 * 654 + 2000);
  float z[] = {nan, nan, nan};
  reference::gemv(ConstHostView(a, 3, 2), ConstHostView(x, 1, 2), HostView(z, 3, 1), {1, 0, true});
  EXPECT_EQ(z[0], 41);
  EXPECT_EQ(z[1], 52);
  EXPECT_EQ(z[2], 63);
}

TEST(Gemv, TakesAColumnOfTheMatrixsOwnMemoryAsResult) {
  // Each row of four floats has three columns of A and one element of y.
  float memory[] = {1, 2, 3, 0, 4, 5, 6, 0};
  const HostView all(memory, 4, 2);
  const float x[] = {1, 1, 1};
  gemv(all.sub_view(0, 0, 3, 2), ConstHostView(x, 3, 1), all.sub_view(3, 0, 1, 2));
  EXPECT_EQ(memory[3], 6);
  EXPECT_EQ(memory[7], 15);
}

TEST(Gemv, RefusesWhatItCannotMultiply) {
  GuardedImage a(ElementType::f32, 5, 3);
  GuardedImage x(ElementType::f32, 5, 1);
  GuardedImage y(ElementType::f32, 3, 1);
  EXPECT_NO_THROW(gemv(a.view(), x.view(), y.view()));
  EXPECT_NO_THROW(gemv(a.view(), y.view(), x.view(), {1, 0, true}));
  EXPECT_THROW(gemv(a.view(), y.view(), x.view()), InvalidArgument);
  EXPECT_THROW(gemv(a.view(), x.view(), y.view(), {1, 0, true}), InvalidArgument);
  EXPECT_THROW(gemv(a.view(), a.view(), y.view()), InvalidArgument);

  GuardedImage square(ElementType::f32, 5, 5);
  GuardedImage other(ElementType::f32, 5, 1);
  EXPECT_THROW(gemv(square.view(), x.view(), x.view()), InvalidArgument);
  EXPECT_THROW(gemv(square.view(), x.view(), square.view().sub_view(0, 2, 5, 1)), InvalidArgument);
  EXPECT_NO_THROW(gemv(square.view(), x.view(), other.view()));

  for (const ElementType wrong : {ElementType::u8, ElementType::i32, ElementType::f16}) {
    GuardedImage matrix(wrong, 5, 3);
    GuardedImage factor(wrong, 5, 1);
    GuardedImage result(wrong, 3, 1);
    EXPECT_THROW(gemv(matrix.view(), x.view(), y.view()), InvalidArgument);
    EXPECT_THROW(gemv(a.view(), factor.view(), y.view()), InvalidArgument);
    EXPECT_THROW(gemv(a.view(), x.view(), result.view()), InvalidArgument);
  }
  GuardedImage colours(ElementType::f32, 5, 3, 2);
  EXPECT_THROW(gemv(colours.view(), x.view(), y.view()), InvalidArgument);
}

TEST(Gemv, SaysThatThereIsNoGpu) {
  if (gpu::device_count() != 0) GTEST_SKIP() << "this machine has a GPU";
  float numbers[3] = {1, 2, 3};
  EXPECT_THROW(gemv(ConstDeviceView(numbers, 1, 1), ConstDeviceView(numbers + 1, 1, 1),
                    DeviceView(numbers + 2, 1, 1), {}, nullptr),
               NoCudaDevice);
}

INSTANTIATE_TEST_SUITE_P(, GemvTest, test::both_backends(), testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise
