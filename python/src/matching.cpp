// Binds match, disparity, find and Tracker.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <mutex>
#include <type_traits>
#include <variant>

#include "call.hpp"
#include "words.hpp"

namespace warpwise::python {
namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

SearchRange range_of(std::pair<int, int> range) { return {range.first, range.second}; }

nb::any match(nb::any reference, nb::any target, Pair block, Pair stride,
              std::pair<int, int> search_x, std::pair<int, int> search_y, std::string_view measure,
              std::string_view border, nb::any score, nb::any out, nb::any stream) {
  const MatchOptions options{block.first,
                             block.second,
                             stride.first,
                             stride.second,
                             range_of(search_x),
                             range_of(search_y),
                             parse<Measure>(measure, "measure"),
                             parse<MatchBorder>(border, "border")};
  const auto at = stream_of(stream, reference);
  const Array from(reference, "reference", false, at);
  const Array target_array(target, "target", false, at);
  require_same_memory(from, target_array);
  const MatchGrid grid = match_grid(from.width(), from.height(), options);
  nb::object made =
      result(out, from, reference, {grid.rows, grid.columns, 2}, ElementType::i16, at);
  const Array to(made, "out", true, at);
  require_same_memory(from, to);
  std::optional<Array> scores;
  if (!score.is_none()) {
    scores.emplace(score, "score", true, at);
    require_same_memory(from, *scores);
  }
  call(from, at, [&](auto views, auto... on) {
    using V = decltype(views);
    std::optional<typename V::Out> into;
    if (scores) into = scores->view<typename V::Out>();
    warpwise::match(from.view<typename V::In>(), target_array.view<typename V::In>(),
                    to.view<typename V::Out>(), options, into, on...);
  });
  return to_jax_if_needed(std::move(made), out, from);
}

nb::any disparity(nb::any left, nb::any right, int block, int max_disparity,
                  std::string_view measure, int check, bool subpixel, nb::any out, nb::any stream) {
  const DisparityOptions options{block, max_disparity, parse<Measure>(measure, "measure"), check,
                                 subpixel};
  const auto at = stream_of(stream, left);
  const Array from(left, "left", false, at);
  const Array other(right, "right", false, at);
  require_same_memory(from, other);
  nb::object made = result(out, from, left, {from.height(), from.width()}, ElementType::f32, at);
  const Array to(made, "out", true, at);
  require_same_memory(from, to);
  call(from, at, [&](auto views, auto... on) {
    using V = decltype(views);
    warpwise::disparity(from.view<typename V::In>(), other.view<typename V::In>(),
                        to.view<typename V::Out>(), options, on...);
  });
  return to_jax_if_needed(std::move(made), out, from);
}

Finding find(nb::any templ, nb::any image, std::string_view measure, nb::any map, nb::any stream) {
  const auto how = parse<Measure>(measure, "measure");
  const auto at = stream_of(stream, templ);
  const Array part(templ, "template", false, at);
  const Array whole(image, "image", false, at);
  require_same_memory(part, whole);
  std::optional<Array> scores;
  if (!map.is_none()) {
    scores.emplace(map, "map", true, at);
    require_same_memory(part, *scores);
  }
  Finding found{};
  call(part, at, [&](auto views, auto... on) {
    using V = decltype(views);
    const auto in = part.view<typename V::In>();
    const auto of = whole.view<typename V::In>();
    if constexpr (sizeof...(on) == 0) {
      found = scores ? warpwise::find(in, of, scores->view<typename V::Out>(), how)
                     : warpwise::find(in, of, how);
    } else {
      const gpu::Buffer best(sizeof(Finding), on...);
      const DeviceView into(best.data(), ElementType::u8, sizeof(Finding), 1);
      if (scores) {
        warpwise::find(in, of, into, scores->view<typename V::Out>(), how, on...);
      } else {
        warpwise::find(in, of, into, how, on...);
      }
      gpu::download(best.data(), &found, sizeof(Finding), on...);
      gpu::Event done;
      (done.record(on), ...);
      done.synchronize();
    }
  });
  return found;
}

using BoxTuple = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

/// A Tracker or a DeviceTracker, chosen by the memory of the first frame.
class AnyTracker {
 public:
  AnyTracker(nb::any first, const BoxTuple& box, std::pair<int, int> search_x,
             std::pair<int, int> search_y, std::string_view measure, bool update_template,
             std::optional<double> min_score, const nb::any& stream)
      : stream_(stream_of(stream, first)) {
    const TrackOptions options{range_of(search_x), range_of(search_y),
                               parse<Measure>(measure, "measure"), update_template, min_score};
    const Box at{std::get<0>(box), std::get<1>(box), std::get<2>(box), std::get<3>(box)};
    const Array frame(first, "first", false, stream_);
    device_ = frame.device();
    call(frame, stream_, [&](auto views, auto... on) {
      const auto view = frame.view<typename decltype(views)::In>();
      if constexpr (sizeof...(on) == 0) {
        tracker_.emplace<Tracker>(view, at, options);
      } else {
        tracker_.emplace<DeviceTracker>(view, at, options, on...);
      }
    });
  }

