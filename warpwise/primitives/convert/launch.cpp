#include "warpwise/primitives/convert/launch.hpp"

#include <array>
#include <cstdlib>
#include <string>

namespace warpwise::detail::convert {
namespace {

using kernels::convert::ConvertArguments;
using kernels::convert::ConvertArithmetic;
using kernels::convert::ConvertDestination;
using kernels::convert::ConvertSource;
using kernels::convert::ConvertSwap;

ConvertDestination destination_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::gray8: return ConvertDestination::gray;
    case PixelFormat::rgb24:
    case PixelFormat::bgr24:
    case PixelFormat::ycrcb24: return ConvertDestination::packed3;
    case PixelFormat::rgba32:
    case PixelFormat::bgra32:
    case PixelFormat::ycbcr32: return ConvertDestination::packed4;
    case PixelFormat::i444: return ConvertDestination::planar3;
    default: break;
  }
  throw InvalidArgument("convert: " + std::string(name_of(format)) + " is not a destination");
}

ConvertSwap swap_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::bgr24:
    case PixelFormat::bgra32: return ConvertSwap::first_and_last;
    case PixelFormat::nv21:
    case PixelFormat::ycrcb24: return ConvertSwap::last_two;
    default: return ConvertSwap::none;
  }
}

/// Returns the channels that swap places between two formats if nothing is computed. The formats
/// have the same order of channels, or one of them has the order R G B or Y Cb Cr.
ConvertSwap swap_between(PixelFormat from, PixelFormat to) {
  const ConvertSwap first = swap_of(from);
  const ConvertSwap second = swap_of(to);
  if (first == second) return ConvertSwap::none;
  return first == ConvertSwap::none ? second : first;
}

/// Returns the positions of channels 0, 1, 2 in memory.
std::array<int, 3> order_of(PixelFormat format) {
  switch (swap_of(format)) {
    case ConvertSwap::none: return {0, 1, 2};
    case ConvertSwap::first_and_last: return {2, 1, 0};
    case ConvertSwap::last_two: return {0, 2, 1};
  }
  __builtin_unreachable();
}

/// Returns `linear` with its channels in memory order.
Linear in_order_of_memory(const Linear& linear, PixelFormat from, PixelFormat to) {
  Linear ordered = linear;
  for (std::size_t row = 0; row < 3; ++row) {
    const int into = order_of(to)[row];
    for (std::size_t i = 0; i < 3; ++i) {
      ordered.coefficient[into][order_of(from)[i]] = linear.coefficient[row][i];
    }
    ordered.offset[into] = linear.offset[row];
  }
  return ordered;
}

/// Returns `linear` with OpenCV's chroma in rows 1 and 2. These rows lack the rounded luma, which
/// the kernel subtracts by ConvertArguments::luma_factor.
Linear with_rounded_luma(Linear linear) {
  const auto fixed = [](int number) { return std::int64_t{number} << (linear_bits - 14); };
  linear.coefficient[1][2] = fixed(opencv_cb_factor);
  linear.coefficient[2][0] = fixed(opencv_cr_factor);
  linear.offset[1] = linear.offset[2] = fixed(opencv_chroma_offset);
  return linear;
}

/// Returns the number of fractional bits of 32-bit sums. Sums are below 2^9 if all coefficients are
/// below 1, else below 2^11.
int fraction_bits(const Linear& linear) {
  bool small = true;
  for (const auto& row : linear.coefficient) {
    for (const std::int64_t k : row) small &= std::abs(k) < std::int64_t{1} << linear_bits;
  }
  return small ? 22 : 20;
}

/// Sets the upper bits of coefficients and offsets. Returns true if all lower bits are zero.
bool set_high(const Linear& linear, int bits, ConvertArguments& a) {
  const int cut_off = linear_bits - bits;
  std::int64_t rest = 0;
  const auto high = [&](std::int64_t number) {
    rest |= number & ((std::int64_t{1} << cut_off) - 1);
    return static_cast<int>(number >> cut_off);
  };
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 3; ++i) a.high[row][i] = high(linear.coefficient[row][i]);
    a.high_offset[row] = high(linear.offset[row]);
  }
  a.high_bits = bits;
  return rest == 0;
}

/// Splits the coefficients and offsets into a high and a low part.
void set_two_levels(const Linear& linear, ConvertArguments& a) {
  static_assert(linear_bits == 2 * kernels::convert::convert_level_bits);
  set_high(linear, kernels::convert::convert_level_bits, a);
  constexpr std::int64_t low = (std::int64_t{1} << kernels::convert::convert_level_bits) - 1;
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 3; ++i) a.low[row][i] = static_cast<int>(linear.coefficient[row][i] & low);
    a.low_offset[row] = static_cast<int>(linear.offset[row] & low);
  }
}

