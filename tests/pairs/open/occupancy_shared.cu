// slow: a block asks for 64 KiB of shared memory, so that three blocks of 128 threads are resident.
// fast: a block asks for the 1 KiB that it uses.

__device__ void turn(float* out, const float* in) {
  extern __shared__ float values[];
  values[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = values[127 - threadIdx.x];
}
extern "C" __global__ void slow(float* out, const float* in) { turn(out, in); }
extern "C" __global__ void fast(float* out, const float* in) { turn(out, in); }
