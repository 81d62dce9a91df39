// Binds copy, sobel, threshold, convert and gemv.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "many.hpp"
#include "options.hpp"

namespace warpwise::python {
namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

nb::any copy(nb::any src, nb::any out, nb::any stream) {
  const auto make = [](const Array& from, const nb::object& object, const Stream& at) {
    return make_array(from, object, from.shape(), from.type(), at);
  };
  return over_images(src, out, stream, make, [](const auto& in, const auto& into, auto... on) {
    warpwise::copy(in, into, on...);
  });
}

nb::any sobel(nb::any src, std::string_view output, std::string_view norm, std::string_view kernel,
              std::string_view border, std::string_view order,
              std::optional<std::string_view> channels, std::optional<std::string_view> dtype,
              nb::any out, nb::any stream) {
  const SobelOptions options = sobel_options(output, norm, kernel, border, order, channels);
  const auto wanted = dtype ? std::optional(element_type_named(*dtype)) : std::nullopt;
  const auto require_wanted = [&](const auto& view) {
    if (wanted && view.type() != *wanted)
      throw InvalidArgument("out does not have the type that dtype names, '" + std::string(*dtype) +
                            "'");
  };
  const auto make = [&](const Array& from, const nb::object& object, const Stream& at) {
    const auto types = sobel_dst_types(from.type(), options.output);
    const ElementType type = wanted.value_or(types.empty() ? from.type() : types.front());
    return result(nb::none(), from, object, {from.height(), from.width()}, type, at);
  };
  return over_images(src, out, stream, make, [&](const auto& in, const auto& into, auto... on) {
    if constexpr (requires { into.type(); })
      require_wanted(into);
    else
      std::ranges::for_each(into, require_wanted);
    warpwise::sobel(in, into, options, on...);
  });
}

nb::any threshold(nb::any src, std::int64_t window, double offset, std::string_view method,
                  std::int64_t maximum, bool inverted, nb::any mean, nb::any out, nb::any stream) {
  const ThresholdOptions options = threshold_options(window, offset, method, maximum, inverted);
  const auto make = [](const Array& from, const nb::object& object, const Stream& at) {
    return result(nb::none(), from, object, {from.height(), from.width()}, from.type(), at);
  };
  if (mean.is_none()) {
    return over_images(src, out, stream, make, [&](const auto& in, const auto& into, auto... on) {
      warpwise::threshold(in, into, options, on...);
    });
  }
  if (is_list(src))
    throw InvalidArgument("src is a list of arrays, but mean is for one array only");
  const auto at = stream_of(stream, src);
  const Array from(src, "src", false, at);
  nb::object made = out.is_none() ? make(from, src, at) : nb::object(out);
  const Array to(made, "out", true, at);
  require_same_memory(from, to);
  const Array means(mean, "mean", true, at);
  require_same_memory(from, means);
  call(from, at, [&](auto views, auto... on) {
    using V = decltype(views);
    warpwise::threshold(from.view<typename V::In>(), to.view<typename V::Out>(), options,
                        std::optional(means.view<typename V::Out>()), on...);
  });
  return to_jax_if_needed(std::move(made), out, from);
}

/// The layout of a frame that an array holds.
struct FrameShape {
  PixelFormat format;
  std::int64_t width;
  std::int64_t height;
  bool whole;  ///< true: the array holds all planes in sequence; false: it is an image of one plane
};

bool is_one_image(PixelFormat format) { return plane_count(format) == 1; }

FrameShape shape_said_or_seen(const Array& array, PixelFormat format, std::optional<Pair> size) {
  if (size) return {format, size->first, size->second, true};
  if (is_one_image(format)) return {format, array.width(), array.height(), false};
  const auto shape = array.shape();
  if (format == PixelFormat::i444) {
    if (shape.size() != 3 || shape[0] != 3)
      array.fail("is an i444 frame, of the shape (3, height, width)");
    return {format, shape[2], shape[1], true};
  }
  if (shape.size() != 2 || shape[0] % 3 != 0 || shape[1] % 2 != 0)
    array.fail(
        "is a frame of the shape (height * 3 / 2, width), both even; other sizes need size=(width, "
        "height)");
  return {format, shape[1], shape[0] / 3 * 2, true};
}

FrameShape frame_shape(const Array& array, PixelFormat format, std::optional<Pair> size) {
  const FrameShape shape = shape_said_or_seen(array, format, size);
  if (shape.width < 1 || shape.height < 1)
    array.fail("is a frame of " + std::to_string(shape.width) + "x" + std::to_string(shape.height) +
               " pixels, and has to have at least one");
  return shape;
}

void require_pair(PixelFormat source, PixelFormat destination) {
  const auto require = [](PixelFormat format, const auto& formats, const char* what) {
    std::string names;
    for (const PixelFormat each : formats) {
      if (each == format) return;
      names += (names.empty() ? "" : ", ") + std::string(name_of(each));
    }
    throw InvalidArgument(std::string(name_of(format)) + " is no " + what +
                          " of convert; there are " + names);
  };
  require(source, convert_sources, "source");
  require(destination, convert_destinations, "destination");
}

template <class Frame, class View>
Frame frame_of(const Array& array, const FrameShape& shape) {
  if (!shape.whole) {
    const std::string format(name_of(shape.format));
    if (array.type() != ElementType::u8 || array.channels() != channels_of(shape.format))
      array.fail("has pixels of " + std::to_string(array.channels()) + " x " +
                 std::string(name_of(array.type())) + ", and a " + format + " frame of " +
                 std::to_string(channels_of(shape.format)) + " x u8");
    const View view = array.view<View>();
    if (view.row_bytes() != plane_row_bytes(shape.format, 0, view.width()))
      array.fail("has an odd width, and such a " + format + " frame needs size=(width, height)");
    return Frame(shape.format, view);
  }
  const std::int64_t needed = frame_bytes(shape.format, shape.width, shape.height);
  std::int64_t bytes = size_of(array.type());
  for (const std::int64_t extent : array.shape()) bytes *= extent;
  if (bytes != needed)
    array.fail("has " + std::to_string(bytes) + " bytes, a " + std::string(name_of(shape.format)) +
               " frame of " + std::to_string(shape.width) + "x" + std::to_string(shape.height) +
               " has " + std::to_string(needed));
  const std::int64_t planes[] = {3, shape.height, shape.width};
  if (shape.format == PixelFormat::i444 &&
      (array.type() != ElementType::u8 || !std::ranges::equal(array.shape(), planes)))
    array.fail("is no i444 frame of " + std::to_string(shape.width) + "x" +
               std::to_string(shape.height) + ", which is uint8 of the shape (3, " +
               std::to_string(shape.height) + ", " + std::to_string(shape.width) + ")");
  return Frame(array.bytes(), shape.format, shape.width, shape.height);
}

nb::object make_frame(const nb::object& out, const Array& like, const nb::object& object,
                      PixelFormat format, std::int64_t width, std::int64_t height,
                      const Stream& at) {
  if (format == PixelFormat::i444)
    return result(out, like, object, {3, height, width}, ElementType::u8, at);
  const std::int64_t channels = channels_of(format);
  if (channels == 1) return result(out, like, object, {height, width}, ElementType::u8, at);
  return result(out, like, object, {height, width, channels}, ElementType::u8, at);
}

nb::any convert(nb::any src, std::string_view source, std::string_view to, std::optional<Pair> size,
                std::string_view convention, std::string_view matrix,
                std::optional<std::string_view> from_range,
                std::optional<std::string_view> to_range, std::string_view upsampling,
                bool gray_is_luma, nb::any out, nb::any stream) {
  const ConvertOptions options =
      convert_options(convention, matrix, from_range, to_range, upsampling, gray_is_luma);
  const auto format = parse<PixelFormat>(to, "to");
  const auto source_format = parse<PixelFormat>(source, "source");
  require_pair(source_format, format);
  if (is_list(src)) {
    const auto make = [&](const Array& from, const nb::object& object, const Stream& at) {
      const FrameShape shape = frame_shape(from, source_format, size);
      return make_frame(nb::none(), from, object, format, shape.width, shape.height, at);
    };
    const Objects srcs = objects_of(src);
    return nb::borrow<nb::any>(nb::cast(
        run_many(srcs, outs_of(out), stream, make,
                 [&](auto views, const Arrays& from, const Arrays& to, auto... on) {
                   using V = decltype(views);
                   std::vector<typename V::InFrame> in;
                   std::vector<typename V::OutFrame> into;
                   for (std::size_t i = 0; i < from.size(); ++i) {
                     const FrameShape shape = frame_shape(from[i], source_format, size);
                     in.push_back(frame_of<typename V::InFrame, typename V::In>(from[i], shape));
                     into.push_back(frame_of<typename V::OutFrame, typename V::Out>(
                         to[i], {format, shape.width, shape.height, !is_one_image(format)}));
                   }
                   warpwise::convert(in, into, options, on...);
                 })));
  }
  const auto at = stream_of(stream, src);
  const Array from(src, "src", false, at);
  const FrameShape shape = frame_shape(from, source_format, size);
  nb::object made = make_frame(out, from, src, format, shape.width, shape.height, at);
  const Array into(made, "out", true, at);
  require_same_memory(from, into);
  const FrameShape result_shape{format, shape.width, shape.height, !is_one_image(format)};
  call(from, at, [&](auto views, auto... on) {
    using V = decltype(views);
    warpwise::convert(frame_of<typename V::InFrame, typename V::In>(from, shape),
                      frame_of<typename V::OutFrame, typename V::Out>(into, result_shape), options,
                      on...);
  });
  return to_jax_if_needed(std::move(made), out, from);
}

/// Converts a factor to float32, in which gemv() computes. \throws InvalidArgument  it would be inf
float factor_of(double value, const char* name) {
  const auto factor = static_cast<float>(value);
  if (std::isfinite(value) && !std::isfinite(factor))
    throw InvalidArgument(std::string(name) + " is " + nb::repr(nb::float_(value)).c_str() +
                          ", which float32 does not hold");
  return factor;
}

nb::any gemv(nb::any a, nb::any x, double alpha, double beta, bool transpose, nb::any out,
             nb::any stream) {
  const GemvOptions options{factor_of(alpha, "alpha"), factor_of(beta, "beta"), transpose};
  if (options.beta != 0 && out.is_none())
    throw InvalidArgument("beta is not 0, but out, which beta multiplies, is not given");
  const auto at = stream_of(stream, a);
  const Array matrix(a, "a", false, at);
  const Array vector(x, "x", false, at);
  require_same_memory(matrix, vector);
  nb::object made =
      result(out, matrix, a, {transpose ? matrix.width() : matrix.height()}, ElementType::f32, at);
  const Array to(made, "out", true, at);
  require_same_memory(matrix, to);
  call(matrix, at, [&](auto views, auto... on) {
    using V = decltype(views);
    warpwise::gemv(matrix.view<typename V::In>(), vector.vector<typename V::In>(),
                   to.vector<typename V::Out>(), options, on...);
  });
  return to_jax_if_needed(std::move(made), out, matrix);
}

using nb::arg;

void add_copy(nb::module_& module) {
  module.def(
      "copy", &copy, arg("src"), nb::kw_only(), arg("out") = nb::none(), arg("stream") = nb::none(),
      R"(Copies every pixel of an image, (height, width) or (height, width, channels) of any element type.

src may be a list of images, which are copied together; then out, if given, is a list too, and so is the result.

>>> import numpy, warpwise
>>> warpwise.copy(numpy.full((2, 3), 7, numpy.uint8)).tolist()
[[7, 7, 7], [7, 7, 7]])");
}

void add_sobel(nb::module_& module) {
  const SobelOptions defaults;
  module.def("sobel", &sobel, arg("src"), nb::kw_only(), arg("output") = word(defaults.output),
             arg("norm") = word(defaults.norm), arg("kernel") = word(defaults.kernel),
             arg("border") = word(defaults.border), arg("order") = word(defaults.channels),
             arg("channels") = nb::none(), arg("dtype") = nb::none(), arg("out") = nb::none(),
             arg("stream") = nb::none(),
             R"(Computes the image gradient: its length, or one of its components.

src      (height, width) of uint8, uint16 or float32, or (height, width, 3 or 4) of uint8, whose grey value
         is used. An array does not say the order of its colours: see order
output   "magnitude", "dx" or "dy"
norm     "l1", |dx| + |dy|, or "l2", the square root of dx² + dy²
kernel   "sobel", [1 2 1], or "scharr", [3 10 3]
border   "reflect101", "replicate" or "constant", 0
order    order of the colours: "rgb", or "bgr" for pictures of cv2, such as cv2.imread gives. channels is its
         former name
dtype    type of the result. Of uint8: uint8 (saturated, the default) or uint16, components int16. Of uint16: uint32
         (the default) or uint16 (saturated), components int32. Of float32: float32

Returns (height, width). Raises InvalidArgument.

src may be a list of images, of any sizes and of one type: the result is a list then, and so is out. On a GPU up to
64 of them share a launch; on the CPU they share the threads.

>>> import numpy, warpwise
>>> step = numpy.array([[0, 0, 10, 10]] * 3, numpy.uint8)
>>> warpwise.sobel(step).tolist()
[[0, 40, 40, 0], [0, 40, 40, 0], [0, 40, 40, 0]]
>>> [one.shape for one in warpwise.sobel([step, step[:, :2]])]
[(3, 4), (3, 2)]
>>> warpwise.sobel(step, output="dx").dtype
dtype('int16'))");
}

void add_threshold(nb::module_& module) {
  const ThresholdOptions defaults;
  module.def(
      "threshold", &threshold, arg("src"), nb::kw_only(), arg("window") = defaults.window,
      arg("offset") = defaults.offset, arg("method") = word(defaults.method),
      arg("maximum") = defaults.maximum, arg("inverted") = defaults.inverted,
      arg("mean") = nb::none(), arg("out") = nb::none(), arg("stream") = nb::none(),
      R"(Applies an adaptive threshold: maximum if a pixel exceeds the mean of its window less the offset, else 0.

src     (height, width) of uint8 or uint16
window  side of the square window, odd; it may exceed the image, whose edge pixels continue outside
method  "mean" (rounded, OpenCV's), "gaussian" (OpenCV's) or "exact-mean" (the mean as a real number)
mean    an array for the means: of src's type for rounded means, of float32 for unrounded means

Returns an array like src. Raises InvalidArgument.

src may be a list of images, of any sizes and of one type, without mean: the result is a list then, and so is out.

>>> import numpy, warpwise
>>> warpwise.threshold(numpy.array([[10, 10, 90, 10]], numpy.uint8)).tolist()
[[0, 0, 255, 0]])");
}

void add_convert(nb::module_& module) {
  const ConvertOptions defaults;
  module.def("convert", &convert, arg("src"), arg("source"), arg("to"), nb::kw_only(),
             arg("size") = nb::none(), arg("convention") = word(defaults.convention),
             arg("matrix") = word(defaults.matrix), arg("from_range") = nb::none(),
             arg("to_range") = nb::none(), arg("upsampling") = word(defaults.upsampling),
             arg("gray_is_luma") = defaults.gray_is_luma, arg("out") = nb::none(),
             arg("stream") = nb::none(),
             R"(Converts a frame of the pixel format source to the format to.

Formats of one plane are uint8 arrays of (height, width) for gray8, (height, width, 2) for yuyv and uyvy, (height,
width, 3) for rgb24, bgr24 and ycrcb24, (height, width, 4) for rgba32, bgra32 and ycbcr32. i444 is (3, height, width).
nv12, nv21 and i420 are (height * 3 / 2, width), as OpenCV has them, or, of odd sizes, any array of the frame's bytes
with size=(width, height).

convention    arithmetic: "exact", "opencv", "libyuv" or "jfif"
matrix        "bt601", "bt709" or "bt2020"
from_range, to_range   "full" or "limited"; by default the convention's range
upsampling    upsampling of subsampled chroma: "replicate" or "linear"
gray_is_luma  True: gray8 is the Y of the YUV formats in every convention

src may be a list of frames, of any sizes: the result is a list then, and so is out. On a GPU 40 to 64 of
them share a launch; on the CPU they share the threads.

Raises InvalidArgument for a combination without a definition, with the possible ones.

>>> import numpy, warpwise
>>> red = numpy.array([[[255, 0, 0]]], numpy.uint8)
>>> warpwise.convert(red, "rgb24", "ycbcr32").tolist()
[[[76, 85, 255, 255]]])");
}

void add_gemv(nb::module_& module) {
  const GemvOptions defaults;
  module.def(
      "gemv", &gemv, arg("a"), arg("x"), nb::kw_only(), arg("alpha") = defaults.alpha,
      arg("beta") = defaults.beta, arg("transpose") = defaults.transpose, arg("out") = nb::none(),
      arg("stream") = nb::none(),
      R"(Multiplies a matrix by a vector: alpha * op(a) @ x + beta * out, where op(a) is a or its transpose.

a, x  (rows, columns) and (columns,), or (rows,) with transpose, both float32, float16 or bfloat16
out   (rows,), or (columns,) with transpose, of float32; read where beta is not 0

Returns an array like out, the same bits on every machine. Raises InvalidArgument.

>>> import numpy, warpwise
>>> warpwise.gemv(numpy.eye(2, dtype=numpy.float32), numpy.array([3, 4], numpy.float32), alpha=2).tolist()
[6.0, 8.0])");
}

}  // namespace

void add_images(nb::module_& module) {
  add_copy(module);
  add_sobel(module);
  add_threshold(module);
  add_convert(module);
  add_gemv(module);
}

}  // namespace warpwise::python
