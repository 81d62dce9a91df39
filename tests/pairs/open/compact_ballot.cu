// slow: a block packs its odd numbers; a scan in shared memory finds their places.
// fast: a place is a count of ballot bits in the warp, plus the counts of earlier warps.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  __shared__ unsigned sums[256];
  const unsigned value = in[blockIdx.x * 256 + threadIdx.x];
  sums[threadIdx.x] = value & 1;
  for (int distance = 1; distance < 256; distance *= 2) {
    __syncthreads();
    const unsigned before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
  }
  if (value & 1) out[blockIdx.x * 256 + sums[threadIdx.x] - 1] = value;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  __shared__ unsigned counts[8];
  const unsigned value = in[blockIdx.x * 256 + threadIdx.x];
  const unsigned odd = __ballot_sync(0xffffffff, value & 1);
  if (threadIdx.x % 32 == 0) counts[threadIdx.x / 32] = __popc(odd);
  __syncthreads();
  unsigned place = __popc(odd & ((1U << threadIdx.x % 32) - 1));
  for (int warp = 0; warp < threadIdx.x / 32; ++warp) place += counts[warp];
  if (value & 1) out[blockIdx.x * 256 + place] = value;
}
