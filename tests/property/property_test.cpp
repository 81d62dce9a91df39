// Calls every primitive with random options, sizes and layouts, on every backend. A case is valid
// by construction, or wrong in exactly one respect. After a valid case every byte of memory, pixels
// and guards, is as after the reference (for gemv: within its bound, and with the same bits on
// every backend). An invalid case throws InvalidArgument and changes no byte.
//
//   WARPWISE_PROPERTY_CASES   cases for each backend, 20000 unless given
// WARPWISE_PROPERTY_SEED    seed of the first case, 1 unless given; each case adds 1 to it
//
// A failure names its seed: that seed with WARPWISE_PROPERTY_CASES=1 runs the case alone. 100,000
// cases from seed 1 on, 50,290 of them valid, passed on a CPU at 3a365bc (21 November 2026).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "property/case.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise {
namespace {

using namespace test;

void views(Case& c) {
  Random& r = c.random;
  std::byte pixel{};
  void* data = &pixel;
  std::int64_t width = 1;
  std::int64_t height = 1;
  std::int64_t pitch = r.in(0, 9);
  int channels = 1;
  if (!c.valid) {
    switch (r.in(0, 5)) {
      case 0: data = nullptr; break;
      case 1: width = -r.in<std::int64_t>(0, INT64_MAX); break;
      case 2: height = -r.in<std::int64_t>(0, INT64_MAX); break;
      case 3: channels = -r.in(0, INT32_MAX); break;
      case 4: pitch = -r.in<std::int64_t>(1, INT64_MAX); break;
      default: height = 2, width = r.in<std::int64_t>(10, INT64_MAX), pitch = r.in(1, 9);
    }
  }
  c.check([&](const auto&,
              auto...) { HostView(data, ElementType::u8, width, height, channels, pitch); },
          [](const auto&) {});
}

void copies(Case& c) {
  Random& r = c.random;
  const Shape shape{r.of(all_types), r.extent(2000), r.extent(), r.in(1, 5)};
  Shape to = shape;
  const bool overlap = !c.valid && r.once_in(3);
  if (!c.valid && !overlap) spoil(to, r);
  c.image(shape);
  c.image(to);
  if (overlap) c.overlap(1, 0);
  c.check([](const auto& v, auto... stream) { copy(v[0], v[1], stream...); },
          [](const auto& v) { reference::copy(v[0], v[1]); });
}

bool is_yuv(PixelFormat format) {
  return format != PixelFormat::gray8 && format != PixelFormat::rgb24 &&
         format != PixelFormat::bgr24 && format != PixelFormat::rgba32 &&
         format != PixelFormat::bgra32;
}

ConvertOptions convert_options(PixelFormat from, PixelFormat to, Random& r) {
  ConvertOptions o;
  o.convention = r.of(all_conventions);
  o.upsampling = r.of(all_chroma_upsamplings);
  if (o.convention == Convention::exact) o.matrix = r.of(all_matrices);
  if (o.convention == Convention::libyuv && r.once_in(2)) o.matrix = Matrix::bt709;
  const bool both_ranges = o.convention == Convention::exact || o.convention == Convention::libyuv;
  const bool to_luma = is_yuv(to) || to == PixelFormat::gray8;
  const bool rescales = o.convention == Convention::exact || !is_yuv(from);
  if (both_ranges && is_yuv(from) && r.once_in(2)) o.from_range = r.of(all_ranges);
  if (both_ranges && to_luma && rescales && r.once_in(2)) o.to_range = r.of(all_ranges);
  return o;
}

template <class Frame, class View>
Frame frame_of(PixelFormat format, Shape size, const std::vector<View>& views, std::size_t first) {
  std::array<typename Frame::Plane, 3> planes;
  for (int p = 0; p < plane_count(format); ++p) {
    const View& plane = views[first + static_cast<std::size_t>(p)];
    planes[p] = {plane.data(), plane.pitch_bytes()};
  }
  return {format, size.width, size.height, planes};
}

void conversions(Case& c) {
  Random& r = c.random;
  PixelFormat from = r.of(convert_sources);
  PixelFormat to = r.of(convert_destinations);
  const Shape size{ElementType::u8, r.extent(), r.extent(40)};
  Shape to_size = size;
  ConvertOptions options = convert_options(from, to, r);
  bool overlap = false;
  if (!c.valid) {
    switch (r.in(0, 9)) {
      case 0: ++(r.once_in(2) ? to_size.width : to_size.height); break;
      case 1: from = r.once_in(2) ? PixelFormat::i444 : PixelFormat::ycrcb24; break;
      case 2: to = r.once_in(2) ? PixelFormat::nv12 : PixelFormat::yuyv; break;
      case 3:
        options.convention = r.once_in(2) ? Convention::opencv : Convention::libyuv;
        options.matrix = Matrix::bt2020;
        break;
      case 4: from = PixelFormat::rgb24, options.from_range = Range::limited; break;
      case 5: options.convention = no_such(options.convention); break;
      case 6: options.matrix = no_such(options.matrix); break;
      case 7: options.upsampling = no_such(options.upsampling); break;
      case 8: options.from_range = no_such(Range::full); break;
      default: overlap = true;
    }
  }
  for (int p = 0; p < plane_count(from); ++p) {
    c.image(
        {ElementType::u8, plane_row_bytes(from, p, size.width), plane_rows(from, p, size.height)});
  }
  const auto first = static_cast<std::size_t>(plane_count(from));
  for (int p = 0; p < plane_count(to); ++p) {
    c.image({ElementType::u8, plane_row_bytes(to, p, to_size.width),
             plane_rows(to, p, to_size.height)});
  }
  if (overlap) c.overlap(first, 0);
  c.check(
      [&](const auto& v, auto... stream) {
        constexpr Memory memory = sizeof...(stream) == 0 ? Memory::host : Memory::device;
        using Frame = BasicFrame<memory, Access::read_write>;
        convert(frame_of<Frame>(from, size, v, 0), frame_of<Frame>(to, to_size, v, first), options,
                stream...);
      },
      [&](const auto& v) {
        reference::convert(frame_of<HostFrame>(from, size, v, 0),
                           frame_of<HostFrame>(to, to_size, v, first), options);
      });
}

void gradients(Case& c) {
  Random& r = c.random;
  constexpr Shape sources[] = {{ElementType::u8, 0, 0, 1},
                               {ElementType::u8, 0, 0, 3},
                               {ElementType::u8, 0, 0, 4},
                               {ElementType::u16, 0, 0, 1},
                               {ElementType::f32, 0, 0, 1}};
  Shape from = r.of(sources);
  from.width = r.extent();
  from.height = r.extent(60);
  SobelOptions options{r.of(all_sobel_outputs), r.of(all_norms), r.of(all_sobel_kernels),
                       r.of(all_borders), r.of(all_channel_orders)};
  Shape to{r.of(sobel_dst_types(from.type, options.output)), from.width, from.height};
  bool overlap = false;
  if (!c.valid) {
    switch (r.in(0, 7)) {
      case 0: spoil(to, r); break;
      case 1: from.channels = r.once_in(2) ? 2 : 5; break;
      case 2: from.type = r.once_in(2) ? ElementType::i16 : ElementType::f16; break;
      case 3: options.output = no_such(options.output); break;
      case 4: options.norm = no_such(options.norm); break;
      case 5: options.kernel = no_such(options.kernel); break;
      case 6: options.border = no_such(options.border); break;
      default: overlap = true;
    }
  }
  c.image(from);
  c.image(to);
  if (overlap) c.overlap(1, 0);
  c.check([&](const auto& v, auto... stream) { sobel(v[0], v[1], options, stream...); },
          [&](const auto& v) { reference::sobel(v[0], v[1], options); });
}

void thresholds(Case& c) {
  Random& r = c.random;
  Shape from{r.once_in(2) ? ElementType::u8 : ElementType::u16, r.extent(120), r.extent(40)};
  ThresholdOptions options;
  options.window = 2 * r.in(0, r.once_in(10) ? 40 : 6) + 1;
  options.offset = r.once_in(3) ? r.in(-9, 9) : r.once_in(20) ? 1e300 : r.real(-300, 300);
  options.method = r.of(all_threshold_methods);
  options.maximum = r.in<std::uint32_t>(0, from.type == ElementType::u8 ? 255 : 65535);
  options.inverted = r.once_in(2);
  Shape to = from;
  const bool with_mean = r.once_in(2);
  Shape mean = from;
  if (r.once_in(2)) mean.type = ElementType::f32;
  bool overlap = false;
  if (!c.valid) {
    switch (r.in(0, 7)) {
      case 0: spoil(to, r); break;
      case 1: from.type = to.type = r.once_in(2) ? ElementType::i16 : ElementType::f32; break;
      case 2: options.window = r.once_in(2) ? 2 * r.in(-5, 5) : -r.in(1, 99); break;
      case 3: options.window = max_threshold_window(from.type) + 2 * r.in(1, 99); break;
      case 4: options.offset = r.once_in(2) ? NAN : -INFINITY; break;
      case 5: options.maximum = r.in<std::uint32_t>(65536, UINT32_MAX); break;
      case 6: options.method = no_such(options.method); break;
      default: overlap = true;
    }
  }
  c.image(from);
  c.image(to);
  if (with_mean) c.image(mean);
  if (overlap) c.overlap(with_mean ? 2 : 1, with_mean && r.once_in(2) ? 1 : 0);
  const auto mean_of = [&](const auto& v) {
    using View = typename std::remove_cvref_t<decltype(v)>::value_type;
    return with_mean ? std::optional<View>(v[2]) : std::nullopt;
  };
  c.check(
      [&](const auto& v, auto... stream) { threshold(v[0], v[1], options, mean_of(v), stream...); },
      [&](const auto& v) { reference::threshold(v[0], v[1], options, mean_of(v)); });
}

SearchRange search_range(Random& r) {
  const int first = r.in(-9, 6);
  return {first, r.in(first, 9)};
}

MatchOptions match_options(const Shape& image, Random& r) {
  MatchOptions o;
  o.block_width = r.in<std::int64_t>(1, std::min<std::int64_t>(image.width, 40));
  o.block_height = r.in<std::int64_t>(1, std::min<std::int64_t>(image.height, 12));
  o.stride_x = r.in(0, 12);
  o.stride_y = r.in(0, 12);
  o.search_x = search_range(r);
  o.search_y = search_range(r);
  o.measure = r.of(all_measures);
  o.border = r.once_in(2) ? MatchBorder::skip : MatchBorder::replicate;
  // Blocks of large images do not overlap, because the plain loops would take too long.
  if (image.width * image.height > 400) o.stride_x = o.stride_y = 0;
  return o;
}

void spoil(MatchOptions& o, const Shape& image, Random& r) {
  switch (r.in(0, 8)) {
    case 0: o.block_width = -r.in<std::int64_t>(0, INT64_MAX); break;
    case 1: o.block_height = image.height + r.in(1, 9); break;
    case 2: o.block_width = r.in<std::int64_t>(max_match_block_pixels + 1, INT64_MAX); break;
    case 3: o.stride_x = -r.in<std::int64_t>(1, INT64_MAX); break;
    case 4: o.stride_y = r.in<std::int64_t>((std::int64_t{1} << 31) + 1, INT64_MAX); break;
    case 5: o.search_x.first = o.search_x.last + r.in(1, 9); break;
    case 6: o.search_y.last = r.in(max_match_displacement + 1, INT32_MAX); break;
    case 7: o.measure = no_such(o.measure); break;
    default: o.border = no_such(o.border);
  }
}

void matches(Case& c) {
  Random& r = c.random;
  const Shape image{ElementType::u8, r.extent(130), r.extent(30)};
  MatchOptions options = match_options(image, r);
  const MatchGrid grid = match_grid(image.width, image.height, options);
  const bool with_score = r.once_in(2);
  Shape shapes[] = {image,
                    image,
                    {ElementType::i16, grid.columns, grid.rows, 2},
                    {match_score_type(options.measure), grid.columns, grid.rows}};
  bool overlap = false;
  if (!c.valid) {
    switch (r.in(0, 3)) {
      case 0: spoil(shapes[r.in(0, with_score ? 3 : 2)], r); break;
      case 1: overlap = true; break;
      default: spoil(options, image, r);
    }
  }
  for (const Shape& shape : shapes) c.image(shape);
  if (overlap) c.overlap(with_score ? 3 : 2, r.in<std::size_t>(0, with_score ? 2 : 1));
  const auto score_of = [&](const auto& v) {
    using View = typename std::remove_cvref_t<decltype(v)>::value_type;
    return with_score ? std::optional<View>(v[3]) : std::nullopt;
  };
  c.check([&](const auto& v,
              auto... stream) { match(v[0], v[1], v[2], options, score_of(v), stream...); },
          [&](const auto& v) { reference::match(v[0], v[1], v[2], options, score_of(v)); });
}

void disparities(Case& c) {
  Random& r = c.random;
  const Shape image{ElementType::u8, r.extent(90), r.extent(12)};
  DisparityOptions options;
  options.block = 2 * r.in(0, r.once_in(20) ? 15 : 3) + 1;
  options.max_disparity = r.in(0, r.once_in(20) ? 100 : 9);
  options.measure = r.of(all_measures);
  options.check = r.in(-1, 3);
  options.subpixel = r.once_in(2);
  Shape shapes[] = {image, image, {ElementType::f32, image.width, image.height}};
  bool overlap = false;
  if (!c.valid) {
    switch (r.in(0, 6)) {
      case 0: spoil(shapes[r.in(0, 2)], r); break;
      case 1: options.block = 2 * r.in(-9, 9); break;
      case 2: options.block = r.once_in(2) ? -r.in(1, INT32_MAX) : r.in(256, INT32_MAX); break;
      case 3: options.max_disparity = -r.in(1, INT32_MAX); break;
      case 4: options.max_disparity = r.in(max_disparity_range + 1, INT32_MAX); break;
      case 5: options.measure = no_such(options.measure); break;
      default: overlap = true;
    }
  }
  for (const Shape& shape : shapes) c.image(shape);
  if (overlap) c.overlap(2, r.in<std::size_t>(0, 1));
  c.check([&](const auto& v, auto... stream) { disparity(v[0], v[1], v[2], options, stream...); },
          [&](const auto& v) { reference::disparity(v[0], v[1], v[2], options); });
}

/// Stores a Finding in the first bytes of `best`, where find() on CUDA writes it.
void keep(const HostView& best, const Finding& finding) { store(best.row(0), 0, finding); }

void findings(Case& c) {
  Random& r = c.random;
  const Shape image{ElementType::u8, r.extent(80), r.extent(30)};
  Shape part{ElementType::u8, r.in<std::int64_t>(1, std::min<std::int64_t>(image.width, 40)),
             r.in<std::int64_t>(1, std::min<std::int64_t>(image.height, 9))};
  Measure measure = r.of(all_measures);
  Shape map{least_is_best(measure) && r.once_in(2) ? ElementType::u32 : ElementType::f32,
            image.width - part.width + 1, image.height - part.height + 1};
  bool overlap = false;
  Shape from = image;
  if (!c.valid) {
    switch (r.in(0, 5)) {
      case 0: spoil(map, r); break;
      case 1: part.width = image.width + r.in(1, 9); break;
      case 2: part.type = ElementType::i16; break;
      case 3: from.channels = 3; break;
      case 4: measure = no_such(measure); break;
      default: overlap = true;
    }
  }
  c.image(part);
  c.image(from);
  c.image(map);
  c.image({ElementType::u8, sizeof(Finding), 1});
  if (overlap) c.overlap(2, r.in<std::size_t>(0, 1));
  c.check(
      [&](const auto& v, auto... stream) {
        if constexpr (sizeof...(stream) == 0) {
          keep(v[3], find(v[0], v[1], v[2], measure));
        } else {
          find(v[0], v[1], v[3], v[2], measure, stream...);
        }
      },
      [&](const auto& v) { keep(v[3], reference::find(v[0], v[1], v[2], measure)); });
}

/// Finds the best place around a box in a frame by the reference. track() must find the same place
/// in each frame.
Box tracked(const HostView& frame, const GuardedImage& templ, const Box& last,
            const TrackOptions& o, double& score) {
  const ConstHostView part = templ.view();
  MatchOptions here;
  here.block_width = here.stride_x = last.width;
  here.block_height = here.stride_y = last.height;
  here.search_x = here.search_y = {0, 0};
  here.measure = o.measure;
  Box best = last;
  bool found = false;
  for (int dy = o.search_y.first; dy <= o.search_y.last; ++dy) {
    for (int dx = o.search_x.first; dx <= o.search_x.last; ++dx) {
      const Box box{last.x + dx, last.y + dy, last.width, last.height};
      if (box.x < 0 || box.y < 0 || box.x + box.width > frame.width() ||
          box.y + box.height > frame.height()) {
        continue;
      }
      Image displacement(ElementType::i16, 1, 1, 2);
      Image scored(match_score_type(o.measure), 1, 1);
      reference::match(part, frame.sub_view(box.x, box.y, box.width, box.height),
                       displacement.view(), here, scored.view());
      const double value = least_is_best(o.measure) ? load<std::uint32_t>(scored.view().row(0), 0)
                                                    : load<float>(scored.view().row(0), 0);
      if (found && (least_is_best(o.measure) ? value >= score : value <= score)) continue;
      found = true;
      best = box;
      score = value;
    }
  }
  return best;
}

/// The boxes that a tracker reports, in a form whose bytes can be compared with the reference's.
struct Path {
  std::int64_t x[2];
  std::int64_t y[2];
  double score[2];
};

void tracks(Case& c) {
  Random& r = c.random;
  const Shape frame{ElementType::u8, r.in<std::int64_t>(1, 40), r.in<std::int64_t>(1, 30)};
  Box box;
  box.width = r.in<std::int64_t>(1, frame.width);
  box.height = r.in<std::int64_t>(1, frame.height);
  box.x = r.in<std::int64_t>(0, frame.width - box.width);
  box.y = r.in<std::int64_t>(0, frame.height - box.height);
  TrackOptions o;
  o.search_x = {-r.in(0, 6), r.in(0, 6)};
  o.search_y = {-r.in(0, 6), r.in(0, 6)};
  // Uses only sad and ssd, whose sums are exact. A correlation, rounded to float, could choose
  // another place.
  o.measure = r.once_in(2) ? Measure::sad : Measure::ssd;
  o.update_template = r.once_in(2);
  Shape second = frame;
  if (!c.valid) {
    switch (r.in(0, 6)) {
      case 0: spoil(second, r); break;
      case 1: box.x = r.once_in(2) ? -r.in<std::int64_t>(1, INT64_MAX) : frame.width; break;
      case 2: box.height = frame.height + r.in<std::int64_t>(1, INT32_MAX); break;
      case 3: box.width = -r.in<std::int64_t>(0, INT64_MAX); break;
      case 4: o.search_x = {1, r.in(1, 9)}; break;
      case 5: o.search_y = {-r.in(20'000, INT32_MAX), r.in(20'000, INT32_MAX)}; break;
      default: o.measure = no_such(o.measure);
    }
  }
  for (const Shape& shape : {frame, second, second}) c.image(shape);
  c.image({ElementType::u8, sizeof(Path), 1});
  const auto follow = [&](auto& tracker, const auto& v) {
    Path path{};
    for (std::size_t i = 0; i < 2; ++i) {
      const TrackedBox found = tracker.next(v[i + 1]);
      path.x[i] = found.box.x;
      path.y[i] = found.box.y;
      path.score[i] = found.score;
    }
    return path;
  };
  c.check(
      [&](const auto& v, auto... stream) {
        if constexpr (sizeof...(stream) == 0) {
          Tracker tracker(v[0], box, o);
          store(v[3].row(0), 0, follow(tracker, v));
        } else {
          DeviceTracker tracker(v[0], box, o, stream...);
          const Path path = follow(tracker, v);
          gpu::upload(ConstHostView(&path, ElementType::u8, sizeof(Path), 1), v[3], stream...);
          // Waits for the upload, because it reads `path`, which is destroyed here.
          gpu::Event read;
          read.record(stream...);
          read.synchronize();
        }
      },
      [&](const auto& v) {
        GuardedImage part(ElementType::u8, box.width, box.height);
        copy(v[0].sub_view(box.x, box.y, box.width, box.height), part.view());
        Path path{};
        Box last = box;
        for (std::size_t i = 0; i < 2; ++i) {
          last = tracked(v[i + 1], part, last, o, path.score[i]);
          path.x[i] = last.x;
          path.y[i] = last.y;
          if (!o.update_template) continue;
          copy(v[i + 1].sub_view(last.x, last.y, last.width, last.height), part.view());
        }
        store(v[3].row(0), 0, path);
      });
}

// --- gemv, whose reference is in double ----------------------------------------------------------

float element(ConstHostView view, std::int64_t row, std::int64_t column) {
  switch (view.type()) {
    case ElementType::f16: return to_float(load<Float16>(view.row(row), column));
    case ElementType::bf16: return to_float(load<BFloat16>(view.row(row), column));
    default: return load<float>(view.row(row), column);
  }
}

void fill(HostView view, Random& r) {
  for (std::int64_t y = 0; y < view.height(); ++y) {
    for (std::int64_t x = 0; x < view.width(); ++x) {
      const float value = r.real(-2, 2);
      if (view.type() == ElementType::f16) store(view.row(y), x, to_float16(value));
      if (view.type() == ElementType::bf16) store(view.row(y), x, to_bfloat16(value));
      if (view.type() == ElementType::f32) store(view.row(y), x, value);
    }
  }
}

float component(ConstHostView vector, std::int64_t i) {
  return vector.height() == 1 ? element(vector, 0, i) : element(vector, i, 0);
}

/// Expects every element of `actual` to be within gemv()'s error bound around `exact`.
void expect_within_bound(ConstHostView a, ConstHostView x, ConstHostView before,
                         ConstHostView exact, ConstHostView actual, const GemvOptions& o) {
  const std::int64_t rows = o.transpose ? a.width() : a.height();
  const std::int64_t columns = o.transpose ? a.height() : a.width();
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      sum += std::abs(double{o.transpose ? element(a, j, i) : element(a, i, j)} * component(x, j));
    }
    const double scale = std::abs(o.alpha) * sum + std::abs(double{o.beta} * component(before, i));
    ASSERT_NEAR(component(actual, i), component(exact, i), 81 * std::ldexp(scale, -24))
        << "element " << i;
  }
}

