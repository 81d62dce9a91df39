// Two transposes of a matrix of width x width floats, width a multiple of 32, each in blocks of 32
// x 32 threads:
//   warpwise explain examples/transpose.cu --kernel transpose_naive --grid 8,8 --block 32,32
//     --arg f32[65536] --arg f32[65536]:iota --arg i32:256
// tells, without a GPU, why the first is slow.

__global__ void transpose_naive(float* out, const float* in, int width) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  out[x * width + y] = in[y * width + x];
}

#ifndef PAD
#define PAD 1
#endif

// Through a tile in shared memory, so that both sides of the matrix are met along its rows.
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
