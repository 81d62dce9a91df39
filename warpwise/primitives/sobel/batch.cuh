#pragma once

#include "warpwise/primitives/shared/batch.cuh"
#include "warpwise/primitives/sobel/kernel.cuh"

// The Sobel kernel for many images. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels::sobel {

/// The members of SobelArguments that differ from image to image.
struct SobelImage {
  const unsigned char* src;
  unsigned char* dst;
  int src_pitch;
  int dst_pitch;
  int width;
  int height;
  int row_above;
  int row_below;
  int column_before;
  int column_behind;
};

/// Arguments of a launch of many images: its rule holds the arguments that all images share.
using SobelBatch = Batch<SobelArguments, SobelImage>;

__device__ inline SobelArguments arguments_of(const SobelArguments& rule, const SobelImage& image) {
  SobelArguments a = rule;
  a.src = image.src;
  a.dst = image.dst;
  a.src_pitch = image.src_pitch;
  a.dst_pitch = image.dst_pitch;
  a.width = image.width;
  a.height = image.height;
  a.row_above = image.row_above;
  a.row_below = image.row_below;
  a.column_before = image.column_before;
  a.column_behind = image.column_behind;
  return a;
}

/// sobel_kernel for many images. A thread block computes one tile of results of one image.
template <SobelSource source, class Out, SobelResult result, class Number>
__global__ void __launch_bounds__(sobel_block_width* sobel_block_height,
                                  sobel_resident_blocks<source, Out, Number, false>)
    sobel_batch_kernel(const __grid_constant__ SobelBatch batch) {
  using Thread = SobelThread<source, Number>;
  const BatchBlock block = batch_block(batch);
  const SobelArguments a = arguments_of(batch.rule, batch.image[block.image]);
  const cuda::std::int64_t y0 = sobel_y<Thread>(block.y);
  if (y0 >= a.height) return;
  sobel_rows<source, Out, result, Number, false>(a, sobel_x<Thread>(block.x), y0);
}

}  // namespace warpwise::kernels::sobel
