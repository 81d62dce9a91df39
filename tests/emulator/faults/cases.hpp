#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

/// Programs with one fault each, and beside each a right program that looks like it.
namespace faults {

inline constexpr const char* sound = "sound";

/// One program.
struct Case {
  const char* name;
  const char* kind;  ///< kind of its fault, as `warpwise run` names it, or `sound`
  void (*run)();
  const char* missed = "";  ///< why the emulator does not report the fault
  bool hangs_gpu = false;   ///< never run on a GPU, which cannot end it
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

/// Device memory, of zeros or with arbitrary content.
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
