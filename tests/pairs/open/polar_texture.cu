// slow: an image is read along circles about its middle, from global memory.
// fast: a texture, whose layout has neighbours of both directions near each other, is read instead.

__device__ int2 source(int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  float sine;
  float cosine;
  sincospif(static_cast<float>(x) * (2.0F / static_cast<float>(n)), &sine, &cosine);
  const float radius = 0.5F * static_cast<float>(y);
  const float middle = 0.5F * static_cast<float>(n);
  return make_int2(static_cast<int>(fmaf(radius, cosine, middle)),
                   static_cast<int>(fmaf(radius, sine, middle)));
}
extern "C" __global__ void slow(float* out, const float* in, int n) {
  const int2 from = source(n);
  out[(blockIdx.y * 8 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x] = in[from.y * n + from.x];
}
extern "C" __global__ void fast(float* out, cudaTextureObject_t in, int n) {
  const int2 from = source(n);
  out[(blockIdx.y * 8 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x] =
      tex2D<float>(in, static_cast<float>(from.x) + 0.5F, static_cast<float>(from.y) + 0.5F);
}
