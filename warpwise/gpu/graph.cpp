#include "warpwise/gpu/graph.hpp"

#include <utility>

#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/stream.hpp"

namespace warpwise::gpu {

Graph::Graph(const std::function<void(StreamHandle)>& work) {
  const Stream recorder;
  check(cudaStreamBeginCapture(recorder, cudaStreamCaptureModeThreadLocal),
        "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    work(recorder);
  } catch (...) {
    cudaStreamEndCapture(recorder, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();
    throw;
  }
  check(cudaStreamEndCapture(recorder, &graph), "cudaStreamEndCapture");
  const cudaError_t error = cudaGraphInstantiate(&handle_, graph, 0);
  cudaGraphDestroy(graph);
  check(error, "cudaGraphInstantiate");
}

Graph::~Graph() {
  if (handle_ != nullptr) cudaGraphExecDestroy(handle_);
}

Graph& Graph::operator=(Graph&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

void Graph::launch(StreamHandle stream) const {
  check(cudaGraphLaunch(handle_, stream), "cudaGraphLaunch");
}

}  // namespace warpwise::gpu
