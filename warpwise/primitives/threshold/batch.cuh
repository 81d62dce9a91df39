#pragma once

#include "warpwise/primitives/shared/batch.cuh"
#include "warpwise/primitives/threshold/bands.cuh"

// threshold_bands for many images. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels::threshold {

/// Fields of BandArguments that differ from image to image.
struct BandImage {
  const unsigned char* src;
  unsigned char* dst;
  int src_pitch;
  int dst_pitch;
  int width;
  int height;
  int first_byte;
  int segment_rows;
};

/// `rule` holds the arguments that all images share.
using BandBatch = Batch<BandArguments, BandImage>;

__device__ inline BandArguments arguments_of(const BandArguments& rule, const BandImage& image) {
  BandArguments a = rule;
  a.src = {image.src, image.src_pitch, image.width, image.height};
  a.out.dst = image.dst;
  a.out.dst_pitch = image.dst_pitch;
  a.first_byte = image.first_byte;
  a.segment_rows = image.segment_rows;
  return a;
}

/// Processes one segment of a strip of one image in each block.
template <class Pixel, int parts, BandSums sums, int threads>
__global__ void __launch_bounds__(threads, threshold_band_threads_an_sm / threads)
    threshold_band_batch(const __grid_constant__ BandBatch batch) {
  const BatchBlock block = batch_block(batch);
  const BandArguments a = arguments_of(batch.rule, batch.image[block.image]);
  band_segments<Pixel, parts, sums, threads>(a, static_cast<int>(block.x),
                                             int64_t{block.y} * a.segment_rows, a.src.height);
}

}  // namespace warpwise::kernels::threshold
