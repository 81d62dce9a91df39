#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

/// Programs with one fault each. Beside each is a similar program without a fault.
namespace faults {

inline constexpr const char* sound = "sound";

/// A program that has one fault, or none.
struct Case {
  const char* name;
  const char* kind;  ///< the fault's kind as `warpwise run` names it, or `sound`
  void (*run)();
  const char* missed = "";  ///< why the emulator misses the fault; "" if it does not
  bool hangs_gpu = false;   ///< true: a GPU could not end the program, so none runs it
};

std::vector<Case> memory_cases();
std::vector<Case> lifetime_cases();
std::vector<Case> init_cases();
std::vector<Case> race_cases();
std::vector<Case> copy_cases();
std::vector<Case> lane_cases();
std::vector<Case> order_cases();
std::vector<Case> sync_cases();
std::vector<Case> runtime_cases();
std::vector<Case> stream_cases();
std::vector<Case> graph_cases();

/// Prints an error on standard output; the program continues.
void check(cudaError_t error);

/// Waits for the device, and prints errors of launches and of their kernels.
void finish();

/// Device memory, filled with zeros or left with arbitrary content.
template <class T>
class Buffer {
 public:
  enum class Content { zeros, anything };
  explicit Buffer(std::size_t count, Content content = Content::zeros) {
    check(cudaMalloc(&data_, count * sizeof(T)));
    if (content == Content::zeros) check(cudaMemset(data_, 0, count * sizeof(T)));
  }
  ~Buffer() { check(cudaFree(data_)); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  operator T*() const { return data_; }

 private:
  T* data_ = nullptr;
};

using Ints = Buffer<int>;

}  // namespace faults
