#include "warpwise/primitives/disparity/disparity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

#include "support/backend.hpp"
#include "support/guarded_image.hpp"
#include "warpwise/primitives/disparity/rendered_pair.hpp"
#include "warpwise/primitives/shared/reference_scores.hpp"

namespace warpwise {
namespace {

using test::Backend;
using test::GuardedImage;
using test::Layout;
using test::OnDevice;
using test::RenderedPair;
using test::Size;
using test::Texture;

constexpr Measure measures[] = {Measure::sad, Measure::ssd, Measure::ncc, Measure::zncc};

std::string text_of(const DisparityOptions& o) {
  return "block " + std::to_string(o.block) + " range " + std::to_string(o.max_disparity) +
         " measure " + std::to_string(static_cast<int>(o.measure)) + " check " +
         std::to_string(o.check) + (o.subpixel ? " subpixel" : "");
}

/// A pair whose left image is the right one moved by 3 pixels, with some noise.
struct Pair {
  GuardedImage left, right;

  /// \param levels  number of different pixel values; few make many ties
  Pair(Size size, int levels, std::uint64_t seed, Layout left_layout = {}, Layout right_layout = {})
      : left(ElementType::u8, size.width, size.height, 1, left_layout),
        right(ElementType::u8, size.width, size.height, 1, right_layout) {
    std::mt19937_64 random(seed);
    const auto level = [&] {
      return static_cast<std::uint8_t>(static_cast<int>(random() % levels) * 255 /
                                       std::max(levels - 1, 1));
    };
    for (std::int64_t y = 0; y < size.height; ++y) {
      for (std::int64_t x = 0; x < size.width; ++x) store(right.view().row(y), x, level());
      for (std::int64_t x = 0; x < size.width; ++x) {
        const auto moved =
            load<std::uint8_t>(right.view().row(y), std::max<std::int64_t>(x - 3, 0));
        store(left.view().row(y), x, random() % 8 == 0 ? level() : moved);
      }
    }
  }
};

class DisparityTest : public test::BackendTest {
 protected:
  void run_and_compare(Pair& pair, ConstHostView expected, const DisparityOptions& options,
                       Layout dst_layout = {}) {
    GuardedImage dst(ElementType::f32, expected.width(), expected.height(), 1, dst_layout);
    if (GetParam() == Backend::cpu) {
      disparity(pair.left.view(), pair.right.view(), dst.view(), options);
    } else {
      const gpu::Stream stream;
      OnDevice left(pair.left, stream), right(pair.right, stream), device_dst(dst, stream);
      disparity(left.view(), right.view(), device_dst.view(), options, stream);
      device_dst.download(stream);
    }
    SCOPED_TRACE(text_of(options));
    test::expect_equal(expected, dst.view());
    dst.expect_guards_intact();
  }

