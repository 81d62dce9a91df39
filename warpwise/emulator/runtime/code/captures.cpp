// Captures of streams, and the calls that a GPU refuses during a capture.

#include <algorithm>
#include <functional>
#include <thread>
#include <utility>

#include "warpwise/emulator/runtime/checks/stream_order.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"

namespace warpwise::emulator::runtime {
namespace {

thread_local cudaStreamCaptureMode own_capture_mode = cudaStreamCaptureModeGlobal;

thread_local bool checks_alone = false;

/// Invalidates the captures that forbid a call. Returns `error` if any capture forbids it.
cudaError_t refused(cudaError_t error,
                    const std::function<bool(cudaStream_t, const Capture&)>& forbids) {
  Runtime& own = emulated();
  bool is_refused = false;
  {
    const std::lock_guard lock(own.mutex);
    for (const auto& [stream, capture] : own.captures) {
      if (forbids(stream, *capture)) capture->is_invalid = is_refused = true;
    }
  }
  return is_refused ? report(error) : cudaSuccess;
}

bool is_blocking(cudaStream_t stream) {
  unsigned int flags = 0;
  cudaStreamGetFlags(stream, &flags);
  return (flags & cudaStreamNonBlocking) == 0;
}

bool is_legacy_of_program(cudaStream_t stream) {
  // Work that runs as a part of a graph or of other work is no call of the program.
  return (stream == nullptr || stream == cudaStreamLegacy) && !OnStream::is_any();
}

/// Returns true if work in a legacy default stream would wait for a stream that captures.
bool is_followed(cudaStream_t captured, const Capture& capture, cudaStream_t legacy) {
  return is_blocking(captured) && (capture.has_legacy_stream || legacy == cudaStreamLegacy);
}

}  // namespace

ChecksAlone::ChecksAlone() { checks_alone = true; }
ChecksAlone::~ChecksAlone() { checks_alone = false; }
bool ChecksAlone::exist() { return checks_alone; }

std::shared_ptr<Capture> capture_of(cudaStream_t stream) {
  Runtime& own = emulated();
  const std::lock_guard lock(own.mutex);
  const auto found = own.captures.find(stream);
  return found == own.captures.end() ? nullptr : found->second;
}

void join_capture(cudaStream_t stream, std::shared_ptr<Capture> capture) {
  if (capture == nullptr) return;
  Runtime& own = emulated();
  const std::lock_guard lock(own.mutex);
  own.captures[stream] = std::move(capture);
}

void leave_capture(const Capture& capture) {
  Runtime& own = emulated();
  const std::lock_guard lock(own.mutex);
  std::erase_if(own.captures, [&](const auto& each) { return each.second.get() == &capture; });
}

bool is_invalid(const Capture& capture) {
  const std::lock_guard lock(emulated().mutex);
  return capture.is_invalid;
}

cudaError_t invalidate(Capture& capture, cudaError_t error) {
  const std::lock_guard lock(emulated().mutex);
  capture.is_invalid = true;
  return report(error);
}

cudaStreamCaptureMode exchange_capture_mode(cudaStreamCaptureMode mode) {
  return std::exchange(own_capture_mode, mode);
}

cudaError_t refuse_unsafe_call() {
  if (emulated().sticky != cudaSuccess) return report(emulated().sticky);
  if (own_capture_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  return refused(cudaErrorStreamCaptureUnsupported, [](cudaStream_t, const Capture& capture) {
    if (capture.thread == std::this_thread::get_id())
      return capture.mode != cudaStreamCaptureModeRelaxed;
    return capture.mode == cudaStreamCaptureModeGlobal &&
           own_capture_mode == cudaStreamCaptureModeGlobal;
  });
}

cudaError_t refuse_wait_for_all() {
  return refused(cudaErrorStreamCaptureUnsupported,
                 [](cudaStream_t, const Capture&) { return true; });
}

cudaError_t refuse_default_stream(cudaStream_t stream) {
  if (!is_legacy_of_program(stream)) return cudaSuccess;
  return refused(cudaErrorStreamCaptureImplicit,
                 [&](cudaStream_t captured, const Capture& capture) {
                   return is_followed(captured, capture, stream);
                 });
}

bool follows_capture(cudaStream_t stream) {
  if (!is_legacy_of_program(stream)) return false;
  Runtime& own = emulated();
  const std::lock_guard lock(own.mutex);
  return std::ranges::any_of(own.captures, [&](const auto& each) {
    return is_followed(each.first, *each.second, stream);
  });
}

cudaError_t refuse_wait_for(cudaStream_t stream) {
  if (const cudaError_t refused = refuse_stream(stream); refused != cudaSuccess) return refused;
  if (const std::shared_ptr<Capture> capture = capture_of(stream))
    return invalidate(*capture, cudaErrorStreamCaptureUnsupported);
  const cudaError_t error = refuse_default_stream(stream);
  return error != cudaSuccess ? error : refuse_unsafe_call();
}

cudaError_t refuse_callback(cudaStream_t stream) {
  if (!is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  if (const std::shared_ptr<Capture> capture = capture_of(stream))
    return invalidate(*capture, cudaErrorStreamCaptureUnsupported);
  return refuse_default_stream(stream);
}

}  // namespace warpwise::emulator::runtime
