// slow: a thread scales one float.
// fast: a thread scales four floats by one load and one store.

extern "C" __global__ void slow(float* out, const float* in, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = factor * in[i];
}
extern "C" __global__ void fast(float* out, const float* in, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 v = reinterpret_cast<const float4*>(in)[i];
  reinterpret_cast<float4*>(out)[i] =
      make_float4(factor * v.x, factor * v.y, factor * v.z, factor * v.w);
}
