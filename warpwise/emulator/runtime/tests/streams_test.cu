// Tests streams and events: their properties, and handles that a GPU refuses. On a GPU the program
// gives the same results, except where a test says otherwise.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>

namespace {

__global__ void out_of_bounds(int* nothing) { *nothing = 1; }

class Streams : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cudaStreamCreate(&stream_), cudaSuccess); }
  void TearDown() override {
    cudaStreamDestroy(stream_);
    cudaGetLastError();
  }

  cudaStream_t stream_ = nullptr;
};

TEST_F(Streams, StreamsHavePriorities) {
  int least = 1;
  int greatest = 1;
  ASSERT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  EXPECT_LE(greatest, least);
  cudaStream_t first = nullptr;
  ASSERT_EQ(cudaStreamCreateWithPriority(&first, cudaStreamNonBlocking, greatest), cudaSuccess);
  int priority = 1;
  unsigned flags = 0;
  EXPECT_EQ(cudaStreamGetPriority(first, &priority), cudaSuccess);
  EXPECT_EQ(priority, greatest);
  EXPECT_EQ(cudaStreamGetFlags(first, &flags), cudaSuccess);
  EXPECT_EQ(flags, unsigned{cudaStreamNonBlocking});
  cudaStreamDestroy(first);
}

TEST_F(Streams, NullIsNoEvent) {
  float time = 0;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(nullptr, stream_), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamWaitEvent(stream_, nullptr, 0), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventSynchronize(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventQuery(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventElapsedTime(&time, event, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventCreate(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamCreate(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamGetFlags(stream_, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

// On a GPU, the runtime crashes in this test.
TEST_F(Streams, StreamsAndEventsAreDestroyedOnce) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(event, stream_), cudaErrorInvalidResourceHandle);
}

// Runs in a process of its own, which the error makes useless.
TEST(StreamsDeathTest, AfterAFaultNothingIsMadeAndNoHostFunctionRuns) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto all_are_refused = [] {
    out_of_bounds<<<1, 1>>>(nullptr);
    const cudaError_t expected = cudaDeviceSynchronize();
    cudaEvent_t event = nullptr;
    cudaStream_t stream = nullptr;
    bool has_run = false;
    const auto run = [](void* data) { *static_cast<bool*>(data) = true; };
    const bool are_refused = cudaEventCreate(&event) == expected &&
                             cudaStreamCreate(&stream) == expected &&
                             cudaLaunchHostFunc(nullptr, run, &has_run) == expected;
    std::exit(expected != cudaSuccess && are_refused && !has_run ? 0 : 1);
  };
  EXPECT_EXIT(all_are_refused(), ::testing::ExitedWithCode(0), "");
}

// On a GPU, the runtime crashes in this test.
TEST_F(Streams, ADestroyedStreamIsRefusedByEveryCall) {
  cudaStream_t gone = nullptr;
  cudaEvent_t event = nullptr;
  int* value = nullptr;
  ASSERT_EQ(cudaMalloc(&value, sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&gone), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(gone), cudaSuccess);
  out_of_bounds<<<1, 1, 0, gone>>>(value);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  int priority = 0;
  unsigned flags = 0;
  unsigned long long id = 0;
  void* taken = nullptr;
  cudaGraph_t graph = nullptr;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const auto nothing = [](void*) {};
  const auto callback = [](cudaStream_t, cudaError_t, void*) {};
  const auto relaxed = cudaStreamCaptureModeRelaxed;
  const cudaError_t errors[] = {cudaStreamSynchronize(gone),
                                cudaStreamQuery(gone),
                                cudaStreamGetPriority(gone, &priority),
                                cudaStreamGetFlags(gone, &flags),
                                cudaStreamGetId(gone, &id),
                                cudaStreamWaitEvent(gone, event),
                                cudaEventRecord(event, gone),
                                cudaMemsetAsync(value, 0, sizeof(int), gone),
                                cudaMemcpyAsync(value, value, 4, cudaMemcpyDefault, gone),
                                cudaMallocAsync(&taken, 16, gone),
                                cudaFreeAsync(value, gone),
                                cudaLaunchHostFunc(gone, nothing, nullptr),
                                cudaStreamAddCallback(gone, callback, nullptr, 0),
                                cudaStreamBeginCapture(gone, relaxed),
                                cudaStreamIsCapturing(gone, &status),
                                cudaStreamEndCapture(gone, &graph)};
  for (std::size_t i = 0; i < std::size(errors); ++i)
    EXPECT_EQ(errors[i], cudaErrorInvalidResourceHandle) << i;
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaFree(value), cudaSuccess);
}

// On a GPU, the runtime may crash in this test.
TEST_F(Streams, AResetDestroysStreamsEventsAndCaptures) {
  cudaStream_t capturing = nullptr;
  cudaEvent_t event = nullptr;
  int* value = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&capturing, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(capturing, cudaStreamCaptureModeGlobal), cudaSuccess);
  constexpr int asked_for = 60000;
  ASSERT_EQ(
      cudaFuncSetAttribute(out_of_bounds, cudaFuncAttributeMaxDynamicSharedMemorySize, asked_for),
      cudaSuccess);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(stream_), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamEndCapture(capturing, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaMalloc(&value, sizeof(int)), cudaSuccess) << "nothing captures";
  out_of_bounds<<<1, 1, asked_for>>>(value);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue) << "no kernel asks for more memory";
  EXPECT_EQ(cudaFree(value), cudaSuccess);
}

// Runs in a process of its own, which the error makes useless.
TEST(StreamsDeathTest, AfterAFaultStreamsAndEventsReturnItsErrorToo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto all_are_refused = [] {
    cudaEvent_t event = nullptr;
    cudaStream_t stream = nullptr;
    cudaEventCreate(&event);
    cudaStreamCreate(&stream);
    out_of_bounds<<<1, 1>>>(nullptr);
    const cudaError_t expected = cudaDeviceSynchronize();
    cudaGetLastError();
    const bool are_refused = cudaDeviceSynchronize() == expected &&
                             cudaEventDestroy(event) == expected &&
                             cudaStreamDestroy(stream) == expected;
    std::exit(expected != cudaSuccess && are_refused ? 0 : 1);
  };
  EXPECT_EXIT(all_are_refused(), ::testing::ExitedWithCode(0), "");
}

// Runs in a process of its own, which the error makes useless.
TEST(StreamsDeathTest, AfterAFaultNothingIsCaptured) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto all_are_refused = [] {
    cudaStream_t captured = nullptr;
    int* value = nullptr;
    cudaMalloc(&value, sizeof(int));
    cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking);
    cudaStreamBeginCapture(captured, cudaStreamCaptureModeRelaxed);
    out_of_bounds<<<1, 1>>>(nullptr);
    // No wait, because a capture forbids it.
    const cudaError_t expected = cudaMemsetAsync(value, 0, sizeof(int), captured);
    const bool are_refused =
        cudaLaunchHostFunc(
            captured, [](void*) {}, nullptr) == expected &&
        cudaMemcpyAsync(value, value, sizeof(int), cudaMemcpyDefault, captured) == expected;
    std::exit(expected != cudaSuccess && are_refused ? 0 : 1);
  };
  EXPECT_EXIT(all_are_refused(), ::testing::ExitedWithCode(0), "");
}

TEST_F(Streams, EventsWithoutTimesHaveNone) {
  cudaEvent_t first = nullptr;
  cudaEvent_t second = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&first, cudaEventDisableTiming), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&second), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(first, stream_), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(second, stream_), cudaSuccess);
  float time = 0;
  EXPECT_EQ(cudaEventElapsedTime(&time, first, second), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventElapsedTime(&time, second, second), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(first), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(second), cudaSuccess);
  EXPECT_EQ(cudaEventCreateWithFlags(&first, 0xff00), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventCreateWithFlags(&first, cudaEventInterprocess), cudaErrorInvalidValue);
}

}  // namespace
