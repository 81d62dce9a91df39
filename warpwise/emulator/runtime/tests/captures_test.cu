// Tests which calls are refused while a stream captures. An H200 gives the same errors.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

extern "C" cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, cudaStreamCaptureMode mode);

namespace {

__device__ int symbol;

__global__ void set(int* value) { *value = 1; }

enum class Rule { allowed, unsafe, wait_for_all, default_stream };

struct Call {
  std::string name;
  Rule rule;
  std::function<cudaError_t()> run;
};

class Captures : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaMalloc(&value_, 2 * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&other_), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&free_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&event_), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(event_, free_), cudaSuccess);
    ASSERT_EQ(cudaGraphCreate(&empty_, 0), cudaSuccess);
  }
  void TearDown() override {
    cudaGraphDestroy(empty_);
    cudaEventDestroy(event_);
    cudaStreamDestroy(free_);
    cudaStreamDestroy(other_);
    cudaFree(value_);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }
  std::vector<Call> calls();

  int* value_ = nullptr;
  cudaStream_t other_ = nullptr;
  cudaStream_t free_ = nullptr;  ///< follows no default stream
  cudaEvent_t event_ = nullptr;
  cudaGraph_t empty_ = nullptr;
};

std::vector<Call> Captures::calls() {
  const auto taken = [](cudaError_t error, void* memory) {
    if (error == cudaSuccess) EXPECT_EQ(cudaFree(memory), cudaSuccess);
    return error;
  };
  const auto taken_on_host = [](cudaError_t error, void* memory) {
    if (error == cudaSuccess) EXPECT_EQ(cudaFreeHost(memory), cudaSuccess);
    return error;
  };
  static int host = 0;
  return {
      {"malloc", Rule::unsafe,
       [=] {
         void* memory = nullptr;
         const cudaError_t error = cudaMalloc(&memory, 16);
         return taken(error, memory);
       }},
      {"managed", Rule::unsafe,
       [=] {
         void* memory = nullptr;
         const cudaError_t error = cudaMallocManaged(&memory, 16);
         return taken(error, memory);
       }},
      {"pinned", Rule::unsafe,
       [=] {
         void* memory = nullptr;
         const cudaError_t error = cudaMallocHost(&memory, 16);
         return taken_on_host(error, memory);
       }},
      {"array", Rule::unsafe,
       [] {
         cudaArray_t array = nullptr;
         const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
         const cudaError_t error = cudaMallocArray(&array, &format, 4, 4);
         return error == cudaSuccess ? cudaFreeArray(array) : error;
       }},
      {"free nothing", Rule::unsafe, [] { return cudaFree(nullptr); }},
      {"pool", Rule::unsafe,
       [] {
         cudaMemPoolProps props{};
         props.allocType = cudaMemAllocationTypePinned;
         props.location.type = cudaMemLocationTypeDevice;
         cudaMemPool_t pool = nullptr;
         const cudaError_t error = cudaMemPoolCreate(&pool, &props);
         return error == cudaSuccess ? cudaMemPoolDestroy(pool) : error;
       }},
      {"event query", Rule::unsafe, [&] { return cudaEventQuery(event_); }},
      {"event wait", Rule::unsafe, [&] { return cudaEventSynchronize(event_); }},
      {"stream query", Rule::unsafe, [&] { return cudaStreamQuery(other_); }},
      {"stream wait", Rule::unsafe, [&] { return cudaStreamSynchronize(free_); }},
      {"instantiate", Rule::unsafe,
       [&] {
         cudaGraphExec_t made = nullptr;
         const cudaError_t error = cudaGraphInstantiate(&made, empty_, 0);
         return error == cudaSuccess ? cudaGraphExecDestroy(made) : error;
       }},
      {"limit", Rule::unsafe, [] { return cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 21); }},
      {"memory of another stream", Rule::unsafe,
       [&] {
         void* memory = nullptr;
         const cudaError_t error = cudaMallocAsync(&memory, 16, free_);
         return error == cudaSuccess ? cudaFreeAsync(memory, free_) : error;
       }},
      {"device", Rule::wait_for_all, [] { return cudaDeviceSynchronize(); }},
      {"copy to host", Rule::default_stream,
       [&] { return cudaMemcpy(&host, value_, sizeof(int), cudaMemcpyDeviceToHost); }},
      {"copy of rows", Rule::default_stream,
       [&] { return cudaMemcpy2D(&host, 4, value_, 4, 4, 1, cudaMemcpyDeviceToHost); }},
      {"fill", Rule::default_stream, [&] { return cudaMemset(value_, 0, sizeof(int)); }},
      {"asynchronous fill", Rule::default_stream,
       [&] { return cudaMemsetAsync(value_, 0, sizeof(int), nullptr); }},
      {"kernel", Rule::default_stream,
       [&] {
         set<<<1, 1>>>(value_);
         return cudaGetLastError();
       }},
      {"event of the default stream", Rule::default_stream,
       [&] { return cudaEventRecord(event_, nullptr); }},
      {"host function", Rule::default_stream,
       [] { return cudaLaunchHostFunc(nullptr, [](void*) {}, nullptr); }},
      {"wait of the default stream", Rule::default_stream,
       [&] { return cudaStreamWaitEvent(nullptr, event_, 0); }},
      {"work of a blocking stream", Rule::allowed,
       [&] { return cudaMemsetAsync(value_, 0, sizeof(int), other_); }},
      {"host function of a stream", Rule::allowed,
       [&] { return cudaLaunchHostFunc(free_, [](void*) {}, nullptr); }},
      {"stream", Rule::allowed,
       [] {
         cudaStream_t stream = nullptr;
         cudaStreamCreate(&stream);
         return cudaStreamDestroy(stream);
       }},
      {"event", Rule::allowed,
       [] {
         cudaEvent_t event = nullptr;
         cudaEventCreate(&event);
         return cudaEventDestroy(event);
       }},
      {"sizes", Rule::allowed,
       [] {
         std::size_t free = 0;
         std::size_t total = 0;
         return cudaMemGetInfo(&free, &total);
       }},
      {"malloc of nothing", Rule::allowed,
       [] {
         void* memory = nullptr;
         return cudaMalloc(&memory, 0);
       }},
  };
}

