// slow: a window of 17 is read from global memory.
// fast: lanes read two elements, and take the others from their neighbours.

extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 17; ++k) sum += in[i + k];
  out[i] = sum;
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const float here = in[i];
  const float next = in[i + 32];
  float sum = here;
#pragma unroll
  for (int k = 1; k < 17; ++k) {
    // Lanes below k serve the warp's last lanes, which need the element 32 further on.
    sum += __shfl_sync(0xffffffff, lane < k ? next : here, (lane + k) & 31);
  }
  out[i] = sum;
}
