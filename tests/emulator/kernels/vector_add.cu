// c = a + b, one thread for each element.
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) c[i] = a[i] + b[i];
}

// c = a + b, four elements for each thread at a time, in a grid-stride loop.
extern "C" __global__ void vector_add_wide(const float4* a, const float4* b, float4* c, int count) {
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += stride) {
    const float4 x = a[i];
    const float4 y = b[i];
    c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  }
}
