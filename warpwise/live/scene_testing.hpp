#pragma once

#include <memory>

#include "warpwise/base/error.hpp"
#include "warpwise/live/source.hpp"
#include "warpwise/live/stage_testing.hpp"

// Helpers shared by the tests of frames that OpenGL draws.
namespace warpwise::live::test {

inline std::unique_ptr<Source> open_scene(const SourceOptions& options) {
  return open_source("scene:", options);
}

/// Skips its tests if no OpenGL driver can draw.
class SceneTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      open_scene({.width = 1, .height = 1});
    } catch (const IoError& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

inline Bytes next_frame(Source& source) {
  Bytes frame(static_cast<std::size_t>(source.stream().shape.bytes()));
  EXPECT_TRUE(source.next(frame));
  return frame;
}

}  // namespace warpwise::live::test
