// slow: each of 20 launches takes one step of the cellular automata.
// fast: one launch takes the 20 steps, with barriers between.

__device__ void advance(unsigned* cells, int steps) {
  __shared__ unsigned ring[512];
  const int t = threadIdx.x;
  unsigned cell = cells[blockIdx.x * 512 + t];
  for (int k = 0; k < steps; ++k) {
    ring[t] = cell;
    __syncthreads();
    cell = ring[(t + 511) % 512] ^ (cell | ring[(t + 1) % 512]);
    __syncthreads();
  }
  cells[blockIdx.x * 512 + t] = cell;
}
extern "C" __global__ void slow(unsigned* cells, int steps) { advance(cells, steps); }
extern "C" __global__ void fast(unsigned* cells, int steps) { advance(cells, steps); }
