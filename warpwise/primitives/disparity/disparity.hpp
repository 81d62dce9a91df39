#pragma once

#include "warpwise/base/export.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/primitives/shared/matching.hpp"

namespace warpwise {

/// Limits of DisparityOptions: under them every sum over a block fits 32 bits.
inline constexpr int max_disparity_block = 255;
inline constexpr int max_disparity_range = 1023;

/// Options of disparity(): measure, block, range of displacements, and the treatment of results.
struct DisparityOptions {
  /// Side of the square block around each pixel: odd, 1 to max_disparity_block.
  int block = 11;
  /// The largest displacement tried, 0 to max_disparity_range; the least is 0.
  int max_disparity = 64;
  Measure measure = Measure::sad;
  /// Largest allowed difference between the disparities of a pixel and of its match; negative: not
  /// checked.
  int check = 1;
  /// true: the scores beside the best one refine the disparity to fractions of a pixel.
  bool subpixel = false;
};

/// Computes the displacement of each pixel of a rectified stereo pair from its counterpart.
/// dst(x, y) is the d in [0, max_disparity] for which the block around (x − d, y) in `right` is
/// most like the block around (x, y) in `left`, or −1 if the check fails.
///
/// - Blocks reach over the border, where the edge pixel is replicated in both images. Only d with
///   x − d ≥ 0 are scored. Among equally good d the smallest wins. ncc and zncc are compared in
///   double.
/// - Check: the pixel (x − d, y) of `right` has a best disparity d' too, among the d' with
///   x − d + d' < width. A pixel with |d − d'| > check is invalid.
/// - Sub-pixel: a parabola goes through s(d − 1), s(d) and s(d + 1), where s is the score (for sad
///   its square). The result is
///   d + (s(d − 1) − s(d + 1)) / (2 ((s(d − 1) − s(d)) + (s(d + 1) − s(d)))), computed in double,
///   each operation rounded, then rounded to float. It is d itself if d − 1 or d + 1 was not
///   scored.
///
/// `left`, `right`: one size, one channel of u8; `dst`: that size, one channel of f32, not
/// overlapping them. Any pitch, any alignment. Every backend gives the same bits.
///
/// Runs on the CPU, in parallel on the calling thread's oneTBB arena, and returns when done. The
/// time does not grow with the block. Each thread takes memory for width × (max_disparity + 1)
/// sums. Source: document E of docs/sources.md, row E3 (disparity map).
///
/// \throws InvalidArgument  an option out of its range, or views of other sizes or types.
/// \throws std::bad_alloc   no memory.
WARPWISE_EXPORT void disparity(ConstHostView left, ConstHostView right, HostView dst,
                               const DisparityOptions& options = {});

/// Computes the disparity on a GPU: asynchronous on `stream`, no synchronisation. Scratch memory
/// comes from gpu::Buffer's stream-ordered pool: up to 12 bytes a pixel for sad and ssd, 20 for
/// ncc, 28 for zncc, 8 less without the check, and memory for the images' replicated borders.
///
/// \throws InvalidArgument  for the arguments that disparity() on the CPU refuses.
/// \throws NoCudaDevice
/// \throws CudaError        a failed launch or no memory.
WARPWISE_EXPORT void disparity(ConstDeviceView left, ConstDeviceView right, DeviceView dst,
                               const DisparityOptions& options, gpu::StreamHandle stream);

namespace reference {
/// Computes disparity() and sums every block anew. Tests compare the fast paths with it.
/// Arguments are not checked: those that disparity() refuses are undefined behaviour here.
WARPWISE_EXPORT void disparity(ConstHostView left, ConstHostView right, HostView dst,
                               const DisparityOptions& options = {});
}  // namespace reference

}  // namespace warpwise
