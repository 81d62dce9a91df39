// Asynchronous copies (CC 8.0 and newer) whose results are used before a thread waits for them.

#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

#include "cases.hpp"

namespace faults {
namespace {

constexpr int threads = 64;

__device__ void start_copy(int* to, const int* from) {
  __pipeline_memcpy_async(to + threadIdx.x, from + threadIdx.x, sizeof(int));
}

__device__ int other() { return threads - 1 - threadIdx.x; }

template <bool waits>
__global__ void waited_for(const int* from, int* to) {
  __shared__ int values[threads];
  start_copy(values, from);
  __pipeline_commit();
  if (waits) __pipeline_wait_prior(0);
  __syncthreads();
  to[threadIdx.x] = values[other()];
}

// The upper half of the threads copies from past the end of `from`, or with `ignores` copies zeros.
template <bool ignores>
__global__ void past_end(const int* from, int* to) {
  __shared__ int values[threads];
#if __CUDA_ARCH__ >= 800
  const int ignored = ignores && threadIdx.x >= threads / 2;
  asm volatile(
      "{\n.reg .pred ignored;\nsetp.ne.s32 ignored, %2, 0;\n"
      "cp.async.ca.shared.global [%0], [%1], 4, ignored;\n}" ::"r"(
          static_cast<unsigned>(__cvta_generic_to_shared(values + threadIdx.x))),
      "l"(__cvta_generic_to_global(from + threads / 2 + threadIdx.x)), "r"(ignored)
      : "memory");
#endif
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  to[threadIdx.x] = values[other()];
}

template <bool waits>
__global__ void own_part(const int* from, int* to) {
  __shared__ int values[threads];
  start_copy(values, from);
  __pipeline_commit();
  if (waits) __pipeline_wait_prior(0);
  to[threadIdx.x] = values[threadIdx.x];
}

template <bool meets>
__global__ void met_behind_wait(const int* from, int* to) {
  __shared__ int values[threads];
  start_copy(values, from);
  __pipeline_commit();
  if (!meets) __syncthreads();
  __pipeline_wait_prior(0);
  if (meets) __syncthreads();
  to[threadIdx.x] = values[other()];
}

template <int left>
__global__ void two_groups(const int* from, int* to) {
  __shared__ int values[2 * threads];
  start_copy(values, from);
  __pipeline_commit();
  start_copy(values + threads, from);
  __pipeline_commit();
  __pipeline_wait_prior(left);
  __syncthreads();
  to[threadIdx.x] = values[other()];
}

// If the copy is not committed to a group, no wait covers it.
template <bool commits>
__global__ void committed(const int* from, int* to) {
  __shared__ int values[threads];
  start_copy(values, from);
  if (commits) __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  to[threadIdx.x] = values[other()];
}

// Two buffers take turns: a copy fills one while the threads sum the other.
template <bool meets>
__global__ void turns(const int* from, int* to) {
  __shared__ int values[2][threads];
  int sum = 0;
  start_copy(values[0], from);
  __pipeline_commit();
  for (int turn = 0; turn < 4; ++turn) {
    start_copy(values[1 - turn % 2], from);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += values[turn % 2][other()];
    if (meets) __syncthreads();
  }
  __pipeline_wait_prior(0);
  to[threadIdx.x] = sum;
}

template <bool waits>
__global__ void written_over(const int* from, int* to) {
  __shared__ int values[threads];
  start_copy(values, from);
  __pipeline_commit();
  if (waits) __pipeline_wait_prior(0);
  values[threadIdx.x] = threadIdx.x + 1;
  __pipeline_wait_prior(0);
  to[threadIdx.x] = values[threadIdx.x];
}

template <bool waits>
__global__ void source_written_over(int* from, int* to) {
  __shared__ int values[threads];
  start_copy(values, from);
  __pipeline_commit();
  if (waits) __pipeline_wait_prior(0);
  from[threadIdx.x] = threadIdx.x;
  __pipeline_wait_prior(0);
  to[threadIdx.x] = values[threadIdx.x];
}

template <bool waits>
__global__ void tracked(const int* from, int* to) {
  __shared__ __mbarrier_t arrived;
  __shared__ int values[threads];
  if (threadIdx.x == 0) __mbarrier_init(&arrived, threads);
  __syncthreads();
  start_copy(values, from);
#if __CUDA_ARCH__ >= 800
  __pipeline_arrive_on(&arrived);
  const __mbarrier_token_t token = __mbarrier_arrive(&arrived);
  while (waits && !__mbarrier_test_wait(&arrived, token)) {
  }
#endif
  if (!waits) __syncthreads();
  to[threadIdx.x] = values[other()];
}

template <class Source>
void copied(void (*kernel)(Source*, int*)) {
  const Ints from(threads);
  const Ints to(threads);
  kernel<<<1, threads>>>(from, to);
  finish();
}

}  // namespace

std::vector<Case> copy_cases() {
  return {
      {"async_copy_no_wait", "race", [] { copied(waited_for<false>); }},
      {"async_copy_wait", sound, [] { copied(waited_for<true>); }},
      {"async_copy_past_end", "out_of_bounds", [] { copied(past_end<false>); }},
      {"async_copy_ignores_source_past_end", sound, [] { copied(past_end<true>); }},
      {"async_copy_own_no_wait", "race", [] { copied(own_part<false>); }},
      {"async_copy_own_wait", sound, [] { copied(own_part<true>); }},
      {"async_copy_barrier_before_wait", "race", [] { copied(met_behind_wait<false>); }},
      {"async_copy_barrier_behind_wait", sound, [] { copied(met_behind_wait<true>); }},
      {"async_copy_one_group_too_few", "race", [] { copied(two_groups<2>); }},
      {"async_copy_first_of_two_groups", sound, [] { copied(two_groups<1>); }},
      {"async_copy_not_committed", "race", [] { copied(committed<false>); }},
      {"async_copy_committed", sound, [] { copied(committed<true>); }},
      {"async_copy_into_what_is_read", "race", [] { copied(turns<false>); }},
      {"async_copy_by_turns", sound, [] { copied(turns<true>); }},
      {"async_copy_written_over", "race", [] { copied(written_over<false>); }},
      {"async_copy_then_written", sound, [] { copied(written_over<true>); }},
      {"async_copy_source_written_over", "race", [] { copied(source_written_over<false>); }},
      {"async_copy_then_source_written", sound, [] { copied(source_written_over<true>); }},
      {"async_copy_mbarrier_no_wait", "race", [] { copied(tracked<false>); }},
      {"async_copy_mbarrier_wait", sound, [] { copied(tracked<true>); }},
  };
}

}  // namespace faults
