// slow: rays at all angles through an image are summed by loads of its rows.
// fast: a texture is read, which bounds the coordinates too.

struct Ray {
  float x;
  float y;
  float dx;
  float dy;
};
__device__ Ray ray(int angle, int place, int n) {
  float sine;
  float cosine;
  sincosf(3.14159265F / 180 * static_cast<float>(angle), &sine, &cosine);
  const float away = 2.0F * static_cast<float>(place - 256);
  const float back = static_cast<float>(n / 2);
  return {back + away * cosine + back * sine, back + away * sine - back * cosine, -2.0F * sine,
          2.0F * cosine};
}
extern "C" __global__ void slow(float* out, const float* in, int n) {
  const int place = blockIdx.x * blockDim.x + threadIdx.x;
  Ray at = ray(blockIdx.y, place, n);
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 1024; ++k) {
    const int x = min(max(static_cast<int>(floorf(at.x)), 0), n - 1);
    const int y = min(max(static_cast<int>(floorf(at.y)), 0), n - 1);
    sum += in[y * n + x];
    at.x += at.dx;
    at.y += at.dy;
  }
  out[blockIdx.y * 512 + place] = sum;
}
extern "C" __global__ void fast(float* out, cudaTextureObject_t in, int n) {
  const int place = blockIdx.x * blockDim.x + threadIdx.x;
  Ray at = ray(blockIdx.y, place, n);
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 1024; ++k) {
    sum += tex2D<float>(in, floorf(at.x) + 0.5F, floorf(at.y) + 0.5F);
    at.x += at.dx;
    at.y += at.dy;
  }
  out[blockIdx.y * 512 + place] = sum;
}
