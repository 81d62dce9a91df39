#pragma once

#include "warpwise/base/pixel_format.hpp"

namespace warpwise {

/// Returns true if frames have luma, with or without chroma: all formats except RGB.
constexpr bool has_luma(PixelFormat format) {
  switch (format) {
    case PixelFormat::rgb24:
    case PixelFormat::bgr24:
    case PixelFormat::rgba32:
    case PixelFormat::bgra32: return false;
    default: return true;
  }
}

/// Returns true if frames have fewer chroma samples than pixels: yuyv, nv12, i420, …
constexpr bool is_subsampled(PixelFormat format) {
  switch (format) {
    case PixelFormat::yuyv:
    case PixelFormat::uyvy:
    case PixelFormat::nv12:
    case PixelFormat::nv21:
    case PixelFormat::i420: return true;
    default: return false;
  }
}

/// Position of one component's samples. Sample i of a plane's row is byte first + i * step of that
/// row.
struct Samples {
  int plane;
  int first;
  int step;
};

/// Returns the position of a component that the format has: 0 is luma or red, 1 Cb or green, 2 Cr
/// or blue, 3 alpha.
constexpr Samples samples_of(PixelFormat format, int component) {
  const bool is_luma = component == 0;
  switch (format) {
    case PixelFormat::yuyv: return is_luma ? Samples{0, 0, 2} : Samples{0, 2 * component - 1, 4};
    case PixelFormat::uyvy: return is_luma ? Samples{0, 1, 2} : Samples{0, 2 * component - 2, 4};
    case PixelFormat::nv12: return is_luma ? Samples{0, 0, 1} : Samples{1, component - 1, 2};
    case PixelFormat::nv21: return is_luma ? Samples{0, 0, 1} : Samples{1, 2 - component, 2};
    case PixelFormat::rgb24: return {0, component, 3};
    case PixelFormat::bgr24: return {0, 2 - component, 3};
    case PixelFormat::ycrcb24: return {0, is_luma ? 0 : 3 - component, 3};
    case PixelFormat::rgba32:
    case PixelFormat::ycbcr32: return {0, component, 4};
    case PixelFormat::bgra32: return {0, component == 3 ? 3 : 2 - component, 4};
    case PixelFormat::gray8:
    case PixelFormat::i420:
    case PixelFormat::i444: break;
  }
  return {component, 0, 1};  // each component has its own plane
}

}  // namespace warpwise
