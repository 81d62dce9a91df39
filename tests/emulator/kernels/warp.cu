// Votes, matches and reductions in a warp, and the special registers of its lanes.
extern "C" __global__ void warp_votes(const int* from, unsigned* results) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = from[i];
  unsigned lane;
  unsigned below;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  unsigned* const out = results + 8 * i;
  out[0] = __ballot_sync(0xffffffffu, value > 0);
  out[1] = __any_sync(0xffffffffu, value > 100) ? 1u : 0u;
  out[2] = __all_sync(0xffffffffu, value < 100) ? 1u : 0u;
  out[3] = __match_any_sync(0xffffffffu, value % 4);
  int same = 0;
  out[4] = __match_all_sync(0xffffffffu, value / 1000, &same) + static_cast<unsigned>(same);
  // Half of the lanes vote while the other half execute the other branch.
  out[5] = lane % 2 == 0 ? __ballot_sync(0x55555555u, value > 0) : __activemask();
  out[6] = static_cast<unsigned>(__popc(out[0] & below));
  __syncwarp();
  out[7] = static_cast<unsigned>(__shfl_sync(0xffffffffu, value, static_cast<int>(lane / 8), 8));
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void warp_reduce(const int* from, unsigned* results) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = from[i];
  unsigned* const out = results + 6 * i;
  out[0] = static_cast<unsigned>(__reduce_add_sync(0xffffffffu, value));
  out[1] = static_cast<unsigned>(__reduce_min_sync(0xffffffffu, value));
  out[2] = __reduce_max_sync(0xffffffffu, static_cast<unsigned>(value));
  out[3] = __reduce_and_sync(0xffffffffu, static_cast<unsigned>(value));
  out[4] = __reduce_or_sync(0xffffffffu, static_cast<unsigned>(value));
  out[5] = __reduce_xor_sync(0xffffffffu, static_cast<unsigned>(value));
}
#endif
