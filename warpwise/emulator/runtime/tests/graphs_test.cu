// Tests conditional and memory nodes of graphs, and captures into graphs, on the emulated runtime.

#include <gtest/gtest.h>

#include <vector>

namespace {

__global__ void add(int* value, int step) { *value += step; }

__global__ void count_down(int* value, cudaGraphConditionalHandle condition) {
  *value -= 1;
  cudaGraphSetConditional(condition, *value > 0 ? 1 : 0);
}

__global__ void choose(const int* value, cudaGraphConditionalHandle condition) {
  cudaGraphSetConditional(condition, *value);
}

__global__ void fill(int* values, int count, int first) {
  for (int i = 0; i < count; ++i) values[i] = first + i;
}
__global__ void sum(const int* values, int count, int* to) {
  for (int i = 0; i < count; ++i) *to += values[i];
}

cudaGraphNodeParams kernel_node(const void* function, void** arguments) {
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = const_cast<void*>(function);
  params.kernel.gridDim = params.kernel.blockDim = dim3(1);
  params.kernel.kernelParams = arguments;
  return params;
}

class Graphs : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaMallocManaged(&value_, sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&stream_), cudaSuccess);
    ASSERT_EQ(cudaGraphCreate(&graph_, 0), cudaSuccess);
  }
  void TearDown() override {
    cudaGraphDestroy(graph_);
    cudaStreamDestroy(stream_);
    cudaFree(value_);
  }
  /// Adds a node that adds a number to the value.
  void add_adding(cudaGraph_t graph, int step, const std::vector<cudaGraphNode_t>& after = {}) {
    cudaGraphNode_t node = nullptr;
    void* arguments[] = {&value_, &step};
    cudaGraphNodeParams params = kernel_node(reinterpret_cast<const void*>(add), arguments);
    ASSERT_EQ(cudaGraphAddNode(&node, graph, after.data(), nullptr, after.size(), &params),
              cudaSuccess);
  }
  /// Adds a kernel that sets a condition to the value, and a conditional node after it.
  std::vector<cudaGraph_t> add_choice(cudaGraphConditionalNodeType type, unsigned bodies) {
    cudaGraphConditionalHandle condition = 0;
    EXPECT_EQ(cudaGraphConditionalHandleCreate(&condition, graph_), cudaSuccess);
    cudaGraphNode_t chooser = nullptr;
    void* arguments[] = {&value_, &condition};
    cudaGraphNodeParams params = kernel_node(reinterpret_cast<const void*>(choose), arguments);
    EXPECT_EQ(cudaGraphAddNode(&chooser, graph_, nullptr, nullptr, 0, &params), cudaSuccess);
    cudaGraphNodeParams choice{};
    choice.type = cudaGraphNodeTypeConditional;
    choice.conditional.handle = condition;
    choice.conditional.type = type;
    choice.conditional.size = bodies;
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddNode(&node, graph_, &chooser, nullptr, 1, &choice), cudaSuccess);
    return {choice.conditional.phGraph_out, choice.conditional.phGraph_out + bodies};
  }
  /// Adds a conditional node with one body, and returns the body.
  cudaGraph_t add_conditional(cudaGraph_t graph, cudaGraphConditionalHandle condition,
                              cudaGraphConditionalNodeType type) {
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = condition;
    params.conditional.type = type;
    params.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params), cudaSuccess);
    return params.conditional.phGraph_out[0];
  }
  /// Adds a loop that counts a number down to 0. Its condition is 1 by default.
  void add_counting_down(cudaGraph_t graph, int* value) {
    cudaGraphConditionalHandle condition = 0;
    ASSERT_EQ(cudaGraphConditionalHandleCreate(&condition, graph, 1, cudaGraphCondAssignDefault),
              cudaSuccess);
    const cudaGraph_t body = add_conditional(graph, condition, cudaGraphCondTypeWhile);
    void* arguments[] = {&value, &condition};
    cudaGraphNodeParams params = kernel_node(reinterpret_cast<const void*>(count_down), arguments);
    cudaGraphNode_t node = nullptr;
    ASSERT_EQ(cudaGraphAddNode(&node, body, nullptr, nullptr, 0, &params), cudaSuccess);
  }
  /// Gives a graph a user object whose destructor counts.
  void retain_counter(cudaGraph_t graph, int* destroyed) {
    cudaUserObject_t object = nullptr;
    ASSERT_EQ(cudaUserObjectCreate(
                  &object, destroyed, [](void* count) { *static_cast<int*>(count) += 1; }, 1,
                  cudaUserObjectNoDestructorSync),
              cudaSuccess);
    ASSERT_EQ(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove), cudaSuccess);
  }
  int launch(cudaGraphExec_t executable, int begin) {
    *value_ = begin;
    EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    return *value_;
  }
  cudaGraphExec_t executable() {
    cudaGraphExec_t made = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&made, graph_, 0), cudaSuccess);
    return made;
  }
  int* value_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
};

