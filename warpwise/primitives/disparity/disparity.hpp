#pragma once

#include "warpwise/base/export.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/primitives/shared/matching.hpp"

namespace warpwise {

/// Limits of DisparityOptions: under them every sum over a block fits 32 bits.
inline constexpr int max_disparity_block = 255;
inline constexpr int max_disparity_range = 1023;

/// What disparity() compares, and how far it looks.
struct DisparityOptions {
  /// Side of the square block around each pixel: odd, 1 to max_disparity_block.
  int block = 11;
  /// The largest displacement tried, 0 to max_disparity_range; the least is 0.
  int max_disparity = 64;
  Measure measure = Measure::sad;
  /// The most by which a pixel's disparity and that of the pixel it was matched to may differ;
  /// negative: not checked.
  int check = 1;
  /// Whether the scores beside the best one refine the disparity to fractions of a pixel.
  bool subpixel = false;
};

/// How far each pixel of a rectified stereo pair lies left of its counterpart: dst(x, y) is the d
/// in [0, max_disparity] for which the block around (x − d, y) in `right` is most like the block
/// around (x, y) in `left`, and −1 where the check fails.
///
/// - Blocks reach over the border, where the edge pixel is replicated in both images; only d with
///   x − d ≥ 0 are scored. Of equally good d the smallest wins. ncc and zncc are compared in
///   double.
/// - Check: the pixel (x − d, y) of `right` has its own best disparity d', found likewise among
///   the d' with x − d + d' < width; |d − d'| > check makes the pixel invalid.
/// - Sub-pixel: a parabola goes through s(d − 1), s(d) and s(d + 1), where s is the score, of sad
///   its square. The result is
///   d + (s(d − 1) − s(d + 1)) / (2 ((s(d − 1) − s(d)) + (s(d + 1) − s(d)))), computed in double,
///   each operation rounded, then rounded to float; d itself where d − 1 or d + 1 was not scored.
///
/// `left`, `right`: one size, one channel of u8; `dst`: that size, one channel of f32, not
/// overlapping them. Any pitch, any alignment. Every backend gives the same bits.
///
/// Runs on the CPU, in parallel on the calling thread's oneTBB arena, in time that does not grow
/// with the block; each thread takes memory for width × (max_disparity + 1) sums. Returns when
/// done. Source: document E, row E3 (disparity map).
///
/// \throws InvalidArgument  an option out of its range, or views of other sizes or types.
/// \throws std::bad_alloc   no memory.
WARPWISE_EXPORT void disparity(ConstHostView left, ConstHostView right, HostView dst,
                               const DisparityOptions& options = {});

/// The same on a GPU: asynchronous on `stream`, no synchronisation. Scratch memory of up to
/// 12 bytes a pixel for sad and ssd, 20 for ncc and 28 for zncc, 8 less without the check, and of
/// the images' replicated borders comes from gpu::Buffer's stream-ordered pool.
///
/// \throws InvalidArgument  as above.  \throws NoCudaDevice
/// \throws CudaError        a failed launch or no memory.
WARPWISE_EXPORT void disparity(ConstDeviceView left, ConstDeviceView right, DeviceView dst,
                               const DisparityOptions& options, gpu::StreamHandle stream);

namespace reference {
/// disparity(), every block summed anew: what the fast paths are tested against.
WARPWISE_EXPORT void disparity(ConstHostView left, ConstHostView right, HostView dst,
                               const DisparityOptions& options = {});
}  // namespace reference

}  // namespace warpwise
