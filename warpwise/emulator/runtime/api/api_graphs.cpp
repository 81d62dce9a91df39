// Graphs: captured from streams, or built node by node.

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <utility>

#include "warpwise/emulator/runtime/api/arrays.hpp"
#include "warpwise/emulator/runtime/checks/copy_check.hpp"
#include "warpwise/emulator/runtime/checks/stream_order.hpp"
#include "warpwise/emulator/runtime/graphs/graph.hpp"
#include "warpwise/emulator/runtime/launch.hpp"
#include "warpwise/emulator/runtime/reports/explain_record.hpp"

using namespace warpwise::emulator::runtime;

struct CUgraphExec_st {
  std::vector<GraphStep> steps;
  std::vector<CUgraph_st::InitialCondition> conditions;
  std::vector<UserReference> user_objects;
  bool frees_first = false;  // frees memory left by an earlier launch
  Clock launched;            // work that is done when the last launch has ended
};

namespace {

cudaError_t nothing() { return cudaSuccess; }

bool is_mode(cudaStreamCaptureMode mode) {
  return mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed;
}

bool holds(cudaGraph_t graph, cudaGraphNode_t node) {
  return std::any_of(graph->nodes.begin(), graph->nodes.end(),
                     [&](const auto& each) { return each.get() == node; });
}

// Orders nodes after their dependencies; leaves out nodes in a cycle.
std::vector<cudaGraphNode_t> in_order(const CUgraph_st& graph) {
  std::vector<cudaGraphNode_t> order;
  const auto is_done = [&](cudaGraphNode_t node) {
    return std::find(order.begin(), order.end(), node) != order.end();
  };
  for (bool found = true; found;) {
    found = false;
    for (const auto& node : graph.nodes) {
      if (is_done(node.get())) continue;
      if (!std::all_of(node->after.begin(), node->after.end(), is_done)) continue;
      order.push_back(node.get());
      found = true;
    }
  }
  return order;
}

// Splits the steps into branches. Steps of one branch run one after another. A step continues the
// branch of its first dependency that no other step has continued. If there is none, the step
// begins a new branch.
void find_branches(std::vector<GraphStep>& steps) {
  std::vector<bool> is_continued(steps.size());
  std::size_t branches = 0;
  for (GraphStep& step : steps) {
    const auto found = std::find_if(step.after.begin(), step.after.end(),
                                    [&](std::size_t earlier) { return !is_continued[earlier]; });
    step.branch = found == step.after.end() ? branches++ : steps[*found].branch;
    if (found != step.after.end()) is_continued[*found] = true;
  }
}

std::size_t branches_of(const std::vector<GraphStep>& steps) {
  std::size_t branches = 0;
  for (const GraphStep& step : steps) branches = std::max(branches, step.branch + 1);
  return branches;
}

/// Adds the conditions of a graph and of its conditional nodes' bodies.
void add_conditions(const CUgraph_st& graph, std::vector<CUgraph_st::InitialCondition>& all) {
  all.insert(all.end(), graph.conditions.begin(), graph.conditions.end());
  for (const auto& node : graph.nodes) {
    for (const auto& body : node->bodies) add_conditions(*body, all);
  }
}

/// Copies everything that an executable graph takes from its graph.
cudaError_t take_graph(const CUgraph_st& graph, CUgraphExec_st& executable) {
  add_conditions(graph, executable.conditions);
  executable.user_objects = graph.user_objects;
  return steps_of(graph, executable.steps);
}

cudaError_t run(const CUgraphExec_st& executable) {
  const cudaError_t error = guarded([&] {
    for (const auto& each : executable.conditions) set_condition(each.condition, each.value);
    for (const GraphStep& step : executable.steps) {
      if (executable.frees_first && step.memory != nullptr &&
          emulated().device.holds(address_of(step.memory)))
        free_graph_memory(step.memory);
    }
    return cudaSuccess;
  });
  return error != cudaSuccess ? error : run_all(executable.steps);
}

/// Checks the arguments of a copy or fill that a graph will run.
cudaError_t checked(cudaStream_t stream, const std::function<cudaError_t()>& work) {
  const OnStream on(stream);
  const ChecksAlone checks;
  return report(work());
}

// Returns true if the stream that began a capture has joined its other streams. The last nodes of
// those must precede the last nodes of that stream, or be among them.
bool is_joined(const Capture& capture) {
  std::vector<cudaGraphNode_t> before;
  const auto is_before = [&](cudaGraphNode_t node) {
    return std::find(before.begin(), before.end(), node) != before.end();
  };
  if (const auto origin = capture.last.find(capture.origin); origin != capture.last.end())
    before = origin->second;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (cudaGraphNode_t node : before[i]->after) {
      if (!is_before(node)) before.push_back(node);
    }
  }
  return std::all_of(capture.last.begin(), capture.last.end(), [&](const auto& stream) {
    return std::all_of(stream.second.begin(), stream.second.end(), is_before);
  });
}

