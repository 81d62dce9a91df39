// Use after free, invalid frees, leaks, stack overflows, calls of null pointers, and assertions.

#include <cassert>
#include <cstdlib>

#include "cases.hpp"

namespace faults {
namespace {

__global__ void fill(int* to) { to[threadIdx.x] = threadIdx.x; }

__global__ void heap(int* to, int count, int frees) {
  int* const own = static_cast<int*>(malloc(16 * sizeof(int)));
  if (own == nullptr) return;
  for (int i = 0; i < count; ++i) own[i] = i;
  to[threadIdx.x] = own[15];
  for (int i = 0; i < frees; ++i) free(own);
}

__global__ void heap_after_free(int* to, int late) {
  int* const own = static_cast<int*>(malloc(16 * sizeof(int)));
  if (own == nullptr) return;
  own[0] = 1;
  if (late == 0) to[threadIdx.x] = *static_cast<volatile int*>(own);
  free(own);
  if (late != 0) to[threadIdx.x] = *static_cast<volatile int*>(own);
}

__device__ __noinline__ int deep(int depth, volatile int* to) {
  int values[64];
  for (int i = 0; i < 64; ++i) values[i] = to[i & 31] + depth;
  if (depth > 0) values[depth & 63] += deep(depth - 1, to);
  return values[(depth + to[0]) & 63];
}

__global__ void recursion(int* to, int depth) {
  const int sum = deep(depth, to);
  __syncwarp();  // until then, all lanes read all of `to`
  to[threadIdx.x] = sum;
}

using Function = int (*)(int);
__device__ int twice(int value) { return 2 * value; }
__device__ int thrice(int value) { return 3 * value; }

__global__ void call(int* to, int which) {
  const Function functions[] = {twice, thrice, nullptr};
  to[threadIdx.x] = functions[which](threadIdx.x);
}

__global__ void asserts(int limit) { assert(static_cast<int>(threadIdx.x) < limit); }

void heap_case(int count, int frees) {
  const Ints to(32);
  heap<<<1, 1>>>(to, count, frees);
  finish();
}

void array(bool frees) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t made = nullptr;
  check(cudaMallocArray(&made, &format, 16, 16));
  if (frees) check(cudaFreeArray(made));
}

void array_case(int frees) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  check(cudaMallocArray(&array, &format, 8, 4));
  for (int i = 0; i < frees; ++i) check(cudaFreeArray(array));
}

}  // namespace