TEST_F(Graphs, AnIfHasABodyForZeroToo) {
  const std::vector<cudaGraph_t> bodies = add_choice(cudaGraphCondTypeIf, 2);
  add_adding(bodies[0], 100);
  add_adding(bodies[1], 1000);
  cudaGraphExec_t made = executable();
  EXPECT_EQ(launch(made, 0), 1000);
  EXPECT_EQ(launch(made, 7), 107);
  cudaGraphExecDestroy(made);
}

TEST_F(Graphs, ASwitchBeyondItsBodiesRunsNone) {
  const std::vector<cudaGraph_t> bodies = add_choice(cudaGraphCondTypeSwitch, 3);
  for (int i = 0; i < 3; ++i) add_adding(bodies[i], 10 * (i + 1));
  cudaGraphExec_t made = executable();
  EXPECT_EQ(launch(made, 0), 10);
  EXPECT_EQ(launch(made, 2), 32);
  EXPECT_EQ(launch(made, 3), 3);
  cudaGraphExecDestroy(made);
}

TEST_F(Graphs, AWhileBeginsWithItsDefaultAtEachLaunch) {
  cudaGraphConditionalHandle condition = 0;
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&condition, graph_, 1, cudaGraphCondAssignDefault),
            cudaSuccess);
  cudaGraphNodeParams loop{};
  loop.type = cudaGraphNodeTypeConditional;
  loop.conditional.handle = condition;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphAddNode(&node, graph_, nullptr, nullptr, 0, &loop), cudaSuccess);
  // Captures the body.
  ASSERT_EQ(cudaStreamBeginCaptureToGraph(stream_, loop.conditional.phGraph_out[0], nullptr,
                                          nullptr, 0, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  count_down<<<1, 1, 0, stream_>>>(value_, condition);
  ASSERT_EQ(cudaStreamEndCapture(stream_, nullptr), cudaSuccess);
  add_adding(graph_, 50, {node});
  cudaGraphExec_t made = executable();
  EXPECT_EQ(launch(made, 5), 50);
  EXPECT_EQ(launch(made, -3), -4 + 50) << "once, as the default is not 0";
  cudaGraphExecDestroy(made);
}

TEST_F(Graphs, ABodysConditionBeginsWithItsDefaultToo) {
  cudaGraphConditionalHandle outer = 0;
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&outer, graph_, 1, cudaGraphCondAssignDefault),
            cudaSuccess);
  const cudaGraph_t body = add_conditional(graph_, outer, cudaGraphCondTypeIf);
  cudaGraphExec_t made = nullptr;
  add_counting_down(body, value_);
  ASSERT_EQ(cudaGraphInstantiate(&made, graph_, 0), cudaSuccess);
  EXPECT_EQ(launch(made, 3), 0);
  cudaGraphExecDestroy(made);
}

