#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <string>

#include "warpwise/base/image.hpp"
#include "warpwise/primitives/match/match.hpp"

// Compares the CPU path on a real pair of frames with OpenCV's matchTemplate, block by block; the
// CUDA path equals the CPU's (match_test).
namespace warpwise {
namespace {

ConstHostView view_of(const cv::Mat& image) {
  return {image.data, ElementType::u8,
          image.cols, image.rows,
          1,          static_cast<std::int64_t>(image.step[0])};
}

cv::Mat frame(int number) {
  const std::string name =
      std::string(WARPWISE_SAMPLES) + "/rubberwhale" + std::to_string(number) + ".png";
  const cv::Mat image = cv::imread(name, cv::IMREAD_GRAYSCALE);
  if (image.empty()) throw std::runtime_error("the sample image " + name + " is missing");
  return image;
}

struct Motion {
  Motion(MatchGrid grid, Measure measure)
      : displacement(ElementType::i16, grid.columns, grid.rows, 2),
        score(match_score_type(measure), grid.columns, grid.rows) {}

  int dx(std::int64_t column, std::int64_t row) const {
    return load<std::int16_t>(displacement.view().row(row), 2 * column);
  }
  int dy(std::int64_t column, std::int64_t row) const {
    return load<std::int16_t>(displacement.view().row(row), 2 * column + 1);
  }
  double score_at(std::int64_t column, std::int64_t row) const {
    if (score.type() == ElementType::f32) return load<float>(score.view().row(row), column);
    return load<std::uint32_t>(score.view().row(row), column);
  }

  Image displacement;
  Image score;
};

Motion of_warpwise(const cv::Mat& reference, const cv::Mat& target, const MatchOptions& options) {
  Motion motion(match_grid(reference.cols, reference.rows, options), options.measure);
  match(view_of(reference), view_of(target), motion.displacement.view(), options,
        motion.score.view());
  return motion;
}

/// OpenCV's scores of a block at all displacements that stay inside the image.
struct Scores {
  cv::Mat map;
  int first_dx;
  int first_dy;

  Scores(const cv::Mat& reference, const cv::Mat& target, int x, int y,
         const MatchOptions& options) {
    const int width = static_cast<int>(options.block_width);
    const int height = static_cast<int>(options.block_height);
    first_dx = std::max(options.search_x.first, -x);
    first_dy = std::max(options.search_y.first, -y);
    const int last_dx = std::min(options.search_x.last, target.cols - width - x);
    const int last_dy = std::min(options.search_y.last, target.rows - height - y);
    const cv::Rect area(x + first_dx, y + first_dy, last_dx - first_dx + width,
                        last_dy - first_dy + height);
    const cv::Mat block = reference(cv::Rect(x, y, width, height));
    if (options.measure == Measure::sad) {
      map.create(last_dy - first_dy + 1, last_dx - first_dx + 1, CV_32F);
      for (int i = 0; i < map.rows; ++i) {
        for (int j = 0; j < map.cols; ++j) {
          const cv::Rect window(area.x + j, area.y + i, width, height);
          map.at<float>(i, j) = static_cast<float>(cv::norm(block, target(window), cv::NORM_L1));
        }
      }
      return;
    }
    cv::matchTemplate(target(area), block, map,
                      options.measure == Measure::ssd   ? cv::TM_SQDIFF
                      : options.measure == Measure::ncc ? cv::TM_CCORR_NORMED
                                                        : cv::TM_CCOEFF_NORMED);
  }