cudaError_t kernel_work(const cudaKernelNodeParams& p, std::function<cudaError_t()>& work) {
  if (p.kernelParams == nullptr && p.extra != nullptr) return report(cudaErrorNotSupported);
  return prepare_launch(p.func, p.gridDim, p.blockDim, p.kernelParams, p.sharedMemBytes, {}, work);
}

cudaError_t fill(const cudaMemsetParams& p) {
  if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4)
    return report(cudaErrorInvalidValue);
  if (p.elementSize == 1)
    return cudaMemset2D(p.dst, p.pitch, static_cast<int>(p.value), p.width, p.height);
  return guarded([&] {
    const std::size_t row = p.width * p.elementSize;
    if (row == 0 || p.height == 0) return cudaSuccess;
    const bool is_wrong = is_memory_of_host(p.dst) || (p.height > 1 && row > p.pitch);
    if (ChecksAlone::exist() && !is_wrong) return cudaSuccess;
    check_fill({p.dst, p.pitch, row, p.height});
    if (is_wrong) return cudaErrorInvalidValue;
    bytes_of(p.dst, p.pitch * (p.height - 1) + row);  // checks that all bytes exist
    const WorkScope scope;
    WorkScope::touch(p.dst, p.pitch, row, p.height, warpwise::emulator::Use::write);
    for (std::size_t y = 0; y < p.height; ++y) {
      std::byte* const to = host_of(static_cast<std::byte*>(p.dst) + y * p.pitch, row);
      for (std::size_t x = 0; x < p.width; ++x)
        std::memcpy(to + x * p.elementSize, &p.value, p.elementSize);
    }
    record_fill(p.dst, row * p.height);
    return cudaSuccess;
  });
}

cudaError_t list(const std::vector<cudaGraphNode_t>& all, cudaGraphNode_t* nodes,
                 std::size_t* count) {
  if (nodes == nullptr) {
    *count = all.size();
    return cudaSuccess;
  }
  // Places beyond the last node become null.
  std::fill(std::copy_n(all.begin(), std::min(*count, all.size()), nodes), nodes + *count, nullptr);
  *count = std::min(*count, all.size());
  return cudaSuccess;
}

}  // namespace

namespace warpwise::emulator::runtime {

cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                     std::size_t count, cudaGraphNodeType type, std::function<cudaError_t()> work) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!holds(graph, after[i])) return report(cudaErrorInvalidValue);
  }
  graph->nodes.push_back(std::make_unique<CUgraphNode_st>(
      CUgraphNode_st{type, std::move(work), {after, after + count}}));
  *node = graph->nodes.back().get();
  return cudaSuccess;
}

cudaGraphNode_t append(Capture& capture, cudaStream_t stream, cudaGraphNodeType type,
                       std::function<cudaError_t()> work) {
  cudaGraphNode_t node = nullptr;
  std::vector<cudaGraphNode_t>& last = capture.last[stream];
  add_node(&node, capture.graph, last.data(), last.size(), type, std::move(work));
  last = {node};
  return node;
}

