// Tests memory calls that a GPU refuses, and the properties of memory that calls return. On a GPU
// the program gives the same results.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
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

TEST(Memory, ManagedVariablesAreSymbols) {
  shared_counter = 9;
  int value = 0;
  EXPECT_EQ(cudaMemcpyFromSymbol(&value, shared_counter, sizeof(value)), cudaSuccess);
  EXPECT_EQ(value, 9);
  value = 11;
  EXPECT_EQ(cudaMemcpyToSymbol(shared_counter, &value, sizeof(value)), cudaSuccess);
  EXPECT_EQ(shared_counter, 11);
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

TEST(Memory, FillsAndDirectionsThatAGpuRefuses) {
  int host[16] = {};
  int other[16] = {};
  int* device = nullptr;
  int* pinned = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 4096), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 64), cudaSuccess);
  EXPECT_EQ(cudaMemset2D(device, 16, 0, 64, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset2D(device, 16, 0, 64, 1), cudaSuccess);
  EXPECT_EQ(cudaMemset(host, 1, 16), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(pinned, 1, 16), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device, host, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, host, 16, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, device, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, other, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, host, 16, static_cast<cudaMemcpyKind>(77)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpyToSymbol(counter, host, 4, 0, cudaMemcpyDeviceToHost),
            cudaErrorInvalidMemcpyDirection);
  for (const cudaMemcpyKind kind : {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost}) {
    EXPECT_EQ(cudaMemcpy(device, device + 64, 16, kind), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(device, pinned, 16, kind), cudaSuccess);
  }
  EXPECT_EQ(cudaMemcpy(device, host, 16, cudaMemcpyHostToHost), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

std::uint64_t attribute_of(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  std::uint64_t value = 7777;
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, attribute, &value), cudaSuccess);
  return value;
}

TEST(Memory, PoolsCountTheirOwnMemory) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool = nullptr;
  cudaMemPool_t other = nullptr;
  ASSERT_EQ(cudaMemPoolCreate(&pool, &properties), cudaSuccess);
  ASSERT_EQ(cudaMemPoolCreate(&other, &properties), cudaSuccess);
  std::uint64_t threshold = 1234;
  ASSERT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
            cudaSuccess);
  EXPECT_EQ(attribute_of(pool, cudaMemPoolAttrReleaseThreshold), 1234U);
  EXPECT_EQ(attribute_of(other, cudaMemPoolAttrReleaseThreshold), 0U);
  void* apart = nullptr;
  void* taken = nullptr;
  ASSERT_EQ(cudaMalloc(&apart, 1 << 20), cudaSuccess);
  EXPECT_EQ(attribute_of(pool, cudaMemPoolAttrUsedMemCurrent), 0U);
  ASSERT_EQ(cudaMallocFromPoolAsync(&taken, 1000, pool, nullptr), cudaSuccess);
  EXPECT_EQ(attribute_of(pool, cudaMemPoolAttrUsedMemCurrent), 1000U);
  EXPECT_EQ(attribute_of(other, cudaMemPoolAttrUsedMemCurrent), 0U);
  ASSERT_EQ(cudaFreeAsync(taken, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(attribute_of(pool, cudaMemPoolAttrUsedMemCurrent), 0U);
  EXPECT_EQ(attribute_of(pool, cudaMemPoolAttrUsedMemHigh), 1000U);
  std::uint64_t none = 0;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none), cudaSuccess);
  EXPECT_EQ(attribute_of(pool, cudaMemPoolAttrUsedMemHigh), 0U);
  int flag = 0;
  ASSERT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &flag), cudaSuccess);
  flag = 9;
  ASSERT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &flag), cudaSuccess);
  EXPECT_EQ(flag, 0);
  cudaMemPool_t current = nullptr;
  cudaMemPool_t first = nullptr;
  ASSERT_EQ(cudaDeviceSetMemPool(0, pool), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
  EXPECT_EQ(current, pool);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(other), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&first, 0), cudaSuccess);
  EXPECT_EQ(current, first);
  EXPECT_EQ(cudaMemPoolDestroy(first), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetDefaultMemPool(&first, 5), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetMemPool(nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeAsync(reinterpret_cast<void*>(0x1234), nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(apart), cudaSuccess);
}

TEST(Memory, NullIsNoPool) {
  cudaMemAccessDesc access{};
  access.location = {cudaMemLocationTypeDevice, 0};
  access.flags = cudaMemAccessFlagsProtReadWrite;
  cudaMemPool_t first = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&first, 0), cudaSuccess);
  EXPECT_EQ(cudaMemPoolTrimTo(first, 0), cudaSuccess);
  EXPECT_EQ(cudaMemPoolTrimTo(nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolSetAccess(nullptr, &access, 1), cudaErrorInvalidValue);
  cudaGetLastError();
}

// On a GPU, the runtime may crash in this test.
TEST(Memory, ADestroyedPoolIsRefused) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemAccessDesc access{};
  cudaMemPool_t gone = nullptr;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaMemPoolCreate(&gone, &properties), cudaSuccess);
  ASSERT_EQ(cudaMemPoolDestroy(gone), cudaSuccess);
  EXPECT_EQ(cudaMemPoolTrimTo(gone, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolSetAccess(gone, &access, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSetMemPool(0, gone), cudaErrorInvalidValue);
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  void* taken = nullptr;
  EXPECT_EQ(cudaMallocFromPoolAsync(&taken, 16, gone, stream), cudaErrorInvalidValue);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  cudaGetLastError();
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

// On a GPU, the runtime may crash in this test.
TEST(Memory, AResetRestoresThePools) {
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t own = nullptr;
  cudaMemPool_t first = nullptr;
  cudaMemPool_t current = nullptr;
  std::uint64_t before = 0;
  std::uint64_t threshold = 12345;
  ASSERT_EQ(cudaMemPoolCreate(&own, &properties), cudaSuccess);
  ASSERT_EQ(cudaDeviceSetMemPool(0, own), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&first, 0), cudaSuccess);
  const auto attribute = cudaMemPoolAttrReleaseThreshold;
  ASSERT_EQ(cudaMemPoolGetAttribute(first, attribute, &before), cudaSuccess);
  ASSERT_EQ(cudaMemPoolSetAttribute(first, attribute, &threshold), cudaSuccess);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(own), cudaErrorInvalidValue);
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&first, 0), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
  EXPECT_EQ(current, first);
  ASSERT_EQ(cudaMemPoolGetAttribute(first, attribute, &threshold), cudaSuccess);
  EXPECT_EQ(threshold, before);
  cudaGetLastError();
}

TEST(Memory, AResetRestoresTheLimits) {
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  for (const cudaLimit limit : {cudaLimitStackSize, cudaLimitMallocHeapSize}) {
    std::size_t before = 0;
    std::size_t behind = 0;
    ASSERT_EQ(cudaDeviceGetLimit(&before, limit), cudaSuccess);
    ASSERT_EQ(cudaDeviceSetLimit(limit, 2 * before), cudaSuccess);
    ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
    ASSERT_EQ(cudaDeviceGetLimit(&behind, limit), cudaSuccess);
    EXPECT_EQ(behind, before) << limit;
  }
}

}  // namespace
