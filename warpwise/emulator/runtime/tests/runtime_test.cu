// Tests parts of the runtime: graphs, callbacks, managed variables, 3D copies, occupancy, the
// device heap, and functions that are not run. On a GPU the program gives the same results, except
// where a test says otherwise.

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

namespace {

__global__ void __launch_bounds__(128) bounded() {}

__global__ void add(int* values, int count, int addend) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] += addend;
}

__global__ void multiply(int* values, int count, int factor) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] *= factor;
}

__managed__ int told = 5;
__managed__ int squares[4];

__global__ void square_told() {
  squares[threadIdx.x] = told * static_cast<int>(threadIdx.x * threadIdx.x);
}

// Block 0 writes pairs of equal numbers; block 1 reads them and counts unequal pairs.
__global__ void publish(ulonglong2* pair, unsigned* torn, unsigned count) {
  unsigned differ = 0;
  for (unsigned long long i = 1; i <= count; ++i) {
    if (blockIdx.x == 0) {
      asm volatile("st.volatile.global.v2.u64 [%0], {%1, %1};" ::"l"(pair), "l"(i) : "memory");
    } else {
      unsigned long long x = 0;
      unsigned long long y = 0;
      asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
                   : "=l"(x), "=l"(y)
                   : "l"(pair)
                   : "memory");
      differ += x != y ? 1 : 0;
    }
  }
  if (blockIdx.x == 1) *torn = differ;
}

// Each block adds one. After all blocks have added, each block writes the sum.
__global__ void meet(unsigned* count, unsigned* found, int rounds) {
  const auto grid = cooperative_groups::this_grid();
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0) atomicAdd(count, 1);
    grid.sync();
    if (threadIdx.x == 0) found[round * gridDim.x + blockIdx.x] = *count;
    grid.sync();
  }
}

// The shared memory of a block that needs 256 bytes for each thread.
struct SharedBytes {
  __host__ __device__ std::size_t operator()(int threads) const {
    return static_cast<std::size_t>(threads) * 256;
  }
};

struct Shape {
  __device__ virtual int sides() const = 0;
};
struct Square : Shape {
  __device__ int sides() const override { return 4; }
};

// Calls a virtual function, through the object's table of functions.
__global__ void ask(const Shape* shape, int* sides) { *sides = shape->sides(); }
__global__ void make(Square* square) { new (square) Square; }

// Objects on the heap whose destructors call each other.
struct Counted {
  __device__ virtual ~Counted() {}
  __device__ virtual int value() const = 0;
};
struct Leaf : Counted {
  int number;
  __device__ explicit Leaf(int n) : number(n) {}
  __device__ int value() const override { return number; }
};
struct Around : Counted {
  const Counted* inner;
  __device__ explicit Around(const Counted* c) : inner(c) {}
  __device__ ~Around() override { delete inner; }
  __device__ int value() const override { return inner->value() + 1; }
};

__global__ void nest(int* values) {
  const int i = static_cast<int>(threadIdx.x);
  const Counted* counted = new Leaf(10 * i);
  for (int k = 0; k < i % 4; ++k) counted = new Around(counted);
  values[i] = counted->value();
  delete counted;
}

__device__ __noinline__ int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1) % 100000; }
__global__ void descend(int* values, int n) { *values = depth(n); }
__global__ void take(int* values, std::size_t bytes) {
  void* const memory = malloc(bytes);
  *values = memory != nullptr;
  free(memory);
}