cudaError_t run_or_capture(cudaStream_t stream, cudaGraphNodeType type,
                           std::function<cudaError_t()> work) {
  if (const cudaError_t invalid = refuse_stream(stream); invalid != cudaSuccess) return invalid;
  if (const std::shared_ptr<Capture> capture = capture_of(stream)) {
    if (type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset) {
      if (is_invalid(*capture)) return report(cudaErrorStreamCaptureInvalidated);
      const cudaError_t error = checked(stream, work);
      if (error != cudaSuccess) return error;
    }
    const std::lock_guard lock(emulated().mutex);
    if (capture->is_invalid) return report(cudaErrorStreamCaptureInvalidated);
    append(*capture, stream, type, std::move(work));
    return cudaSuccess;
  }
  const cudaError_t refused = refuse_default_stream(stream);
  if (refused != cudaSuccess) return refused;
  const OnStream on(stream);
  return work();
}

cudaError_t run_all(const std::vector<GraphStep>& steps) {
  GraphBranches branches(branches_of(steps));
  for (const GraphStep& step : steps) {
    branches.begin(step.branch, step.after);
    const cudaError_t error = step.work();
    branches.end();
    if (error != cudaSuccess) return report(error);
  }
  return cudaSuccess;
}

cudaError_t begin_capture(cudaStream_t stream, cudaStreamCaptureMode mode, bool has_legacy_stream) {
  if (const cudaError_t refused = refuse_stream(stream); refused != cudaSuccess) return refused;
  if (!is_mode(mode)) return report(cudaErrorInvalidValue);
  if (capture_of(stream) != nullptr) return report(cudaErrorIllegalState);
  auto capture = std::make_shared<Capture>(Capture{stream, new CUgraph_st, {}, mode});
  capture->has_legacy_stream = has_legacy_stream;
  join_capture(stream, std::move(capture));
  return cudaSuccess;
}

cudaError_t steps_of(const CUgraph_st& graph, std::vector<GraphStep>& steps) {
  const std::vector<cudaGraphNode_t> order = in_order(graph);
  if (order.size() != graph.nodes.size()) return report(cudaErrorInvalidValue);
  for (cudaGraphNode_t node : order) {
    GraphStep step{node, node->work, node->memory};
    if (node->type == cudaGraphNodeTypeConditional) {
      const cudaError_t error = conditional_work(*node, step.work);
      if (error != cudaSuccess) return error;
    }
    for (cudaGraphNode_t earlier : node->after)
      step.after.push_back(
          static_cast<std::size_t>(std::find(order.begin(), order.end(), earlier) - order.begin()));
    steps.push_back(std::move(step));
  }
  find_branches(steps);
  return cudaSuccess;
}

}  // namespace warpwise::emulator::runtime

