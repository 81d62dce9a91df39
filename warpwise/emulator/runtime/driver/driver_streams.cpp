// The driver's streams, events and graphs, through the runtime's functions.

#include <cstring>
#include <type_traits>

#include "warpwise/emulator/runtime/checks/stream_order.hpp"
#include "warpwise/emulator/runtime/driver/driver.hpp"
#include "warpwise/emulator/runtime/reports/reports.hpp"

using namespace warpwise::emulator::runtime;

namespace {

// The runtime has no name for this type of node.
constexpr auto memory_operation = static_cast<cudaGraphNodeType>(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);

// An unmet wait is an error, because nothing can end it: all earlier work is done, and no other
// stream runs at the same time.
template <class Value>
CUresult wait_value(CUstream stream, CUdeviceptr address, Value value, unsigned flags) {
  return DriverCall().result_of(run_or_capture(stream, memory_operation, [=] {
    return guarded([&] {
      Value now{};
      const WorkScope scope;
      std::memcpy(&now, host_of(pointer_of(address), sizeof(now)), sizeof(now));
      bool met = false;
      switch (flags & 3U) {
        case CU_STREAM_WAIT_VALUE_GEQ:
          met = static_cast<std::make_signed_t<Value>>(now - value) >= 0;
          break;
        case CU_STREAM_WAIT_VALUE_EQ: met = now == value; break;
        case CU_STREAM_WAIT_VALUE_AND: met = (now & value) != 0; break;
        default: met = static_cast<Value>(~(now | value)) != 0; break;
      }
      if (met) {
        WorkScope::follows_signal(pointer_of(address));
        return cudaSuccess;
      }
      note_error(cudaGetErrorName(cudaErrorLaunchTimeout),
                 "a stream waits for a value in memory that nothing will write");
      return cudaErrorLaunchTimeout;
    });
  }));
}

template <class Value>
CUresult write_value(CUstream stream, CUdeviceptr address, Value value, unsigned flags) {
  // An H200's driver also refuses the only flag, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER.
  if (flags != CU_STREAM_WRITE_VALUE_DEFAULT) return CUDA_ERROR_INVALID_VALUE;
  return DriverCall().result_of(run_or_capture(stream, memory_operation, [=] {
    return guarded([&] {
      const WorkScope scope;
      WorkScope::touch(pointer_of(address), sizeof(value), warpwise::emulator::Use::atomic);
      std::memcpy(host_of(pointer_of(address), sizeof(value)), &value, sizeof(value));
      WorkScope::signals(pointer_of(address));
      return cudaSuccess;
    });
  }));
}

}  // namespace

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
  return DriverCall().result_of(cudaStreamCreateWithFlags(stream, flags));
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int priority) {
  return DriverCall().result_of(cudaStreamCreateWithPriority(stream, flags, priority));
}
CUresult cuStreamDestroy(CUstream stream) {
  return DriverCall().result_of(cudaStreamDestroy(stream));
}
CUresult cuStreamSynchronize(CUstream stream) {
  return DriverCall().result_of(cudaStreamSynchronize(stream));
}
CUresult cuStreamQuery(CUstream stream) { return DriverCall().result_of(cudaStreamQuery(stream)); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return DriverCall().result_of(cudaStreamWaitEvent(stream, event, flags));
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return DriverCall().result_of(cudaStreamGetPriority(stream, priority));
}
CUresult cuStreamGetFlags(CUstream stream, unsigned int* flags) {
  return DriverCall().result_of(cudaStreamGetFlags(stream, flags));
}
CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  return DriverCall().result_of(cudaStreamGetId(stream, id));
}
CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) {
  return DriverCall().result_of(cudaStreamGetDevice(stream, device));
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  const DriverCall call;
  const cudaError_t refused = refuse_stream(stream);
  return refused != cudaSuccess ? call.result_of(refused) : cuCtxGetCurrent(context);
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void* data, unsigned int) {
  {
    const DriverCall call;
    const cudaError_t refused = refuse_callback(stream);
    if (refused != cudaSuccess) return call.result_of(refused);
  }
  const OnStream on(stream);
  const HostFunctionScope scope;
  function(stream, result_of(emulated().sticky), data);
  return CUDA_SUCCESS;
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes,
                                unsigned int flags) {
  return DriverCall().result_of(
      cudaStreamAttachMemAsync(stream, pointer_of(address), bytes, flags));
}
CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return DriverCall().result_of(cudaStreamCopyAttributes(to, from));
}
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID, const CUstreamAttrValue*) {
  return DriverCall().result_of(refuse_stream(stream));
}
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value,
                             unsigned int flags) {
  return wait_value(stream, address, value, flags);
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value,
                             unsigned int flags) {
  return wait_value<std::uint64_t>(stream, address, value, flags);
}
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value,
                              unsigned int flags) {
  return write_value(stream, address, value, flags);
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value,
                              unsigned int flags) {
  return write_value(stream, address, value, flags);
}

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  return DriverCall().result_of(cudaEventCreateWithFlags(event, flags));
}
CUresult cuEventDestroy(CUevent event) { return DriverCall().result_of(cudaEventDestroy(event)); }
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return DriverCall().result_of(cudaEventRecord(event, stream));
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags) {
  return DriverCall().result_of(cudaEventRecordWithFlags(event, stream, flags));
}
CUresult cuEventSynchronize(CUevent event) {
  return DriverCall().result_of(cudaEventSynchronize(event));
}
CUresult cuEventQuery(CUevent event) { return DriverCall().result_of(cudaEventQuery(event)); }
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return DriverCall().result_of(cudaEventElapsedTime(milliseconds, start, end));
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  return DriverCall().result_of(
      cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode)));
}
CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, CUstreamCaptureMode mode) {
  return DriverCall().result_of(
      begin_capture(stream, static_cast<cudaStreamCaptureMode>(mode), false));
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return DriverCall().result_of(cudaStreamEndCapture(stream, graph));
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return DriverCall().result_of(
      cudaStreamIsCapturing(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status)));
}
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                CUgraph* graph, const CUgraphNode** after,
                                const CUgraphEdgeData** edges, size_t* count) {
  if (edges != nullptr) *edges = nullptr;
  unsigned long long own_id = 0;
  const DriverCall call;
  const cudaError_t error =
      cudaStreamGetCaptureInfo(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status), &own_id,
                               graph, after, nullptr, count);
  if (id != nullptr) *id = own_id;
  return result_of(error);
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return DriverCall().result_of(
      cudaThreadExchangeStreamCaptureMode(reinterpret_cast<cudaStreamCaptureMode*>(mode)));
}
CUresult cuGraphCreate(CUgraph* graph, unsigned int flags) {
  return DriverCall().result_of(cudaGraphCreate(graph, flags));
}
CUresult cuGraphClone(CUgraph* clone, CUgraph graph) {
  return DriverCall().result_of(cudaGraphClone(clone, graph));
}
CUresult cuGraphDestroy(CUgraph graph) { return DriverCall().result_of(cudaGraphDestroy(graph)); }
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS* given) {
  const cudaKernelNodeParams kernel{
      .func = const_cast<void*>(given->func != nullptr ? handle_of(given->func)
                                                       : handle_of(given->kern)),
      .gridDim = dim3(given->gridDimX, given->gridDimY, given->gridDimZ),
      .blockDim = dim3(given->blockDimX, given->blockDimY, given->blockDimZ),
      .sharedMemBytes = given->sharedMemBytes,
      .kernelParams = given->kernelParams,
      .extra = given->extra};
  return DriverCall().result_of(cudaGraphAddKernelNode(node, graph, after, count, &kernel));
}
CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                            size_t count, const CUDA_HOST_NODE_PARAMS* given) {
  const cudaHostNodeParams host{.fn = given->fn, .userData = given->userData};
  return DriverCall().result_of(cudaGraphAddHostNode(node, graph, after, count, &host));
}
CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                             size_t count) {
  return DriverCall().result_of(cudaGraphAddEmptyNode(node, graph, after, count));
}
CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                  size_t count, CUgraph child) {
  return DriverCall().result_of(cudaGraphAddChildGraphNode(node, graph, after, count, child));
}
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                const CUgraphEdgeData*, size_t count) {
  return DriverCall().result_of(cudaGraphAddDependencies(graph, from, to, nullptr, count));
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return DriverCall().result_of(cudaGraphGetNodes(graph, nodes, count));
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return DriverCall().result_of(cudaGraphGetRootNodes(graph, nodes, count));
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph,
                                     unsigned long long flags) {
  return DriverCall().result_of(cudaGraphInstantiate(executable, graph, flags));
}
CUresult cuGraphInstantiateWithParams(CUgraphExec* executable, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* given) {
  cudaGraphInstantiateParams same{};
  same.flags = given->flags;
  const CUresult result =
      DriverCall().result_of(cudaGraphInstantiateWithParams(executable, graph, &same));
  given->hErrNode_out = same.errNode_out;
  given->result_out = static_cast<CUgraphInstantiateResult>(same.result_out);
  return result;
}
CUresult cuUserObjectCreate(CUuserObject* object, void* data, CUhostFn destroy, unsigned int count,
                            unsigned int flags) {
  return DriverCall().result_of(cudaUserObjectCreate(object, data, destroy, count, flags));
}
CUresult cuUserObjectRetain(CUuserObject object, unsigned int count) {
  return DriverCall().result_of(cudaUserObjectRetain(object, count));
}
CUresult cuUserObjectRelease(CUuserObject object, unsigned int count) {
  return DriverCall().result_of(cudaUserObjectRelease(object, count));
}
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                 unsigned int flags) {
  return DriverCall().result_of(cudaGraphRetainUserObject(graph, object, count, flags));
}
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count) {
  return DriverCall().result_of(cudaGraphReleaseUserObject(graph, object, count));
}
CUresult cuGraphUpload(CUgraphExec executable, CUstream stream) {
  return DriverCall().result_of(cudaGraphUpload(executable, stream));
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  return DriverCall().result_of(cudaGraphLaunch(executable, stream));
}
CUresult cuGraphExecDestroy(CUgraphExec executable) {
  return DriverCall().result_of(cudaGraphExecDestroy(executable));
}

}  // extern "C"
