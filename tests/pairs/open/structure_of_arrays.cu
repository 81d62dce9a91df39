// slow: one member is read from an array of structures of eight floats. That of structure i is 8 i.
// fast: the members lie in an array of their own, whose element i is i.

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
