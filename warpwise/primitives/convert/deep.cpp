#include "warpwise/primitives/convert/deep.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "warpwise/cpu/parallel.hpp"
#include "warpwise/primitives/convert/byte_components.hpp"
#include "warpwise/primitives/convert/deep_backends.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise {
namespace detail::convert {
namespace {

using kernels::convert::ByteArguments;
using kernels::convert::ByteRule;
using kernels::convert::DeepArguments;
using kernels::convert::DeepCodes;
using kernels::convert::DeepSource;
using kernels::convert::Places;

constexpr std::int64_t code_bytes = 2;

[[noreturn]] void refuse_deep(std::string_view function, const std::string& why) {
  throw InvalidArgument(std::string(function) + ": " + why);
}

/// A component of a picture: a view, and the channel in it.
template <class View>
struct DeepComponent {
  View view;
  int channel;
};

/// Returns the components of a picture: one of grey, three or four of colours, three of YUV. Red
/// comes first, whatever the view's order() is.
template <class View>
std::vector<DeepComponent<View>> components_of(std::string_view function, std::string_view which,
                                               std::span<const View> views) {
  std::string given;
  std::vector<DeepComponent<View>> components;
  for (const View& view : views) {
    given += (given.empty() ? "" : ", ") + type_text(view.type(), view.channels());
    const int most = std::min(view.channels(), 5);  // five components are already too many
    const bool blue_first = views.size() == 1 && most >= 3 && view.order() == ChannelOrder::bgr;
    for (int i = 0; i < most; ++i) {
      components.push_back({view, blue_first && i < 3 ? 2 - i : i});
    }
  }
  const bool is_picture =
      (views.size() == 1 && components.size() != 2 && components.size() < 5) ||
      (views.size() == 2 && views[0].channels() == 1 && components.size() == 3) ||
      (views.size() == 3 && components.size() == 3);
  bool is_deep = is_picture;
  for (const View& view : views) is_deep = is_deep && view.type() == ElementType::u16;
  if (is_deep) return components;
  refuse_deep(function,
              std::string(which) + (given.empty() ? " has no view" : " has pixels of " + given) +
                  "; it must be one view of 1, 3 or 4 x u16, or the luma and chroma planes of u16");
}

/// Columns and rows of pixels that share a sample of chroma.
struct Sharing {
  short across = 1;
  short down = 1;
};

template <class View>
Sharing sharing_of(std::string_view function, const std::vector<DeepComponent<View>>& components) {
  const View& luma = components[0].view;
  const View& cb = components[1].view;
  const View& cr = components[2].view;
  const std::int64_t half_width = (luma.width() + 1) / 2;
  const std::int64_t half_height = (luma.height() + 1) / 2;
  const bool is_one_size = cb.width() == cr.width() && cb.height() == cr.height();
  for (const Sharing each : {Sharing{1, 1}, Sharing{2, 1}, Sharing{2, 2}}) {
    if (is_one_size && cb.width() == (each.across == 2 ? half_width : luma.width()) &&
        cb.height() == (each.down == 2 ? half_height : luma.height())) {
      return each;
    }
  }
  refuse_deep(function, "luma is " + size_text(luma.width(), luma.height()) + ", Cb is " +
                            size_text(cb.width(), cb.height()) + " and Cr is " +
                            size_text(cr.width(), cr.height()) +
                            "; this is neither 4:4:4, 4:2:2 nor 4:2:0");
}

template <class Byte, class View>
Places<Byte> code_places(const DeepComponent<View>& component) {
  auto* const first = reinterpret_cast<Byte*>(component.view.data());
  return {first + code_bytes * component.channel, component.view.pitch_bytes(),
          component.view.pixel_bytes()};
}

template <class Source, class Result>
void require_apart(std::string_view function, std::span<const Source> src,
                   std::span<const Result> dst) {
  for (std::size_t i = 0; i < dst.size(); ++i) {
    for (const Source& from : src) require_disjoint(function, from, dst[i]);
    for (std::size_t k = 0; k < i; ++k) {
      require_disjoint(function, dst[k], dst[i], "two views of dst");
    }
  }
}

constexpr DeepCodes deep_codes(Range range, int bits = 16) {
  const double largest = (1 << 16) - (1 << (16 - bits));
  if (range == Range::full) return {0, largest, largest};
  return {16 * 256, 219 * 256, 224 * 256};
}

/// A call of convert_deep() whose arguments are checked.
struct DeepConversion {
  DeepArguments arguments;
  bool to_planes;
};

void require_options(const DeepOptions& options, bool from_rgb, bool to_planes) {
  require_enumerator("convert_deep", "matrix", options.matrix, all_matrices);
  require_enumerator("convert_deep", "range", options.from_range, all_ranges);
  require_enumerator("convert_deep", "range", options.to_range, all_ranges);
  if (options.from_bits < 8 || options.from_bits > 16) {
    refuse_deep("convert_deep",
                "from_bits is " + std::to_string(options.from_bits) + ", it needs 8 to 16");
  }
  if (from_rgb && options.from_bits != 16) {
    refuse_deep("convert_deep", "from_bits is " + std::to_string(options.from_bits) +
                                    ", but src is RGB, whose samples have 16 bits");
  }
  if (from_rgb && options.from_range != Range::full) {
    refuse_deep("convert_deep", "from_range is limited, but src is RGB, whose range is full");
  }
  if (!to_planes && options.to_range != Range::full) {
    refuse_deep("convert_deep", "to_range is limited, but dst is RGB, whose range is full");
  }
}

template <class Source, class Result>
DeepConversion conversion_of(std::span<const Source> src, std::span<const Result> dst,
                             const DeepOptions& options) {
  const auto from = components_of("convert_deep", "src", src);
  const auto to = components_of("convert_deep", "dst", dst);
  if (dst.size() == 2 || to.size() != 3) {
    refuse_deep("convert_deep", "dst needs one view of 3 x u16, or three of 1 x u16");
  }
  const bool from_planes = src.size() > 1;
  const bool to_planes = dst.size() > 1;
  require_options(options, !from_planes && from.size() > 1, to_planes);
  require_same_size("convert_deep", src[0], dst[0]);
  require_apart("convert_deep", src, dst);

  const Sharing shared = from_planes ? sharing_of("convert_deep", from) : Sharing{};
  const Sharing sharing = to_planes ? sharing_of("convert_deep", to) : shared;
  DeepConversion made{{}, to_planes};
  DeepArguments& a = made.arguments;
  for (std::size_t i = 0; i < 3; ++i) {
    a.src[i] = code_places<const unsigned char>(from[from.size() == 1 ? 0 : i]);
    a.dst[i] = code_places<unsigned char>(to[i]);
  }
  a.width = src[0].width();
  a.height = src[0].height();
  a.across = sharing.across;
  a.down = sharing.down;
  a.across_of_src = shared.across;
  a.down_of_src = shared.down;
  a.source = from.size() == 1 ? DeepSource::grey : DeepSource::rgb;
  if (from_planes) a.source = DeepSource::yuv;
  const Weights weights = weights_of(options.matrix);
  a.red_weight = weights.r / weights.sum;
  a.blue_weight = weights.b / weights.sum;
  a.from = deep_codes(options.from_range, options.from_bits);
  a.to = deep_codes(options.to_range);
  return made;
}

ByteRule rule_of(bool is_colour, Range range, std::size_t component) {
  if (!is_colour && range == Range::limited) return ByteRule::limited;
  return is_colour || component == 0 ? ByteRule::full : ByteRule::full_chroma;
}

/// Checks the arguments of round_to_8_bits(), and returns the work for each component.
template <class Source, class Result>
std::vector<ByteArguments> rounding_of(std::span<const Source> src, Range range,
                                       const Result& dst) {
  constexpr std::string_view name = "round_to_8_bits";
  require_enumerator(name, "range", range, all_ranges);
  const auto from = components_of(name, "src", src);
  require_same_size(name, src[0], dst);
  const bool is_yuv = holds_yuv(dst.format());
  const std::int64_t components = is_yuv ? 3 : plane_row_bytes(dst.format(), 0, 1);
  if (components != std::ssize(from) || is_yuv != (src.size() > 1)) {
    refuse_deep(name, "src does not have the components of a frame of " +
                          std::string(name_of(dst.format())));
  }
  for (const Source& view : src) {
    for (int plane = 0; plane < plane_count(dst.format()); ++plane) {
      require_disjoint(name, memory_of(view), memory_of(dst, plane), "src and dst");
    }
  }
  std::vector<ByteArguments> work;
  for (std::size_t i = 0; i < from.size(); ++i) {
    ByteArguments each = component_of(dst, static_cast<int>(i));
    const Source& view = from[i].view;
    if (each.columns != view.width() || each.rows != view.height()) {
      refuse_deep(name, "component " + std::to_string(i) + " of src is " +
                            size_text(view.width(), view.height()) + ", that of " +
                            std::string(name_of(dst.format())) + " is " +
                            size_text(each.columns, each.rows));
    }
    each.src = code_places<const unsigned char>(from[i]);
    each.last_x = each.columns - 1;
    each.last_y = each.rows - 1;
    each.across = each.down = 1;
    each.rule = rule_of(components != 1 && !is_yuv, range, i);
    work.push_back(each);
  }
  return work;
}

template <ByteRule rule>
void round_rows(const ByteArguments& a) {
  cpu::parallel_rows(a.rows, 3 * a.columns, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t y = begin; y < end; ++y) {
      const unsigned char* from = a.src.at(0, y);
      unsigned char* to = a.dst.at(0, y);
      for (std::int64_t x = 0; x < a.columns; ++x) {
        *to = kernels::convert::byte_of(kernels::convert::load_code<false>(from), rule);
        from += a.src.step;
        to += a.dst.step;
      }
    }
  });
}

