// nvcc -std=c++20 -ptx -lineinfo -arch=compute_75 pixels.cu
// Typical parts of a kernel: an inlined function, constant memory, shared memory, and a structure
// of parameters.
struct Arguments {
  const unsigned char* from;
  unsigned char* to;
  int width;
  float gain;
};

__constant__ float taps[3] = {0.25f, 0.5f, 0.25f};
__device__ int table[2][2] = {{1, -2}, {3}};
__device__ const int* places[2] = {&table[1][0], &table[0][1]};

__device__ __forceinline__ float weighted(const unsigned char* row, int x) {
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < 3; ++i) sum += taps[i] * row[x + i];
  return sum;
}

extern "C" __global__ void __launch_bounds__(64) smooth(const Arguments arguments) {
  __shared__ unsigned char row[66];
  const int x = static_cast<int>(blockIdx.x * 64 + threadIdx.x);
  if (x + 2 >= arguments.width) return;
  row[threadIdx.x] = arguments.from[x];
  __syncthreads();
  arguments.to[x] =
      static_cast<unsigned char>(weighted(row, static_cast<int>(threadIdx.x)) * arguments.gain);
  if (places[x & 1] == nullptr) __trap();
}
