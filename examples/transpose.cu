// Two transposes of a width x width matrix of floats, with blocks of 32 x 32 threads. The width is
// a multiple of 32. This command explains, without a GPU, why the first transpose is slow:
//
//   warpwise explain examples/transpose.cu --kernel transpose_naive --grid 8,8 --block 32,32
//     --arg f32[65536] --arg f32[65536]:iota --arg i32:256

__global__ void transpose_naive(float* out, const float* in, int width) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  out[x * width + y] = in[y * width + x];
}

#ifndef PAD
#define PAD 1
#endif

// Uses a tile in shared memory, so that reads and writes both run along the rows of the matrix.
__global__ void transpose_tiled(float* out, const float* in, int width) {
  __shared__ float tile[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  out[y * width + x] = tile[threadIdx.x][threadIdx.y];
}
