// Races between lanes of one warp, reads of values that no lane has written, and a lock kept.

#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>
#include <mma.h>

#include "cases.hpp"

namespace faults {
namespace {

// The lanes of the first warp write words, and then one lane sets a flag on behalf of all.
template <bool meets>
__global__ void flag_of_one_lane(int* flag, int* to) {
  __shared__ int values[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    values[lane] = lane;
    if (meets) __syncwarp();
    if (lane == 0) {
      __threadfence_block();
      atomicExch(flag, 1);
    }
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence_block();
    to[lane] = values[lane];
  }
}

// One lane arrives at an mbarrier on behalf of the 32 lanes of its warp.
template <bool meets>
__global__ void arrival_of_one_lane(int*, int* to) {
  __shared__ __mbarrier_t barrier;
  __shared__ int values[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) __mbarrier_init(&barrier, 33);
  __syncthreads();
  if (threadIdx.x < 32) {
    values[lane] = lane;
    if (meets) __syncwarp();
    if (lane == 0) __mbarrier_arrive(&barrier);
  } else {
    const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, token)) {
    }
    to[lane] = values[lane];
  }
}

template <bool meets>
__global__ void stored_matrix(int*, int* to) {
  using namespace nvcuda;
  __shared__ float sums[256];
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fragment;
  wmma::fill_fragment(fragment, 1.0F);
  wmma::store_matrix_sync(sums, fragment, 16, wmma::mem_row_major);
  if (meets) __syncwarp();
  to[threadIdx.x] = static_cast<int>(sums[threadIdx.x * 8 + 7]);
}

template <bool meets>
__global__ void loaded_matrix(int*, int* to) {
  __shared__ __align__(16) int rows[32];
  rows[threadIdx.x] = threadIdx.x;
  if (meets) __syncwarp();
  int value = 0;
  const auto row = static_cast<unsigned>(__cvta_generic_to_shared(rows + threadIdx.x % 8 * 4));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(value)
               : "r"(row)
               : "memory");
  to[threadIdx.x] = value;
}

// A warp adds numbers as in old programs, for GPUs whose lanes run in lockstep.
template <bool meets>
__global__ void volatile_sums(int*, int* to) {
  __shared__ volatile int sums[64];
  sums[threadIdx.x] = threadIdx.x;
  sums[threadIdx.x + 32] = 0;
  __syncthreads();
  for (int step = 16; step > 0; step /= 2) {
    const int other = sums[threadIdx.x + step];
    if (meets) __syncwarp();
    sums[threadIdx.x] = sums[threadIdx.x] + other;
    if (meets) __syncwarp();
  }
  if (threadIdx.x == 0) *to = sums[0];
}

// A barrier does not wait for what a warp writes after its bar.arrive.
template <bool early>
__global__ void arrive_and_exit(int*, int* to) {
  __shared__ int values[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    if (early) values[lane] = lane;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    if (!early) values[lane] = lane;
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    to[lane] = values[lane];
  }
}

template <bool atomic>
__global__ void read_beside_atomics(int* count, int* to) {
  if (blockIdx.x == 0)
    atomicAdd(count, 1);
  else
    to[threadIdx.x] = atomic ? atomicAdd(count, 0) : *count;
}

// Each block marks itself under a lock, then polls all marks. Block 5 may never release the lock.
template <bool releases>
__global__ void rounds_with_lock(int* lock, int* marked) {
  bool all = false;
  do {
    if (threadIdx.x == 0) {
      while (atomicCAS(lock, 0, 1) != 0) {
      }
      __threadfence();
      atomicExch(marked + blockIdx.x, 1);
      __threadfence();
      if (releases || blockIdx.x != 5) atomicExch(lock, 0);
    }
    all = threadIdx.x >= gridDim.x || atomicAdd(marked + threadIdx.x, 0) != 0;
  } while (__syncthreads_and(all) == 0);
}

__global__ void shuffled_down(int* to, int distance) {
  to[threadIdx.x] = __shfl_down_sync(~0U, static_cast<int>(threadIdx.x), distance, 16) + 1;
}

