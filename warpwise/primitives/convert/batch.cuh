#pragma once

#include "warpwise/primitives/convert/kernel.cuh"
#include "warpwise/primitives/shared/batch.cuh"

// The conversion kernel for many frames. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels::convert {

constexpr int planes_of(ConvertSource source) {
  return source == ConvertSource::planar420 ? 3 : source == ConvertSource::semiplanar420 ? 2 : 1;
}
constexpr int planes_of(ConvertDestination destination) {
  return destination == ConvertDestination::planar3 ? 3 : 1;
}

/// The members of ConvertArguments that differ from frame to frame.
template <int src_planes, int dst_planes>
struct ConvertImage {
  const unsigned char* src[src_planes];
  unsigned char* dst[dst_planes];
  int src_pitch[src_planes];
  int dst_pitch[dst_planes];
  int width;
  int height;
  bool aligned;
};

/// Parameters of a launch for many frames: `rule` has their common arguments, `image` each one's.
template <ConvertSource source, ConvertDestination destination>
using ConvertBatch =
    Batch<ConvertArguments, ConvertImage<planes_of(source), planes_of(destination)>>;

template <int src_planes, int dst_planes>
__device__ ConvertArguments arguments_of(const ConvertArguments& rule,
                                         const ConvertImage<src_planes, dst_planes>& image) {
  ConvertArguments a = rule;
#pragma unroll
  for (int p = 0; p < src_planes; ++p) {
    a.src[p] = image.src[p];
    a.src_pitch[p] = image.src_pitch[p];
  }
#pragma unroll
  for (int p = 0; p < dst_planes; ++p) {
    a.dst[p] = image.dst[p];
    a.dst_pitch[p] = image.dst_pitch[p];
  }
  a.width = image.width;
  a.height = image.height;
  a.aligned = image.aligned;
  return a;
}

/// convert_kernel for many frames: each thread block converts one tile of one frame. (The body
/// repeats that kernel's loop: a shared function cost convert_kernel 6 to 8 registers.)
template <ConvertSource source, ConvertDestination destination, ConvertArithmetic arithmetic>
__global__ void __launch_bounds__(convert_block_width* convert_block_height)
    convert_batch_kernel(const __grid_constant__ ConvertBatch<source, destination> batch) {
  constexpr int whole_rows =
      source == ConvertSource::packed3 ? convert_packed3_rows : convert_other_rows;
  const BatchBlock block = batch_block(batch);
  const ConvertArguments a = arguments_of(batch.rule, batch.image[block.image]);
  const int rows = a.aligned ? whole_rows : 1;
  const cuda::std::int64_t x =
      (cuda::std::int64_t{block.x} * convert_block_width + threadIdx.x) * convert_pixels_per_thread;
  const cuda::std::int64_t y = (cuda::std::int64_t{block.y} * blockDim.y + threadIdx.y) * rows;
  if (x >= a.width) return;
  if (a.aligned && x + convert_pixels_per_thread <= a.width && y + whole_rows <= a.height) {
    convert_rows<source, destination, arithmetic, true, whole_rows>(a, x, y);
    return;
  }
  cuda::std::int64_t here = x;
  asm volatile("" : "+l"(here));
#pragma unroll 1
  for (int r = 0; r < rows && y + r < a.height; ++r) {
    convert_rows<source, destination, arithmetic, false, 1>(a, here, y + r);
  }
}

}  // namespace warpwise::kernels::convert
