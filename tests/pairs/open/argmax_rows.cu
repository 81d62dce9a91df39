// slow: a block of 1024 threads finds the place of a row's maximum by a tree in shared memory.
// fast: a warp takes a row, by shuffles.

// The greater key is that of the greater value; the first of equals wins. No value is negative.
__device__ unsigned long long key(float value, unsigned place) {
  return static_cast<unsigned long long>(__float_as_uint(value)) << 32 | (1023 - place);
}
extern "C" __global__ void slow(unsigned* out, const float* in) {
  __shared__ unsigned long long keys[1024];
  const unsigned t = threadIdx.x;
  keys[t] = key(in[blockIdx.x * 1024 + t], t);
  __syncthreads();
  for (unsigned away = 512; away > 0; away /= 2) {
    if (t < away) keys[t] = max(keys[t], keys[t + away]);
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = 1023 - static_cast<unsigned>(keys[0]);
}
extern "C" __global__ void fast(unsigned* out, const float* in) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const unsigned lane = threadIdx.x % 32;
  unsigned long long most = 0;
#pragma unroll
  for (unsigned place = lane; place < 1024; place += 32) {
    most = max(most, key(in[row * 1024 + place], place));
  }
#pragma unroll
  for (int away = 16; away > 0; away /= 2) {
    most = max(most, __shfl_xor_sync(~0U, most, away));
  }
  if (lane == 0) out[row] = 1023 - static_cast<unsigned>(most);
}