TEST_F(Graphs, AnUpdateBringsConditionsAndUserObjects) {
  int* other = nullptr;
  ASSERT_EQ(cudaMallocManaged(&other, sizeof(int)), cudaSuccess);
  cudaGraph_t second = nullptr;
  ASSERT_EQ(cudaGraphCreate(&second, 0), cudaSuccess);
  add_counting_down(graph_, value_);
  add_counting_down(second, other);
  int destroyed = 0;
  retain_counter(second, &destroyed);
  cudaGraphExec_t made = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&made, graph_, 0), cudaSuccess);
  *other = 5;
  EXPECT_EQ(launch(made, 3), 0);
  cudaGraphExecUpdateResultInfo result{};
  ASSERT_EQ(cudaGraphExecUpdate(made, second, &result), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(second), cudaSuccess);
  EXPECT_EQ(destroyed, 0);
  EXPECT_EQ(launch(made, 3), 3);
  EXPECT_EQ(*other, 0);
  ASSERT_EQ(cudaGraphExecDestroy(made), cudaSuccess);
  EXPECT_EQ(destroyed, 1);
  cudaFree(other);
}

TEST_F(Graphs, AChildsUserObjectsStayWithItsParent) {
  cudaGraph_t child = nullptr;
  ASSERT_EQ(cudaGraphCreate(&child, 0), cudaSuccess);
  int destroyed = 0;
  retain_counter(child, &destroyed);
  cudaGraph_t parent = nullptr;
  ASSERT_EQ(cudaGraphCreate(&parent, 0), cudaSuccess);
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphAddChildGraphNode(&node, parent, nullptr, 0, child), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(child), cudaSuccess);
  EXPECT_EQ(destroyed, 0);
  ASSERT_EQ(cudaGraphDestroy(parent), cudaSuccess);
  EXPECT_EQ(destroyed, 1);
}

TEST_F(Graphs, AGraphWithAConditionIsNotCloned) {
  add_counting_down(graph_, value_);
  cudaGraph_t clone = graph_;
  EXPECT_EQ(cudaGraphClone(&clone, graph_), cudaErrorNotSupported);
  EXPECT_EQ(clone, nullptr);
  cudaGraphExec_t made = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&made, clone, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphLaunch(made, stream_), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_F(Graphs, NodesAreListedAsFarAsThereIsRoom) {
  std::vector<cudaGraphNode_t> nodes(3);
  for (cudaGraphNode_t& node : nodes)
    ASSERT_EQ(cudaGraphAddEmptyNode(&node, graph_, nullptr, 0), cudaSuccess);
  std::vector<cudaGraphNode_t> listed(4, nodes[2]);
  std::size_t count = 1;
  ASSERT_EQ(cudaGraphGetNodes(graph_, listed.data(), &count), cudaSuccess);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(listed[0], nodes[0]);
  EXPECT_EQ(listed[1], nodes[2]) << "not written";
  count = 4;
  ASSERT_EQ(cudaGraphGetRootNodes(graph_, listed.data(), &count), cudaSuccess);
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(listed[2], nodes[2]);
  EXPECT_EQ(listed[3], nullptr);
  EXPECT_EQ(cudaGraphAddDependencies(graph_, &nodes[0], &nodes[1], nullptr, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphAddDependencies(graph_, &nodes[0], &nodes[1], nullptr, 1),
            cudaErrorInvalidValue)
      << "there already";
  EXPECT_EQ(cudaGraphAddDependencies(graph_, &nodes[0], &nodes[0], nullptr, 1),
            cudaErrorInvalidValue)
      << "a cycle";
  cudaGetLastError();
}

TEST_F(Graphs, ANodeIsAddedWhileAStreamCaptures) {
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  add<<<1, 1, 0, stream_>>>(value_, 1);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t captured = nullptr;
  const cudaGraphNode_t* after = nullptr;
  size_t count = 0;
  ASSERT_EQ(cudaStreamGetCaptureInfo(stream_, &status, nullptr, &captured, &after, nullptr, &count),
            cudaSuccess);
  ASSERT_EQ(status, cudaStreamCaptureStatusActive);
  ASSERT_EQ(count, 1U);
  cudaHostNodeParams twice{[](void* value) { *static_cast<int*>(value) *= 2; }, value_};
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphAddHostNode(&node, captured, after, count, &twice), cudaSuccess);
  ASSERT_EQ(cudaStreamUpdateCaptureDependencies(stream_, &node, nullptr, 1,
                                                cudaStreamSetCaptureDependencies),
            cudaSuccess);
  add<<<1, 1, 0, stream_>>>(value_, 3);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  EXPECT_EQ(graph, captured);
  cudaGraphExec_t made = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&made, graph, 0), cudaSuccess);
  EXPECT_EQ(launch(made, 4), (4 + 1) * 2 + 3);
  cudaGraphExecDestroy(made);
  cudaGraphDestroy(graph);
}

