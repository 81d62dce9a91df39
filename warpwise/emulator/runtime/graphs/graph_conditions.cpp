// Conditional nodes of graphs, and the function that adds nodes of any type.

#include <cstring>
#include <utility>

#include "warpwise/emulator/runtime/graphs/graph.hpp"

using namespace warpwise::emulator;
using namespace warpwise::emulator::runtime;

namespace {

// Returns a condition's value, a word of device memory. The handle is the word's address, to which
// cudaGraphSetConditional() writes from a kernel.
std::byte* word_of(cudaGraphConditionalHandle condition) {
  return emulated().device.host_pointer(condition, sizeof(unsigned int));
}

unsigned int value_of(cudaGraphConditionalHandle condition) {
  unsigned int value = 0;
  std::memcpy(&value, word_of(condition), sizeof(value));
  return value;
}

cudaError_t add_conditional(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                            std::size_t count, cudaConditionalNodeParams& given) {
  const unsigned int most = given.type == cudaGraphCondTypeIf      ? 2
                            : given.type == cudaGraphCondTypeWhile ? 1
                                                                   : ~0U;
  if (given.size == 0 || given.size > most) return report(cudaErrorInvalidValue);
  const cudaError_t error =
      add_node(node, graph, after, count, cudaGraphNodeTypeConditional, nullptr);
  if (error != cudaSuccess) return error;
  (*node)->condition_type = given.type;
  (*node)->condition = given.handle;
  // The caller reads the bodies from this array, which lives as long as the node.
  for (unsigned int i = 0; i < given.size; ++i) {
    (*node)->bodies.push_back(std::make_shared<CUgraph_st>());
    (*node)->body_handles.push_back((*node)->bodies.back().get());
  }
  given.phGraph_out = (*node)->body_handles.data();
  return cudaSuccess;
}

}  // namespace

namespace warpwise::emulator::runtime {

void set_condition(cudaGraphConditionalHandle condition, unsigned int value) {
  std::memcpy(word_of(condition), &value, sizeof(value));
}

cudaError_t conditional_work(const CUgraphNode_st& node, std::function<cudaError_t()>& work) {
  std::vector<std::vector<GraphStep>> bodies(node.bodies.size());
  std::vector<UserReference> kept;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const cudaError_t error = steps_of(*node.bodies[i], bodies[i]);
    if (error != cudaSuccess) return error;
    const std::vector<UserReference>& own = node.bodies[i]->user_objects;
    kept.insert(kept.end(), own.begin(), own.end());
  }
  work = [type = node.condition_type, condition = node.condition, bodies = std::move(bodies),
          kept = std::move(kept)] {
    return guarded([&] {
      unsigned int value = value_of(condition);
      if (type == cudaGraphCondTypeWhile) {
        cudaError_t error = cudaSuccess;
        for (; value != 0 && error == cudaSuccess; value = value_of(condition))
          error = run_all(bodies[0]);
        return error;
      }
      // The second body of an if node runs if the value is zero.
      if (type == cudaGraphCondTypeIf) value = value != 0 ? 0 : 1;
      return value < bodies.size() ? run_all(bodies[value]) : cudaSuccess;
    });
  };
  return cudaSuccess;
}

}  // namespace warpwise::emulator::runtime

extern "C" {

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned int value, unsigned int flags) {
  if ((flags & ~static_cast<unsigned int>(cudaGraphCondAssignDefault)) != 0)
    return report(cudaErrorInvalidValue);
  return guarded([&] {
    // Never freed, because executable graphs outlive their graph.
    *handle = emulated().device.allocate(sizeof(unsigned int), "a graph's condition");
    if ((flags & cudaGraphCondAssignDefault) != 0) graph->conditions.push_back({*handle, value});
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData*, size_t count, cudaGraphNodeParams* given) {
  switch (given->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParamsV2& own = given->kernel;
      cudaKernelNodeParams kernel{};
      kernel.func = own.func;
      kernel.gridDim = own.gridDim;
      kernel.blockDim = own.blockDim;
      kernel.sharedMemBytes = own.sharedMemBytes;
      kernel.kernelParams = own.kernelParams;
      kernel.extra = own.extra;
      return cudaGraphAddKernelNode(node, graph, after, count, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(node, graph, after, count, &given->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParamsV2& own = given->memset;
      const cudaMemsetParams fill{own.dst,         own.pitch, own.value,
                                  own.elementSize, own.width, own.height};
      return cudaGraphAddMemsetNode(node, graph, after, count, &fill);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams host{given->host.fn, given->host.userData};
      return cudaGraphAddHostNode(node, graph, after, count, &host);
    }
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(node, graph, after, count, given->graph.graph);
    case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(node, graph, after, count);
    case cudaGraphNodeTypeMemAlloc: {
      cudaMemAllocNodeParams own{};
      own.bytesize = given->alloc.bytesize;
      const cudaError_t error = cudaGraphAddMemAllocNode(node, graph, after, count, &own);
      given->alloc.dptr = own.dptr;
      return error;
    }
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(node, graph, after, count, given->free.dptr);
    case cudaGraphNodeTypeConditional:
      return add_conditional(node, graph, after, count, given->conditional);
    default: return report(cudaErrorNotSupported);
  }
}

}  // extern "C"
