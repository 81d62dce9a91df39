#include "warpwise/gpu/stream.hpp"

#include <utility>

#include "warpwise/gpu/check.hpp"

namespace warpwise::gpu {

Stream::Stream() {
  check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}

Stream::~Stream() {
  if (handle_ != nullptr) cudaStreamDestroy(handle_);
}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

void Stream::synchronize() const { check(cudaStreamSynchronize(handle_), "cudaStreamSynchronize"); }

Event::Event() { check(cudaEventCreate(&handle_), "cudaEventCreate"); }

Event::~Event() {
  if (handle_ != nullptr) cudaEventDestroy(handle_);
}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

void Event::record(StreamHandle stream) {
  check(cudaEventRecord(handle_, stream), "cudaEventRecord");
}

void Event::synchronize() const { check(cudaEventSynchronize(handle_), "cudaEventSynchronize"); }

double Event::microseconds_since(const Event& start) const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start.handle_, handle_), "cudaEventElapsedTime");
  return 1000.0 * milliseconds;
}

}  // namespace warpwise::gpu
