#pragma once

#include <cstdint>

#include "warpwise/base/export.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/primitives/shared/matching.hpp"

namespace warpwise {

/// Largest number of pixels of a template. Up to this number zncc's integers fit 64 bits.
inline constexpr std::int64_t max_find_area = 11'000'000;

/// The best place of a template in an image.
struct Finding {
  std::int64_t x;  ///< column of the template's left edge
  std::int64_t y;  ///< row of the template's top edge
  double score;    ///< for sad and ssd an exact integer
};

/// Compares a template with every part of `image` of the same size and returns the best place.
///
/// A place (x, y) is the position in the W×H image of the upper left pixel of the w×h template.
/// Every place with x in [0, W − w] and y in [0, H − h] is scored, none beyond the border. Among
/// equally good places the first in raster order wins. ncc and zncc are compared in double, sad and
/// ssd as exact integers. The measures are those of cv::matchTemplate: ssd is TM_SQDIFF, ncc
/// TM_CCORR_NORMED, zncc TM_CCOEFF_NORMED. Unlike in matchTemplate, a quotient by 0 gives 0.
///
/// `templ` and `image`: one channel of u8, any pitch, any alignment; they may overlap. Every
/// backend gives the same bits. The time grows with the template's area times the image's. For ssd,
/// ncc and zncc, templates larger than some tens of pixels a side use transforms, which are faster
/// (docs/decisions/2026-11-25-find-transforms.md). Transforms take up to about 64 MiB for each
/// thread of the CPU, and up to 64 MiB once for the template.
///
/// Runs on the CPU, in parallel on the calling thread's oneTBB arena; returns when done.
/// Source: document E of docs/sources.md, rows E1 and E3 (similarity at every position, tracked
/// object).
///
/// \throws InvalidArgument  a template wider or higher than the image, or of more than
///                          max_find_area pixels; views of other types.
WARPWISE_EXPORT Finding find(ConstHostView templ, ConstHostView image, Measure measure);

/// Finds the best place and writes the score at each place to `map`(x, y).
///
/// `map`: (W − w + 1) × (H − h + 1), one channel, overlapping neither input. Its type is one of:
/// - f32: the score rounded to nearest;
/// - u32, for sad: the exact score;
/// - u32, for ssd with templates of up to 66,051 pixels, whose sums fit 32 bits: the exact score.
///
/// \throws InvalidArgument  for the arguments that find() without a map refuses, or a map of
///                          another size or type, or one that overlaps an input.
WARPWISE_EXPORT Finding find(ConstHostView templ, ConstHostView image, HostView map,
                             Measure measure);

/// Finds the best place on a GPU: asynchronous on `stream`, no synchronisation. Scratch memory
/// comes from gpu::Buffer's stream-ordered pool:
/// - For ssd, ncc and zncc, up to 8 bytes a place, or 20 for templates of more than 66,051 pixels.
///   The memory holds about 16 million places at a time, but at least 128 rows of places. In an
///   image a million pixels wide, 128 rows are 128 million places, and zncc takes 1 GB.
/// - Transforms, for templates of about 100 pixels a side and more, take 16 bytes more for each
///   pixel of each pair of tiles and of the template's tile, at most 2 GiB. In an image of
///   4096×3000 pixels, a template of 128×128 takes 168 MB, 512×512 268 MB, 2000×2000 1.6 GB.
/// - For ssd, ncc and zncc with templates of 48 rows and more, sums of the image's columns.
///   They take up to one byte for each pixel of the image that the template covers at any of these
///   16 million places.
///
/// `best` receives the Finding in device memory: one row of sizeof(Finding) pixels of u8, at any
/// address.
///
/// \throws InvalidArgument  for what the CPU's find() refuses, or a `best` of another size or type.
/// \throws NoCudaDevice
/// \throws CudaError        a failed launch or no memory.
WARPWISE_EXPORT void find(ConstDeviceView templ, ConstDeviceView image, DeviceView best,
                          Measure measure, gpu::StreamHandle stream);
WARPWISE_EXPORT void find(ConstDeviceView templ, ConstDeviceView image, DeviceView best,
                          DeviceView map, Measure measure, gpu::StreamHandle stream);

namespace reference {
/// Computes find() with a map by its definition: the sums at a place are computed from all pixels
/// of its window. Tests compare the fast paths with it.
/// Arguments are not checked: those that find() refuses are undefined behaviour here.
WARPWISE_EXPORT Finding find(ConstHostView templ, ConstHostView image, HostView map,
                             Measure measure);
}  // namespace reference

}  // namespace warpwise
