#include <algorithm>
#include <cstring>

#include "warpwise/cpu/parallel.hpp"
#include "warpwise/primitives/copy/backends.hpp"

namespace warpwise::detail::copy {
namespace {

// The C library's memcpy is the vector loop that we would write, chosen for the CPU at run time. We
// only spread it over threads.
void copy_rows(ConstHostView src, HostView dst, std::int64_t first, std::int64_t last) {
  for (std::int64_t y = first; y < last; ++y) {
    std::memcpy(dst.row(y), src.row(y), static_cast<std::size_t>(src.row_bytes()));
  }
}

}  // namespace

void copy_cpu(ConstHostView src, HostView dst) {
  const std::int64_t bytes = src.row_bytes();
  const bool gapless = src.pitch_bytes() == bytes && dst.pitch_bytes() == bytes;
  if (gapless || src.height() == 1) {
    // Cuts one long array into equal pieces, whatever the shape of the image.
    const std::int64_t total = bytes * src.height();
    const std::int64_t piece = 64 * 1024;
    cpu::parallel_rows((total + piece - 1) / piece, 2 * piece, [&](auto first, auto last) {
      const std::int64_t from = first * piece;
      std::memcpy(dst.data() + from, src.data() + from,
                  static_cast<std::size_t>(std::min(last * piece, total) - from));
    });
    return;
  }
  cpu::parallel_rows(src.height(), 2 * bytes,
                     [&](auto first, auto last) { copy_rows(src, dst, first, last); });
}

}  // namespace warpwise::detail::copy
