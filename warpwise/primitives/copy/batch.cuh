#pragma once

#include "warpwise/primitives/copy/kernel.cuh"
#include "warpwise/primitives/shared/batch.cuh"

// The copy kernel for many images. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels::copy {

/// Empty, because all images are copied alike.
struct CopyRule {};

struct CopyImage {
  const unsigned char* src;
  unsigned char* dst;
  int src_pitch;
  int dst_pitch;
  int row_bytes;
  int rows;
};

using CopyBatch = Batch<CopyRule, CopyImage>;

/// Copies many images as copy_kernel copies one. A thread block copies a piece of one row of one
/// image. The piece is copy_batch_units times the size of copy_kernel's pieces.
__global__ void __launch_bounds__(copy_unit_threads)
    copy_batch_kernel(const __grid_constant__ CopyBatch batch) {
  const BatchBlock block = batch_block(batch);
  const CopyImage& image = batch.image[block.image];
  copy_piece<copy_batch_units>(
      {image.src, image.dst, image.src_pitch, image.dst_pitch, image.row_bytes, image.rows},
      block.x, block.y);
}

}  // namespace warpwise::kernels::copy
