// slow: each thread with a multiple of four takes a place in a ring by an atomic of its own.
// fast: one lane takes places for its warp.

extern "C" __global__ void slow(unsigned* queue, const unsigned* in) {
  const unsigned value = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (value % 4 == 0) queue[1 + atomicAdd(queue, 1) % 4194304] = value;
}
extern "C" __global__ void fast(unsigned* queue, const unsigned* in) {
  const unsigned value = in[blockIdx.x * blockDim.x + threadIdx.x];
  const bool taken = value % 4 == 0;
  const unsigned lanes = __ballot_sync(0xffffffff, taken);
  const unsigned lane = threadIdx.x % 32;
  unsigned first = 0;
  if (lane == 0 && lanes != 0) first = atomicAdd(queue, __popc(lanes));
  first = __shfl_sync(0xffffffff, first, 0);
  if (taken) queue[1 + (first + __popc(lanes & ((1U << lane) - 1))) % 4194304] = value;
}