void products(Case& c) {
  Random& r = c.random;
  constexpr ElementType types[] = {ElementType::f32, ElementType::f16, ElementType::bf16};
  Shape a{r.of(types), r.extent(1500), r.extent(400)};
  const GemvOptions o{r.once_in(5) ? 0 : r.real(-2, 2), r.once_in(3) ? 0 : r.real(-2, 2),
                      r.once_in(2)};
  const auto vector = [&](ElementType type, std::int64_t size) {
    return r.once_in(2) ? Shape{type, size, 1} : Shape{type, 1, size};
  };
  Shape x = vector(a.type, o.transpose ? a.height : a.width);
  Shape y = vector(ElementType::f32, o.transpose ? a.width : a.height);
  const bool overlap = !c.valid && r.once_in(4);
  if (!c.valid && !overlap) {
    // Makes one shape wrong: its size, channels or type no longer fit those of the others.
    Shape* shapes[] = {&a, &x, &y};
    spoil(*r.of(shapes), r);
  }
  for (const Shape& shape : {a, x, y}) c.image(shape);
  if (overlap) c.overlap(2, r.in<std::size_t>(0, 1));
  if (c.valid) {
    for (std::size_t i = 0; i < 3; ++i) fill(c[i].view(), r);
  }
  GuardedImage before = c[2];
  GuardedImage exact = c[2];
  GuardedImage on_cpu = c[2];
  if (c.valid) {
    reference::gemv(c[0].view(), c[1].view(), exact.view(), o);
    gemv(c[0].view(), c[1].view(), on_cpu.view(), o);
    expect_within_bound(c[0].view(), c[1].view(), before.view(), exact.view(), on_cpu.view(), o);
  }
  c.check([&](const auto& v, auto... stream) { gemv(v[0], v[1], v[2], o, stream...); },
          [&](const auto& v) {
            // Compares the bits of two backends. The reference was compared above, within a bound.
            gemv(v[0], v[1], v[2], o);
          });
}

