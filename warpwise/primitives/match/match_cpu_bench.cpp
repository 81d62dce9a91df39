#include <cstring>
#include <stdexcept>

#include "bench/cpu_harness.hpp"
#include "bench/host_images.hpp"
#include "bench/moving_texture.hpp"
#include "bench/plain_match.hpp"
#include "bench/sad_peak.hpp"
#include "warpwise/primitives/match/match.hpp"

namespace warpwise::bench {
namespace {

// Size of the images of document E in docs/sources.md.
constexpr std::int64_t strip_width = 12'000;
constexpr std::int64_t strip_height = 1024;

// Returns the number of candidates of all blocks that stay inside the image, along one axis.
std::int64_t positions(std::int64_t size, std::int64_t block, SearchRange search) {
  std::int64_t sum = 0;
  for (std::int64_t at = 0; at + block <= size; at += block) {
    const std::int64_t first = std::max<std::int64_t>(search.first, -at);
    const std::int64_t last = std::min<std::int64_t>(search.last, size - block - at);
    sum += last - first + 1;
  }
  return sum;
}

// Rate of compared pixels of all blocks and candidates, against the machine's peak.
Roof pixels_roof(const MatchOptions& options) {
  return {"sad_peak_%",
          [options](std::int64_t width, std::int64_t height) {
            return static_cast<double>(positions(width, options.block_width, options.search_x) *
                                       positions(height, options.block_height, options.search_y) *
                                       options.block_width * options.block_height);
          },
          absolute_differences_per_second};
}

std::int64_t bytes(std::int64_t width, std::int64_t height) { return 2 * width * height; }

struct Work {
  std::shared_ptr<Image> reference;
  std::shared_ptr<Image> target;
  std::shared_ptr<Image> motion;
  MatchOptions options;

  void operator()() const { match(reference->view(), target->view(), motion->view(), options); }
};

// Content of the two images. In a moving texture, sad rejects many candidates early.
enum class Frames : std::uint8_t { noise, texture };

Work work_on(std::int64_t width, std::int64_t height, const MatchOptions& options,
             Frames frames = Frames::noise) {
  auto reference = random_image(ElementType::u8, width, height);
  auto target = zero_image(ElementType::u8, width, height);
  if (frames == Frames::noise) {
    // The target is upside down: no candidate is better than noise, and every difference is summed.
    for (std::int64_t y = 0; y < height; ++y) {
      std::memcpy(target->view().row(y), reference->view().row(height - 1 - y),
                  static_cast<std::size_t>(width));
    }
  } else {
    const MovingTexture texture;
    texture.fill(reference->view(), 0);
    texture.fill(target->view(), 1);
  }
  const MatchGrid grid = match_grid(width, height, options);
  return {reference, target, zero_image(ElementType::i16, grid.columns, grid.rows, 2), options};
}

using PlainMatch = void (*)(const PlainImages&, std::int16_t*);

// Pairs match() with the plain loops, after checking that both find the same motion.
Pair beside_plain(PlainMatch plain, std::int64_t width, std::int64_t height) {
  const Work ours = work_on(width, height, {});
  const std::int64_t columns = ours.motion->width();
  auto motion = std::make_shared<std::vector<std::int16_t>>(
      static_cast<std::size_t>(2 * columns * ours.motion->height()));
  const auto peer = [=] {
    const ConstHostView reference = ours.reference->view();
    plain({reinterpret_cast<const std::uint8_t*>(reference.data()),
           reinterpret_cast<const std::uint8_t*>(ours.target->view().data()), width, height,
           reference.pitch_bytes()},
          motion->data());
  };
  ours();
  peer();
  for (std::int64_t row = 0; row < ours.motion->height(); ++row) {
    if (std::memcmp(ours.motion->view().row(row), motion->data() + row * 2 * columns,
                    static_cast<std::size_t>(4 * columns)) != 0) {
      throw std::logic_error("match and the plain loops differ");
    }
  }
  return {ours, peer};
}

void add_plain(const std::string& how, PlainMatch plain, double seconds) {
  add_at({.name = "match/sad 32x32 search -16:15",
          .peer_name = "plain loops, " + how,
          .bytes = bytes,
          .make = [=](auto width, auto height) { return beside_plain(plain, width, height); },
          .roof = pixels_roof({}),
          .one_thread = true,
          .seconds = seconds},
         strip_width, strip_height);
}

void add_texture() {
  add_at(
      {.name = "match/sad 32x32 search -16:15 of a moving texture",
       .peer_name = {},
       .bytes = bytes,
       .make = [](auto width,
                  auto height) { return Pair{work_on(width, height, {}, Frames::texture), {}}; }},
      strip_width, strip_height);
}

void add_measure(const std::string& name, Measure measure) {
  MatchOptions options;
  options.measure = measure;
  const Comparison comparison = {
      .name = "match/" + name + " 32x32 search -16:15",
      .peer_name = {},
      .bytes = bytes,
      .make = [=](auto width, auto height) { return Pair{work_on(width, height, options), {}}; },
      .roof = pixels_roof(options)};
  add_at(comparison, strip_width, strip_height);
  add(comparison);
}

const bool registered = [] {
  add_plain("vectorised by g++", plain_match_vectorised, 1);
  add_plain("not vectorised", plain_match_scalar, 0.2);
  add_measure("sad", Measure::sad);
  add_texture();
  add_measure("ssd", Measure::ssd);
  add_measure("ncc", Measure::ncc);
  add_measure("zncc", Measure::zncc);
  return true;
}();

}  // namespace
}  // namespace warpwise::bench