class Runtime : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaMalloc(&values_, bytes), cudaSuccess);
    ASSERT_EQ(cudaMemset(values_, 0, bytes), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&stream_), cudaSuccess);
  }
  void TearDown() override {
    cudaStreamDestroy(stream_);
    cudaFree(values_);
    cudaGetLastError();
  }

  std::vector<int> read() const {
    std::vector<int> values(count);
    EXPECT_EQ(cudaMemcpy(values.data(), values_, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }

  static constexpr int count = 100;
  static constexpr std::size_t bytes = count * sizeof(int);
  int* values_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

// Parameters of a graph's kernel node.
struct Node {
  Node(void* function, int* values, int count, int operand)
      : values_(values), count_(count), operand_(operand) {
    given.func = function;
    given.gridDim = dim3(4);
    given.blockDim = dim3(32);
    given.kernelParams = arguments_;
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  cudaKernelNodeParams given{};

 private:
  int* values_;
  int count_;
  int operand_;
  void* arguments_[3] = {&values_, &count_, &operand_};
};

TEST_F(Runtime, AGraphOfNodesRunsThemInTheirOrderWhicheverWasMadeFirst) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  int host_calls = 0;
  cudaGraphNode_t multiplied = nullptr;
  cudaGraphNode_t filled = nullptr;
  cudaGraphNode_t added = nullptr;
  cudaGraphNode_t told_host = nullptr;
  {
    // The arguments are local to the call, and gone when the graph runs.
    const Node times(reinterpret_cast<void*>(multiply), values_, count, 3);
    const Node plus(reinterpret_cast<void*>(add), values_, count, 2);
    ASSERT_EQ(cudaGraphAddKernelNode(&multiplied, graph, nullptr, 0, &times.given), cudaSuccess);
    ASSERT_EQ(cudaGraphAddKernelNode(&added, graph, nullptr, 0, &plus.given), cudaSuccess);
  }
  cudaMemsetParams ones{};
  ones.dst = values_;
  ones.elementSize = 4;
  ones.value = 7;
  ones.width = count;
  ones.height = 1;
  ASSERT_EQ(cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &ones), cudaSuccess);
  cudaHostNodeParams host{};
  host.fn = [](void* calls) { ++*static_cast<int*>(calls); };
  host.userData = &host_calls;
  ASSERT_EQ(cudaGraphAddHostNode(&told_host, graph, &multiplied, 1, &host), cudaSuccess);
  // Computes fill, add, multiply: (7 + 2) * 3.
  ASSERT_EQ(cudaGraphAddDependencies(graph, &filled, &added, nullptr, 1), cudaSuccess);
  ASSERT_EQ(cudaGraphAddDependencies(graph, &added, &multiplied, nullptr, 1), cudaSuccess);

  std::size_t nodes = 0;
  ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 4U);
  cudaGraphNode_t root = nullptr;
  std::size_t roots = 1;
  ASSERT_EQ(cudaGraphGetRootNodes(graph, &root, &roots), cudaSuccess);
  EXPECT_EQ(roots, 1U);
  EXPECT_EQ(root, filled);

  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  for (int i = 1; i <= 2; ++i) {
    ASSERT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(read(), std::vector<int>(count, 27));
    EXPECT_EQ(host_calls, i);
  }
  const Node other(reinterpret_cast<void*>(add), values_, count, 10);
  ASSERT_EQ(cudaGraphExecKernelNodeSetParams(executable, added, &other.given), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(read(), std::vector<int>(count, 51));
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(Runtime, AGraphInACircleIsRefused) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  cudaGraphNode_t one = nullptr;
  cudaGraphNode_t other = nullptr;
  ASSERT_EQ(cudaGraphAddEmptyNode(&one, graph, nullptr, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&other, graph, &one, 1), cudaSuccess);
  ASSERT_EQ(cudaGraphAddDependencies(graph, &other, &one, nullptr, 1), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  EXPECT_NE(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  cudaGraphDestroy(graph);
}

TEST_F(Runtime, AStreamThatWaitsForACapturedOneIsCapturedToo) {
  cudaStream_t forked = nullptr;
  cudaEvent_t fork = nullptr;
  cudaEvent_t join = nullptr;
  ASSERT_EQ(cudaStreamCreate(&forked), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&join, cudaEventDisableTiming), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(fork, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(forked, fork, 0), cudaSuccess);
  add<<<4, 32, 0, forked>>>(values_, count, 4);
  ASSERT_EQ(cudaEventRecord(join, forked), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(stream_, join, 0), cudaSuccess);
  multiply<<<4, 32, 0, stream_>>>(values_, count, 2);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  EXPECT_EQ(read(), std::vector<int>(count, 0)) << "nothing runs while it is captured";
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  ASSERT_EQ(cudaStreamIsCapturing(forked, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(read(), std::vector<int>(count, 8));
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
  cudaStreamDestroy(forked);
}

TEST_F(Runtime, HostFunctionsRunBehindWhatCameBefore) {
  struct {
    int copied = 0;
    int seen = 0;
  } values;
  const auto look = [](void* data) {
    auto* of = static_cast<decltype(values)*>(data);
    of->seen = of->copied;
  };
  add<<<4, 32, 0, stream_>>>(values_, count, 9);
  ASSERT_EQ(cudaMemcpyAsync(&values.copied, values_, sizeof(int), cudaMemcpyDeviceToHost, stream_),
            cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(stream_, look, &values), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(values.seen, 9);
  cudaError_t told_status = cudaErrorUnknown;
  ASSERT_EQ(cudaStreamAddCallback(
                stream_,
                [](cudaStream_t, cudaError_t status, void* data) {
                  *static_cast<cudaError_t*>(data) = status;
                },
                &told_status, 0),
            cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(told_status, cudaSuccess);
}

TEST_F(Runtime, ManagedVariablesAreTheHostsAndTheKernels) {
  EXPECT_EQ(told, 5);
  told = 11;
  square_told<<<1, 4>>>();
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(squares[i], 11 * i * i);
}

TEST_F(Runtime, SlicesAreCopiedFromTheMiddleOfAVolume) {
  constexpr int width = 7, height = 5, depth = 4;
  std::vector<unsigned char> volume(width * height * depth);
  for (std::size_t i = 0; i < volume.size(); ++i) volume[i] = static_cast<unsigned char>(i);
  cudaPitchedPtr device{};
  ASSERT_EQ(cudaMalloc3D(&device, make_cudaExtent(width, height, depth)), cudaSuccess);
  ASSERT_EQ(cudaMemset3D(device, 255, make_cudaExtent(width, height, depth)), cudaSuccess);
  cudaMemcpy3DParms up{};
  up.srcPtr = make_cudaPitchedPtr(volume.data(), width, width, height);
  up.srcPos = make_cudaPos(1, 2, 1);
  up.dstPtr = device;
  up.dstPos = make_cudaPos(3, 0, 2);
  up.extent = make_cudaExtent(4, 3, 2);
  up.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3D(&up), cudaSuccess);
  std::vector<unsigned char> back(volume.size());
  cudaMemcpy3DParms down{};
  down.srcPtr = device;
  down.dstPtr = make_cudaPitchedPtr(back.data(), width, width, height);
  down.extent = make_cudaExtent(width, height, depth);
  down.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaMemcpy3DAsync(&down, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  for (int z = 0; z < depth; ++z) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const bool is_copied = x >= 3 && y < 3 && z >= 2;
        const int from = ((z - 1) * height + y + 2) * width + x - 2;
        EXPECT_EQ(back[static_cast<std::size_t>((z * height + y) * width + x)],
                  is_copied ? from : 255)
            << x << " " << y << " " << z;
      }
    }
  }
  EXPECT_EQ(cudaFree(device.ptr), cudaSuccess);
}

TEST_F(Runtime, AttributesAreTheProperties) {
  cudaDeviceProp p{};
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  const auto value_of = [](cudaDeviceAttr attribute) {
    int value = -1;
    EXPECT_EQ(cudaDeviceGetAttribute(&value, attribute, 0), cudaSuccess);
    return value;
  };
  EXPECT_EQ(value_of(cudaDevAttrTotalConstantMemory), static_cast<int>(p.totalConstMem));
  EXPECT_EQ(value_of(cudaDevAttrTextureAlignment), static_cast<int>(p.textureAlignment));
  EXPECT_EQ(value_of(cudaDevAttrTexturePitchAlignment), static_cast<int>(p.texturePitchAlignment));
  EXPECT_EQ(value_of(cudaDevAttrGlobalMemoryBusWidth), p.memoryBusWidth);
  EXPECT_EQ(value_of(cudaDevAttrMaxTexture2DWidth), p.maxTexture2D[0]);
  EXPECT_EQ(value_of(cudaDevAttrMaxTexture2DLayeredLayers), p.maxTexture2DLayered[2]);
  EXPECT_EQ(value_of(cudaDevAttrMaxSurface3DDepth), p.maxSurface3D[2]);
  EXPECT_GT(p.maxTexture2D[0], 0);
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetDeviceCount(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetDeviceProperties(static_cast<cudaDeviceProp*>(nullptr), 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemGetInfo(nullptr, nullptr), cudaSuccess);
}

// An H200 (driver 580.159.04) fails for 8 blocks: with the size that it returns, 7 are resident.
TEST_F(Runtime, SharedMemoryThatIsLeftForABlockLetsThatManyRun) {
  for (const int blocks : {1, 2, 4, 8}) {
    std::size_t left = 0;
    ASSERT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&left, multiply, blocks, 64), cudaSuccess);
    ASSERT_EQ(cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(left)),
              cudaSuccess);
    int resident = 0;
    ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, multiply, 64, left),
              cudaSuccess);
    EXPECT_GE(resident, blocks) << left;
  }
}

