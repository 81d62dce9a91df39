// slow: each vote of a point for a line is an atomic in global memory.
// fast: a block counts all votes for one angle in shared memory, and adds its counts at the end.

struct Angles {
  float cosine[180];
  float sine[180];
  constexpr Angles() : cosine{}, sine{} {
    double c = 1;
    double s = 0;
    for (int i = 0; i < 180; ++i) {
      cosine[i] = static_cast<float>(c);
      sine[i] = static_cast<float>(s);
      const double next = c * 0.99984769515639123916 - s * 0.01745240643728351282;
      s = s * 0.99984769515639123916 + c * 0.01745240643728351282;
      c = next;
    }
  }
};
__constant__ Angles angles;

__device__ int distance_bin(unsigned point, int angle) {
  const float x = static_cast<float>(point & 1023);
  const float y = static_cast<float>(point >> 10 & 1023);
  const float rho = fmaf(x, angles.cosine[angle], __fmul_rn(y, angles.sine[angle]));
  return static_cast<int>(fmaf(rho, 0.5F, 512.0F));
}
extern "C" __global__ void slow(unsigned* votes, const unsigned* points, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned point = points[i];
  for (int angle = 0; angle < 180; ++angle)
    atomicAdd(&votes[angle * 1280 + distance_bin(point, angle)], 1U);
}
extern "C" __global__ void fast(unsigned* votes, const unsigned* points, int count) {
  __shared__ unsigned bins[1280];
  const int angle = blockIdx.x;
  for (int i = threadIdx.x; i < 1280; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    atomicAdd(&bins[distance_bin(points[i], angle)], 1U);
  __syncthreads();
  for (int i = threadIdx.x; i < 1280; i += blockDim.x) votes[angle * 1280 + i] += bins[i];
}
