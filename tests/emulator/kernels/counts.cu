// Accesses whose costs are known. The tests find lines by their "mark:" comments.
#include "counts.cuh"

// Writes rows of 16 elements to shared memory and reads columns. With 16 banks, the lanes of a
// half-warp all access one bank; a `padding` of 1 spreads them. Blocks have 16 x 16 threads.
template <int padding>
__device__ __forceinline__ void through_shared(const float* from, float* to, int width) {
  __shared__ float tile[16][16 + padding];
  const int x = static_cast<int>(blockIdx.x * 16 + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * 16 + threadIdx.y);
  tile[threadIdx.y][threadIdx.x] = from[y * width + x];
  __syncthreads();
  to[y * width + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void bank_conflict(const float* from, float* to, int width) {
  through_shared<0>(from, to, width);
}

extern "C" __global__ void no_bank_conflict(const float* from, float* to, int width) {
  through_shared<1>(from, to, width);
}

// Reads neighbouring elements (one transaction for a half-warp), or elements 128 bytes apart (16).
extern "C" __global__ void read_neighbours(const float* from, float* to, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (from[i] < 0) to[0] = static_cast<float>(count);
}

extern "C" __global__ void read_strided(const float* from, float* to, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (from[i % (count / 32) * 32 + i / (count / 32)] < 0) to[0] = static_cast<float>(count);
}

// 48 loads + 64 stores: 1 + 2 rounds of 48 threads (input_based), 1 + 1 of 64, or 3 + 4 of 16.
extern "C" __global__ void input_based(const int* from, int* to) {
  __shared__ int words[48];
  const int thread = static_cast<int>(threadIdx.x);
  words[thread] = from[thread];
  __syncthreads();
  for (int i = thread; i < 64; i += 48) to[i] = words[i * 3 / 4] + i;
}

extern "C" __global__ void output_based(const int* from, int* to) {
  __shared__ int words[48];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < 48) words[thread] = from[thread];
  __syncthreads();
  to[thread] = words[thread * 3 / 4] + thread;
}

extern "C" __global__ void input_output_based(const int* from, int* to) {
  __shared__ int words[48];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < 48; i += 16) words[i] = from[i];
  __syncthreads();
  for (int i = thread; i < 64; i += 16) to[i] = words[i * 3 / 4] + i;
}

extern "C" __global__ void lines(const float* from, float* to, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  float sum = from[2 * i];  // mark: strided load
  sum += scaled(from, i);
  if (i % 2 == 0) {
    sum += to[i];  // mark: half of the lanes
  }
  to[i] = sum;  // mark: store
}
