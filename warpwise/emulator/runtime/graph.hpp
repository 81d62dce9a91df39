#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "warpwise/emulator/runtime/registry.hpp"

// Graphs, which the files of graph functions share. The runtime's handles are pointers to types
// that it leaves open.

struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::function<cudaError_t()> work;
  std::vector<cudaGraphNode_t> after;
  /// Of a conditional node, which decides when the graph that it is in runs.
  cudaGraphConditionalNodeType condition_type = cudaGraphCondTypeIf;
  cudaGraphConditionalHandle condition = 0;
  std::vector<std::shared_ptr<CUgraph_st>> bodies = {};
  std::vector<cudaGraph_t> body_handles = {};
  const void* memory = nullptr;  ///< that an allocating node takes
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  /// Conditions that each launch of the graph begins with a value of.
  struct InitialCondition {
    cudaGraphConditionalHandle condition = 0;
    unsigned int value = 0;
  };
  std::vector<InitialCondition> conditions;
};

namespace warpwise::emulator::runtime {

/// A node at the time when its graph was made executable.
struct GraphStep {
  cudaGraphNode_t node = nullptr;  ///< only compared: its graph may be gone
  std::function<cudaError_t()> work;
  const void* memory = nullptr;         ///< that it takes
  std::vector<std::size_t> after = {};  ///< the steps that it comes after
  /// Steps of one branch come one behind the other.
  std::size_t branch = 0;
};

/// Adds a node that comes after others of the graph.
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                     std::size_t count, cudaGraphNodeType type, std::function<cudaError_t()> work);

/// The steps of a graph, each behind those that it comes after, and in as few branches as are
/// easily found. An error if they form a circle.
cudaError_t steps_of(const CUgraph_st& graph, std::vector<GraphStep>& steps);
cudaError_t run_all(const std::vector<GraphStep>& steps);

/// The work of a conditional node, of what its bodies are now.
cudaError_t conditional_work(const CUgraphNode_st& node, std::function<cudaError_t()>& work);
void set_condition(cudaGraphConditionalHandle condition, unsigned int value);

/// An address that a graph's memory has each time that it is there. It is kept as long as the
/// process lives: the memory may outlive the graph.
void* reserve_graph_memory(std::size_t bytes);
bool is_graph_memory(const void* pointer);
/// Makes memory of a reserved address. cudaErrorInvalidValue where it is there already.
cudaError_t take_graph_memory(const void* pointer);
cudaError_t free_graph_memory(const void* pointer);
/// Frees memory as work of the current stream, as cudaFreeAsync does.
cudaError_t free_in_stream(void* pointer);

/// Notes work down as a stream's next node of a capture, which is returned.
cudaGraphNode_t append(Capture& capture, cudaStream_t stream, cudaGraphNodeType type,
                       std::function<cudaError_t()> work);

}  // namespace warpwise::emulator::runtime
