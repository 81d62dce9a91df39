// Tests that the emulator chooses the same PTX as a driver, among CC 7.5, 8.6, 9.0 and 9.0a.

#include <gtest/gtest.h>

#include <map>

namespace {

__global__ void tell_target(int* target) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  *target = 901;
#elif defined __CUDA_ARCH__
  *target = __CUDA_ARCH__;
#endif
}

TEST(Targets, TheTextForThisGpuIsTaken) {
  cudaDeviceProp gpu{};
  ASSERT_EQ(cudaGetDeviceProperties(&gpu, 0), cudaSuccess);
  int* target = nullptr;
  ASSERT_EQ(cudaMalloc(&target, sizeof(int)), cudaSuccess);
  tell_target<<<1, 1>>>(target);
  int told = 0;
  ASSERT_EQ(cudaMemcpy(&told, target, sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaFree(target), cudaSuccess);
  // 9.0a is only for GPUs of CC 9.0.
  const std::map<int, int> expected = {{80, 750}, {86, 860}, {90, 901}, {100, 900}};
  EXPECT_EQ(told, expected.at(10 * gpu.major + gpu.minor));
}

}  // namespace