  double at(int dx, int dy) const { return map.at<float>(dy - first_dy, dx - first_dx); }
};

/// Returns the error that the tests allow OpenCV's score of a block. OpenCV computes the score from
/// Σab, a result of Fourier transforms in f32, whose relative error may be 2^-20 here.
double rounding_of_opencv(const cv::Mat& block, Measure measure) {
  const double unit = std::ldexp(1.0, -20);
  const double squares = block.dot(block);
  cv::Scalar mean;
  cv::Scalar deviation;
  cv::meanStdDev(block, mean, deviation);
  const double variance = deviation[0] * deviation[0] * static_cast<double>(block.total());
  switch (measure) {
    case Measure::sad: return 0;
    case Measure::ssd: return 4 * unit * squares;
    case Measure::ncc: return unit;
    case Measure::zncc: return unit * squares / variance;
  }
  throw std::logic_error("an unknown measure");
}

/// Expects our winner's score to be OpenCV's, and no candidate of OpenCV's to beat it by more than
/// OpenCV's rounding.
void expect_agreement(const cv::Mat& reference, const cv::Mat& target, const MatchOptions& options,
                      int step) {
  const Motion motion = of_warpwise(reference, target, options);
  for (std::int64_t row = 0; row < motion.score.height(); row += step) {
    for (std::int64_t column = 0; column < motion.score.width(); column += step) {
      SCOPED_TRACE(testing::Message() << "measure " << static_cast<int>(options.measure)
                                      << " block " << column << ", " << row);
      const cv::Rect block(static_cast<int>(column * options.block_width),
                           static_cast<int>(row * options.block_height),
                           static_cast<int>(options.block_width),
                           static_cast<int>(options.block_height));
      const double rounding = rounding_of_opencv(reference(block), options.measure);
      const Scores scores(reference, target, block.x, block.y, options);
      double least = 0;
      double greatest = 0;
      cv::minMaxLoc(scores.map, &least, &greatest);
      const double best = least_is_best(options.measure) ? least : greatest;
      const double ours = motion.score_at(column, row);
      EXPECT_NEAR(ours, scores.at(motion.dx(column, row), motion.dy(column, row)), rounding);
      EXPECT_NEAR(ours, best, rounding);
    }
  }
}

TEST(MatchPeer, RealFramesAgreeWithMatchTemplate) {
  const cv::Mat first = frame(1);
  const cv::Mat second = frame(2);
  for (const Measure measure : all_measures) {
    MatchOptions options;
    options.measure = measure;
    expect_agreement(first, second, options, measure == Measure::sad ? 3 : 1);
    options.block_width = 15;
    options.block_height = 9;
    options.search_x = {-7, 12};
    options.search_y = {-10, 3};
    expect_agreement(first, second, options, 7);
  }
}

// Compares every block of a real pair, with the default block size and search range (document E's).
TEST(MatchPeer, RealFramesEqualThePlainLoops) {
  const cv::Mat first = frame(1);
  const cv::Mat second = frame(2);
  for (const Measure measure : {Measure::sad, Measure::zncc}) {
    MatchOptions options;
    options.measure = measure;
    const Motion ours = of_warpwise(first, second, options);
    Motion plain(match_grid(first.cols, first.rows, options), measure);
    reference::match(view_of(first), view_of(second), plain.displacement.view(), options,
                     plain.score.view());
    for (std::int64_t row = 0; row < ours.score.height(); ++row) {
      EXPECT_EQ(0,
                std::memcmp(ours.displacement.view().row(row), plain.displacement.view().row(row),
                            static_cast<std::size_t>(4 * ours.score.width())));
      EXPECT_EQ(0, std::memcmp(ours.score.view().row(row), plain.score.view().row(row),
                               static_cast<std::size_t>(4 * ours.score.width())));
    }
  }
}

/// Mean |reference − target| over the blocks' pixels: `moved` takes the target's pixels at each
/// block's displacement, `unmoved` at the block's own place.
struct Residual {
  double moved = 0;
  double unmoved = 0;
};

Residual residual_of(const cv::Mat& reference, const cv::Mat& target, const Motion& motion,
                     int block) {
  Residual residual;
  for (int row = 0; row < motion.score.height(); ++row) {
    for (int column = 0; column < motion.score.width(); ++column) {
      const cv::Rect from(column * block, row * block, block, block);
      const cv::Rect to = from + cv::Point(motion.dx(column, row), motion.dy(column, row));
      residual.moved += cv::norm(reference(from), target(to), cv::NORM_L1);
      residual.unmoved += cv::norm(reference(from), target(from), cv::NORM_L1);
    }
  }
  const auto pixels =
      static_cast<double>(motion.score.width() * motion.score.height() * block * block);
  return {residual.moved / pixels, residual.unmoved / pixels};
}

/// Returns the share of blocks that are consistent: the block's vector leads to the second frame,
/// and the motion of the block there leads back to within `tolerance` pixels of the start.
double consistent_share(const cv::Mat& first, const cv::Mat& second, const Motion& motion,
                        const MatchOptions& options, int tolerance) {
  const int block = static_cast<int>(options.block_width);
  int consistent = 0;
  for (int row = 0; row < motion.score.height(); ++row) {
    for (int column = 0; column < motion.score.width(); ++column) {
      const int x = column * block + motion.dx(column, row);
      const int y = row * block + motion.dy(column, row);
      // Searches the first frame for the block at its new place in the second frame.
      MatchOptions back = options;
      Motion returned({1, 1}, options.measure);
      const cv::Rect around(x, y, block, block);
      const cv::Rect area =
          cv::Rect(x - 16, y - 16, block + 32, block + 32) & cv::Rect(0, 0, first.cols, first.rows);
      cv::Mat reference(area.size(), CV_8U);
      second(around).copyTo(reference(cv::Rect(0, 0, block, block)));
      back.stride_x = area.width;
      back.stride_y = area.height;
      back.search_x = {0, area.width - block};
      back.search_y = {0, area.height - block};
      match(view_of(reference), view_of(first(area)), returned.displacement.view(), back,
            returned.score.view());
      const int error_x = area.x + returned.dx(0, 0) - column * block;
      const int error_y = area.y + returned.dy(0, 0) - row * block;
      consistent += std::abs(error_x) <= tolerance && std::abs(error_y) <= tolerance;
    }
  }
  return static_cast<double>(consistent) /
         static_cast<double>(motion.score.width() * motion.score.height());
}

// Measures the motion without its ground truth, which the samples do not have. It prints how much
// of the difference between the frames the motion explains, and the share of blocks that it leads
// back to their place. The README beside this file states these figures.
TEST(MatchPeer, RealMotionExplainsTheDifferenceAndLeadsBack) {
  const cv::Mat first = frame(1);
  const cv::Mat second = frame(2);
  for (const int block : {8, 16, 32}) {
    for (const Measure measure : {Measure::sad, Measure::zncc}) {
      MatchOptions options;
      options.block_width = options.block_height = block;
      options.measure = measure;
      const Motion motion = of_warpwise(first, second, options);
      const Residual residual = residual_of(first, second, motion, block);
      const double same = consistent_share(first, second, motion, options, 0);
      const double near = consistent_share(first, second, motion, options, 1);
      std::printf(
          "block %d, %s: mean |difference| %.2f, without motion %.2f; leads back exactly "
          "%.1f %%, within 1 pixel %.1f %%\n",
          block, measure == Measure::sad ? "sad" : "zncc", residual.moved, residual.unmoved,
          100 * same, 100 * near);
      EXPECT_LT(residual.moved, 0.6 * residual.unmoved);
      EXPECT_GT(near, 0.75);
    }
  }
}

// The scene moves by a few pixels: most vectors of sad are small and equal to those of zncc.
TEST(MatchPeer, RealMotionIsSmallAndConsistent) {
  const cv::Mat first = frame(1);
  const cv::Mat second = frame(2);
  MatchOptions options;
  const Motion sad = of_warpwise(first, second, options);
  options.measure = Measure::zncc;
  const Motion zncc = of_warpwise(first, second, options);
  int same = 0;
  int small = 0;
  int blocks = 0;
  for (std::int64_t row = 0; row < sad.score.height(); ++row) {
    for (std::int64_t column = 0; column < sad.score.width(); ++column) {
      ++blocks;
      same += sad.dx(column, row) == zncc.dx(column, row) &&
              sad.dy(column, row) == zncc.dy(column, row);
      small += std::abs(sad.dx(column, row)) <= 5 && std::abs(sad.dy(column, row)) <= 5;
    }
  }
  EXPECT_GE(small, blocks * 9 / 10);
  EXPECT_GE(same, blocks * 7 / 10);
}

}  // namespace
}  // namespace warpwise
