// Binds Chain and its steps.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <mutex>
#include <vector>

#include "many.hpp"
#include "options.hpp"
#include "words.hpp"

namespace warpwise::python {
namespace {

/// The default type and channel count of a step's result.
struct Pixels {
  ElementType type;
  std::int64_t channels;
};

Pixels result_of(std::span<const ChainStep> steps, Pixels pixels) {
  for (const ChainStep& step : steps) {
    if (const auto* convert = std::get_if<ChainConvert>(&step)) {
      pixels = {ElementType::u8, channels_of(convert->to)};
    } else if (const auto* sobel = std::get_if<SobelOptions>(&step)) {
      const auto types = sobel_dst_types(pixels.type, sobel->output);
      pixels = {types.empty() ? pixels.type : types.front(), 1};
    }  // threshold's result has the type and channels of its input
  }
  return pixels;
}

/// Parses a format of one plane, so that other formats are refused when the step is made, not when
/// it runs.
PixelFormat one_plane(std::string_view word, const char* name) {
  const auto format = parse<PixelFormat>(word, name);
  if (const int planes = plane_count(format); planes != 1)
    throw InvalidArgument(std::string(name) + " is '" + std::string(word) + "', which has " +
                          std::to_string(planes) + " planes: a Chain's images have one");
  return format;
}

class PythonChain {
 public:
  explicit PythonChain(std::vector<ChainStep> steps) : chain_(std::move(steps)) {}

  nb::any run(nb::any src, nb::any out, nb::any stream) {
    const auto at = stream_of(stream, src);
    const Array from(src, "src", false, at);
    nb::object made = out.is_none() ? make_result(from, src, at) : nb::object(out);
    const Array to(made, "out", true, at);
    require_same_memory(from, to);
    call(from, at, [&](auto views, auto... on) {
      using V = decltype(views);
      const auto in = from.view<typename V::In>();
      const auto into = to.view<typename V::Out>();
      if constexpr (sizeof...(on) > 0)
        run_exclusively(at, [&] { chain_.run(in, into, on...); });
      else
        chain_.run(in, into);
    });
    return to_jax_if_needed(std::move(made), out, from);
  }

  std::vector<ChainStep> steps() const { return chain_.steps(); }

  nb::typed<nb::list, nb::any> run_all(const std::vector<nb::object>& srcs,
                                       std::optional<std::vector<nb::object>> outs,
                                       nb::any stream) {
    const auto at = srcs.empty() ? Stream{} : stream_of(stream, srcs.front());
    return nb::borrow<nb::typed<nb::list, nb::any>>(nb::cast(run_many(
        srcs, std::move(outs), stream,
        [this](const Array& from, const nb::object& object, const Stream& at) {
          return make_result(from, object, at);
        },
        [&](auto views, const Arrays& from, const Arrays& to, auto... on) {
          using V = decltype(views);
          const auto in = views_of<typename V::In>(from);
          const auto into = views_of<typename V::Out>(to);
          if constexpr (sizeof...(on) > 0)
            run_exclusively(at, [&] { chain_.run(std::span(in), std::span(into), on...); });
          else
            chain_.run(std::span(in), std::span(into));
        },
        {.src = "srcs", .out = "outs"})));
  }

 private:
  nb::object make_result(const Array& from, const nb::object& src, const Stream& at) const {
    const Pixels last = result_of(chain_.steps(), {from.type(), from.channels()});
    const std::int64_t extents[] = {from.height(), from.width(), last.channels};
    return make_array(from, src, {extents, last.channels == 1 ? std::size_t{2} : 3}, last.type, at);
  }

  /// Runs the chain on a GPU. Only one call runs at a time, because all calls share the images
  /// between steps. These images belong to the stream of the last run, or of an earlier run if the
  /// last one failed, so `streams_` keeps the streams of both.
  template <class Run>
  void run_exclusively(const Stream& at, const Run& run) {
    const std::lock_guard one_at_a_time(mutex_);
    {
      const GilAcquire locked;
      streams_.push_back(at);
    }
    run();
    const GilAcquire locked;
    streams_.assign(1, at);
  }