  void compare_with_reference(Size size, int levels, const DisparityOptions& options) {
    Pair pair(size, levels, static_cast<std::uint64_t>(size.width * 7 + size.height));
    GuardedImage expected(ElementType::f32, size.width, size.height);
    reference::disparity(pair.left.view(), pair.right.view(), expected.view(), options);
    run_and_compare(pair, expected.view(), options);
  }
};

TEST_P(DisparityTest, AwkwardSizesAndLayouts) {
  for (const Size& size : test::awkward_sizes()) {
    for (const Measure& measure : measures) {
      const DisparityOptions options{3, 17, measure, 1, true};
      GuardedImage expected(ElementType::f32, size.width, size.height);
      Pair first(size, 256, 1);
      reference::disparity(first.left.view(), first.right.view(), expected.view(), options);
      const auto& layouts = test::awkward_layouts();
      // A large image uses one or two layouts for each measure: layouts only affect the edges.
      const std::size_t step = size.width * size.height > 4000 ? 4 : 1;
      const std::size_t turn = static_cast<std::size_t>(&measure - measures) % step;
      for (std::size_t i = turn; i < layouts.size(); i += step) {
        const auto layout = [&](std::size_t k) { return layouts[(i + k) % layouts.size()]; };
        Pair pair(size, 256, 1, layout(0), layout(1));
        run_and_compare(pair, expected.view(), options, layout(2));
      }
    }
  }
}

TEST_P(DisparityTest, EveryOption) {
  int checks = 0;
  for (const Measure measure : measures) {
    for (const int block : {1, 3, 11, 15, 17}) {
      for (const int range : {0, 1, 2, 15, 16, 31, 40, 500}) {
        const int check = checks++ % 4 - 1;
        compare_with_reference({53, 11}, 256, {block, range, measure, check, check != 0});
      }
    }
  }
}

TEST_P(DisparityTest, TiesGoToTheSmallestDisplacement) {
  for (const Measure measure : measures) {
    for (const int levels : {1, 2, 3}) {
      for (const int block : {1, 3, 5}) {
        compare_with_reference({97, 13}, levels, {block, 30, measure, 1, true});
        compare_with_reference({97, 13}, levels, {block, 30, measure, -1, true});
      }
    }
  }
}

TEST_P(DisparityTest, BlocksLargerThanTheImage) {
  for (const Measure measure : measures) {
    for (const int block : {33, 129, 255}) {
      compare_with_reference({9, 4}, 256, {block, 5, measure, 1, true});
    }
  }
}

TEST_P(DisparityTest, TheLargestSums) {
  for (const Measure measure : measures) {
    for (const int block : {15, 17, 255}) {
      for (const int left : {0, 255}) {
        Pair pair({6, 3}, 1, 1);
        for (std::int64_t y = 0; y < 3; ++y) {
          std::fill_n(pair.left.view().row(y), 6, static_cast<std::byte>(left));
          std::fill_n(pair.right.view().row(y), 6, std::byte{255});
          store(pair.right.view().row(y), 0, std::uint8_t{0});
        }
        const DisparityOptions options{block, 4, measure, 0, true};
        GuardedImage expected(ElementType::f32, 6, 3);
        reference::disparity(pair.left.view(), pair.right.view(), expected.view(), options);
        run_and_compare(pair, expected.view(), options);
      }
    }
  }
}

TEST_P(DisparityTest, RandomProblems) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int i = 0; i < 60; ++i) {
    const DisparityOptions options{2 * below(6) + 1, below(80), measures[below(4)], below(4) - 1,
                                   below(2) == 1};
    compare_with_reference({1 + below(150), 1 + below(50)}, 2 + below(255), options);
  }
}

TEST_P(DisparityTest, SeveralTilesAndStrips) {
  for (const Measure measure : measures) {
    compare_with_reference({310, 131}, 256, {5, 40, measure, 1, true});
  }
}

// For up to 68 displacements, except by sad, the GPU keeps column sums of only 17 lanes of a warp.
TEST_P(DisparityTest, RangesOfSomeLanes) {
  for (const int range : {1, 63, 64, 67, 68}) {
    for (const int levels : {2, 256}) {
      for (const Measure measure : measures) {
        for (const int block : {1, 15, 17}) {
          compare_with_reference({99, 3}, levels, {block, range, measure, 1, false});
        }
      }
    }
  }
}

TEST_P(DisparityTest, RangesOfSeveralWarps) {
  for (const int range : {127, 128, 300}) {
    for (const int levels : {2, 256}) {
      for (const Measure measure : measures) {
        compare_with_reference({301, 2}, levels, {3, range, measure, 1, levels == 256});
      }
    }
  }
  // The best displacement and one of its neighbours are in different warps.
  for (const int shift : {127, 128}) {
    for (const Measure measure : measures) {
      Pair pair({300, 2}, 256, 3);
      for (std::int64_t y = 0; y < 2; ++y) {
        for (std::int64_t x = shift; x < 300; ++x) {
          const auto there = load<std::uint8_t>(pair.right.view().row(y), x - shift);
          store(pair.left.view().row(y), x, static_cast<std::uint8_t>(there ^ (x % 5 == 0)));
        }
      }
      const DisparityOptions options{5, 200, measure, 1, true};
      GuardedImage expected(ElementType::f32, 300, 2);
      reference::disparity(pair.left.view(), pair.right.view(), expected.view(), options);
      EXPECT_NEAR(load<float>(expected.view().row(0), 250), shift, 0.5);
      run_and_compare(pair, expected.view(), options);
    }
  }
}

// With so large an image block, two warps' sums fit in no GPU's shared memory. The CPU path
// replaces the reference, which would take seconds.
TEST_P(DisparityTest, BlocksTooLargeForTheSweep) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "the CPU path is what this compares with";
  Pair pair({130, 1}, 256, 1);
  for (const auto& [measure, check] : {std::pair(Measure::ssd, -1), std::pair(Measure::ssd, 1),
                                       std::pair(Measure::ncc, 1), std::pair(Measure::zncc, 1)}) {
    const DisparityOptions options{229, 129, measure, check, true};
    GuardedImage expected(ElementType::f32, 130, 1);
    disparity(pair.left.view(), pair.right.view(), expected.view(), options);
    run_and_compare(pair, expected.view(), options);
  }
}

