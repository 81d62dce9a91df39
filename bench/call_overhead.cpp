// Times calls of the C++ library on 64x64 images, for bench/call_overhead.py. Prints a line "NAME
// MICROSECONDS" for each call. With the argument cuda the images are on the GPU, and a time ends
// when the call returns, even if the GPU still works.
#include <warpwise/warpwise.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace warpwise;

namespace {

constexpr int size = 64, calls = 20, samples = 2000;  // the same values as in call_overhead.py

template <class Call, class Wait>
void time(const char* name, const Call& call, const Wait& wait) {
  std::vector<double> us;
  for (int i = 0; i < samples; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    for (int j = 0; j < calls; ++j) call();
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - begin;
    us.push_back(taken.count() / calls);
    wait();
  }
  const auto middle = us.begin() + samples / 2;
  std::nth_element(us.begin(), middle, us.end());
  std::printf("%s %.3f\n", name, *middle);
}

template <Memory memory, class... On>
void time_all(std::byte* grey, std::byte* colours, std::byte* result, const auto& wait, On... on) {
  using In = BasicView<memory, Access::read>;
  using Out = BasicView<memory, Access::read_write>;
  using InFrame = BasicFrame<memory, Access::read>;
  using OutFrame = BasicFrame<memory, Access::read_write>;
  const In src(grey, ElementType::u8, size, size), rgb(colours, ElementType::u8, size, size, 3);
  const Out dst(result, ElementType::u8, size, size);
  time("copy", [&] { copy(src, dst, on...); }, wait);
  time("sobel", [&] { sobel(src, dst, {}, on...); }, wait);
  time("threshold", [&] { threshold(src, dst, {}, std::nullopt, on...); }, wait);
  time(
      "convert",
      [&] {
        convert(InFrame(PixelFormat::rgb24, rgb), OutFrame(PixelFormat::gray8, dst), {}, on...);
      },
      wait);
  Chain edges({SobelOptions{}, ThresholdOptions{}});
  time("Chain.run", [&] { edges.run(rgb, dst, on...); }, wait);
}

}  // namespace

int main(int count, char** words) {
  constexpr std::int64_t pixels = size * size;
  if (count > 1 && std::strcmp(words[1], "cuda") == 0) {
    // Uses the legacy default stream, the current stream of PyTorch and CuPy unless changed.
    const auto stream = reinterpret_cast<gpu::StreamHandle>(1);
    const gpu::Buffer grey(pixels, stream), colours(3 * pixels, stream), result(pixels, stream);
    gpu::fill_bytes(grey.data(), 0, grey.bytes(), stream);
    gpu::fill_bytes(colours.data(), 0, colours.bytes(), stream);
    time_all<Memory::device>(grey.data(), colours.data(), result.data(), gpu::synchronize_device,
                             stream);
    return 0;
  }
  std::vector<std::byte> grey(pixels), colours(3 * pixels), result(pixels);
  time_all<Memory::host>(grey.data(), colours.data(), result.data(), [] {});
}