/// Chooses the cheapest arithmetic for the plan, sets its coefficients and offsets, and returns it.
ConvertArithmetic set_numbers(const Plan& plan, PixelFormat from, PixelFormat to,
                              ConvertArguments& a) {
  if (plan.transform == Transform::none) {
    a.swap = swap_between(from, to);
    return ConvertArithmetic::none;
  }
  const bool rounded_luma = plan.transform == Transform::opencv_ycrcb;
  const Linear linear =
      in_order_of_memory(rounded_luma ? with_rounded_luma(plan.linear) : plan.linear, from, to);
  const bool one_level = set_high(linear, fraction_bits(linear), a);
  if (rounded_luma) {
    const int factor[3] = {0, opencv_cb_factor, opencv_cr_factor};
    for (std::size_t row = 0; row < 3; ++row) {
      a.luma_factor[order_of(to)[row]] = -(factor[row] << (a.high_bits - 14));
    }
    return ConvertArithmetic::rounded_luma;
  }
  if (linear.luma_scale != 256 || linear.luma_black != 0) {
    a.luma_scale = 257 * linear.luma_scale;
    a.luma_black = linear.luma_black;
    return ConvertArithmetic::scaled_luma;
  }
  if (one_level) return ConvertArithmetic::one_level;
  set_two_levels(linear, a);
  return ConvertArithmetic::two_levels;
}

/// Returns the bytes of the widest access to a plane's rows: four pixels, or a word for 3-byte
/// pixels.
int access_bytes(PixelFormat format, int plane) {
  switch (format) {
    case PixelFormat::rgba32:
    case PixelFormat::bgra32:
    case PixelFormat::ycbcr32: return 16;
    case PixelFormat::yuyv:
    case PixelFormat::uyvy: return 8;
    case PixelFormat::i420: return plane == 0 ? 4 : 2;
    default: return 4;
  }
}

template <class Frame>
bool is_aligned(const Frame& frame) {
  bool aligned = true;
  for (int p = 0; p < plane_count(frame.format()); ++p) {
    const auto& plane = frame.plane(p);
    const std::int64_t unit = access_bytes(frame.format(), p);
    aligned &=
        reinterpret_cast<std::uintptr_t>(plane.data) % static_cast<std::uintptr_t>(unit) == 0;
    aligned &= plane.pitch_bytes % unit == 0;
  }
  return aligned;
}

}  // namespace

ConvertSource source_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::gray8: return ConvertSource::gray;
    case PixelFormat::rgb24:
    case PixelFormat::bgr24:
    case PixelFormat::ycrcb24: return ConvertSource::packed3;
    case PixelFormat::rgba32:
    case PixelFormat::bgra32:
    case PixelFormat::ycbcr32: return ConvertSource::packed4;
    case PixelFormat::yuyv:
    case PixelFormat::uyvy: return ConvertSource::packed422;
    case PixelFormat::nv12:
    case PixelFormat::nv21: return ConvertSource::semiplanar420;
    case PixelFormat::i420: return ConvertSource::planar420;
    case PixelFormat::i444: break;
  }
  throw InvalidArgument("convert: " + std::string(name_of(format)) + " is not a source");
}

ConvertRule convert_rule(const Conversion& conversion) {
  ConvertRule rule{};
  ConvertArguments& a = rule.arguments;
  rule.kernel.source = source_of(conversion.from);
  rule.kernel.destination = destination_of(conversion.to);
  a.luma_is_odd = conversion.from == PixelFormat::uyvy;
  a.linear_chroma =
      is_subsampled(conversion.from) && conversion.upsampling == ChromaUpsampling::linear;
  a.keep_alpha = !holds_yuv(conversion.from) && !holds_yuv(conversion.to);
  rule.kernel.arithmetic = set_numbers(plan_of(conversion), conversion.from, conversion.to, a);
  return rule;
}

ConvertArguments with_frames(ConvertArguments rule, const ConstDeviceFrame& src,
                             const DeviceFrame& dst) {
  for (int p = 0; p < plane_count(src.format()); ++p) {
    rule.src[p] = reinterpret_cast<const unsigned char*>(src.plane(p).data);
    rule.src_pitch[p] = src.plane(p).pitch_bytes;
  }
  for (int p = 0; p < plane_count(dst.format()); ++p) {
    rule.dst[p] = reinterpret_cast<unsigned char*>(dst.plane(p).data);
    rule.dst_pitch[p] = dst.plane(p).pitch_bytes;
  }
  rule.width = src.width();
  rule.height = src.height();
  rule.aligned = !rule.linear_chroma && is_aligned(src) && is_aligned(dst);
  return rule;
}

ConvertBlocks convert_blocks(const ConvertKernel& kernel, const ConvertArguments& arguments) {
  const int aligned_rows = kernel.source == ConvertSource::packed3
                               ? kernels::convert::convert_packed3_rows
                               : kernels::convert::convert_other_rows;
  const int rows = kernels::convert::convert_block_height * (arguments.aligned ? aligned_rows : 1);
  return {gpu::blocks_for(arguments.width, kernels::convert::convert_block_pixels),
          gpu::blocks_for(arguments.height, rows)};
}

gpu::Launch<ConvertKernel> convert_launch(const ConstDeviceFrame& src, const DeviceFrame& dst,
                                          const Conversion& conversion) {
  const ConvertRule rule = convert_rule(conversion);
  const ConvertArguments a = with_frames(rule.arguments, src, dst);
  const ConvertBlocks blocks = convert_blocks(rule.kernel, a);
  gpu::Launch<ConvertKernel> launch;
  launch.kernel = rule.kernel;
  launch.grid = {gpu::grid_x(blocks.across), gpu::grid_y(blocks.down)};
  launch.block = {kernels::convert::convert_block_width, kernels::convert::convert_block_height};
  launch.parameters = gpu::Parameters::of(a);
  return launch;
}

}  // namespace warpwise::detail::convert
