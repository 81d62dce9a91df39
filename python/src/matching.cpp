// match, disparity, find and Tracker.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <type_traits>
#include <variant>

#include "call.hpp"

namespace warpwise::python {
namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

SearchRange range_of(std::pair<int, int> range) { return {range.first, range.second}; }

nb::object match(nb::object reference, nb::object target, Pair block, Pair stride,
                 std::pair<int, int> search_x, std::pair<int, int> search_y,
                 std::string_view measure, std::string_view border, nb::object score,
                 nb::object out, nb::object stream) {
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
  require_beside(from, target_array);
  const MatchGrid grid = match_grid(from.width(), from.height(), options);
  nb::object made = result(out, from, reference, {grid.rows, grid.columns, 2}, ElementType::i16);
  const Array to(made, "out", true, at);
  require_beside(from, to);
  std::optional<Array> scores;
  if (!score.is_none()) {
    scores.emplace(score, "score", true, at);
    require_beside(from, *scores);
  }
  call(from, at, [&](auto views, auto... on) {
    using V = decltype(views);
    std::optional<typename V::Out> into;
    if (scores) into = scores->view<typename V::Out>();
    warpwise::match(from.view<typename V::In>(), target_array.view<typename V::In>(),
                    to.view<typename V::Out>(), options, into, on...);
  });
  return finished(std::move(made), out, from);
}

nb::object disparity(nb::object left, nb::object right, int block, int max_disparity,
                     std::string_view measure, int check, bool subpixel, nb::object out,
                     nb::object stream) {
  const DisparityOptions options{block, max_disparity, parse<Measure>(measure, "measure"), check,
                                 subpixel};
  const auto at = stream_of(stream, left);
  const Array from(left, "left", false, at);
  const Array other(right, "right", false, at);
  require_beside(from, other);
  nb::object made = result(out, from, left, {from.height(), from.width()}, ElementType::f32);
  const Array to(made, "out", true, at);
  require_beside(from, to);
  call(from, at, [&](auto views, auto... on) {
    using V = decltype(views);
    warpwise::disparity(from.view<typename V::In>(), other.view<typename V::In>(),
                        to.view<typename V::Out>(), options, on...);
  });
  return finished(std::move(made), out, from);
}

Finding find(nb::object templ, nb::object image, std::string_view measure, nb::object map,
             nb::object stream) {
  const auto how = parse<Measure>(measure, "measure");
  const auto at = stream_of(stream, templ);
  const Array part(templ, "template", false, at);
  const Array whole(image, "image", false, at);
  require_beside(part, whole);
  std::optional<Array> scores;
  if (!map.is_none()) {
    scores.emplace(map, "map", true, at);
    require_beside(part, *scores);
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

/// Tracker and DeviceTracker under one name.
class AnyTracker {
 public:
  AnyTracker(nb::object first, const BoxTuple& box, std::pair<int, int> search_x,
             std::pair<int, int> search_y, std::string_view measure, bool update_template,
             const nb::object& stream)
      : stream_(stream_of(stream, first)) {
    const TrackOptions options{range_of(search_x), range_of(search_y),
                               parse<Measure>(measure, "measure"), update_template};
    const Box at{std::get<0>(box), std::get<1>(box), std::get<2>(box), std::get<3>(box)};
    const Array frame(first, "first", false, stream_);
    call(frame, stream_, [&](auto views, auto... on) {
      const auto view = frame.view<typename decltype(views)::In>();
      if constexpr (sizeof...(on) == 0) {
        tracker_.emplace<Tracker>(view, at, options);
      } else {
        tracker_.emplace<DeviceTracker>(view, at, options, on...);
      }
    });
  }

  std::pair<BoxTuple, double> next(nb::object frame) {
    const Array array(frame, "frame", false, stream_);
    TrackedBox found;
    call(array, stream_, [&](auto views, auto... on) {
      using Of = std::conditional_t<sizeof...(on) == 0, Tracker, DeviceTracker>;
      Of* tracker = std::get_if<Of>(&tracker_);
      if (tracker == nullptr) array.fail("is not in the memory that the first frame was in");
      found = tracker->next(array.view<typename decltype(views)::In>());
    });
    return {BoxTuple{found.box.x, found.box.y, found.box.width, found.box.height}, found.score};
  }

 private:
  std::uintptr_t stream_;
  std::variant<std::monostate, Tracker, DeviceTracker> tracker_;
};

}  // namespace

void add_matching(nb::module_& module) {
  using nb::arg;
  constexpr std::pair<int, int> search{-16, 15};
  module.def(
      "match", &match, arg("reference"), arg("target"), nb::kw_only(), arg("block") = Pair{32, 32},
      arg("stride") = Pair{0, 0}, arg("search_x") = search, arg("search_y") = search,
      arg("measure") = "sad", arg("border") = "skip", arg("score") = nb::none(),
      arg("out") = nb::none(), arg("stream") = nb::none(),
      nb::sig("def match(reference: typing.Any, target: typing.Any, *, block: tuple[int, int] = "
              "(32, 32), "
              "stride: tuple[int, int] = (0, 0), search_x: tuple[int, int] = (-16, 15), "
              "search_y: tuple[int, int] = (-16, 15), measure: str = 'sad', border: str = 'skip', "
              "score: typing.Any = None, out: typing.Any = None, stream: typing.Any = None) -> "
              "typing.Any"),
      R"(Block motion: for each block of reference the displacement at which target looks most like it.

reference, target   (height, width) of uint8, one size
block, stride       (width, height) of a block, and from a block to its neighbours; 0: as the block
search_x, search_y  the first and the last displacement
measure             "sad", "ssd", "ncc" or "zncc"
border              "skip": displacements that leave the image are not tried; "replicate": they are
score               an array that receives the scores, (rows, columns) of uint32, of ncc and zncc float32

Returns (rows, columns, 2) of int16, dx and dy; both are -32768 where no displacement could be tried. Raises
InvalidArgument.

>>> import numpy, warpwise
>>> image = numpy.random.default_rng(1).integers(0, 256, (48, 48), numpy.uint8)
>>> moved = numpy.roll(image, (2, -3), (0, 1))
>>> warpwise.match(image[8:40, 8:40].copy(), moved[8:40, 8:40].copy(), block=(16, 16), border="replicate")[0, 1].tolist()
[-3, 2])");

  module.def(
      "disparity", &disparity, arg("left"), arg("right"), nb::kw_only(), arg("block") = 11,
      arg("max_disparity") = 64, arg("measure") = "sad", arg("check") = 1, arg("subpixel") = false,
      arg("out") = nb::none(), arg("stream") = nb::none(),
      nb::sig(
          "def disparity(left: typing.Any, right: typing.Any, *, block: int = 11, max_disparity: "
          "int = 64, "
          "measure: str = 'sad', check: int = 1, subpixel: bool = False, out: typing.Any = None, "
          "stream: typing.Any = None) -> typing.Any"),
      R"(How far each pixel of a rectified stereo pair lies left of its counterpart.

left, right    (height, width) of uint8, one size
block          side of the square block around each pixel, odd
max_disparity  the largest displacement tried
check          the most by which the disparities of a pixel and of its counterpart differ; negative: not checked
subpixel       whether a parabola through the scores refines the result

Returns (height, width) of float32, -1 where the check fails. Raises InvalidArgument.

>>> import numpy, warpwise
>>> left = numpy.random.default_rng(1).integers(0, 256, (16, 32), numpy.uint8)
>>> right = numpy.roll(left, -4, 1)
>>> float(warpwise.disparity(left, right, block=5, max_disparity=8)[8, 16])
4.0)");

  nb::class_<Finding>(module, "Finding", "The best place of a template in an image.")
      .def_ro("x", &Finding::x, "of the template's left column")
      .def_ro("y", &Finding::y, "of the template's top row")
      .def_ro("score", &Finding::score, "of sad and ssd the exact sum")
      .def("__repr__", [](const Finding& found) {
        return "Finding(x=" + std::to_string(found.x) + ", y=" + std::to_string(found.y) +
               ", score=" + nb::cast<std::string>(nb::repr(nb::float_(found.score))) + ")";
      });
  module.def(
      "find", &find, arg("template"), arg("image"), nb::kw_only(), arg("measure") = "zncc",
      arg("map") = nb::none(), arg("stream") = nb::none(),
      nb::sig("def find(template: typing.Any, image: typing.Any, *, measure: str = 'zncc', "
              "map: typing.Any = None, stream: typing.Any = None) -> Finding"),
      R"(Compares a template with every part of an image of its size and tells where it fits best.

template, image  (height, width) of uint8
measure          "sad", "ssd", "ncc" or "zncc"
map              an array that receives the score at each place, (H - h + 1, W - w + 1) of float32, or of sad and ssd
                 uint32

Waits for the result, on a GPU too. Raises InvalidArgument.

>>> import numpy, warpwise
>>> image = numpy.arange(64, dtype=numpy.uint8).reshape(8, 8) ** 2
>>> warpwise.find(image[2:5, 3:6].copy(), image, measure="sad")
Finding(x=3, y=2, score=0.0))");

  nb::class_<AnyTracker>(module, "Tracker",
                         R"(Follows a box, (x, y, width, height), through frames of one size.

search_x, search_y  the first and the last displacement around the last position
measure             "sad", "ssd", "ncc" or "zncc"
update_template     whether what was found is looked for in the next frame, in place of the first frame's content

>>> import numpy, warpwise
>>> first = numpy.random.default_rng(1).integers(0, 256, (64, 64), numpy.uint8)
>>> tracker = warpwise.Tracker(first, (20, 20, 16, 16))
>>> tracker.next(numpy.roll(first, (3, -5), (0, 1)))
((15, 23, 16, 16), 0.0))")
      .def(nb::init<nb::object, const BoxTuple&, std::pair<int, int>, std::pair<int, int>,
                    std::string_view, bool, const nb::object&>(),
           arg("first"), arg("box"), nb::kw_only(), arg("search_x") = search,
           arg("search_y") = search, arg("measure") = "sad", arg("update_template") = false,
           arg("stream") = nb::none(),
           nb::sig("def __init__(self, first: typing.Any, box: tuple[int, int, int, int], *, "
                   "search_x: tuple[int, int] = (-16, 15), search_y: tuple[int, int] = (-16, 15), "
                   "measure: str = 'sad', update_template: bool = False, stream: typing.Any = "
                   "None) -> None"))
      .def(
          "next", &AnyTracker::next, arg("frame"),
          nb::sig("def next(self, frame: typing.Any) -> tuple[tuple[int, int, int, int], float]"),
          "Where the box is in the next frame, and its score. Waits for the result, on a GPU too.");
}

}  // namespace warpwise::python
