// Times calls of the C++ library on 64x64 images, for bench/call_overhead.py: a line NAME
// MICROSECONDS for each.
#include <warpwise/warpwise.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <vector>

using namespace warpwise;

namespace {

constexpr int size = 64, calls = 20, samples = 2000;  // as in call_overhead.py

template <class Call>
void time(const char* name, const Call& call) {
  std::vector<double> us;
  for (int i = 0; i < samples; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    for (int j = 0; j < calls; ++j) call();
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - begin;
    us.push_back(taken.count() / calls);
  }
  const auto middle = us.begin() + samples / 2;
  std::nth_element(us.begin(), middle, us.end());
  std::printf("%s %.3f\n", name, *middle);
}

}  // namespace

int main() {
  std::vector<std::byte> grey(size * size), colours(3 * size * size), result(size * size);
  const ConstHostView src(grey.data(), ElementType::u8, size, size);
  const ConstHostView rgb(colours.data(), ElementType::u8, size, size, 3);
  const HostView dst(result.data(), ElementType::u8, size, size);
  time("copy", [&] { copy(src, dst); });
  time("sobel", [&] { sobel(src, dst); });
  time("threshold", [&] { threshold(src, dst, {}); });
  time("convert", [&] {
    convert(ConstHostFrame(PixelFormat::rgb24, rgb), HostFrame(PixelFormat::gray8, dst), {});
  });
  Chain edges({SobelOptions{}, ThresholdOptions{}});
  time("Chain.run", [&] { edges.run(rgb, dst); });
}
