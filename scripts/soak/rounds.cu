// Soak test of the emulated CUDA runtime: `warpwise run rounds SECONDS`. A round makes and releases
// memory, a stream, an event and a graph, launches kernels and copies. Prints the number of rounds.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int count = 1000;

__global__ void scale(float* to, const float* from, float factor) {
  __shared__ float tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < count ? from[i] : 0;
  __syncthreads();
  if (i < count) to[i] = tile[threadIdx.x] * factor;
}

void must(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

void do_round(const std::vector<float>& values, std::vector<float>& results) {
  const size_t bytes = count * sizeof(float);
  float *from = nullptr, *to = nullptr;
  cudaStream_t stream;
  cudaEvent_t event;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  must(cudaStreamCreate(&stream));
  must(cudaEventCreate(&event));
  must(cudaMalloc(&from, bytes));
  must(cudaMallocAsync(&to, bytes, stream));
  must(cudaMemcpyAsync(from, values.data(), bytes, cudaMemcpyHostToDevice, stream));
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  scale<<<8, 128, 0, stream>>>(to, from, 2);
  must(cudaStreamEndCapture(stream, &graph));
  must(cudaGraphInstantiate(&ready, graph, 0));
  must(cudaGraphLaunch(ready, stream));
  must(cudaEventRecord(event, stream));
  must(cudaMemcpyAsync(results.data(), to, bytes, cudaMemcpyDeviceToHost, stream));
  must(cudaFreeAsync(to, stream));
  must(cudaStreamSynchronize(stream));
  must(cudaGraphExecDestroy(ready));
  must(cudaGraphDestroy(graph));
  must(cudaFree(from));
  must(cudaEventDestroy(event));
  must(cudaStreamDestroy(stream));
}

int main(int, char** arguments) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(arguments[1]));
  std::vector<float> values(count), results(count);
  for (int i = 0; i < count; ++i) values[i] = i;
  int done = 0;
  while (std::chrono::steady_clock::now() < end) {
    do_round(values, results);
    for (int i = 0; i < count; ++i) {
      if (results[i] != 2 * values[i]) return 1;
    }
    ++done;
  }
  std::printf("%d\n", done);
}