  std::pair<std::optional<BoxTuple>, double> next(nb::any frame) {
    const Array array(frame, "frame", false, stream_);
    TrackedBox found;
    call(array, stream_, [&](auto views, auto... on) {
      using Of = std::conditional_t<sizeof...(on) == 0, Tracker, DeviceTracker>;
      Of* tracker = std::get_if<Of>(&tracker_);
      if (tracker == nullptr || array.device() != device_)
        array.fail("is not in the same memory as the first frame");
      const std::scoped_lock one_at_a_time(mutex_);
      found = tracker->next(array.view<typename decltype(views)::In>());
    });
    if (found.lost) return {std::nullopt, found.score};
    return {BoxTuple{found.box.x, found.box.y, found.box.width, found.box.height}, found.score};
  }

 private:
  Stream stream_;
  int device_ = 0;
  std::mutex mutex_;  ///< lets only one thread at a time process a frame
  std::variant<std::monostate, Tracker, DeviceTracker> tracker_;
};

using nb::arg;

std::pair<int, int> pair_of(SearchRange range) { return {range.first, range.last}; }

void add_match(nb::module_& module) {
  const MatchOptions defaults;
  module.def(
      "match", &match, arg("reference"), arg("target"), nb::kw_only(),
      arg("block") = Pair{defaults.block_width, defaults.block_height},
      arg("stride") = Pair{defaults.stride_x, defaults.stride_y},
      arg("search_x") = pair_of(defaults.search_x), arg("search_y") = pair_of(defaults.search_y),
      arg("measure") = word(defaults.measure), arg("border") = word(defaults.border),
      arg("score") = nb::none(), arg("out") = nb::none(), arg("stream") = nb::none(),
      R"(Estimates block motion: for each block of reference, the displacement to the most similar place in target.

reference, target   (height, width) of uint8, one size
block, stride       (width, height) of a block, and the step to its neighbours; 0: the block's size
search_x, search_y  the first and the last displacement
measure             "sad", "ssd", "ncc" or "zncc"
border              displacements that leave the image: "skip" does not try them, "replicate" repeats edge pixels
score               an array for the scores, (rows, columns) of uint32, or of float32 for ncc and zncc

Returns (rows, columns, 2) of int16, dx and dy; both are -32768 if no displacement could be tried. Raises
InvalidArgument.

>>> import numpy, warpwise
>>> image = numpy.random.default_rng(1).integers(0, 256, (48, 48), numpy.uint8)
>>> moved = numpy.roll(image, (2, -3), (0, 1))
>>> warpwise.match(image[8:40, 8:40].copy(), moved[8:40, 8:40].copy(), block=(16, 16), border="replicate")[0, 1].tolist()
[-3, 2])");
}

void add_disparity(nb::module_& module) {
  const DisparityOptions defaults;
  module.def(
      "disparity", &disparity, arg("left"), arg("right"), nb::kw_only(),
      arg("block") = defaults.block, arg("max_disparity") = defaults.max_disparity,
      arg("measure") = word(defaults.measure), arg("check") = defaults.check,
      arg("subpixel") = defaults.subpixel, arg("out") = nb::none(), arg("stream") = nb::none(),
      R"(Computes the disparity of each pixel of left, of a rectified stereo pair: how far left its counterpart lies in right.

left, right    (height, width) of uint8, one size
block          side of the square block around each pixel, odd
max_disparity  the largest displacement tried
check          largest difference between the disparities of a pixel and its counterpart; negative: no check
subpixel       True: a parabola through the scores refines the result

Returns (height, width) of float32, -1 for pixels that fail the check. Raises InvalidArgument.

>>> import numpy, warpwise
>>> left = numpy.random.default_rng(1).integers(0, 256, (16, 32), numpy.uint8)
>>> right = numpy.roll(left, -4, 1)
>>> float(warpwise.disparity(left, right, block=5, max_disparity=8)[8, 16])
4.0)");
}

void add_find(nb::module_& module) {
  nb::class_<Finding> finding(module, "Finding", "The best place of a template in an image.");
  finding
      .def(
          "__init__",
          [](Finding* self, std::int64_t x, std::int64_t y, double score) {
            new (self) Finding{x, y, score};
          },
          arg("x"), arg("y"), arg("score"))
      .def_ro("x", &Finding::x, "x of the template's left column")
      .def_ro("y", &Finding::y, "y of the template's top row")
      .def_ro("score", &Finding::score, "the score; for sad and ssd the exact sum");
  add_value_methods<Finding>(finding, [](const Finding& found) {
    nb::dict words;
    words["x"] = found.x;
    words["y"] = found.y;
    words["score"] = found.score;
    return words;
  });
  module.def("find", &find, arg("template"), arg("image"), nb::kw_only(), arg("measure") = "zncc",
             arg("map") = nb::none(), arg("stream") = nb::none(),
             R"(Finds the best place of a template in an image, by comparing it at every place.

template, image  (height, width) of uint8
measure          "sad", "ssd", "ncc" or "zncc"
map              an array for the score at each place, (H - h + 1, W - w + 1) of float32, or of uint32 for sad and ssd

Waits for the result, on a GPU too. Raises InvalidArgument.

>>> import numpy, warpwise
>>> image = numpy.arange(64, dtype=numpy.uint8).reshape(8, 8) ** 2
>>> warpwise.find(image[2:5, 3:6].copy(), image, measure="sad")
Finding(x=3, y=2, score=0.0))");
}

void add_tracker(nb::module_& module) {
  const TrackOptions defaults;
  nb::class_<AnyTracker>(module, "Tracker",
                         R"(Follows a box, (x, y, width, height), through frames of one size.

search_x, search_y  the first and the last displacement around the last position
measure             "sad", "ssd", "ncc" or "zncc"
update_template     True: search for the box of the last frame; False: for the box of the first frame
min_score           for "ncc" and "zncc": the box is lost where the best place scores less

>>> import numpy, warpwise
>>> first = numpy.random.default_rng(1).integers(0, 256, (64, 64), numpy.uint8)
>>> tracker = warpwise.Tracker(first, (20, 20, 16, 16))
>>> tracker.next(numpy.roll(first, (3, -5), (0, 1)))
((15, 23, 16, 16), 0.0))")
      .def(nb::init<nb::any, const BoxTuple&, std::pair<int, int>, std::pair<int, int>,
                    std::string_view, bool, std::optional<double>, const nb::any&>(),
           arg("first"), arg("box"), nb::kw_only(), arg("search_x") = pair_of(defaults.search_x),
           arg("search_y") = pair_of(defaults.search_y), arg("measure") = word(defaults.measure),
           arg("update_template") = defaults.update_template, arg("min_score") = nb::none(),
           arg("stream") = nb::none())
      .def("next", &AnyTracker::next, arg("frame"),
           "Returns the box in the next frame, or None where it is lost, and the score of the best "
           "place. "
           "Waits for the result, on a GPU too.");
}

}  // namespace

void add_matching(nb::module_& module) {
  add_match(module);
  add_disparity(module);
  add_find(module);
  add_tracker(module);
}

}  // namespace warpwise::python