// sad's sums take half the bytes: three warps' sums may fit. 386 displacements need four warps.
TEST_P(DisparityTest, SadOfBlocksTooLargeForTheSweep) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "the CPU path is what this compares with";
  Pair pair({386, 1}, 256, 1);
  for (const int check : {-1, 1}) {
    const DisparityOptions options{255, 385, Measure::sad, check, true};
    GuardedImage expected(ElementType::f32, 386, 1);
    disparity(pair.left.view(), pair.right.view(), expected.view(), options);
    run_and_compare(pair, expected.view(), options);
  }
}

TEST_P(DisparityTest, FindsAShift) {
  Pair pair({200, 40}, 256, 5);
  GuardedImage dst(ElementType::f32, 200, 40);
  const DisparityOptions options{9, 20, Measure::sad, 1, false};
  if (GetParam() == Backend::cpu) {
    disparity(pair.left.view(), pair.right.view(), dst.view(), options);
  } else {
    const gpu::Stream stream;
    OnDevice left(pair.left, stream), right(pair.right, stream), device_dst(dst, stream);
    disparity(left.view(), right.view(), device_dst.view(), options, stream);
    device_dst.download(stream);
  }
  for (std::int64_t y = 0; y < 40; ++y) {
    for (std::int64_t x = 10; x < 200; ++x) EXPECT_EQ(load<float>(dst.view().row(y), x), 3.0F);
  }
}

/// Errors of sub-pixel disparities, grouped by the fraction of the true disparities.
class SubPixelError {
 public:
  void add(double truth, double found) {
    const double error = found - truth;
    Sum& sum = sums_[static_cast<std::size_t>(8 * (truth - std::floor(truth)))];
    sum.count += 1;
    sum.error += error;
    squares_ += error * error;
  }
  /// Returns the largest mean error among true disparities of about one fraction. It shows a pull
  /// of the results towards whole pixels, or away from them.
  double bias() const {
    double worst = 0;
    for (const Sum& sum : sums_) worst = std::max(worst, std::abs(sum.error / sum.count));
    return worst;
  }
  double rms() const { return std::sqrt(squares_ / count()); }
  double count() const {
    double count = 0;
    for (const Sum& sum : sums_) count += sum.count;
    return count;
  }

 private:
  struct Sum {
    double count = 0, error = 0;
  };
  std::array<Sum, 8> sums_;
  double squares_ = 0;
};

/// Returns the score of pixel (x, y) at displacement d; less is better. The pixel must not be at
/// the border.
double score_of(const RenderedPair& pair, std::int64_t x, std::int64_t y, int d,
                const DisparityOptions& options) {
  const int half = options.block / 2;
  reference::BlockSums sums;
  for (std::int64_t v = y - half; v <= y + half; ++v) {
    for (std::int64_t u = x - half; u <= x + half; ++u) {
      sums.add(load<std::uint8_t>(pair.left.view().row(v), u),
               load<std::uint8_t>(pair.right.view().row(v), u - d));
    }
  }
  const double score = sums.score(options.measure);
  return least_is_best(options.measure) ? score : -score;
}

/// The two fits through three scores: a parabola, or two lines of opposite slopes.
double parabola_through(double before, double at, double after) {
  return (before - after) / (2 * (before + after - 2 * at));
}
double lines_through(double before, double at, double after) {
  return (before - after) / (2 * (std::max(before, after) - at));
}

/// The errors of disparity() itself and of both fits through the scores.
struct SubPixelErrors {
  SubPixelError library, parabola, lines;

  void add(const RenderedPair& pair, DisparityOptions options) {
    GuardedImage refined(ElementType::f32, RenderedPair::width, RenderedPair::height);
    GuardedImage whole(ElementType::f32, RenderedPair::width, RenderedPair::height);
    options.subpixel = true;
    disparity(pair.left.view(), pair.right.view(), refined.view(), options);
    options.subpixel = false;
    disparity(pair.left.view(), pair.right.view(), whole.view(), options);
    for (std::int64_t y = options.block; y < RenderedPair::height - options.block; y += 2) {
      for (std::int64_t x = 40; x < RenderedPair::width - options.block; x += 3) {
        const double truth = pair.plane.at(static_cast<double>(x), static_cast<double>(y));
        const auto found = load<float>(whole.view().row(y), x);
        if (found < 0 || std::abs(found - truth) > 1) continue;  // a mismatch
        const int d = static_cast<int>(found);
        const double before = score_of(pair, x, y, d - 1, options);
        const double at = score_of(pair, x, y, d, options);
        const double after = score_of(pair, x, y, d + 1, options);
        library.add(truth, load<float>(refined.view().row(y), x));
        parabola.add(truth, d + parabola_through(before, at, after));
        lines.add(truth, d + lines_through(before, at, after));
      }
    }
  }
};

