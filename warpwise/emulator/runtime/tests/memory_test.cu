// Tests calls about memory that a GPU refuses, and what it says of memory. On a GPU the program
// gives the same results.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>

namespace {

__device__ int counter = 5;
__managed__ int shared_counter = 3;

__global__ void count() { ++counter; }

int counted() {
  int value = 0;
  EXPECT_EQ(cudaMemcpyFromSymbol(&value, counter, sizeof(value)), cudaSuccess);
  return value;
}

// A page of the host's memory.
struct Page {
  static constexpr std::size_t bytes = 4096;
  std::unique_ptr<void, decltype(&std::free)> memory{std::aligned_alloc(bytes, bytes), std::free};
};

TEST(Memory, OnlyRegisteredMemoryIsUnregistered) {
  int* device = nullptr;
  int* managed = nullptr;
  int* pinned = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 256), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 256), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 256), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostUnregister(managed), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostUnregister(pinned), cudaErrorInvalidValue);
  int on_stack = 0;
  EXPECT_EQ(cudaHostUnregister(&on_stack), cudaErrorHostMemoryNotRegistered);
  managed[0] = pinned[0] = 1;
  EXPECT_EQ(cudaMemset(device, 0, 256), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST(Memory, IsFreedByItsOwnFunctionAlone) {
  const Page page;
  ASSERT_EQ(cudaHostRegister(page.memory.get(), Page::bytes, 0), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(page.memory.get()), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostUnregister(page.memory.get()), cudaSuccess);
  int* device = nullptr;
  int* pinned = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 64), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeAsync(pinned, nullptr), cudaErrorInvalidValue);
  pinned[0] = 1;
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST(Memory, VariablesAreNotFreed) {
  void* variable = nullptr;
  void* managed = nullptr;
  ASSERT_EQ(cudaGetSymbolAddress(&variable, counter), cudaSuccess);
  ASSERT_EQ(cudaGetSymbolAddress(&managed, shared_counter), cudaSuccess);
  EXPECT_EQ(cudaFree(variable), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeAsync(variable, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(managed), cudaErrorInvalidValue);
  const int before = counted();
  count<<<1, 1>>>();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(counted(), before + 1);
  shared_counter = 4;
  EXPECT_EQ(shared_counter, 4);
}

TEST(Memory, APointersKindIsTold) {
  void* device = nullptr;
  void* managed = nullptr;
  void* pinned = nullptr;
  void* variable = nullptr;
  const Page page;
  int on_stack = 0;
  ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 64), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 64), cudaSuccess);
  ASSERT_EQ(cudaHostRegister(page.memory.get(), Page::bytes, 0), cudaSuccess);
  ASSERT_EQ(cudaGetSymbolAddress(&variable, shared_counter), cudaSuccess);
  struct Known {
    void* pointer;
    cudaMemoryType type;
  };
  const std::array<Known, 6> all = {{{device, cudaMemoryTypeDevice},
                                     {managed, cudaMemoryTypeManaged},
                                     {pinned, cudaMemoryTypeHost},
                                     {page.memory.get(), cudaMemoryTypeHost},
                                     {variable, cudaMemoryTypeManaged},
                                     {&on_stack, cudaMemoryTypeUnregistered}}};
  for (const Known& each : all) {
    cudaPointerAttributes found{};
    ASSERT_EQ(cudaPointerGetAttributes(&found, each.pointer), cudaSuccess);
    EXPECT_EQ(found.type, each.type);
    const bool is_known = each.type != cudaMemoryTypeUnregistered;
    EXPECT_EQ(found.device, is_known ? 0 : cudaInvalidDeviceId);
    EXPECT_EQ(found.devicePointer, is_known ? each.pointer : nullptr);
    EXPECT_EQ(found.hostPointer, each.type == cudaMemoryTypeDevice ? nullptr : each.pointer);
  }
  EXPECT_EQ(cudaHostUnregister(page.memory.get()), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST(Memory, AResetFreesAllAndInitialisesVariables) {
  std::size_t before = 0;
  std::size_t behind = 0;
  std::size_t all = 0;
  void* device = nullptr;
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  count<<<1, 1>>>();
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&before, &all), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&device, 1 << 20), cudaSuccess);
  EXPECT_EQ(counted(), 6);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(counted(), 5);
  ASSERT_EQ(cudaMemGetInfo(&behind, &all), cudaSuccess);
  EXPECT_EQ(behind, before);
  EXPECT_EQ(cudaMemset(device, 0, 16), cudaErrorInvalidValue);
  cudaGetLastError();
}

}  // namespace