std::vector<Case> lifetime_cases() {
  return {
      {"use_after_free", "use_after_free",
       [] {
         int* memory = nullptr;
         check(cudaMalloc(&memory, 128));
         check(cudaFree(memory));
         fill<<<1, 32>>>(memory);
         finish();
       }},
      {"use_before_free", sound,
       [] {
         int* memory = nullptr;
         check(cudaMalloc(&memory, 128));
         fill<<<1, 32>>>(memory);
         finish();
         check(cudaFree(memory));
       }},
      {"use_after_free_and_new", "use_after_free",
       [] {
         int* memory = nullptr;
         check(cudaMalloc(&memory, 128));
         check(cudaFree(memory));
         const Ints next(32);
         fill<<<1, 32>>>(memory);
         finish();
       }},
      {"use_of_new", sound,
       [] {
         int* memory = nullptr;
         check(cudaMalloc(&memory, 128));
         check(cudaFree(memory));
         const Ints next(32);
         fill<<<1, 32>>>(next);
         finish();
       }},
      {"use_after_free_async", "use_after_free",
       [] {
         int* memory = nullptr;
         check(cudaMallocAsync(&memory, 128, nullptr));
         check(cudaFreeAsync(memory, nullptr));
         fill<<<1, 32>>>(memory);
         finish();
       }},
      {"use_before_free_async", sound,
       [] {
         int* memory = nullptr;
         check(cudaMallocAsync(&memory, 128, nullptr));
         fill<<<1, 32>>>(memory);
         check(cudaFreeAsync(memory, nullptr));
         finish();
       }},
      {"freed_twice", "invalid_free",
       [] {
         int* memory = nullptr;
         check(cudaMalloc(&memory, 128));
         check(cudaFree(memory));
         check(cudaFree(memory));
       }},
      {"array_freed_twice", "invalid_free", [] { array_case(2); }},
      {"array_freed_once", sound, [] { array_case(1); }},
      {"freed_null", sound,
       [] {
         int* memory = nullptr;
         check(cudaMalloc(&memory, 128));
         check(cudaFree(memory));
         check(cudaFree(nullptr));
       }},
      {"freed_middle", "invalid_free",
       [] {
         int* memory = nullptr;
         check(cudaMalloc(&memory, 128));
         check(cudaFree(memory + 4));
         check(cudaFree(memory));
       }},
      {"freed_begin", sound,
       [] {
         int* memory = nullptr;
         check(cudaMalloc(&memory, 128));
         int* const middle = memory + 4;
         check(cudaFree(middle - 4));
       }},
      {"freed_host_memory", "invalid_free",
       [] {
         static int on_host[32];
         check(cudaFree(on_host));
       }},
      {"freed_pinned_as_pinned", sound,
       [] {
         int* memory = nullptr;
         check(cudaMallocHost(&memory, 128));
         check(cudaFreeHost(memory));
       }},
      {"freed_pinned_as_device", "invalid_free",
       [] {
         int* memory = nullptr;
         check(cudaMallocHost(&memory, 128));
         check(cudaFree(memory));
       }},
      {"freed_managed_as_device", sound,
       [] {
         int* memory = nullptr;
         check(cudaMallocManaged(&memory, 128));
         check(cudaFree(memory));
       }},
      {"never_freed_array", "leak", [] { array(false); }},
      {"freed_array", sound, [] { array(true); }},
      {"freed_async_twice", "invalid_free",
       [] {
         int* memory = nullptr;
         check(cudaMallocAsync(&memory, 128, nullptr));
         check(cudaFreeAsync(memory, nullptr));
         check(cudaFreeAsync(memory, nullptr));
         check(cudaDeviceSynchronize());
       }},
      {"freed_async_once", sound,
       [] {
         int* memory = nullptr;
         check(cudaMallocAsync(&memory, 128, nullptr));
         check(cudaFreeAsync(memory, nullptr));
         check(cudaDeviceSynchronize());
       }},
      {"never_freed", "leak",
       [] {
         int* memory = nullptr;
         check(cudaMalloc(&memory, 1000));
         fill<<<1, 32>>>(memory);
         finish();
       }},
      {"never_freed_async", "leak",
       [] {
         int* memory = nullptr;
         check(cudaMallocAsync(&memory, 1000, nullptr));
         fill<<<1, 32>>>(memory);
         finish();
       }},
      {"never_freed_managed", "leak",
       [] {
         int* memory = nullptr;
         check(cudaMallocManaged(&memory, 1000));
         memory[0] = 1;
       }},
      {"never_freed_pinned", "leak",
       [] {
         int* memory = nullptr;
         check(cudaMallocHost(&memory, 1000));
         memory[0] = 1;
       }},
      {"freed_all", sound,
       [] {
         int* memory[3] = {};
         check(cudaMalloc(&memory[0], 1000));
         check(cudaMallocManaged(&memory[1], 1000));
         check(cudaMallocHost(&memory[2], 1000));
         fill<<<1, 32>>>(memory[0]);
         finish();
         check(cudaFree(memory[0]));
         check(cudaFree(memory[1]));
         check(cudaFreeHost(memory[2]));
       }},
      {"freed_by_reset", sound,
       [] {
         int* memory = nullptr;
         check(cudaMalloc(&memory, 1000));
         fill<<<1, 32>>>(memory);
         finish();
         check(cudaDeviceReset());
       }},
      {"heap_past_end", "out_of_bounds", [] { heap_case(1 << 22, 1); }},
      {"heap_one_past_end", "out_of_bounds", [] { heap_case(17, 1); }},
      {"heap_to_the_end", sound, [] { heap_case(16, 1); }},
      {"heap_freed_twice", "invalid_free", [] { heap_case(16, 2); }},
      {"heap_never_freed", "leak", [] { heap_case(16, 0); }},
      {"heap_after_free", "use_after_free",
       [] {
         const Ints to(32);
         heap_after_free<<<1, 1>>>(to, 1);
         finish();
       }},
      {"heap_before_free", sound,
       [] {
         const Ints to(32);
         heap_after_free<<<1, 1>>>(to, 0);
         finish();
       }},
      {"recursion_too_deep", "stack_overflow",
       [] {
         const Ints to(32);
         recursion<<<1, 32>>>(to, 100000);
         finish();
       }},
      {"recursion_shallow", sound,
       [] {
         check(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
         const Ints to(32);
         recursion<<<1, 32>>>(to, 8);
         finish();
       }},
      {"call_of_null", "bad_call",
       [] {
         const Ints to(32);
         call<<<1, 32>>>(to, 2);
         finish();
       }},
      {"call_of_function", sound,
       [] {
         const Ints to(32);
         call<<<1, 32>>>(to, 1);
         finish();
       }},
      {"assert_fails", "assertion",
       [] {
         asserts<<<1, 32>>>(16);
         finish();
       }},
      {"assert_holds", sound,
       [] {
         asserts<<<1, 32>>>(32);
         finish();
       }},
      {"memory_of_no_bytes", sound,
       [] {
         void* device = nullptr;
         void* pinned = nullptr;
         check(cudaMalloc(&device, 0));
         check(cudaMallocHost(&pinned, 0));
         check(cudaFree(device));
         check(cudaFreeHost(pinned));
       }},
  };
}

}  // namespace faults
