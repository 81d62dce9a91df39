// fails: compiles
// Another kernel does the work, which would be neither counted nor checked.
extern "C" __device__ void* __cudaCDP2GetParameterBufferV2(void* function, dim3 grid, dim3 block,
                                                           unsigned shared);
extern "C" __device__ int __cudaCDP2LaunchDeviceV2(void* buffer, void* stream);

extern "C" __global__ void slow(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

struct Parameters {
  float* out;
  const float* in;
  int width;
  int height;
};

__global__ void transpose(float* out, const float* in, int width, int height) {
  if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y != 0) return;
  void* function;
  asm("mov.u64 %0, slow;" : "=l"(function));
  void* buffer = __cudaCDP2GetParameterBufferV2(
      function, dim3((width + 31) / 32, (height + 31) / 32), dim3(32, 32), 0);
  *(Parameters*)buffer = {out, in, width, height};
  __cudaCDP2LaunchDeviceV2(buffer, nullptr);
}