TEST_F(Captures, RefuseCallsByModeAndThread) {
  for (const bool is_blocking : {true, false}) {
    for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                            cudaStreamCaptureModeRelaxed}) {
      for (const bool is_same_thread : {true, false}) {
        for (const Call& call : calls()) {
          SCOPED_TRACE(call.name + (is_blocking ? ", blocking" : "") + ", mode " +
                       std::to_string(mode) + (is_same_thread ? "" : ", other thread"));
          cudaError_t expected = cudaSuccess;
          if (call.rule == Rule::wait_for_all ||
              (call.rule == Rule::unsafe &&
               (mode == cudaStreamCaptureModeGlobal ||
                (mode == cudaStreamCaptureModeThreadLocal && is_same_thread))))
            expected = cudaErrorStreamCaptureUnsupported;
          if (call.rule == Rule::default_stream && is_blocking)
            expected = cudaErrorStreamCaptureImplicit;
          cudaStream_t stream = nullptr;
          ASSERT_EQ(cudaStreamCreateWithFlags(
                        &stream, is_blocking ? cudaStreamDefault : cudaStreamNonBlocking),
                    cudaSuccess);
          ASSERT_EQ(cudaStreamBeginCapture(stream, mode), cudaSuccess);
          if (is_same_thread)
            EXPECT_EQ(call.run(), expected);
          else
            std::thread([&] { EXPECT_EQ(call.run(), expected); }).join();
          cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
          ASSERT_EQ(cudaStreamIsCapturing(stream, &status), cudaSuccess);
          EXPECT_EQ(status, expected == cudaSuccess ? cudaStreamCaptureStatusActive
                                                    : cudaStreamCaptureStatusInvalidated);
          cudaGraph_t graph = empty_;
          EXPECT_EQ(cudaStreamEndCapture(stream, &graph),
                    expected == cudaSuccess ? cudaSuccess : cudaErrorStreamCaptureInvalidated);
          EXPECT_EQ(graph == nullptr, expected != cudaSuccess);
          if (graph != nullptr) EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
          cudaGetLastError();
          ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
        }
      }
    }
  }
}

