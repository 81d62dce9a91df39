#pragma once

// A launch for many images. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels {

/// `Rule`: what is computed, the same for all images. `Image`: one of them. All of it lies in the
/// kernel's parameters: nothing is to be copied to the device, kept, or given back.
template <class Rule, class Image>
struct Batch {
  /// What every GPU takes of parameters is 4 KiB.
  static constexpr int fits =
      (4096 - static_cast<int>(sizeof(Rule)) - 16) / (static_cast<int>(sizeof(Image)) + 8);
  static constexpr int most = fits < 64 ? fits : 64;

  Rule rule;
  int images;
  /// Whether all images have as many blocks, side by side and below each other: the grid is one
  /// image's, and z the image. Else the grid is a row of blocks, of one image after the other.
  bool alike;
  int first_block[most];
  int blocks_across[most];
  Image image[most];
};

/// A block's image, and its place among that image's blocks.
struct BatchBlock {
  int image;
  unsigned x;
  unsigned y;
};

template <class Rule, class Image>
__device__ BatchBlock batch_block(const Batch<Rule, Image>& batch) {
  if (batch.alike) return {static_cast<int>(blockIdx.z), blockIdx.x, blockIdx.y};
  const int block = static_cast<int>(blockIdx.x);
  int i = 0;
#pragma unroll
  for (int step = 32; step > 0; step /= 2) {
    if (i + step < batch.images && batch.first_block[i + step] <= block) i += step;
  }
  const auto own = static_cast<unsigned>(block - batch.first_block[i]);
  const auto across = static_cast<unsigned>(batch.blocks_across[i]);
  return {i, own % across, own / across};
}

}  // namespace warpwise::kernels
