// A kernel and a program that tests it, as in any project: nothing here uses Warpwise.

#include <cstdio>
#include <vector>

// out[i] is the mean of in[i - 1], in[i] and in[i + 1], as far as these elements exist.
__global__ void blur(const int* in, int* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int first = i > 0 ? i - 1 : i;
  const int last = i + 1 < count ? i + 1 : i;
  int sum = 0;
  for (int k = first; k <= last; ++k) sum += in[k];
  out[i] = sum / (last - first + 1);
}

int main() {
  constexpr int count = 1000;
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i) values[i] = 3 * i;

  int* in = nullptr;
  int* out = nullptr;
  cudaMalloc(&in, count * sizeof(int));
  cudaMalloc(&out, count * sizeof(int));
  cudaMemcpy(in, values.data(), count * sizeof(int), cudaMemcpyHostToDevice);
  blur<<<(count + 127) / 128, 128>>>(in, out, count);
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    std::printf("blur: %s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(values.data(), out, count * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  if (values[500] == 1500 && values[0] == 1) return 0;
  std::printf("blur: %d and %d in place of 1500 and 1\n", values[500], values[0]);
  return 1;
}
