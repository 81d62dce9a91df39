// slow: each thread adds one to the counter of its particle's cell by an atomic.
// fast: the lanes of a warp that have the same cell find each other, and one of them adds their
// number.

__device__ unsigned cell(unsigned position) {
  return (position & 127) + (position >> 16 & 63) * 128;
}

extern "C" __global__ void slow(unsigned* cells, const unsigned* positions) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&cells[cell(positions[i])], 1U);
}
extern "C" __global__ void fast(unsigned* cells, const unsigned* positions) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned mine = cell(positions[i]);
  const unsigned peers = __match_any_sync(~0U, mine);
  const int leader = __ffs(peers) - 1;
  if (threadIdx.x % 32 == leader) atomicAdd(&cells[mine], static_cast<unsigned>(__popc(peers)));
}
