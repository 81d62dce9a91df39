// slow: a row is read three times: for its sum, for its deviation, and for the result.
// fast: a thread keeps its four elements of the row in registers.

__device__ float block_sum(float value, float* sums) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, distance);
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  float total = 0;
  for (int warp = 0; warp < 8; ++warp) total += sums[warp];
  return total;
}
extern "C" __global__ void slow(float* out, const float* in) {
  __shared__ float sums[8];
  const float* row = in + blockIdx.x * 1024;
  float* to = out + blockIdx.x * 1024;
  float sum = 0;
  for (int x = threadIdx.x; x < 1024; x += 256) sum += row[x];
  const float mean = block_sum(sum, sums) / 1024;
  sum = 0;
  for (int x = threadIdx.x; x < 1024; x += 256) {
    to[x] = row[x] - mean;
    sum += to[x] * to[x];
  }
  const float scale = rsqrtf(block_sum(sum, sums) / 1024);
  for (int x = threadIdx.x; x < 1024; x += 256) to[x] *= scale;
}
extern "C" __global__ void fast(float* out, const float* in) {
  __shared__ float sums[8];
  const int i = blockIdx.x * 256 + threadIdx.x;
  float4 x = reinterpret_cast<const float4*>(in)[i];
  const float mean = block_sum(x.x + x.y + x.z + x.w, sums) / 1024;
  x = make_float4(x.x - mean, x.y - mean, x.z - mean, x.w - mean);
  const float sum = block_sum(x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w, sums);
  const float scale = rsqrtf(sum / 1024);
  reinterpret_cast<float4*>(out)[i] =
      make_float4(x.x * scale, x.y * scale, x.z * scale, x.w * scale);
}