void round_on_cpu(const ByteArguments& a) {
  switch (a.rule) {
    case ByteRule::limited: return round_rows<ByteRule::limited>(a);
    case ByteRule::full: return round_rows<ByteRule::full>(a);
    default: return round_rows<ByteRule::full_chroma>(a);
  }
}

void convert_on_cpu(const DeepConversion& conversion) {
  using kernels::convert::block_to_planes;
  using kernels::convert::block_to_rgb;
  const DeepArguments& a = conversion.arguments;
  const std::int64_t columns = (a.width + a.across - 1) / a.across;
  const std::int64_t rows = (a.height + a.down - 1) / a.down;
  const std::int64_t row_bytes = 2 * 3 * code_bytes * a.width * a.down;
  cpu::parallel_rows(rows, row_bytes, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t y = first; y < last; ++y) {
      for (std::int64_t x = 0; x < columns; ++x) {
        conversion.to_planes ? block_to_planes<false>(a, x, y) : block_to_rgb<false>(a, x, y);
      }
    }
  });
}

}  // namespace
}  // namespace detail::convert

void convert_deep(std::span<const ConstHostView> src, std::span<const HostView> dst,
                  const DeepOptions& options) {
  detail::convert::convert_on_cpu(detail::convert::conversion_of(src, dst, options));
}

void convert_deep(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
                  const DeepOptions& options, gpu::StreamHandle stream) {
  const auto conversion = detail::convert::conversion_of(src, dst, options);
  detail::convert::deep_cuda(conversion.arguments, conversion.to_planes, stream);
}

void round_to_8_bits(std::span<const ConstHostView> src, Range range, HostFrame dst) {
  for (const auto& component : detail::convert::rounding_of(src, range, dst)) {
    detail::convert::round_on_cpu(component);
  }
  detail::convert::fill_unused(dst);
}

void round_to_8_bits(std::span<const ConstDeviceView> src, Range range, DeviceFrame dst,
                     gpu::StreamHandle stream) {
  const auto work = detail::convert::rounding_of(src, range, dst);
  detail::convert::bytes_on_gpu(
      dst, static_cast<int>(work.size()), [&](int i) { return work[static_cast<std::size_t>(i)]; },
      stream);
}

}  // namespace warpwise
