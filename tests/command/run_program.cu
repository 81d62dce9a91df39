// The program that tests of `warpwise run` start: `run_program MODE [WORD...]`, a MODE per case.

#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

template <class T>
__global__ void scale(T* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = 2 * values[i];
}

__global__ void beyond(int* values) {
  values[threadIdx.x + 64] = 1;  // the line: beyond
}

__global__ void misaligned(char* values) {
  *reinterpret_cast<int*>(values + 1) = 1;  // the line: misaligned
}

__global__ void disagrees(int limit) {
  assert(static_cast<int>(threadIdx.x) < limit && "\"<&>\"");  // the line: disagrees
}

// Reads a neighbour's word without a barrier after the write.
__global__ void unordered(int* values) {
  __shared__ int shared[64];
  shared[threadIdx.x] = static_cast<int>(threadIdx.x);
  values[threadIdx.x] = shared[63 - threadIdx.x];  // the line: unordered
}

// Makes more races than the limit that ends a kernel.
__global__ void many_races(int* values) {
  __shared__ int shared[2048];
  for (int i = 0; i < 2048; ++i) shared[i] = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (threadIdx.x < 64) values[threadIdx.x] = shared[threadIdx.x] < 0 ? 0 : 7;
}

__global__ void ordered(int* values) {
  __shared__ int shared[64];
  shared[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  values[threadIdx.x] = shared[63 - threadIdx.x];
}

__global__ void endless(volatile int* values) {
  while (values[0] == 0) values[1] = 1;  // the line: endless
}

// Its result depends on the order of atomics. An approximate function (__expf) decides a branch.
__global__ void inexact(float* values, unsigned* slots) {
  const unsigned slot = atomicAdd(slots, 1u);                   // the line: atomic
  const float value = __expf(values[threadIdx.x]);              // the line: approximate
  if (value > 0.5f) values[slot % 64] = __ldg(values) + value;  // the line: decided
}

// The first block to arrive decides the result; no threads race.
__global__ void first_come(int* values) {
  if (threadIdx.x == 0) atomicCAS(values, 0, int(blockIdx.x) + 1);  // the line: first_come
}

// Sums floats by atomics in any order; each order rounds differently.
__global__ void sum(float* values) { atomicAdd(values, 1.0f + 0.001f * float(threadIdx.x)); }

__global__ void __launch_bounds__(32) small(int* values) { values[threadIdx.x] = 1; }

__device__ int variable;

int check(const char* what) {
  const cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess) return 0;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  return 3;
}

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "words") {
    for (int i = 2; i < argc; ++i) std::printf("[%s]\n", argv[i]);
    return 0;
  }
  if (mode == "echo") {
    for (int c = std::getchar(); c != EOF; c = std::getchar()) std::putchar(c);
    std::fputs("said\n", stderr);
    return 0;
  }
  if (mode == "ready") {
    std::puts("ready");
    std::fflush(stdout);
    return std::getchar() == EOF ? 0 : 1;
  }
  if (mode == "signals") {
    std::printf("%d\n", std::signal(SIGPIPE, SIG_DFL) == SIG_DFL &&
                            std::signal(SIGXFSZ, SIG_DFL) == SIG_DFL &&
                            std::getenv("OPENBLAS_NUM_THREADS") == nullptr);
    return 0;
  }
  if (mode == "exit") return std::atoi(argv[2]);
  if (mode == "signal") return std::raise(std::atoi(argv[2]));
  if (mode == "properties") {
    cudaDeviceProp properties{};
    cudaGetDeviceProperties(&properties, 0);
    std::printf("%d.%d\n", properties.major, properties.minor);
    return 0;
  }
  if (mode == "multiprocessors") {
    int count = 0;
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    std::printf("%d\n", count);
    return 0;
  }
  if (mode == "handles") {
    std::signal(SIGTERM, [](int) {});
    std::raise(SIGTERM);
    std::puts("handled");
    return 0;
  }

  if (mode == "refused") {
    cudaIpcMemHandle_t handle{};
    for (int i = 0; i < 2; ++i) cudaIpcGetMemHandle(&handle, nullptr);
    return 0;
  }

  int* values = nullptr;
  cudaMalloc(&values, 64 * sizeof(int));
  cudaMemset(values, 0, 64 * sizeof(int));
  scale<<<2, 32>>>(values, 64);
  if (mode == "sound") {
    ordered<<<1, 64>>>(values);
    scale<<<2, 32>>>(values, 64);
  }
  if (mode == "bounds" || mode == "abort" || mode == "ignored" || mode == "elsewhere" ||
      mode == "fork") {
    if (mode == "elsewhere" && chdir("/") != 0) return 9;
    if (mode == "fork" && fork() == 0) return 0;
    beyond<<<1, 32>>>(values);
  }
  if (mode == "beyond_and_endless") {
    beyond<<<1, 32>>>(values);
    endless<<<1, 32>>>(values);
  }
  if (mode == "too_large") {
    small<<<1, 64>>>(values);
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    small<<<1, 32>>>(values);
  }
  if (mode == "frees_variable") {
    void* address = nullptr;
    cudaGetSymbolAddress(&address, variable);
    std::printf("%s\n", cudaGetErrorName(cudaFree(address)));
  }
  if (mode == "child") {
    const pid_t child = fork();
    if (child == 0) endless<<<1, 32>>>(values);
    int status = 0;
    if (child > 0) waitpid(child, &status, 0);
    std::printf("%d\n", WEXITSTATUS(status));
  }
  if (mode == "misaligned") misaligned<<<1, 1>>>(reinterpret_cast<char*>(values));
  if (mode == "assert") disagrees<<<1, 32>>>(7);
  if (mode == "inexact")
    inexact<<<1, 32>>>(reinterpret_cast<float*>(values), reinterpret_cast<unsigned*>(values));
  if (mode == "order") first_come<<<4, 32>>>(values);
  if (mode == "sum") sum<<<4, 32>>>(reinterpret_cast<float*>(values));
  if (mode == "race") unordered<<<1, 64>>>(values);
  if (mode == "races") {
    for (int i = 0; i < 20; ++i) unordered<<<1, 64>>>(values);
  }
  if (mode == "many") {
    many_races<<<1, 1024>>>(values);
    int ended[64];
    cudaMemcpy(ended, values, sizeof(ended), cudaMemcpyDeviceToHost);
    std::printf("%d\n", ended[0] + ended[63]);
  }
  if (mode == "endless") endless<<<1, 32>>>(values);
  if (mode == "ignored") ordered<<<1, 64>>>(values);  // this kernel does not run
  if (mode == "ignored" || mode == "elsewhere" || mode == "fork") return 0;
  const int result = check(mode.c_str());
  if (mode == "abort" && result != 0) std::abort();
  if (result == 0) cudaFree(values);
  return result;
}
