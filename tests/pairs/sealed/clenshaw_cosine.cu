// slow: a series of 32 terms computes the cosine of each multiple of an angle.
// fast: a recurrence makes the sum from one cosine.

extern "C" __global__ void slow(float* out, const float* angles, const float* factors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float angle = 3 * angles[i];
  float sum = factors[0];
#pragma unroll 1
  for (int k = 1; k < 32; ++k) sum += factors[k] * cosf(static_cast<float>(k) * angle);
  out[i] = sum;
}
extern "C" __global__ void fast(float* out, const float* angles, const float* factors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float c = cosf(3 * angles[i]);
  float one = 0;
  float two = 0;
#pragma unroll 1
  for (int k = 31; k > 0; --k) {
    const float next = factors[k] + 2 * c * one - two;
    two = one;
    one = next;
  }
  out[i] = factors[0] + c * one - two;
}
