// slow: four launches go over a large array.
// fast: one launch does the four steps while it has the element.

__device__ void steps(float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = values[i];
  for (int k = 0; k < count; ++k) x = 0.75F * x + 0.125F;
  values[i] = x;
}
extern "C" __global__ void slow(float* values, int count) { steps(values, count); }
extern "C" __global__ void fast(float* values, int count) { steps(values, count); }
