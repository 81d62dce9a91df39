#pragma once

// Helpers of the programs in this folder. A program gives the same results on a GPU of CC 9.0 and
// on the emulated one. It prints a line for each check, and ends with status 1 if a check failed.

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace hopper {

inline int failures = 0;

inline void require(cudaError_t error, const char* what, int line) {
  if (error == cudaSuccess) return;
  std::printf("line %d: %s: %s\n", line, what, cudaGetErrorString(error));
  std::exit(1);
}
#define REQUIRE(call) hopper::require(call, #call, __LINE__)

inline void report(const char* name, bool is_right) {
  std::printf("%s: %s\n", name, is_right ? "right" : "WRONG");
  failures += is_right ? 0 : 1;
}

/// Frees memory when the program ends.
inline void keep(void* memory) {
  struct Kept {
    std::vector<void*> all;
    ~Kept() {
      for (void* each : all) cudaFree(each);
    }
  };
  static Kept kept;
  kept.all.push_back(memory);
}

/// Returns managed memory, which is kept until the program ends.
template <class T>
T* managed(std::size_t count) {
  T* memory = nullptr;
  REQUIRE(cudaMallocManaged(&memory, count * sizeof(T)));
  keep(memory);
  for (std::size_t i = 0; i < count; ++i) memory[i] = T{};
  return memory;
}

/// Random numbers that are the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>(state_ >> 33);
  }
  /// Returns a random integer from -range to range.
  int integer(int range) { return static_cast<int>(next() % (2U * range + 1)) - range; }
  float unit() { return static_cast<float>(next() >> 7) / (1 << 24) * 2 - 1; }

 private:
  std::uint64_t state_;
};

/// Returns a hash of a result's bytes, to compare the results of two machines.
inline std::uint64_t hash_of(const void* data, std::size_t bytes) {
  std::uint64_t hash = 14695981039346656037U;
  for (std::size_t i = 0; i < bytes; ++i)
    hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211U;
  return hash;
}

/// Checks a result's hash against a hash from a GPU of CC 9.0. Prints it if they differ.
inline void same_bits(const char* name, std::uint64_t hash, std::uint64_t expected) {
  report(name, hash == expected);
  if (hash != expected) std::printf("its hash: %016llx\n", static_cast<unsigned long long>(hash));
}

}  // namespace hopper
