// slow: a thread sums over the neighbours of its vertex; some vertices have many, others few.
// fast: a warp sums over the neighbours of a vertex.

__device__ unsigned neighbours(unsigned vertex) { return 4U << (vertex * 2654435761U >> 16) % 5; }

extern "C" __global__ void slow(float* out, const unsigned* edges, const float* values) {
  const unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned count = neighbours(vertex);
  float sum = 0;
  for (unsigned k = 0; k < count; ++k) sum += values[edges[vertex * 64 + k] & 1048575];
  out[vertex] = sum;
}
extern "C" __global__ void fast(float* out, const unsigned* edges, const float* values) {
  const unsigned vertex = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const unsigned lane = threadIdx.x % 32;
  const unsigned count = neighbours(vertex);
  float sum = 0;
  for (unsigned k = lane; k < count; k += 32) sum += values[edges[vertex * 64 + k] & 1048575];
#pragma unroll
  for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(~0U, sum, away);
  if (lane == 0) out[vertex] = sum;
}
