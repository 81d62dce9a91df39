// Streams and events: all work is done when a call returns.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "warpwise/emulator/runtime/checks/stream_order.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"
#include "warpwise/emulator/runtime/fork_locks.hpp"

using namespace warpwise::emulator::runtime;

// The runtime's handles are pointers to incomplete types.
struct CUevent_st {
  unsigned flags = cudaEventDefault;
  std::chrono::steady_clock::time_point time;
  bool recorded = false;
  Clock done;                      // work done when the event was recorded, for the checks of order
  bool is_captured = false;        // true if a capture was the last to record it
  std::weak_ptr<Capture> capture;  // that capture, until it ends
  std::vector<cudaGraphNode_t> after;  // nodes of the capture that the event follows
};
struct CUstream_st {
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  unsigned long long id = 0;
};

namespace {

/// Handles that are not destroyed yet.
template <class Handle>
class LiveHandles {
 public:
  LiveHandles() { keep_free_in_children(mutex_); }
  Handle add(Handle handle) {
    const std::lock_guard lock(mutex_);
    all_.insert(handle);
    return handle;
  }
  bool has(Handle handle) const {
    const std::lock_guard lock(mutex_);
    return all_.contains(handle);
  }
  /// Returns false if the handle was destroyed before.
  bool remove(Handle handle) {
    const std::lock_guard lock(mutex_);
    return all_.erase(handle) == 1;
  }
  std::set<Handle> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<Handle> all_;
};
LiveHandles<cudaStream_t>& live_streams() {
  static LiveHandles<cudaStream_t>& instance = *new LiveHandles<cudaStream_t>;
  return instance;
}
LiveHandles<cudaEvent_t>& live_events() {
  static LiveHandles<cudaEvent_t>& instance = *new LiveHandles<cudaEvent_t>;
  return instance;
}

// A GPU's priorities: lower numbers run first.
constexpr int least_priority = 0;
constexpr int greatest_priority = -5;

// Returns true for the predefined streams.
bool is_default(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

/// Lets a stream that captures wait for an event from outside of its capture. Only a node of the
/// graph can wait so, with cudaEventWaitExternal.
/// \param other  the capture that recorded the event; null if none did
cudaError_t wait_outside(cudaStream_t stream, cudaEvent_t event, unsigned flags, Capture& own,
                         const std::shared_ptr<Capture>& other) {
  if (other != nullptr) {
    invalidate(*other, cudaErrorStreamCaptureMerge);
    return invalidate(own, cudaErrorStreamCaptureMerge);
  }
  if ((flags & cudaEventWaitExternal) != 0) {
    return run_or_capture(stream, cudaGraphNodeTypeWaitEvent, [event] {
      if (!live_events().has(event)) return report(cudaErrorInvalidResourceHandle);
      if (StreamOrder* const order = stream_order())
        order->stream_waits_for(OnStream::current(), event->done);
      return cudaSuccess;
    });
  }
  // An event without work to wait for changes nothing.
  if (!event->recorded && !event->is_captured) return cudaSuccess;
  return invalidate(own, cudaErrorStreamCaptureIsolation);
}

}  // namespace

namespace warpwise::emulator::runtime {

bool is_stream(cudaStream_t stream) { return is_default(stream) || live_streams().has(stream); }

cudaError_t refuse_stream(cudaStream_t stream) {
  if (emulated().sticky != cudaSuccess) return report(emulated().sticky);
  return is_stream(stream) ? cudaSuccess : report(cudaErrorInvalidResourceHandle);
}

void destroy_streams_and_events() {
  const LastErrorKept kept;
  // A default stream may capture too, and is not destroyed.
  std::map<cudaStream_t, std::shared_ptr<Capture>> captures;
  {
    const std::lock_guard lock(emulated().mutex);
    captures.swap(emulated().captures);
  }
  for (cudaStream_t stream : live_streams().all()) cudaStreamDestroy(stream);
  for (cudaEvent_t event : live_events().all()) cudaEventDestroy(event);
}

}  // namespace warpwise::emulator::runtime

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  static std::atomic<unsigned long long> made = 2;  // the default streams' ids are smaller
  if (stream == nullptr) return report(cudaErrorInvalidValue);
  if (emulated().sticky != cudaSuccess) return report(emulated().sticky);
  const int kept = std::max(greatest_priority, std::min(priority, least_priority));
  *stream = live_streams().add(new CUstream_st{flags, kept, ++made});
  if (StreamOrder* const order = stream_order()) order->made(*stream, flags);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (is_default(stream) || !live_streams().remove(stream))
    return report(cudaErrorInvalidResourceHandle);
  if (StreamOrder* const order = stream_order()) order->destroyed(stream);
  // A capture ends when one of its streams is destroyed. A later stream may have the same address.
  if (const std::shared_ptr<Capture> capture = capture_of(stream)) leave_capture(*capture);
  delete stream;
  return report(emulated().sticky);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = least_priority;
  if (greatest != nullptr) *greatest = greatest_priority;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  if (priority == nullptr) return report(cudaErrorInvalidValue);
  if (!is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  *priority = is_default(stream) ? 0 : stream->priority;
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  if (flags == nullptr) return report(cudaErrorInvalidValue);
  if (!is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  *flags = is_default(stream) ? cudaStreamDefault : stream->flags;
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  if (device == nullptr) return report(cudaErrorInvalidValue);
  if (!is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  if (id == nullptr) return report(cudaErrorInvalidValue);
  if (!is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  *id = is_default(stream) ? reinterpret_cast<std::uintptr_t>(stream) : stream->id;
  return cudaSuccess;
}
// Attributes concern caches and the order of streams, and change no result.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID,
                                   const cudaStreamAttrValue*) {
  return refuse_stream(stream);
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  const cudaError_t refused = refuse_stream(to);
  return refused != cudaSuccess ? refused : refuse_stream(from);
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, size_t, unsigned int) {
  if (const cudaError_t refused = refuse_stream(stream); refused != cudaSuccess) return refused;
  // Graphs have no node for this call.
  if (const std::shared_ptr<Capture> capture = capture_of(stream))
    return invalidate(*capture, cudaErrorStreamCaptureUnsupported);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const cudaError_t refused = refuse_wait_for(stream);
  if (refused != cudaSuccess) return refused;
  if (StreamOrder* const order = stream_order()) order->host_waits_for(stream);
  return report(emulated().sticky);
}
// All work is already done.
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const cudaError_t refused = refuse_wait_for(stream);
  if (refused != cudaSuccess) return refused;
  if (StreamOrder* const order = stream_order()) order->host_waits_for(stream);
  return report(emulated().sticky);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return run_or_capture(stream, cudaGraphNodeTypeHost, [function, data] {
    if (emulated().sticky != cudaSuccess) return report(emulated().sticky);
    const HostFunctionScope scope;
    function(data);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                  unsigned int) {
  const cudaError_t refused = refuse_callback(stream);
  if (refused != cudaSuccess) return refused;
  const OnStream on(stream);
  const HostFunctionScope scope;
  function(stream, emulated().sticky, data);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  const bool is_shared = (flags & cudaEventInterprocess) != 0;
  const bool has_time = (flags & cudaEventDisableTiming) == 0;
  if (event == nullptr || (flags & ~known) != 0 || (is_shared && has_time))
    return report(cudaErrorInvalidValue);
  if (emulated().sticky != cudaSuccess) return report(emulated().sticky);
  *event = live_events().add(new CUevent_st);
  (*event)->flags = flags;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!live_events().remove(event)) return report(cudaErrorInvalidResourceHandle);
  delete event;
  return report(emulated().sticky);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  if (const cudaError_t refused = refuse_stream(stream); refused != cudaSuccess) return refused;
  if (!live_events().has(event)) return report(cudaErrorInvalidResourceHandle);
  const std::shared_ptr<Capture> capture = capture_of(stream);
  if (capture != nullptr && is_invalid(*capture)) return report(cudaErrorStreamCaptureInvalidated);
  // An event in a capture only lets other streams join the capture. The graph gets no node for it,
  // because the event may be destroyed before the graph runs.
  if (capture != nullptr && (flags & cudaEventRecordExternal) == 0) {
    event->is_captured = true;
    event->capture = capture;
    event->after = capture->last[stream];
    return cudaSuccess;
  }
  return run_or_capture(stream, cudaGraphNodeTypeEventRecord, [event] {
    if (!live_events().has(event)) return report(cudaErrorInvalidResourceHandle);
    event->is_captured = false;
    event->capture.reset();
    if (StreamOrder* const order = stream_order())
      event->done = order->recorded_in(OnStream::current());
    event->time = std::chrono::steady_clock::now();
    event->recorded = true;
    return cudaSuccess;
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}
// A stream that waits for another stream's captured event joins the capture.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  if (const cudaError_t invalid = refuse_stream(stream); invalid != cudaSuccess) return invalid;
  if (!live_events().has(event)) return report(cudaErrorInvalidResourceHandle);
  const cudaError_t refused = refuse_default_stream(stream);
  if (refused != cudaSuccess) return refused;
  const std::shared_ptr<Capture> own = capture_of(stream);
  const std::shared_ptr<Capture> capture = event->capture.lock();
  if ((own != nullptr && is_invalid(*own)) || (capture != nullptr && is_invalid(*capture)))
    return report(cudaErrorStreamCaptureInvalidated);
  if (own != nullptr && capture != own) return wait_outside(stream, event, flags, *own, capture);
  if (StreamOrder* const order = stream_order(); order != nullptr && capture == nullptr)
    order->stream_waits_for(stream, event->done);
  join_capture(stream, capture);
  if (capture != nullptr) {
    std::vector<cudaGraphNode_t>& last = capture->last[stream];
    for (cudaGraphNode_t node : event->after) {
      if (std::find(last.begin(), last.end(), node) == last.end()) last.push_back(node);
    }
  }
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (!live_events().has(event)) return report(cudaErrorInvalidResourceHandle);
  if (const std::shared_ptr<Capture> capture = event->capture.lock())
    return invalidate(*capture, cudaErrorCapturedEvent);
  // The end of the capture records nothing.
  if (event->is_captured) return report(cudaErrorCapturedEvent);
  const cudaError_t refused = refuse_unsafe_call();
  if (refused != cudaSuccess) return refused;
  if (StreamOrder* const order = stream_order()) order->host_waits_for(event->done);
  return report(emulated().sticky);
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (milliseconds == nullptr) return report(cudaErrorInvalidValue);
  if (emulated().sticky != cudaSuccess) return report(emulated().sticky);
  if (!live_events().has(start) || !live_events().has(end))
    return report(cudaErrorInvalidResourceHandle);
  if (!start->recorded || !end->recorded || ((start->flags | end->flags) & cudaEventDisableTiming))
    return report(cudaErrorInvalidResourceHandle);
  // The host may rely on the event from here on.
  if (StreamOrder* const order = stream_order()) order->host_waits_for(end->done);
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return cudaSuccess;
}

}  // extern "C"