TEST_F(Captures, AThreadMayAllowItselfUnsafeCalls) {
  ASSERT_EQ(cudaStreamBeginCapture(free_, cudaStreamCaptureModeGlobal), cudaSuccess);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 16), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  std::thread([] {
    cudaStreamCaptureMode local = cudaStreamCaptureModeThreadLocal;
    cudaThreadExchangeStreamCaptureMode(&local);
    EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  }).join();
  set<<<1, 1, 0, free_>>>(value_);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(free_, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(Captures, AnInvalidCaptureTakesNoWork) {
  ASSERT_EQ(cudaStreamBeginCapture(free_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(free_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamQuery(free_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaMemsetAsync(value_, 0, 4, free_), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaEventRecord(event_, free_), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamWaitEvent(free_, event_, 0), cudaErrorStreamCaptureInvalidated);
  void* memory = nullptr;
  EXPECT_EQ(cudaMallocAsync(&memory, 16, free_), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamBeginCapture(free_, cudaStreamCaptureModeRelaxed), cudaErrorIllegalState);
  cudaGraph_t graph = empty_;
  EXPECT_EQ(cudaStreamEndCapture(free_, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(cudaStreamSynchronize(free_), cudaSuccess);
  cudaGetLastError();
}

TEST_F(Captures, ACapturedEventIsNotWaitedFor) {
  ASSERT_EQ(cudaStreamBeginCapture(free_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event_, free_), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorCapturedEvent);
  EXPECT_EQ(cudaStreamEndCapture(free_, nullptr), cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
}

TEST_F(Captures, TheEndOfACaptureRecordsNoEvent) {
  ASSERT_EQ(cudaStreamBeginCapture(free_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event_, free_), cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(free_, &graph), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorCapturedEvent);
  ASSERT_EQ(cudaEventRecord(event_, free_), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event_), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  cudaGetLastError();
}

TEST_F(Captures, AreNotMergedByAnEvent) {
  ASSERT_EQ(cudaStreamBeginCapture(free_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(other_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event_, free_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other_, event_, 0), cudaErrorStreamCaptureMerge);
  EXPECT_EQ(cudaStreamEndCapture(other_, nullptr), cudaErrorStreamCaptureInvalidated);
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(free_, &graph);
  if (graph != nullptr) EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  cudaGetLastError();
}

// The event was recorded in SetUp(), before the capture.
TEST_F(Captures, WaitForAnEventFromOutsideOnlyInANode) {
  ASSERT_EQ(cudaStreamBeginCapture(other_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other_, event_, cudaEventWaitDefault),
            cudaErrorStreamCaptureIsolation);
  cudaGraph_t graph = empty_;
  EXPECT_EQ(cudaStreamEndCapture(other_, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph, nullptr);
  cudaGetLastError();
  ASSERT_EQ(cudaStreamBeginCapture(other_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other_, event_, cudaEventWaitExternal), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(other_, &graph), cudaSuccess);
  cudaGraphNode_t node = nullptr;
  std::size_t count = 1;
  ASSERT_EQ(cudaGraphGetNodes(graph, &node, &count), cudaSuccess);
  ASSERT_EQ(count, 1U);
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  ASSERT_EQ(cudaGraphNodeGetType(node, &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeWaitEvent);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(Captures, EndInTheirOwnThreadUnlessTheyAreRelaxed) {
  for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                          cudaStreamCaptureModeRelaxed}) {
    const bool is_relaxed = mode == cudaStreamCaptureModeRelaxed;
    ASSERT_EQ(cudaStreamBeginCapture(free_, mode), cudaSuccess);
    cudaGraph_t graph = nullptr;
    std::thread([&] {
      EXPECT_EQ(cudaStreamEndCapture(free_, &graph),
                is_relaxed ? cudaSuccess : cudaErrorStreamCaptureWrongThread)
          << mode;
    }).join();
    if (!is_relaxed) cudaStreamEndCapture(free_, &graph);
    if (graph != nullptr) EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    cudaGetLastError();
  }
}

TEST_F(Captures, RefuseWrongCopiesAtTheirCall) {
  static int host = 0;
  ASSERT_EQ(cudaStreamBeginCapture(free_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(value_, &host, sizeof(int), static_cast<cudaMemcpyKind>(77), free_),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpyToSymbolAsync(symbol, &host, sizeof(int), 0, cudaMemcpyDeviceToHost, free_),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_NE(cudaMemcpyAsync(value_, &host, sizeof(int), cudaMemcpyDeviceToHost, free_),
            cudaSuccess);
  EXPECT_NE(cudaMemsetAsync(&host, 0, sizeof(int), free_), cudaSuccess);
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(free_, &graph);
  if (graph != nullptr) EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  cudaGetLastError();
}

TEST_F(Captures, NodesOfFillsAreChecked) {
  static unsigned host = 7;
  cudaGraphNode_t node = nullptr;
  cudaMemsetParams fill{};
  fill.width = fill.height = 1;
  fill.dst = &host;
  for (const unsigned bytes : {1U, 2U, 4U}) {
    fill.elementSize = bytes;
    EXPECT_EQ(cudaGraphAddMemsetNode(&node, empty_, nullptr, 0, &fill), cudaErrorInvalidValue)
        << bytes;
  }
  fill.dst = value_;
  fill.elementSize = 3;
  EXPECT_EQ(cudaGraphAddMemsetNode(&node, empty_, nullptr, 0, &fill), cudaErrorInvalidValue);
  fill.elementSize = 4;
  EXPECT_EQ(cudaGraphAddMemsetNode(&node, empty_, nullptr, 0, &fill), cudaSuccess);
  EXPECT_EQ(host, 7U);
  cudaGetLastError();
}

// Memory of the graph is no memory of the host, although it does not exist yet.
TEST_F(Captures, CopyMemoryThatTheGraphTakes) {
  static int host = 7;
  int* taken = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(free_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&taken, 2 * sizeof(int), free_), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(taken, 0, 2 * sizeof(int), free_), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(taken + 1, &host, sizeof(int), cudaMemcpyHostToDevice, free_),
            cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(value_, taken, sizeof(int), cudaMemcpyDeviceToDevice, free_),
            cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(taken, free_), cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(free_, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(Captures, HaveThreeModes) {
  auto mode = static_cast<cudaStreamCaptureMode>(3);
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamBeginCapture(free_, mode), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_F(Captures, TheDefaultStreamCannotCapture) {
  for (cudaStream_t stream : {cudaStream_t{}, cudaStreamLegacy})
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed),
              cudaErrorStreamCaptureUnsupported);
  cudaGetLastError();
}

TEST_F(Captures, TheDefaultStreamHasNoStateWhileABlockingStreamCaptures) {
  for (cudaStream_t stream : {other_, free_}) {
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
    auto status = cudaStreamCaptureStatusNone;
    const cudaError_t expected = stream == other_ ? cudaErrorStreamCaptureImplicit : cudaSuccess;
    EXPECT_EQ(cudaStreamIsCapturing(nullptr, &status), expected);
    EXPECT_EQ(cudaStreamIsCapturing(cudaStreamLegacy, &status), expected);
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess) << "the capture stays valid";
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    cudaGetLastError();
  }
}

// nvcc --default-stream per-thread calls this function. Stream 0 is then no legacy stream.
TEST_F(Captures, AThreadsOwnDefaultStreamIsNoLegacyStream) {
  ASSERT_EQ(cudaStreamBeginCapture_ptsz(other_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  set<<<1, 1>>>(value_);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(value_, 0, sizeof(int), cudaStreamLegacy),
            cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(cudaStreamEndCapture(other_, nullptr), cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
}

TEST_F(Captures, EveryStreamIsJoinedAtTheEnd) {
  for (const bool has_work : {true, false}) {
    ASSERT_EQ(cudaStreamBeginCapture(other_, cudaStreamCaptureModeGlobal), cudaSuccess);
    ASSERT_EQ(cudaMemsetAsync(value_, 0, sizeof(int), other_), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(event_, other_), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(free_, event_, 0), cudaSuccess);
    if (has_work) {
      ASSERT_EQ(cudaMemsetAsync(value_, 0, sizeof(int), free_), cudaSuccess);
    }
    cudaGraph_t graph = empty_;
    EXPECT_EQ(cudaStreamEndCapture(other_, &graph),
              has_work ? cudaErrorStreamCaptureUnjoined : cudaSuccess);
    EXPECT_EQ(graph == nullptr, has_work);
    if (graph != nullptr) EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    ASSERT_EQ(cudaStreamIsCapturing(free_, &status), cudaSuccess);
    EXPECT_EQ(status, cudaStreamCaptureStatusNone);
    cudaGetLastError();
  }
}

TEST_F(Captures, NodesHaveTheTypesOfTheirWork) {
  static int host = 0;
  ASSERT_EQ(cudaStreamBeginCapture(free_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(value_, 0, sizeof(int), free_), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(&host, value_, sizeof(int), cudaMemcpyDeviceToHost, free_),
            cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(free_, [](void*) {}, nullptr), cudaSuccess);
  set<<<1, 1, 0, free_>>>(value_);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(free_, &graph), cudaSuccess);
  std::size_t count = 4;
  std::vector<cudaGraphNode_t> nodes(count);
  ASSERT_EQ(cudaGraphGetNodes(graph, nodes.data(), &count), cudaSuccess);
  ASSERT_EQ(count, 4U);
  const std::vector<cudaGraphNodeType> expected = {cudaGraphNodeTypeMemset, cudaGraphNodeTypeMemcpy,
                                                   cudaGraphNodeTypeHost, cudaGraphNodeTypeKernel};
  for (std::size_t i = 0; i < count; ++i) {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    ASSERT_EQ(cudaGraphNodeGetType(nodes[i], &type), cudaSuccess);
    EXPECT_EQ(type, expected[i]) << i;
  }
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

}  // namespace
