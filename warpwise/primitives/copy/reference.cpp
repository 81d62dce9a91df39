#include "warpwise/primitives/copy/copy.hpp"

namespace warpwise::reference {

void copy(ConstHostView src, HostView dst) {
  for (std::int64_t y = 0; y < src.height(); ++y) {
    for (std::int64_t i = 0; i < src.row_bytes(); ++i) dst.row(y)[i] = src.row(y)[i];
  }
}

}  // namespace warpwise::reference
