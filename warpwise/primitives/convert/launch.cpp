#include "warpwise/primitives/convert/launch.hpp"

#include <cstdlib>

#include "warpwise/gpu/launch.hpp"

namespace warpwise::detail {
namespace {

using kernels::ConvertArguments;
using kernels::ConvertSwap;
using kernels::ConvertTransform;

ConvertSwap swap_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::bgr24:
    case PixelFormat::bgra32: return ConvertSwap::first_and_last;
    case PixelFormat::nv21:
    case PixelFormat::ycrcb24: return ConvertSwap::last_two;
    default: return ConvertSwap::none;
  }
}

ConvertTransform transform_of(Transform transform) {
  switch (transform) {
    case Transform::none: return ConvertTransform::none;
    case Transform::linear: return ConvertTransform::linear;
    case Transform::opencv_ycrcb: return ConvertTransform::opencv_ycrcb;
  }
  __builtin_unreachable();
}

/// Cuts the fixed-point numbers in two. Sums are below 2^9 where all coefficients are below 1, else
/// below 2^11: that leaves 22 or 20 fractional bits to a 32-bit sum.
void cut(const Linear& linear, ConvertArguments& a) {
  bool small = true;
  for (const auto& row : linear.coefficient) {
    for (const std::int64_t k : row) small &= std::abs(k) < std::int64_t{1} << linear_bits;
  }
  a.high_bits = small ? 22 : 20;
  a.low_bits = linear_bits - a.high_bits;
  const std::int64_t low_mask = (std::int64_t{1} << a.low_bits) - 1;
  const auto put = [&](std::int64_t number, int& high, int& low) {
    high = static_cast<int>(number >> a.low_bits);
    low = static_cast<int>(number & low_mask);
    a.two_levels |= low != 0;
  };
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 3; ++i) put(linear.coefficient[row][i], a.high[row][i], a.low[row][i]);
    put(linear.offset[row], a.high_offset[row], a.low_offset[row]);
  }
  a.luma_scale = linear.luma_scale;
  a.luma_black = linear.luma_black;
}

}  // namespace

ConvertArguments convert_arguments(const ConstDeviceFrame& src, const DeviceFrame& dst,
                                   const Conversion& conversion) {
  ConvertArguments a{};
  for (int p = 0; p < plane_count(src.format()); ++p) {
    a.src[p] = reinterpret_cast<const unsigned char*>(src.plane(p).data);
    a.src_pitch[p] = src.plane(p).pitch_bytes;
  }
  for (int p = 0; p < plane_count(dst.format()); ++p) {
    a.dst[p] = reinterpret_cast<unsigned char*>(dst.plane(p).data);
    a.dst_pitch[p] = dst.plane(p).pitch_bytes;
  }
  a.width = src.width();
  a.height = src.height();
  a.src_swap = swap_of(src.format());
  a.dst_swap = swap_of(dst.format());
  a.luma_is_odd = src.format() == PixelFormat::uyvy;
  a.linear_chroma = conversion.upsampling == ChromaUpsampling::linear;
  a.keep_alpha = !holds_yuv(src.format()) && !holds_yuv(dst.format());
  const Plan plan = plan_of(conversion);
  a.transform = transform_of(plan.transform);
  cut(plan.linear, a);
  a.cb_factor = opencv_cb_factor;
  a.cr_factor = opencv_cr_factor;
  a.chroma_offset = opencv_chroma_offset;
  return a;
}

ConvertGrid convert_grid(const ConvertArguments& a) {
  return {gpu::grid_x(gpu::blocks_for(a.width, kernels::convert_block_pixels)),
          gpu::grid_y(gpu::blocks_for(a.height, kernels::convert_block_rows))};
}

}  // namespace warpwise::detail
