// Tests of smooth.cu, also for machines without a GPU:
//
//   ctest                                          results, faults and costs, in the emulator
//   WARPWISE_TEST_BACKEND=gpu ctest                results only, on a GPU, which gives no counts

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <vector>

#include <warpwise/testbench/testbench.hpp>

#include "smooth.hpp"

namespace bench = warpwise::testbench;

constexpr float weights[] = {0.1F, 0.2F, 0.4F, 0.2F, 0.1F};

// The reference for the kernel's results, written for clarity.
static std::vector<float> smoothed(const std::vector<float>& from, int width, int height) {
  std::vector<float> to(from.size());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int i = -radius; i <= radius; ++i) {
        const int at = std::clamp(x + i, 0, width - 1);
        to[y * width + x] += weights[i + radius] * from[y * width + at];
      }
    }
  }
  return to;
}

class Smooth : public ::testing::Test {
 protected:
  Smooth() { module.variable<float>("weights").write(weights); }
  ~Smooth() override {
    if (testbench.skipped() > 0)
      std::cout << testbench.skipped() << " expectations skipped: a GPU counts nothing\n";
  }

  bench::Launch run(const std::vector<float>& pixels, int width, int height) {
    const auto from = testbench.buffer("from", pixels);
    const auto to = testbench.zeros<float>("to", pixels.size());
    const auto blocks = static_cast<unsigned>((width + block_width - 1) / block_width);
    const bench::Shape shape{{blocks, static_cast<unsigned>(height)}, {block_width}};
    const bench::Launch launch = module.kernel("smooth_rows")
                                     .launch(shape, Image{from.pointer(), width, height},
                                             Image{to.pointer(), width, height});
    result = to.read();
    return launch;
  }

  bench::Testbench testbench;
  bench::Module module = testbench.load(WARPWISE_PTX_FOLDER "/smooth.ptx");
  std::vector<float> result;
};

static std::vector<float> pixels_of(int width, int height) {
  std::vector<float> pixels(static_cast<std::size_t>(width) * height);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i * 37 % 256);
  return pixels;
}

TEST_F(Smooth, EveryWidth) {
  for (const int width : {1, 2, 5, 127, 128, 129, 300}) {
    const std::vector<float> pixels = pixels_of(width, 3);
    EXPECT_TRUE(run(pixels, width, 3).expect_no_faults()) << width;
    const std::vector<float> wanted = smoothed(pixels, width, 3);
    // Both add in the same order, but the kernel's fused multiply-add rounds once, the host twice.
    for (std::size_t i = 0; i < wanted.size(); ++i)
      ASSERT_NEAR(result[i], wanted[i], 1e-4F) << width;
  }
}

TEST_F(Smooth, CostsWhatItMust) {
  constexpr int width = 512;
  const bench::Launch launch = run(pixels_of(width, 4), width, 4);
  EXPECT_TRUE(launch.expect_sectors_per_request(4));
  EXPECT_TRUE(launch.expect_no_bank_conflicts());
  EXPECT_TRUE(launch.expect_no_local_memory());
  constexpr int border_test = 22;  // if (x >= from.width) return;
  EXPECT_TRUE(launch.expect_no_divergence({.line = border_test, .file = "smooth.cu"}));
}