TEST_F(Graphs, ACaptureEndsWithItsStream) {
  for (int i = 0; i < 20; ++i) {  // a later stream may have the same address
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  }
}

TEST_F(Graphs, MemoryThatACaptureTakesAndFrees) {
  constexpr int count = 1000;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  int* values = nullptr;
  ASSERT_EQ(cudaMallocAsync(&values, count * sizeof(int), stream_), cudaSuccess);
  fill<<<1, 1, 0, stream_>>>(values, count, 2);
  sum<<<1, 1, 0, stream_>>>(values, count, value_);
  ASSERT_EQ(cudaFreeAsync(values, stream_), cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  cudaGraphExec_t made = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&made, graph, 0), cudaSuccess);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(launch(made, 0), 2 * count + count * (count - 1) / 2);
  cudaGraphExecDestroy(made);
  cudaGraphDestroy(graph);
}

TEST_F(Graphs, ACapturedEventMayBeGoneWhenTheGraphRuns) {
  cudaEvent_t event = nullptr;
  cudaStream_t other = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&other), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  add<<<1, 1, 0, stream_>>>(value_, 1);
  ASSERT_EQ(cudaEventRecord(event, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other, event, 0), cudaSuccess);
  add<<<1, 1, 0, other>>>(value_, 2);
  ASSERT_EQ(cudaEventRecord(event, other), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(stream_, event, 0), cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  size_t nodes = 0;
  ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 2U) << "an event is none";
  ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(other), cudaSuccess);
  cudaGraphExec_t made = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&made, graph, 0), cudaSuccess);
  EXPECT_EQ(launch(made, 4), 7);
  cudaGraphExecDestroy(made);
  cudaGraphDestroy(graph);
}

// On a GPU, the runtime may crash in this test.
TEST_F(Graphs, ADestroyedEventOfANodeIsRefusedAtTheLaunch) {
  for (const bool records : {true, false}) {
    cudaEvent_t event = nullptr;
    ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), cudaSuccess);
    if (records)
      ASSERT_EQ(cudaEventRecordWithFlags(event, stream_, cudaEventRecordExternal), cudaSuccess);
    else
      ASSERT_EQ(cudaStreamWaitEvent(stream_, event, cudaEventWaitExternal), cudaSuccess);
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
    cudaGraphExec_t made = nullptr;
    ASSERT_EQ(cudaGraphInstantiate(&made, graph, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(made, stream_), cudaSuccess);
    ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(made, stream_), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    cudaGraphExecDestroy(made);
    cudaGraphDestroy(graph);
  }
}

TEST_F(Graphs, MemoryMayOutliveItsGraph) {
  cudaMemAllocNodeParams taken{};
  taken.bytesize = 1 << 20;
  taken.poolProps.allocType = cudaMemAllocationTypePinned;
  taken.poolProps.location = {cudaMemLocationTypeDevice, 0};
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphAddMemAllocNode(&node, graph_, nullptr, 0, &taken), cudaSuccess);
  cudaGraphExec_t made = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&made, graph_, 0), cudaSuccess);
  size_t before = 0;
  ASSERT_EQ(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &before),
            cudaSuccess);
  launch(made, 0);
  size_t used = 0;
  ASSERT_EQ(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used), cudaSuccess);
  EXPECT_EQ(used - before, taken.bytesize);
  EXPECT_EQ(cudaGraphLaunch(made, stream_), cudaErrorInvalidValue) << "it is there still";
  cudaGetLastError();
  cudaGraphExecDestroy(made);
  fill<<<1, 1>>>(static_cast<int*>(taken.dptr), 10, 5);
  int last = 0;
  ASSERT_EQ(cudaMemcpy(&last, static_cast<int*>(taken.dptr) + 9, sizeof(int), cudaMemcpyDefault),
            cudaSuccess);
  EXPECT_EQ(last, 14);
  EXPECT_EQ(cudaFree(taken.dptr), cudaSuccess);
  // Memory freed by graphs is kept for them until it is trimmed.
  size_t kept = 0;
  ASSERT_EQ(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &kept),
            cudaSuccess);
  EXPECT_GE(kept, taken.bytesize);
  ASSERT_EQ(cudaDeviceGraphMemTrim(0), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &kept),
            cudaSuccess);
  EXPECT_EQ(kept, before);
}