TEST_F(Runtime, AVectorIsReadAsAnotherBlockWroteIt) {
  ulonglong2* pair = nullptr;
  ASSERT_EQ(cudaMalloc(&pair, sizeof(ulonglong2)), cudaSuccess);
  ASSERT_EQ(cudaMemset(pair, 0, sizeof(ulonglong2)), cudaSuccess);
  publish<<<2, 1>>>(pair, reinterpret_cast<unsigned*>(values_), 400000);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(read()[0], 0);
  EXPECT_EQ(cudaFree(pair), cudaSuccess);
}

TEST_F(Runtime, BlocksOfACooperativeLaunchMeet) {
  constexpr unsigned blocks = 24;
  int rounds = 3;
  unsigned* found = nullptr;
  ASSERT_EQ(cudaMalloc(&found, blocks * rounds * sizeof(unsigned)), cudaSuccess);
  auto* counted = reinterpret_cast<unsigned*>(values_);
  void* arguments[] = {&counted, &found, &rounds};
  ASSERT_EQ(cudaLaunchCooperativeKernel(meet, dim3(blocks), dim3(64), arguments, 0, stream_),
            cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  std::vector<unsigned> seen(blocks * rounds);
  ASSERT_EQ(cudaMemcpy(seen.data(), found, seen.size() * sizeof(unsigned), cudaMemcpyDeviceToHost),
            cudaSuccess);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], blocks * (i / blocks + 1)) << i;
  EXPECT_EQ(cudaLaunchCooperativeKernel(meet, dim3(1U << 20), dim3(64), arguments, 0, stream_),
            cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(cudaFree(found), cudaSuccess);
}

