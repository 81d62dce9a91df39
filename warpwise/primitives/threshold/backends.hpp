#pragma once

#include <algorithm>
#include <vector>

#include "warpwise/primitives/threshold/threshold.hpp"

// Backends of threshold(). It calls them after it has checked its arguments and has reduced its
// options to a rule in numbers.
namespace warpwise::detail::threshold {

/// The two values that a pixel of dst can have.
struct ThresholdValues {
  std::uint32_t above = 0;
  std::uint32_t below = 0;
};

/// mean and exact_mean in integers, without a division: a pixel is above when
/// pixel * area + bias - sum >= 0, where sum is the sum over its window.
struct WindowRule {
  std::int64_t half = 0;  ///< the window reaches from -half to +half
  std::int64_t area = 1;
  std::int64_t bias = 0;
  bool wide = false;  ///< the expression needs 64 bits; 32 are enough otherwise
  ThresholdValues values;
};

/// gaussian: a pixel is above when pixel + shift > round(mean).
struct GaussianRule {
  std::vector<float> weights;  ///< weight of the centre, then outwards: window / 2 + 1 of them
  std::int32_t shift = 0;
  ThresholdValues values;
};

/// How the CPU cuts an image for gaussian: into `strips` strips of rows, of `across` tiles each.
struct GaussianTiles {
  std::int64_t columns, rows;  ///< size of every tile except the last ones
  std::int64_t across, strips;
};

/// A tile's number of columns is a multiple of this number.
inline constexpr std::int64_t gaussian_step = 64;

/// Returns the work of a pixel in bytes. Each tap counts as one access to a float, up to 64 taps.
constexpr std::int64_t gaussian_pixel_bytes(std::int64_t taps) {
  return 4 * std::min<std::int64_t>(taps, 64);
}

/// Chooses the tiles for an image.
/// - Size: a tile keeps the weighted rows of one window. They take at most 512 KiB, unless 64
///   columns need more.
/// - Number: with several threads, each gets at least two tiles, where the image allows it.
/// - Shape: a strip also has to weigh a window's rows beyond its own, whereas a narrower tile only
///   loads some pixels again. Strips are therefore at least four windows high, or at least one
///   window if tiles cannot become narrower.
/// - Threads: only those that have `bytes_per_task` of work each are counted. The calling thread
///   alone processes a small image.
constexpr GaussianTiles gaussian_tiles(std::int64_t width, std::int64_t height, std::int64_t taps,
                                       std::int64_t threads, std::int64_t bytes_per_task) {
  const std::int64_t work = width * height * gaussian_pixel_bytes(taps);
  threads = std::clamp<std::int64_t>(work / bytes_per_task, 1, threads);
  const auto whole_steps = [](std::int64_t n) {
    return (n + gaussian_step - 1) / gaussian_step * gaussian_step;
  };
  const std::int64_t window = 2 * taps - 1;
  const std::int64_t row_floats = (std::int64_t{512} << 10) / 4 / std::min(window, height);
  std::int64_t columns = std::min(
      {whole_steps(std::max<std::int64_t>(256, 8 * taps)),
       std::max(row_floats / gaussian_step, std::int64_t{1}) * gaussian_step, whole_steps(width)});
  std::int64_t across = 1, strips = 1;
  const auto cut = [&](std::int64_t tiles, std::int64_t least_rows) {
    across = (width + columns - 1) / columns;
    strips =
        std::min((tiles + across - 1) / across, std::max<std::int64_t>(height / least_rows, 1));
  };
  cut(threads == 1 ? 1 : 4 * threads, 4 * window);
  while (threads > 1 && across * strips < 2 * threads && columns > gaussian_step) {
    columns = whole_steps(columns / 2);
    cut(2 * threads, 4 * window);
  }
  if (threads > 1 && across * strips < 2 * threads) cut(2 * threads, window);
  const std::int64_t rows = (height + strips - 1) / strips;
  return {columns, rows, across, (height + rows - 1) / rows};
}

/// \throws InvalidArgument  an option outside the range of threshold().
void validate_threshold_options(const ThresholdOptions& options, ElementType type);

/// Computes the rule from valid options for pixels of `type`.
WindowRule window_rule(const ThresholdOptions& options, ElementType type);
GaussianRule gaussian_rule(const ThresholdOptions& options, ElementType type);

/// Computes all rows of dst and of the mean image. Row 0 of dst belongs to row `first` of src.
void threshold_cpu(ConstHostView src, HostView dst, const WindowRule& rule,
                   std::optional<HostView> mean, std::int64_t first = 0);
void threshold_cpu(ConstHostView src, HostView dst, const GaussianRule& rule,
                   std::optional<HostView> mean, std::int64_t first = 0);
void threshold_cuda(ConstDeviceView src, DeviceView dst, const WindowRule& rule,
                    std::optional<DeviceView> mean, gpu::StreamHandle stream);
void threshold_cuda(ConstDeviceView src, DeviceView dst, const GaussianRule& rule,
                    std::optional<DeviceView> mean, gpu::StreamHandle stream);
/// Processes many images of one type, at least one.
void threshold_cuda(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
                    const WindowRule& rule, gpu::StreamHandle stream);
void threshold_cuda(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
                    const GaussianRule& rule, gpu::StreamHandle stream);

}  // namespace warpwise::detail::threshold
