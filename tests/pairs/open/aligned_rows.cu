// slow: the rows are 4097 floats long, so that most of them begin inside of a sector.
// fast: the rows are 4096 floats long.

__device__ void rows(float* out, const float* in, int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * pitch + x;
  out[i] = in[i] + static_cast<float>((x ^ blockIdx.y) & 7);
}
extern "C" __global__ void slow(float* out, const float* in, int pitch) { rows(out, in, pitch); }
extern "C" __global__ void fast(float* out, const float* in, int pitch) { rows(out, in, pitch); }