// An atomic exchange on unwritten memory is allowed, but its result must not be used.
template <bool uses>
__global__ void exchanged(int* places, int* to) {
  const int before = atomicExch(places + threadIdx.x, 5);
  to[threadIdx.x] = uses ? before + 1 : 1;
}

// Threads from 20 on do not copy. With `fills` they write zeros; otherwise their words stay unset.
template <bool fills>
__global__ void copy_of_some(const int* from, int* to) {
  __shared__ int values[32];
  if (threadIdx.x < 20)
    __pipeline_memcpy_async(values + threadIdx.x, from + threadIdx.x, sizeof(int));
  else if (fills)
    values[threadIdx.x] = 0;
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
  to[threadIdx.x] = values[31 - threadIdx.x] + 1;
}

template <class Kernel>
void with_second(Kernel kernel, int blocks, int threads) {
  const Ints first(128);
  const Ints to(128);
  kernel<<<blocks, threads>>>(first, to);
  finish();
}

void with_distance(int threads, int distance) {
  const Ints to(32);
  shuffled_down<<<1, threads>>>(to, distance);
  finish();
}

void exchange(void (*kernel)(int*, int*)) {
  const Ints places(32, Ints::Content::anything);
  const Ints to(32);
  kernel<<<1, 32>>>(places, to);
  finish();
}

}  // namespace

std::vector<Case> lane_cases() {
  return {
      {"lane_flag_no_syncwarp", "race", [] { with_second(flag_of_one_lane<false>, 1, 64); }},
      {"lane_flag_syncwarp", sound, [] { with_second(flag_of_one_lane<true>, 1, 64); }},
      {"lane_arrival_no_syncwarp", "race", [] { with_second(arrival_of_one_lane<false>, 1, 64); }},
      {"lane_arrival_syncwarp", sound, [] { with_second(arrival_of_one_lane<true>, 1, 64); }},
      {"matrix_stored_no_syncwarp", "race", [] { with_second(stored_matrix<false>, 1, 32); }},
      {"matrix_stored_syncwarp", sound, [] { with_second(stored_matrix<true>, 1, 32); }},
      {"matrix_loaded_no_syncwarp", "race", [] { with_second(loaded_matrix<false>, 1, 32); }},
      {"matrix_loaded_syncwarp", sound, [] { with_second(loaded_matrix<true>, 1, 32); }},
      {"volatile_sums_no_syncwarp", "lockstep", [] { with_second(volatile_sums<false>, 1, 32); }},
      {"volatile_sums_syncwarp", sound, [] { with_second(volatile_sums<true>, 1, 32); }},
      {"written_behind_arrival", "race", [] { with_second(arrive_and_exit<false>, 1, 64); }},
      {"written_before_arrival", sound, [] { with_second(arrive_and_exit<true>, 1, 64); }},
      {"atomics_read_plain", "race", [] { with_second(read_beside_atomics<false>, 2, 32); }},
      {"atomics_read_atomic", sound, [] { with_second(read_beside_atomics<true>, 2, 32); }},
      {"rounds_lock_kept", "livelock", [] { with_second(rounds_with_lock<false>, 16, 64); }, "",
       true},
      {"rounds_lock_released", sound, [] { with_second(rounds_with_lock<true>, 16, 64); }},
      {"shuffle_of_absent_lanes", "uninitialised", [] { with_distance(16 + 8, 8); }},
      {"shuffle_of_present_lanes", sound, [] { with_distance(32, 8); }},
      {"exchange_uses_unwritten", "uninitialised", [] { exchange(exchanged<true>); }},
      {"exchange_overwrites_unwritten", sound, [] { exchange(exchanged<false>); }},
      {"async_copy_of_some", "uninitialised", [] { with_second(copy_of_some<false>, 1, 32); }},
      {"async_copy_of_some_and_zeros", sound, [] { with_second(copy_of_some<true>, 1, 32); }},
  };
}

}  // namespace faults