extern "C" {

// ---- graphs by capture

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (stream == nullptr || stream == cudaStreamLegacy)
    return report(cudaErrorStreamCaptureUnsupported);
  return begin_capture(stream, mode, true);
}
// A program of nvcc --default-stream per-thread may capture in the default stream.
cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return begin_capture(stream, mode, false);
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, const cudaGraphEdgeData*,
                                          size_t count, cudaStreamCaptureMode mode) {
  if (const cudaError_t refused = refuse_stream(stream); refused != cudaSuccess) return refused;
  if (!is_mode(mode)) return report(cudaErrorInvalidValue);
  if (capture_of(stream) != nullptr) return report(cudaErrorIllegalState);
  for (std::size_t i = 0; i < count; ++i) {
    if (!holds(graph, after[i])) return report(cudaErrorInvalidValue);
  }
  join_capture(stream, std::make_shared<Capture>(Capture{
                           stream, graph, {{stream, {after, after + count}}}, mode, false}));
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (status == nullptr) return report(cudaErrorInvalidValue);
  if (!is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  if (follows_capture(stream)) return report(cudaErrorStreamCaptureImplicit);
  const std::shared_ptr<Capture> capture = capture_of(stream);
  *status = capture == nullptr     ? cudaStreamCaptureStatusNone
            : is_invalid(*capture) ? cudaStreamCaptureStatusInvalidated
                                   : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** after, const cudaGraphEdgeData** edges,
                                     size_t* count) {
  if (!is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  const std::shared_ptr<Capture> capture = capture_of(stream);
  if (edges != nullptr) *edges = nullptr;
  // For an invalid capture, a GPU's runtime sets only `status` too.
  if (capture != nullptr && is_invalid(*capture)) return cudaStreamIsCapturing(stream, status);
  if (capture != nullptr) {
    if (graph != nullptr) *graph = capture->graph;
    if (after != nullptr) *after = capture->last[stream].data();
  }
  if (id != nullptr) *id = reinterpret_cast<std::uintptr_t>(capture.get());
  if (count != nullptr) *count = capture == nullptr ? 0 : capture->last[stream].size();
  return cudaStreamIsCapturing(stream, status);
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* after,
                                                const cudaGraphEdgeData*, size_t count,
                                                unsigned int flags) {
  if (!is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  const std::shared_ptr<Capture> capture = capture_of(stream);
  if (capture == nullptr) return report(cudaErrorIllegalState);
  for (std::size_t i = 0; i < count; ++i) {
    if (!holds(capture->graph, after[i])) return report(cudaErrorInvalidValue);
  }
  std::vector<cudaGraphNode_t>& last = capture->last[stream];
  if (flags == cudaStreamSetCaptureDependencies) last.clear();
  last.insert(last.end(), after, after + count);
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (mode == nullptr || !is_mode(*mode)) return report(cudaErrorInvalidValue);
  *mode = exchange_capture_mode(*mode);
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (!is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  const std::shared_ptr<Capture> capture = capture_of(stream);
  if (capture == nullptr) return report(cudaErrorIllegalState);
  if (capture->origin != stream) return invalidate(*capture, cudaErrorStreamCaptureUnmatched);
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id())
    return report(cudaErrorStreamCaptureWrongThread);
  leave_capture(*capture);
  const cudaError_t error = capture->is_invalid   ? cudaErrorStreamCaptureInvalidated
                            : is_joined(*capture) ? cudaSuccess
                                                  : cudaErrorStreamCaptureUnjoined;
  if (error != cudaSuccess) {
    if (capture->owns_graph) delete capture->graph;
    if (graph != nullptr) *graph = nullptr;
    return report(error);
  }
  if (graph != nullptr) *graph = capture->graph;
  return cudaSuccess;
}

// ---- graphs node by node

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int) {
  *graph = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  *clone = nullptr;
  const auto is_conditional = [](const auto& node) {
    return node->type == cudaGraphNodeTypeConditional;
  };
  if (std::any_of(graph->nodes.begin(), graph->nodes.end(), is_conditional))
    return report(cudaErrorNotSupported);  // a GPU does not copy them either
  auto made = std::make_unique<CUgraph_st>();
  made->conditions = graph->conditions;
  made->user_objects = graph->user_objects;
  for (const auto& node : graph->nodes) {
    made->nodes.push_back(std::make_unique<CUgraphNode_st>(*node));
  }
  // Maps dependencies on the original nodes to their copies.
  for (const auto& node : made->nodes) {
    for (cudaGraphNode_t& earlier : node->after) {
      const auto place = std::find_if(graph->nodes.begin(), graph->nodes.end(),
                                      [&](const auto& each) { return each.get() == earlier; });
      earlier = made->nodes[static_cast<std::size_t>(place - graph->nodes.begin())].get();
    }
  }
  *clone = made.release();
  return cudaSuccess;
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaKernelNodeParams* given) {
  std::function<cudaError_t()> work;
  const cudaError_t error = kernel_work(*given, work);
  if (error != cudaSuccess) return error;
  return add_node(node, graph, after, count, cudaGraphNodeTypeKernel, std::move(work));
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaMemcpy3DParms* given) {
  const auto work = [copy = *given] { return cudaMemcpy3D(&copy); };
  const cudaError_t error = checked(nullptr, work);
  if (error != cudaSuccess) return error;
  return add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy, work);
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, size_t count, void* to,
                                     const void* from, size_t bytes, cudaMemcpyKind kind) {
  const auto work = [=] { return cudaMemcpy(to, from, bytes, kind); };
  const cudaError_t error = checked(nullptr, work);
  if (error != cudaSuccess) return error;
  return add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy, work);
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaMemsetParams* given) {
  const auto work = [filled = *given] { return fill(filled); };
  const cudaError_t error = checked(nullptr, work);
  if (error != cudaSuccess) return error;
  return add_node(node, graph, after, count, cudaGraphNodeTypeMemset, work);
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, size_t count,
                                 const cudaHostNodeParams* given) {
  return add_node(node, graph, after, count, cudaGraphNodeTypeHost, [host = *given] {
    const HostFunctionScope scope;
    host.fn(host.userData);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, size_t count) {
  return add_node(node, graph, after, count, cudaGraphNodeTypeEmpty, nothing);
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, size_t count,
                                       cudaGraph_t child) {
  std::vector<GraphStep> steps;
  const cudaError_t error = steps_of(*child, steps);
  if (error != cudaSuccess) return error;
  // The node, and its copies in executable graphs, keep the child's user objects.
  return add_node(
      node, graph, after, count, cudaGraphNodeTypeGraph,
      [steps = std::move(steps), kept = child->user_objects] { return run_all(steps); });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!holds(graph, from[i]) || !holds(graph, to[i])) return report(cudaErrorInvalidValue);
    const std::vector<cudaGraphNode_t>& earlier = to[i]->after;
    const bool is_there = std::find(earlier.begin(), earlier.end(), from[i]) != earlier.end();
    if (is_there || from[i] == to[i]) return report(cudaErrorInvalidValue);
  }
  for (std::size_t i = 0; i < count; ++i) to[i]->after.push_back(from[i]);
  return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  std::vector<cudaGraphNode_t> all;
  for (const auto& node : graph->nodes) all.push_back(node.get());
  return list(all, nodes, count);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  std::vector<cudaGraphNode_t> roots;
  for (const auto& node : graph->nodes) {
    if (node->after.empty()) roots.push_back(node.get());
  }
  return list(roots, nodes, count);
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  *type = node->type;
  return cudaSuccess;
}

