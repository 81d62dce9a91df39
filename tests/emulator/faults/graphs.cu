// The order that graphs impose on their own nodes and on later work.

#include <vector>

#include "cases.hpp"
#include "two_streams.hpp"

namespace faults {
namespace {

__global__ void add_one(int* values) { values[threadIdx.x] += 1; }

__global__ void put(int* to, int value) { to[threadIdx.x] = value; }

/// An executable graph.
class Executable {
 public:
  explicit Executable(cudaGraph_t graph) { check(cudaGraphInstantiate(&made_, graph, 0)); }
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;
  ~Executable() { check(cudaGraphExecDestroy(made_)); }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(made_, stream)); }

 private:
  cudaGraphExec_t made_ = nullptr;
};

/// A graph that is made by capturing a stream.
class Captured {
 public:
  explicit Captured(cudaStream_t stream) { check(cudaStreamEndCapture(stream, &graph_)); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() { check(cudaGraphDestroy(graph_)); }
  operator cudaGraph_t() const { return graph_; }

 private:
  cudaGraph_t graph_ = nullptr;
};

/// A graph of kernels that write numbers. It is launched on a stream and waited for.
class Graph {
 public:
  Graph() { check(cudaGraphCreate(&graph_, 0)); }
  ~Graph() {
    {
      const Executable made(graph_);
      made.launch(on_.first);
      check(cudaStreamSynchronize(on_.first));
    }
    check(cudaGraphDestroy(graph_));
  }
  cudaGraphNode_t add(int* to, std::vector<cudaGraphNode_t> after = {}) {
    int value = 1;
    void* arguments[] = {&to, &value};
    cudaKernelNodeParams node{};
    node.func = reinterpret_cast<void*>(put);
    node.gridDim = dim3(1);
    node.blockDim = dim3(32);
    node.kernelParams = arguments;
    cudaGraphNode_t added = nullptr;
    check(cudaGraphAddKernelNode(&added, graph_, after.data(), after.size(), &node));
    return added;
  }

 private:
  Two on_;
  cudaGraph_t graph_ = nullptr;
};

void graph_roots(int offset) {
  const Ints values(64);
  Graph graph;
  graph.add(values);
  graph.add(values + offset);
}

// Two branches fork from a node. The last node depends on both of them or on one.
void graph_joins(bool both) {
  const Ints values(64);
  Graph graph;
  const cudaGraphNode_t first = graph.add(values);
  const cudaGraphNode_t one = graph.add(values, {first});
  const cudaGraphNode_t other = graph.add(values + 32, {first});
  const cudaGraphNode_t behind_one = graph.add(values, {one});
  if (both)
    graph.add(values + 32, {behind_one, other});
  else
    graph.add(values + 32, {behind_one});
}

// A captured kernel waits for both kernels of the other stream (`behind`), or only for the first.
void captured_fork(bool behind) {
  const Ints values(32);
  const Two on;
  check(cudaStreamBeginCapture(on.first, cudaStreamCaptureModeGlobal));
  put<<<1, 32, 0, on.first>>>(values, 1);
  check(cudaEventRecord(on.event, on.first));
  if (!behind) check(cudaStreamWaitEvent(on.second, on.event, 0));
  put<<<1, 32, 0, on.first>>>(values, 2);
  if (behind) {
    check(cudaEventRecord(on.event, on.first));
    check(cudaStreamWaitEvent(on.second, on.event, 0));
  }
  put<<<1, 32, 0, on.second>>>(values, 3);
  check(cudaEventRecord(on.event, on.second));
  check(cudaStreamWaitEvent(on.first, on.event, 0));
  const Captured graph(on.first);
  const Executable made(graph);
  for (int i = 0; i < 2; ++i) made.launch(on.first);
  check(cudaStreamSynchronize(on.first));
}

// Work on the graph's stream runs after all branches of the graph; work on another one does not.
void kernel_behind_graph(bool on_other) {
  const Ints values(64);
  const Two on;
  check(cudaStreamBeginCapture(on.first, cudaStreamCaptureModeGlobal));
  check(cudaEventRecord(on.event, on.first));
  check(cudaStreamWaitEvent(on.second, on.event, 0));
  put<<<1, 32, 0, on.first>>>(values, 1);
  put<<<1, 32, 0, on.second>>>(values + 32, 1);
  check(cudaEventRecord(on.event, on.second));
  check(cudaStreamWaitEvent(on.first, on.event, 0));
  const Captured graph(on.first);
  const Executable made(graph);
  made.launch(on.first);
  put<<<1, 64, 0, on_other ? on.second : on.first>>>(values, 2);
  check(cudaStreamSynchronize(on.first));
}

// Launches of one executable graph run one after another, even on different streams.
void graph_on_two_streams(bool same) {
  const Ints values(32);
  const Two on;
  check(cudaStreamBeginCapture(on.first, cudaStreamCaptureModeGlobal));
  add_one<<<1, 32, 0, on.first>>>(values);
  const Captured graph(on.first);
  const Executable one(graph);
  const Executable other(graph);
  one.launch(on.first);
  (same ? one : other).launch(on.second);
  finish();
}

}  // namespace

std::vector<Case> graph_cases() {
  return {
      {"graph_branches_overlap_by_one", "race", [] { graph_roots(31); }},
      {"graph_branches_halves", sound, [] { graph_roots(32); }},
      {"graph_node_behind_one_of_two", "race", [] { graph_joins(false); }},
      {"graph_node_behind_both", sound, [] { graph_joins(true); }},
      {"captured_beside_other_stream", "race", [] { captured_fork(false); }},
      {"captured_behind_other_stream", sound, [] { captured_fork(true); }},
      {"kernel_beside_graph", "race", [] { kernel_behind_graph(true); }},
      {"kernel_behind_graph", sound, [] { kernel_behind_graph(false); }},
      {"graphs_on_two_streams", "race", [] { graph_on_two_streams(false); }},
      {"graph_on_two_streams", sound, [] { graph_on_two_streams(true); }},
  };
}

}  // namespace faults
