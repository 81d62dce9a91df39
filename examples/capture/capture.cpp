// A capture loop that converts a camera's frames from YUYV, which most USB cameras send, to RGB.
//
//   capture WIDTH HEIGHT < yuyv > rgb
//
// The program reads a pipe. With V4L2 the same loop would take a frame from VIDIOC_DQBUF, pass the
// mapped buffer to convert() without a copy, and return it with VIDIOC_QBUF.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>
#include <warpwise/warpwise.hpp>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("capture WIDTH HEIGHT < yuyv > rgb\n", stderr);
    return 2;
  }
  try {
    using warpwise::PixelFormat;
    const std::int64_t width = std::stoll(argv[1]);
    const std::int64_t height = std::stoll(argv[2]);
    // Both buffers are allocated once, not for each frame.
    std::vector<std::uint8_t> yuyv(warpwise::frame_bytes(PixelFormat::yuyv, width, height));
    std::vector<std::uint8_t> rgb(warpwise::frame_bytes(PixelFormat::rgb24, width, height));
    warpwise::ConvertOptions options;
    options.from_range = warpwise::Range::limited;  // cameras send 16 to 235

    for (std::size_t got = 0; (got = std::fread(yuyv.data(), 1, yuyv.size(), stdin)) != 0;) {
      if (got != yuyv.size()) {
        std::fprintf(stderr, "capture: the last frame has %zu of %zu bytes\n", got, yuyv.size());
        return 1;
      }
      warpwise::convert({yuyv.data(), PixelFormat::yuyv, width, height},
                        {rgb.data(), PixelFormat::rgb24, width, height}, options);
      if (std::fwrite(rgb.data(), 1, rgb.size(), stdout) != rgb.size() ||
          std::fflush(stdout) != 0) {
        return 1;  // the reader has closed the pipe
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "capture: %s\n", error.what());
    return 1;
  }
}
