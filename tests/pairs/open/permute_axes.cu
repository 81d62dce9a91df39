// slow: the first and the last axis of a volume change places; the stores are a plane apart.
// fast: a block turns a tile in shared memory, so that its stores are neighbours.

extern "C" __global__ void slow(float* out, const float* in, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const int z = blockIdx.z;
  out[(x * n + y) * n + z] = in[(z * n + y) * n + x];
}
extern "C" __global__ void fast(float* out, const float* in, int n) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32;
  const int z = blockIdx.y * 32;
  const int y = blockIdx.z;
#pragma unroll
  for (int k = threadIdx.y; k < 32; k += 8) {
    tile[k][threadIdx.x] = in[((z + k) * n + y) * n + x + threadIdx.x];
  }
  __syncthreads();
#pragma unroll
  for (int k = threadIdx.y; k < 32; k += 8) {
    out[((x + k) * n + y) * n + z + threadIdx.x] = tile[threadIdx.x][k];
  }
}
