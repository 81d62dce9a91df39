// Tests the installed development package: Sobel's gradient at an edge of height 9 is 4 · 9.
#include <warpwise/warpwise.hpp>

#include <cstdint>

int main() {
  const std::uint8_t in[9] = {0, 0, 9, 0, 0, 9, 0, 0, 9};
  std::uint8_t out[9] = {};
  warpwise::sobel(warpwise::ConstHostView(in, 3, 3), warpwise::HostView(out, 3, 3));
  return out[4] == 36 ? 0 : 1;
}