// --- The cases -----------------------------------------------------------------------------------

struct Primitive {
  const char* name;
  void (*check)(Case&);
};
constexpr Primitive primitives[] = {
    {"views", views},          {"copy", copies},   {"convert", conversions},   {"sobel", gradients},
    {"threshold", thresholds}, {"match", matches}, {"disparity", disparities}, {"find", findings},
    {"track", tracks},         {"gemv", products}};

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class PropertyTest : public test::BackendTest {};

TEST_P(PropertyTest, ValidEqualsTheReferenceInvalidIsRefused) {
  const std::uint64_t cases = from_environment("WARPWISE_PROPERTY_CASES", 20000);
  const std::uint64_t first = from_environment("WARPWISE_PROPERTY_SEED", 1);
  std::cout << cases << " cases from seed " << first << " on\n";
  std::uint64_t valid = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    Case c(GetParam(), seed);
    const Primitive& primitive = primitives[c.random.in<std::size_t>(0, std::size(primitives) - 1)];
    SCOPED_TRACE(testing::Message() << "WARPWISE_PROPERTY_SEED=" << seed << " " << primitive.name);
    primitive.check(c);
    valid += c.valid ? 1 : 0;
    if (HasFailure()) FAIL() << "stopped after " << seed - first + 1 << " cases";
  }
  std::cout << valid << " of them valid\n";
}

INSTANTIATE_TEST_SUITE_P(, PropertyTest, test::both_backends(), testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise
