#pragma once

// Declarations that smooth.cu and its callers share.

struct Image {
  float* pixels;
  int width;
  int height;
};

constexpr int radius = 2;
constexpr int block_width = 128;
