// slow: the most frequent of 32 labels is found by comparing all, in shared memory.
// fast: match counts equal labels, and a reduction finds the greatest count.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  __shared__ unsigned labels[256];
  __shared__ unsigned scores[256];
  const int t = threadIdx.x;
  const int first = t & ~31;
  const unsigned label = in[blockIdx.x * 256 + t] & 7;
  labels[t] = label;
  __syncwarp();
  unsigned count = 0;
  for (int k = 0; k < 32; ++k) count += labels[first + k] == label;
  scores[t] = count << 8 | (255 - label);
  __syncwarp();
  if (t == first) {
    unsigned most = 0;
    for (int k = 0; k < 32; ++k) most = max(most, scores[first + k]);
    out[blockIdx.x * 8 + t / 32] = most;
  }
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  const int t = threadIdx.x;
  const unsigned label = in[blockIdx.x * 256 + t] & 7;
  const unsigned count = __popc(__match_any_sync(0xFFFFFFFF, label));
  const unsigned most = __reduce_max_sync(0xFFFFFFFF, count << 8 | (255 - label));
  if ((t & 31) == 0) out[blockIdx.x * 8 + t / 32] = most;
}