  std::vector<Stream> streams_;  // outlive the chain, whose memory is freed in their order
  Chain chain_;
  std::mutex mutex_;
};

nb::object word_of(std::optional<Range> range) {
  return range ? nb::object(nb::str(word(*range))) : nb::none();
}

nb::dict convert_arguments(const ChainConvert& step) {
  nb::dict words;
  words["source"] = word(step.from);
  words["to"] = word(step.to);
  words["convention"] = word(step.options.convention);
  words["matrix"] = word(step.options.matrix);
  words["from_range"] = word_of(step.options.from_range);
  words["to_range"] = word_of(step.options.to_range);
  words["upsampling"] = word(step.options.upsampling);
  words["gray_is_luma"] = step.options.gray_is_luma;
  return words;
}

nb::dict sobel_arguments(const SobelOptions& step) {
  nb::dict words;
  words["output"] = word(step.output);
  words["norm"] = word(step.norm);
  words["kernel"] = word(step.kernel);
  words["border"] = word(step.border);
  words["order"] = word(step.channels);
  return words;
}

nb::dict threshold_arguments(const ThresholdOptions& step) {
  nb::dict words;
  words["window"] = step.window;
  words["offset"] = step.offset;
  words["method"] = word(step.method);
  words["maximum"] = step.maximum;
  words["inverted"] = step.inverted;
  return words;
}

void add_steps(nb::module_& module) {
  using nb::arg;
  const SobelOptions sobel;
  const ThresholdOptions threshold;
  const ConvertOptions convert;
  auto convert_step =
      nb::class_<ChainConvert>(
          module, "ChainConvert",
          "A step of a Chain that calls convert(), with the same options but size. "
          "Raises InvalidArgument for formats of several planes.")
          .def(
              "__init__",
              [](ChainConvert* self, std::string_view source, std::string_view to,
                 std::string_view convention, std::string_view matrix,
                 std::optional<std::string_view> from_range,
                 std::optional<std::string_view> to_range, std::string_view upsampling,
                 bool gray_is_luma) {
                new (self) ChainConvert{one_plane(source, "source"), one_plane(to, "to"),
                                        convert_options(convention, matrix, from_range, to_range,
                                                        upsampling, gray_is_luma)};
              },
              arg("source") = word(ChainConvert{}.from), arg("to") = word(ChainConvert{}.to),
              nb::kw_only(), arg("convention") = word(convert.convention),
              arg("matrix") = word(convert.matrix), arg("from_range") = nb::none(),
              arg("to_range") = nb::none(), arg("upsampling") = word(convert.upsampling),
              arg("gray_is_luma") = convert.gray_is_luma);
  auto sobel_step =
      nb::class_<SobelOptions>(
          module, "SobelOptions",
          "A step of a Chain that calls sobel(), with the same options but dtype; out gives "
          "the type of the last step's result.")
          .def(
              "__init__",
              [](SobelOptions* self, std::string_view output, std::string_view norm,
                 std::string_view kernel, std::string_view border, std::string_view order,
                 std::optional<std::string_view> channels) {
                new (self)
                    SobelOptions(sobel_options(output, norm, kernel, border, order, channels));
              },
              nb::kw_only(), arg("output") = word(sobel.output), arg("norm") = word(sobel.norm),
              arg("kernel") = word(sobel.kernel), arg("border") = word(sobel.border),
              arg("order") = word(sobel.channels), arg("channels") = nb::none());
  auto threshold_step =
      nb::class_<ThresholdOptions>(
          module, "ThresholdOptions",
          "A step of a Chain that calls threshold(), with the same options but mean.")
          .def(
              "__init__",
              [](ThresholdOptions* self, std::int64_t window, double offset,
                 std::string_view method, std::int64_t maximum, bool inverted) {
                if (window < 1 || window % 2 == 0)
                  throw InvalidArgument("window is " + std::to_string(window) +
                                        "; it must be odd and 1 or more");
                if (!std::isfinite(offset))
                  throw InvalidArgument("offset is " + std::to_string(offset) +
                                        "; it must be finite");
                new (self)
                    ThresholdOptions(threshold_options(window, offset, method, maximum, inverted));
              },
              nb::kw_only(), arg("window") = threshold.window, arg("offset") = threshold.offset,
              arg("method") = word(threshold.method), arg("maximum") = threshold.maximum,
              arg("inverted") = threshold.inverted);
  add_value_methods(convert_step, &convert_arguments);
  add_value_methods(sobel_step, &sobel_arguments);
  add_value_methods(threshold_step, &threshold_arguments);
}

}  // namespace

void add_chain(nb::module_& module) {
  using nb::arg;
  add_steps(module);
  nb::class_<PythonChain>(
      module, "Chain",
      R"(Runs convert(), sobel() and threshold() one after the other, with the same bytes as separate calls.

steps  in their order: ChainConvert, SobelOptions or ThresholdOptions, at least one

On the CPU a large image goes through all steps in bands that stay in the caches. On a GPU colours → [grey →] sobel →
threshold is one kernel where that is faster. A chain keeps its intermediate images for the next run: create it
once, and run it often.

>>> import numpy, warpwise
>>> edges = warpwise.Chain([
...     warpwise.ChainConvert("rgb24", "gray8"), warpwise.SobelOptions(), warpwise.ThresholdOptions(window=5, offset=-8)])
>>> image = numpy.zeros((8, 8, 3), numpy.uint8)
>>> image[:, 4:] = 100
>>> edges.run(image)[0].tolist()
[0, 0, 0, 255, 255, 0, 0, 0])")
      .def(nb::init<std::vector<ChainStep>>(), arg("steps"))
      .def_prop_ro("steps", &PythonChain::steps, "The chain's steps, as a list.")
      .def("__repr__",
           [](const PythonChain& chain) {
             return "Chain(" + nb::cast<std::string>(nb::repr(nb::cast(chain.steps()))) + ")";
           })
      .def("__getstate__", &PythonChain::steps)  // leaves out the images kept between runs
      .def("__setstate__",
           [](PythonChain* self, std::vector<ChainStep> steps) {
             new (self) PythonChain(std::move(steps));
           })
      .def("run", &PythonChain::run, arg("src"), nb::kw_only(), arg("out") = nb::none(),
           arg("stream") = nb::none(),
           R"(Runs all steps on an image that the first step accepts.

Returns an array of src's height and width, of the type that the last step gives by default, or `out`. Several
threads may run one chain at a time; on a GPU it runs on one stream at a time. Raises InvalidArgument if a step
does not accept the result of the step before.)")
      .def("run_all", &PythonChain::run_all, arg("srcs"), nb::kw_only(), arg("outs") = nb::none(),
           arg("stream") = nb::none(),
           R"(Runs all steps on many images, of equal or mixed sizes, all of them in one memory.

Returns a list of the results of run() for each image, or `outs`. On a GPU, images that fit the fused kernel share its
launches if that is faster. Raises InvalidArgument as run() does, or if a result overlaps another result or an image;
nothing has run then.)");
}

}  // namespace warpwise::python
