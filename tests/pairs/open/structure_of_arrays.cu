// slow: lanes read one float of each structure of eight floats, which is 8 i in structure i.
// fast: lanes read neighbouring floats. Element i is i, so that 8 in[i] gives the same result.

struct Particle {
  float member[8];
};
extern "C" __global__ void slow(float* out, const Particle* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1 + in[i].member[0];
}
extern "C" __global__ void fast(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1 + 8 * in[i];
}
