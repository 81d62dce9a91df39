#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "warpwise/emulator/runtime/code/registry.hpp"

// Shared by the files of graph functions. Defines the incomplete types behind the runtime's
// handles.

struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::function<cudaError_t()> work;
  std::vector<cudaGraphNode_t> after;
  /// Type of a conditional node: if, while or switch. This member and the three below are used only
  /// by conditional nodes.
  cudaGraphConditionalNodeType condition_type = cudaGraphCondTypeIf;
  cudaGraphConditionalHandle condition = 0;
  std::vector<std::shared_ptr<CUgraph_st>> bodies = {};
  std::vector<cudaGraph_t> body_handles = {};
  const void* memory = nullptr;  ///< memory that an allocating node takes
};

/// A user object with a count of references; destroyed with the last reference.
struct CUuserObject_st {
  cudaHostFn_t destroy = nullptr;
  void* data = nullptr;
  std::atomic<unsigned int> references = 0;
};

namespace warpwise::emulator::runtime {

/// A graph's reference to a user object. Each copy of the graph has its own reference.
class UserReference {
 public:
  explicit UserReference(cudaUserObject_t object);
  UserReference(const UserReference& other);
  UserReference& operator=(UserReference other);
  ~UserReference();
  cudaUserObject_t object() const { return object_; }

 private:
  cudaUserObject_t object_;
};

}  // namespace warpwise::emulator::runtime

struct CUgraph_st {
  std::vector<warpwise::emulator::runtime::UserReference> user_objects;
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  /// Conditions that each launch of the graph resets to `value`.
  struct InitialCondition {
    cudaGraphConditionalHandle condition = 0;
    unsigned int value = 0;
  };
  std::vector<InitialCondition> conditions;
};

namespace warpwise::emulator::runtime {

/// A copy of a node, made when its graph becomes executable.
struct GraphStep {
  cudaGraphNode_t node = nullptr;  ///< only compared, because its graph may have been destroyed
  std::function<cudaError_t()> work;
  const void* memory = nullptr;         ///< memory that the node takes
  std::vector<std::size_t> after = {};  ///< indices of the steps that this step follows
  /// Branch of the step; steps of one branch run one after another.
  std::size_t branch = 0;
};

/// Adds a node after other nodes of the graph.
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                     std::size_t count, cudaGraphNodeType type, std::function<cudaError_t()> work);

/// Orders a graph's steps by their dependencies, and splits them into few branches. The search is
/// simple and does not always find the fewest branches. Returns an error for a cycle.
cudaError_t steps_of(const CUgraph_st& graph, std::vector<GraphStep>& steps);
cudaError_t run_all(const std::vector<GraphStep>& steps);

/// Makes the work of a conditional node from the current content of its bodies.
cudaError_t conditional_work(const CUgraphNode_st& node, std::function<cudaError_t()>& work);
void set_condition(cudaGraphConditionalHandle condition, unsigned int value);

/// Reserves an address for a graph's memory, the same for every launch. The address stays reserved
/// to the end of the process, because the memory may outlive the graph.
void* reserve_graph_memory(std::size_t bytes);
bool is_graph_memory(const void* pointer);
/// Returns true for any address in memory that graphs have reserved.
bool is_in_graph_memory(const void* pointer);
/// Allocates memory at a reserved address. Returns cudaErrorInvalidValue if the address already has
/// memory.
cudaError_t take_graph_memory(const void* pointer);
cudaError_t free_graph_memory(const void* pointer);
/// Frees memory as work of the current stream, as cudaFreeAsync() does.
cudaError_t free_in_stream(void* pointer);

/// Appends work to a stream's capture and returns its node.
cudaGraphNode_t append(Capture& capture, cudaStream_t stream, cudaGraphNodeType type,
                       std::function<cudaError_t()> work);

}  // namespace warpwise::emulator::runtime