// ---- executable graphs

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
  if (executable == nullptr) return report(cudaErrorInvalidValue);
  *executable = nullptr;
  if (graph == nullptr) return report(cudaErrorInvalidValue);
  const cudaError_t refused = refuse_unsafe_call();
  if (refused != cudaSuccess) return refused;
  auto made = std::make_unique<CUgraphExec_st>();
  made->frees_first = (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
  const cudaError_t error = take_graph(*graph, *made);
  if (error == cudaSuccess) *executable = made.release();
  return error;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* given) {
  const cudaError_t error = cudaGraphInstantiate(executable, graph, given->flags);
  given->errNode_out = nullptr;
  given->result_out =
      error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return error;
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* given) {
  for (auto& step : executable->steps) {
    if (step.node == node) return kernel_work(*given, step.work);
  }
  return report(cudaErrorInvalidValue);
}
// Any graph with the same number of nodes may replace another one here. A GPU accepts only a graph
// of the same shape.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  CUgraphExec_st updated;
  const cudaError_t error = take_graph(*graph, updated);
  if (error == cudaSuccess && updated.steps.size() == executable->steps.size()) {
    // Keeps the handles of the nodes of the first graph, because the program still uses them in
    // later updates.
    for (std::size_t i = 0; i < updated.steps.size(); ++i) {
      updated.steps[i].node = executable->steps[i].node;
    }
    executable->steps = std::move(updated.steps);
    executable->conditions = std::move(updated.conditions);
    executable->user_objects = std::move(updated.user_objects);
    if (result != nullptr) *result = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
    return cudaSuccess;
  }
  if (result != nullptr) *result = {cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
  return report(cudaErrorGraphExecUpdateFailure);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t stream) { return refuse_stream(stream); }
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (executable == nullptr) return report(cudaErrorInvalidValue);
  if (!is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  // Captures a copy, because the captured launch runs the graph in its current state.
  if (capture_of(stream) != nullptr)
    return run_or_capture(stream, cudaGraphNodeTypeGraph, [own = *executable] { return run(own); });
  const cudaError_t refused = refuse_default_stream(stream);
  if (refused != cudaSuccess) return refused;
  const OnStream on(stream);
  // A launch follows the graph's earlier launches, on any stream.
  StreamOrder* const order = stream_order();
  if (order != nullptr) order->stream_waits_for(stream, executable->launched);
  const cudaError_t error = run(*executable);
  if (order != nullptr) executable->launched = order->recorded_in(stream);
  return error;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  const cudaError_t refused = refuse_unsafe_call();
  if (refused == cudaSuccess || refused == emulated().sticky) delete executable;
  return refused;
}

}  // extern "C"
