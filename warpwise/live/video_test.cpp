#include "warpwise/live/video_module.hpp"

#include <gtest/gtest.h>

namespace warpwise::live {
namespace {

TEST(VideoFiles, ReadsTheSample) {
  const auto source = video_module().open_file(WARPWISE_SAMPLES "/street.avi", {});
  std::printf("%s %s\n", source->name().c_str(), source->stream().text().c_str());
  std::vector<std::byte> pixels(source->stream().shape.bytes());
  int n = 0;
  auto sink = video_module().create("/tmp/a.mp4");
  auto t = sink->takes(source->stream());
  sink->begin(source->stream());
  while (source->next(pixels)) { ++n; sink->write(pixels); }
  sink->finish();
  EXPECT_EQ(n, 80);
  EXPECT_EQ(t.format, PixelFormat::i420);
}

}  // namespace
}  // namespace warpwise::live
