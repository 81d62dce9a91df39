#pragma once

// Parameters of a launch for many images. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels {

/// A launch's parameters. `rule` holds the arguments that all images share, and each `Image` holds
/// one image's arguments. A launch copies nothing to the device and allocates nothing.
template <class Rule, class Image>
struct Batch {
  /// Number of images that fit: every GPU takes 4 KiB of kernel parameters.
  static constexpr int fits =
      (4096 - static_cast<int>(sizeof(Rule)) - 16) / (static_cast<int>(sizeof(Image)) + 8);
  static constexpr int most = fits < 64 ? fits : 64;

  Rule rule;
  int images;
  /// True if all images have the same numbers of thread blocks in x and y, and y fits a grid. The
  /// grid is then one image's, with the image's index in z. Otherwise x counts all images' blocks.
  bool alike;
  int first_block[most];
  int blocks_across[most];
  Image image[most];
};

/// Index of a thread block's image, and the thread block's coordinates in that image.
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
