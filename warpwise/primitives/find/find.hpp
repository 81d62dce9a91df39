#pragma once

#include <cstdint>

#include "warpwise/base/export.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/primitives/shared/matching.hpp"

namespace warpwise {

/// The most pixels of a template: zncc's integers stay within 64 bits.
inline constexpr std::int64_t max_find_area = 11'000'000;

/// The best place of a template in an image.
struct Finding {
  std::int64_t x;  ///< of the template's left column
  std::int64_t y;  ///< of the template's top row
  double score;    ///< sad and ssd: the exact sum
};

/// Compares a template with every part of `image` of its size and tells where it fits best.
///
/// The template's w×h pixels lie on (x … x + w − 1, y … y + h − 1) for every x in [0, W − w] and y
/// in [0, H − h] of the W×H image; nothing is scored beyond the border. Of equally good places the
/// first in raster order wins. ncc and zncc are compared in double, sad and ssd as exact integers.
/// The measures are those of cv::matchTemplate: ssd is TM_SQDIFF, ncc TM_CCORR_NORMED, zncc
/// TM_CCOEFF_NORMED, but for flat parts, which score 0 here.
///
/// `templ` and `image`: one channel of u8, any pitch, any alignment; they may overlap. Every
/// backend gives the same bits. The time grows with the area of the template times that of the
/// image; that of ssd, ncc and zncc only up to templates of some tens of pixels a side, for which
/// transforms are faster: docs/decisions/2026-11-25-find-transforms.md. They take up to 64 MiB a
/// thread, and as much again.
///
/// Runs on the CPU, in parallel on the calling thread's oneTBB arena; returns when done.
/// Source: document E, rows E1 and E3 (similarity at every position, tracked object).
///
/// \throws InvalidArgument  a template wider or higher than the image, or of more than
///                          max_find_area pixels; views of other types.
WARPWISE_EXPORT Finding find(ConstHostView templ, ConstHostView image, Measure measure);

/// The same, and `map`(x, y) gets the score at each place.
///
/// `map`: (W − w + 1) × (H − h + 1), one channel, overlapping neither input: f32 (the score rounded
/// to nearest), or for sad and ssd u32 (exact), for ssd with templates of up to 66,051 pixels,
/// whose sums stay within 32 bits.
///
/// \throws InvalidArgument  as above, or a map of another size or type.
WARPWISE_EXPORT Finding find(ConstHostView templ, ConstHostView image, HostView map,
                             Measure measure);

/// The same on a GPU: asynchronous on `stream`, no synchronisation. Scratch memory comes from
/// gpu::Buffer's stream-ordered pool: for ssd, ncc and zncc up to 8 bytes a place, 20 for templates
/// of more than 66,051 pixels, of some 16 million places at a time, but of 128 rows at least: for
/// zncc in an image a million pixels wide of 128 million, which take 1 GB. Transforms, for
/// templates of about 100 pixels a side and more, take 16 bytes more a pixel of each pair of their
/// tiles and of the template's: in 4096×3000 pixels 168 MB for a template of 128×128, 268 MB for
/// one of 512×512, 1.6 GB for one of 2000×2000, nowhere more than 2 GiB. Templates of 48 rows and
/// more take up to one more byte a pixel.
///
/// `best` is where the Finding is left in device memory: one row of sizeof(Finding) pixels of u8,
/// at any address.
///
/// \throws InvalidArgument  as above.  \throws NoCudaDevice
/// \throws CudaError        a failed launch or no memory.
WARPWISE_EXPORT void find(ConstDeviceView templ, ConstDeviceView image, DeviceView best,
                          Measure measure, gpu::StreamHandle stream);
WARPWISE_EXPORT void find(ConstDeviceView templ, ConstDeviceView image, DeviceView best,
                          DeviceView map, Measure measure, gpu::StreamHandle stream);

namespace reference {
/// find() with a map, every sum taken anew: what the fast paths are tested against.
WARPWISE_EXPORT Finding find(ConstHostView templ, ConstHostView image, HostView map,
                             Measure measure);
}  // namespace reference

}  // namespace warpwise
