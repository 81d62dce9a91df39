// A separable convolution of floats, with taps in constant memory. One kernel convolves rows, with
// a halo in shared memory; the other convolves columns, directly in global memory. Beyond the
// border the outermost elements repeat.
constexpr int radius = 4;
constexpr int block = 128;

__constant__ float taps[2 * radius + 1] = {0.0078125f, 0.03125f,  0.109375f, 0.21875f,  0.265625f,
                                           0.21875f,   0.109375f, 0.03125f,  0.0078125f};

__device__ int clamped(int i, int count) { return min(max(i, 0), count - 1); }

extern "C" __global__ void convolve_rows(const float* from, float* to, int width) {
  __shared__ float row[block + 2 * radius];
  const int left = static_cast<int>(blockIdx.x) * block;
  const int thread = static_cast<int>(threadIdx.x);
  from += static_cast<long long>(blockIdx.y) * width;
  to += static_cast<long long>(blockIdx.y) * width;
  for (int i = thread; i < block + 2 * radius; i += block) {
    row[i] = from[clamped(left + i - radius, width)];
  }
  __syncthreads();
  float sum = 0;
  for (int tap = 0; tap <= 2 * radius; ++tap) sum += taps[tap] * row[thread + tap];
  if (left + thread < width) to[left + thread] = sum;
}

extern "C" __global__ void convolve_columns(const float* from, float* to, int width, int height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  if (x >= width) return;
  float sum = 0;
#pragma unroll 1
  for (int tap = 0; tap <= 2 * radius; ++tap) {
    sum += taps[tap] * from[clamped(y + tap - radius, height) * width + x];
  }
  to[y * width + x] = sum;
}