// CUB and Thrust choose by this number among the architectures that they were compiled for.
TEST_F(Runtime, AKernelSaysWhichArchitectureItsPtxIsOf) {
  cudaFuncAttributes attributes{};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, add), cudaSuccess);
  const std::vector<int> compiled = {__CUDA_ARCH_LIST__};
  EXPECT_NE(std::find(compiled.begin(), compiled.end(), 10 * attributes.ptxVersion), compiled.end())
      << attributes.ptxVersion;
}

TEST_F(Runtime, LaunchBoundsAreKeptTo) {
  cudaFuncAttributes attributes{};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, bounded), cudaSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 128);
  bounded<<<1, 129>>>();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  bounded<<<1, 128>>>();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Runtime, ObjectsStayWhatTheyAreBetweenLaunches) {
  Square* square = nullptr;
  ASSERT_EQ(cudaMalloc(&square, sizeof(Square)), cudaSuccess);
  make<<<1, 1>>>(square);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ask<<<1, 1>>>(square, values_);
  EXPECT_EQ(read().front(), 4);
  EXPECT_EQ(cudaFree(square), cudaSuccess);
}

TEST_F(Runtime, ObjectsOfTheHeapCallEachOther) {
  nest<<<1, count>>>(values_);
  const std::vector<int> found = read();
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(found[static_cast<std::size_t>(i)], 10 * i + i % 4) << i;
}

