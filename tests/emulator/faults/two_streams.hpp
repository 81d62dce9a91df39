#pragma once

#include "cases.hpp"

namespace faults {

// Two streams and an event for a program. The destructor waits for both streams.
struct Two {
  cudaStream_t first = nullptr;
  cudaStream_t second = nullptr;
  cudaEvent_t event = nullptr;
  explicit Two(unsigned flags = cudaStreamNonBlocking) {
    check(cudaStreamCreateWithFlags(&first, flags));
    check(cudaStreamCreateWithFlags(&second, flags));
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    check(cudaDeviceSynchronize());
  }
  ~Two() {
    finish();
    check(cudaEventDestroy(event));
    check(cudaStreamDestroy(second));
    check(cudaStreamDestroy(first));
  }
};

}  // namespace faults