TEST_F(Graphs, ALaunchFreesWhatTheOneBeforeHasLeftIfItIsAskedTo) {
  cudaMemAllocNodeParams taken{};
  taken.bytesize = 4096;
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphAddMemAllocNode(&node, graph_, nullptr, 0, &taken), cudaSuccess);
  cudaGraphExec_t made = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&made, graph_, cudaGraphInstantiateFlagAutoFreeOnLaunch),
            cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(made, stream_), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(made, stream_), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(taken.dptr, stream_), cudaSuccess);
  cudaGraphExecDestroy(made);
}

TEST_F(Graphs, AUserObjectLivesUntilItsLastGraphIsGone) {
  int destroyed = 0;
  cudaUserObject_t object = nullptr;
  const auto destroy = [](void* count) { *static_cast<int*>(count) += 1; };
  ASSERT_EQ(cudaUserObjectCreate(&object, &destroyed, destroy, 1, cudaUserObjectNoDestructorSync),
            cudaSuccess);
  cudaGraph_t first = nullptr;
  ASSERT_EQ(cudaGraphCreate(&first, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphRetainUserObject(first, object, 1, cudaGraphUserObjectMove), cudaSuccess);
  cudaGraphExec_t made = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&made, first, 0), cudaSuccess);
  cudaGraph_t clone = nullptr;
  ASSERT_EQ(cudaGraphClone(&clone, first), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(first), cudaSuccess);
  EXPECT_EQ(cudaGraphReleaseUserObject(clone, object, 2), cudaErrorInvalidValue);
  ASSERT_EQ(cudaGraphReleaseUserObject(clone, object, 1), cudaSuccess);
  EXPECT_EQ(destroyed, 0);
  ASSERT_EQ(cudaGraphExecDestroy(made), cudaSuccess);
  EXPECT_EQ(destroyed, 1);
  ASSERT_EQ(cudaGraphDestroy(clone), cudaSuccess);
  EXPECT_EQ(destroyed, 1);
  ASSERT_EQ(cudaUserObjectCreate(&object, &destroyed, destroy, 1, cudaUserObjectNoDestructorSync),
            cudaSuccess);
  ASSERT_EQ(cudaUserObjectRetain(object, 1), cudaSuccess);
  ASSERT_EQ(cudaUserObjectRelease(object, 1), cudaSuccess);
  EXPECT_EQ(destroyed, 1);
  ASSERT_EQ(cudaUserObjectRelease(object, 1), cudaSuccess);
  EXPECT_EQ(destroyed, 2);
}

TEST_F(Graphs, MoreMemoryThanTheGpuHasIsRefused) {
  cudaMemAllocNodeParams taken{};
  taken.bytesize = std::size_t{1} << 60;
  taken.poolProps.allocType = cudaMemAllocationTypePinned;
  taken.poolProps.location = {cudaMemLocationTypeDevice, 0};
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaGraphAddMemAllocNode(&node, graph_, nullptr, 0, &taken), cudaErrorMemoryAllocation);
  size_t left = 0;
  size_t all = 0;
  ASSERT_EQ(cudaMemGetInfo(&left, &all), cudaSuccess);
  EXPECT_LE(left, all);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

// This test is the last one, because a fault ends the process's use of the GPU.
TEST_F(Graphs, XMemoryOfAGraphThatHasNotRunIsNone) {
  cudaMemAllocNodeParams taken{};
  taken.bytesize = 4096;
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphAddMemAllocNode(&node, graph_, nullptr, 0, &taken), cudaSuccess);
  fill<<<1, 1>>>(static_cast<int*>(taken.dptr), 1, 1);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

}  // namespace