TEST(Disparity, SubPixelResultsAreNotDrawnToWholePixels) {
  const RenderedPair::Plane planes[] = {
      {10, 0.02, 0.015}, {16, -0.015, 0.005}, {9.3, 0.02, -0.01}, {15.7, -0.015, -0.015}};
  for (const double shortest : {2.5, 10.0}) {
    for (const double noise : {0.0, 3.0}) {
      std::vector<RenderedPair> pairs;
      for (std::uint64_t seed = 0; seed < std::size(planes); ++seed) {
        pairs.emplace_back(Texture(shortest, seed), planes[seed], noise, seed);
      }
      for (const Measure measure : measures) {
        SubPixelErrors errors;
        for (const RenderedPair& pair : pairs) errors.add(pair, {11, 24, measure, 1, true});
        const auto print = [&](const char* fit, const SubPixelError& error) {
          std::cout << "waves from " << shortest << " pixels, noise " << noise << ", "
                    << name_of(measure) << ", " << fit << ": bias " << error.bias()
                    << ", standard error " << error.rms() << '\n';
        };
        print("disparity()", errors.library);
        print("parabola", errors.parabola);
        print("two lines", errors.lines);
        EXPECT_GT(errors.library.count(), 8000);
        EXPECT_LT(errors.library.bias(), 0.03) << name_of(measure);
        EXPECT_LT(errors.library.rms(), noise == 0 ? 0.07 : 0.14) << name_of(measure);
        // The fit that the library does not use pulls results to whole pixels, or away from them.
        if (measure == Measure::sad) {
          EXPECT_GT(errors.parabola.bias(), 2 * errors.library.bias());
        } else {
          EXPECT_GT(errors.lines.bias(), 2 * errors.library.bias()) << name_of(measure);
          EXPECT_NEAR(errors.parabola.rms(), errors.library.rms(), 1e-4) << name_of(measure);
        }
      }
    }
  }
}

TEST(Disparity, RefusesWhatHasNoMeaning) {
  GuardedImage image(ElementType::u8, 8, 4), other(ElementType::u8, 7, 4);
  GuardedImage colour(ElementType::u8, 8, 4, 3), wide(ElementType::u16, 8, 4);
  GuardedImage dst(ElementType::f32, 8, 4), small(ElementType::f32, 8, 3);
  const auto call = [&](ConstHostView l, ConstHostView r, HostView d, DisparityOptions o = {}) {
    disparity(l, r, d, o);
  };
  const HostView good = image.view();
  EXPECT_NO_THROW(call(good, good, dst.view()));
  EXPECT_THROW(call(good, other.view(), dst.view()), InvalidArgument);
  EXPECT_THROW(call(colour.view(), good, dst.view()), InvalidArgument);
  EXPECT_THROW(call(good, wide.view(), dst.view()), InvalidArgument);
  EXPECT_THROW(call(good, good, small.view()), InvalidArgument);
  EXPECT_THROW(call(good, good, good), InvalidArgument);
  for (const int block : {-1, 0, 2, 10, max_disparity_block + 2}) {
    EXPECT_THROW(call(good, good, dst.view(), {.block = block}), InvalidArgument) << block;
  }
  for (const int range : {-1, max_disparity_range + 1}) {
    EXPECT_THROW(call(good, good, dst.view(), {.max_disparity = range}), InvalidArgument) << range;
  }
  EXPECT_THROW(call(good, good, dst.view(), {.measure = static_cast<Measure>(9)}), InvalidArgument);
  const HostView overlapping(dst.view().data(), ElementType::u8, 8, 4);
  EXPECT_THROW(call(overlapping, good, dst.view()), InvalidArgument);
  EXPECT_THROW(call(good, overlapping, dst.view()), InvalidArgument);
}

TEST(Disparity, SaysThatThereIsNoGpu) {
  if (gpu::device_count() != 0) GTEST_SKIP() << "this machine has a GPU";
  // The device views point to host memory, which is never read: the missing GPU is detected first.
  std::uint8_t pixel = 0;
  float result = 0;
  const DeviceView nowhere(&pixel, 1, 1);
  EXPECT_THROW(disparity(nowhere, nowhere, DeviceView(&result, 1, 1), {}, nullptr), NoCudaDevice);
}

INSTANTIATE_TEST_SUITE_P(, DisparityTest, test::both_backends(), testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise
