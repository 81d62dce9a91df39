#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "bench/gpu_harness.hpp"
#include "bench/growth_of.hpp"
#include "bench/moving_texture.hpp"
#include "warpwise/base/image.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/primitives/match/match.hpp"

namespace warpwise::bench {
namespace {

/// Content of the two frames. sad takes less time when more candidates can be rejected early.
enum class Frames : std::uint8_t {
  moved,      ///< noise that has moved
  unrelated,  ///< two frames of noise: all differences of every candidate are summed
  texture,    ///< a texture that has moved
};

struct MatchProblem {
  std::string variant;
  Size size;
  MatchOptions options;
  Frames frames = Frames::moved;
};

Image random_image(Size size, std::int64_t from, std::int64_t step) {
  Image image(ElementType::u8, size.width, size.height);
  const std::vector<std::uint8_t> bytes = random_bytes(size.width + 8192);
  for (std::int64_t y = 0; y < size.height; ++y) {
    std::memcpy(image.view().row(y), bytes.data() + (from + y * step) % 8192,
                static_cast<std::size_t>(size.width));
  }
  return image;
}

Image frame(const MatchProblem& problem, int number) {
  if (problem.frames == Frames::moved) return random_image(problem.size, 5 * number, 37);
  if (problem.frames == Frames::unrelated) return random_image(problem.size, 0, 37 + 972 * number);
  Image image(ElementType::u8, problem.size.width, problem.size.height);
  MovingTexture().fill(image.view(), number);
  return image;
}

/// A pair of frames on the device, and the motion found in it.
class Pair {
 public:
  Pair(const MatchProblem& problem, const gpu::Stream& stream)
      : problem_(problem), reference_(frame(problem, 0)), target_(frame(problem, 1)),
        grid_(match_grid(problem.size.width, problem.size.height, problem.options)),
        device_reference_(ElementType::u8, problem.size.width, problem.size.height, 1, stream),
        device_target_(ElementType::u8, problem.size.width, problem.size.height, 1, stream),
        device_displacement_(ElementType::i16, grid_.columns, grid_.rows, 2, stream),
        device_score_(score_type(), grid_.columns, grid_.rows, 1, stream) {
    gpu::upload(reference_.view(), device_reference_.view(), stream);
    gpu::upload(target_.view(), device_target_.view(), stream);
    stream.synchronize();
  }

  void run(gpu::StreamHandle stream) {
    match(device_reference_.view(), device_target_.view(), device_displacement_.view(),
          problem_.options, device_score_.view(), stream);
  }

  bool verify(const gpu::Stream& stream) {
    if (!score_) {
      displacement_.emplace(ElementType::i16, grid_.columns, grid_.rows, 2);
      score_.emplace(score_type(), grid_.columns, grid_.rows);
      match(reference_.view(), target_.view(), displacement_->view(), problem_.options,
            score_->view());
    }
    return equals(displacement_->view(), device_displacement_.view(), stream) &&
           equals(score_->view(), device_score_.view(), stream);
  }

 private:
  ElementType score_type() const { return match_score_type(problem_.options.measure); }

  static bool equals(ConstHostView want, ConstDeviceView result, const gpu::Stream& stream) {
    Image got(want.type(), want.width(), want.height(), want.channels());
    gpu::download(result, got.view(), stream);
    stream.synchronize();
    for (std::int64_t y = 0; y < want.height(); ++y) {
      if (std::memcmp(want.row(y), got.view().row(y), static_cast<std::size_t>(want.row_bytes())) !=
          0) {
        return false;
      }
    }
    return true;
  }

  MatchProblem problem_;
  Image reference_;
  Image target_;
  MatchGrid grid_;
  gpu::DeviceImage device_reference_;
  gpu::DeviceImage device_target_;
  gpu::DeviceImage device_displacement_;
  gpu::DeviceImage device_score_;
  std::optional<Image> displacement_;  // the CPU path's results, once verify() has computed them
  std::optional<Image> score_;
};

Case match_case(const MatchProblem& problem) {
  const MatchGrid grid = match_grid(problem.size.width, problem.size.height, problem.options);
  Case result{"match",
              problem.variant,
              "warpwise",
              problem.size.width,
              problem.size.height,
              2 * problem.size.width * problem.size.height + 8 * grid.columns * grid.rows,
              {}};
  result.prepare = [=](const gpu::Stream& stream) {
    auto pair = std::make_shared<Pair>(problem, stream);
    return Prepared{[=](gpu::StreamHandle s) { pair->run(s); },
                    [=, &stream] { return pair->verify(stream); }};
  };
  return result;
}

constexpr const char* wide_search = " 32x32 search -16:15";  // the search of the default options

// The work is bound by the rate of packed differences, not by memory traffic; the README of this
// primitive gives the figures.
const Registration match_registered{[] {
  std::vector<Case> cases;
  for (const Measure measure : all_measures) {
    MatchOptions options;
    options.measure = measure;
    const std::string name(name_of(measure));
    if (measure == Measure::sad) {
      // Unrelated frames make the kernel sum every difference. Older records stay comparable: the
      // kernel did not reject candidates then.
      cases.push_back(match_case({name + wide_search, {12000, 1024}, options, Frames::unrelated}));
      cases.push_back(match_case(
          {name + wide_search + " of a moving texture", {12000, 1024}, options, Frames::texture}));
    } else {
      cases.push_back(match_case({name + wide_search, {12000, 1024}, options}));
    }
    if (measure == Measure::ncc) continue;
    options.block_width = options.block_height = 16;
    options.search_x = options.search_y = {-16, 16};
    for (const Size size : {Size{1280, 720}, Size{1920, 1080}}) {
      cases.push_back(match_case({name + " 16x16 search -16:16", size, options}));
    }
  }
  return cases;
}};

}  // namespace

Case match_growth(Size frame) {
  return match_case({std::string("sad") + wide_search, frame, {}, Frames::unrelated});
}

}  // namespace warpwise::bench
