// Tests heavy use with all checks on: sizes larger than any GPU's, streams that come and go, pages
// that were read-only before.

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <limits>

#include "support/peak_memory.hpp"

namespace {

using warpwise::test::forget_peak;
using warpwise::test::peak_bytes;

constexpr std::size_t most = std::numeric_limits<std::size_t>::max();

__global__ void put(int* to, int value) { to[threadIdx.x] = value; }

__global__ void sum(const int* from, int* to) { atomicAdd(to, from[threadIdx.x]); }

TEST(Limits, RowsThatNoSizeHolds) {
  void* pointer = nullptr;
  size_t pitch = 0;
  forget_peak();
  const std::int64_t before = peak_bytes();
  for (const auto& [width, height] : {std::pair<size_t, size_t>{most, 1},
                                      {most - 510, 1},
                                      {1, most / 512 + 1},
                                      {size_t{1} << 40, size_t{1} << 40},
                                      {size_t{1} << 40, size_t{1} << 24},
                                      {size_t{1} << 32, size_t{1} << 32},
                                      {size_t{1} << 33, size_t{1} << 31}}) {
    EXPECT_EQ(cudaMallocPitch(&pointer, &pitch, width, height), cudaErrorMemoryAllocation)
        << width << " x " << height;
    cudaPitchedPtr pitched{};
    EXPECT_EQ(cudaMalloc3D(&pitched, {width, height, 1}), cudaErrorMemoryAllocation)
        << width << " x " << height;
    EXPECT_EQ(cudaMalloc3D(&pitched, {width, 2, height}), cudaErrorMemoryAllocation)
        << width << " x 2 x " << height;
  }
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_LT(peak_bytes() - before, 16 << 20);
  ASSERT_EQ(cudaMallocPitch(&pointer, &pitch, 513, 3), cudaSuccess);
  EXPECT_EQ(pitch, 1024U);
  EXPECT_EQ(cudaMemset2D(pointer, pitch, 1, 513, 3), cudaSuccess);
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
}

TEST(Limits, AStackThatNoThreadHas) {
  std::size_t before = 0;
  ASSERT_EQ(cudaDeviceGetLimit(&before, cudaLimitStackSize), cudaSuccess);
  for (const std::size_t bytes : {std::size_t{1} << 59, (std::size_t{512} << 10) + 1, most})
    EXPECT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, bytes), cudaErrorInvalidValue) << bytes;
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  std::size_t bytes = 0;
  EXPECT_EQ(cudaDeviceGetLimit(&bytes, cudaLimitStackSize), cudaSuccess);
  EXPECT_EQ(bytes, before);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, std::size_t{512} << 10), cudaSuccess);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, before), cudaSuccess);
}

/// Runs thousands of streams one after another, each with work.
class Streams : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cudaMalloc(&values_, 32 * sizeof(int)), cudaSuccess); }
  void TearDown() override { cudaFree(values_); }

  static cudaStream_t made() {
    cudaStream_t stream = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    return stream;
  }
  /// Passes the values to `count` streams one after another, and waits for each.
  void come_and_go(int count) const {
    for (int i = 0; i < count; ++i) {
      cudaStream_t stream = made();
      put<<<1, 32, 0, stream>>>(values_, i);
      ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess) << i;
      ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess) << i;
    }
  }

  int* values_ = nullptr;
};

TEST_F(Streams, AreForgotten) {
  forget_peak();
  come_and_go(1000);
  const std::int64_t before = peak_bytes();
  come_and_go(10000);
  EXPECT_LT(peak_bytes() - before, 2 << 20);
}

// The last work of each stream is cudaFreeAsync(). The host does not wait for this work.
TEST_F(Streams, ThatFreeMemoryAreForgotten) {
  const auto come_and_go_with_memory = [](int count) {
    for (int i = 0; i < count; ++i) {
      cudaStream_t stream = made();
      int* own = nullptr;
      ASSERT_EQ(cudaMallocAsync(&own, 32 * sizeof(int), stream), cudaSuccess);
      put<<<1, 32, 0, stream>>>(own, i);
      ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess) << i;
      ASSERT_EQ(cudaFreeAsync(own, stream), cudaSuccess);
      ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess) << i;
    }
  };
  // Memory may grow a little, because the emulator keeps freed allocations' names for messages.
  forget_peak();
  come_and_go_with_memory(1000);
  const std::int64_t before = peak_bytes();
  come_and_go_with_memory(2000);
  EXPECT_LT(peak_bytes() - before, 4 << 20);
}

// A new stream reuses the number of an earlier stream. The new stream's work follows the earlier
// stream's work, because the host has waited for that work.
TEST_F(Streams, OfAUsedNumberInventNoRace) {
  come_and_go(10000);
  cudaStream_t first = made();
  cudaStream_t second = made();
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  for (int i = 0; i < 3; ++i) {
    put<<<1, 32, 0, first>>>(values_, i);
    ASSERT_EQ(cudaEventRecord(event, first), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(second, event), cudaSuccess);
    put<<<1, 32, 0, second>>>(values_, i);
    ASSERT_EQ(cudaEventRecord(event, second), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(first, event), cudaSuccess);
  }
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(second), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(first), cudaSuccess);
}

/// Returns true if the system may write to the page.
bool is_writable(void* page) {
  const int zeros = open("/dev/zero", O_RDONLY);
  const bool is_done = read(zeros, page, 1) == 1;
  close(zeros);
  return is_done;
}

TEST(RegisteredMemory, IsHandedBackAsItWas) {
  constexpr std::size_t bytes = 3 * 4096;
  for (const bool is_read_only : {true, false}) {
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    auto* const values = static_cast<int*>(pages);
    for (int i = 0; i < 32; ++i) values[1024 + i] = 2;
    void* const second = values + 1024;
    if (is_read_only) {
      ASSERT_EQ(mprotect(second, 4096, PROT_READ), 0);
    }
    ASSERT_EQ(cudaHostRegister(pages, bytes, cudaHostRegisterDefault), cudaSuccess);
    int* to = nullptr;
    ASSERT_EQ(cudaMalloc(&to, sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaMemset(to, 0, sizeof(int)), cudaSuccess);
    sum<<<1, 32>>>(values + 1024, to);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(is_writable(second), !is_read_only);
    int found = 0;
    ASSERT_EQ(cudaMemcpy(&found, to, sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(found, 64);
    ASSERT_EQ(cudaHostUnregister(pages), cudaSuccess);
    EXPECT_EQ(is_writable(second), !is_read_only);
    EXPECT_EQ(cudaFree(to), cudaSuccess);
    munmap(pages, bytes);
  }
}

// This test is the last one, because a race ends the process's use of the GPU.
using StreamsAtLast = Streams;
TEST_F(StreamsAtLast, OfAUsedNumberHideNoRace) {
  come_and_go(1000);
  // The destroyed stream keeps its number, because nothing waited for its work.
  cudaStream_t first = made();
  put<<<1, 32, 0, first>>>(values_, 1);
  ASSERT_EQ(cudaStreamDestroy(first), cudaSuccess);
  cudaStream_t second = made();
  put<<<1, 32, 0, second>>>(values_, 2);
  EXPECT_NE(cudaDeviceSynchronize(), cudaSuccess);
  cudaStreamDestroy(second);
}

}  // namespace
