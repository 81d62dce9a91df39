// Tests device code of two files linked by `nvcc -rdc=true`; linked_part.cu is the other file.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

#include "linked_part.cuh"

namespace {

__device__ int own = 3;  // the other file has a variable of the same name

__global__ void fill(int* to) {
  to[0] = own;
  to[1] = of_the_other_file(10);
  to[2] = table[2];
  to[3] = of_both_files(21);
  to[8] = "pq"[threadIdx.x];  // both files have a constant of this name
}

TEST(Linked, KernelsOfEachFileSeeWhatAllHave) {
  int* found = nullptr;
  ASSERT_EQ(cudaMallocManaged(&found, 10 * sizeof(int)), cudaSuccess);
  fill<<<1, 1>>>(found);
  ASSERT_EQ(cudaGetLastError(), cudaSuccess) << cudaGetErrorString(cudaPeekAtLastError());
  fill_from_the_other_file(found + 4);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(std::vector<int>(found, found + 10),
            (std::vector<int>{3, 50, 7, 42, 4, 6, 8, 0, 'p', 'r'}));
  int changed = 5;
  ASSERT_EQ(cudaMemcpyToSymbol(own, &changed, sizeof(changed)), cudaSuccess);
  fill<<<1, 1>>>(found);
  fill_from_the_other_file(found + 4);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(found[0], 5);
  EXPECT_EQ(found[4], 4) << "the other file's";
  cudaFree(found);
}

}  // namespace