TEST_F(Runtime, StackAndHeapAreAsLargeAsAskedFor) {
  std::size_t heap = 0;
  ASSERT_EQ(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(heap, std::size_t{8} << 20);
  ASSERT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, 256 << 10), cudaSuccess);
  descend<<<1, 1>>>(values_, 2000);
  EXPECT_EQ(read().front(), 2000);
  take<<<1, 1>>>(values_, heap + 1);
  EXPECT_EQ(read().front(), 0);
  take<<<1, 1>>>(values_, std::size_t{1} << 20);
  EXPECT_EQ(read().front(), 1);
}

// After such an error a GPU keeps the old value of `blocks`.
TEST_F(Runtime, AnOccupancyThatCannotBeToldIsNone) {
  int blocks = -7;
  const void* const no_kernel = &blocks;
  EXPECT_NE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, no_kernel, 128, 0), cudaSuccess);
  EXPECT_EQ(blocks, 0);
  blocks = -7;
  const auto kernel = reinterpret_cast<const void*>(descend);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 4096, 0);
  EXPECT_EQ(blocks, 0) << "of more threads than any block has";
  blocks = -7;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 2048, 0), cudaSuccess);
  EXPECT_EQ(blocks, 0);
  for (const std::size_t bytes : {49153UL, 100000UL, 300000UL, (1UL << 31) + 5}) {
    blocks = -7;
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, bytes),
              cudaSuccess);
    EXPECT_EQ(blocks, 0) << bytes;
  }
  for (const int threads : {0, -1}) {
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0),
              cudaErrorInvalidValue);
  }
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, 0), cudaSuccess);
  EXPECT_GT(blocks, 0);
  std::size_t shared = 7;
  EXPECT_NE(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, no_kernel, 1, 128), cudaSuccess);
  EXPECT_EQ(shared, 0U);
  EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, kernel, 1, 128), cudaSuccess);
  EXPECT_GT(shared, 0U);
  EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, kernel, 1000, 128),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, kernel, 32, 128),
            cudaErrorInvalidValue);
}

TEST_F(Runtime, ABlockSizeIsFoundForSharedMemoryThatGrowsWithIt) {
  int grid = 0;
  int block = 0;
  const SharedBytes bytes_of;
  ASSERT_EQ(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, add, bytes_of),
            cudaSuccess);
  EXPECT_GT(grid, 0);
  EXPECT_LE(bytes_of(block), 48U * 1024);
  add<<<1, block, bytes_of(block)>>>(values_, 0, 0);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Runtime, ErrorsHaveNames) {
  EXPECT_STREQ(cudaGetErrorName(cudaSuccess), "cudaSuccess");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue");
}

TEST_F(Runtime, NullIsNoEndOfACopy) {
  EXPECT_EQ(cudaMemcpy(values_, nullptr, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, values_, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(nullptr, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy3D(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault), cudaSuccess);
}

// On a GPU, unlike here, cudaMallocMipmappedArray() succeeds.
TEST_F(Runtime, WhatIsNotRunSaysSoOnce) {
  ::testing::internal::CaptureStderr();
  cudaMipmappedArray_t array = nullptr;
  const cudaChannelFormatDesc bytes_of_one =
      cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(cudaMallocMipmappedArray(&array, &bytes_of_one, cudaExtent{16, 16, 0}, 2, 0),
              cudaErrorNotSupported);
  }
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("cudaMallocMipmappedArray"), std::string::npos) << said;
  EXPECT_EQ(said.find("cudaMallocMipmappedArray"), said.rfind("cudaMallocMipmappedArray")) << said;
}

}  // namespace
