// Unordered accesses by the threads of one block.

#include <cooperative_groups.h>

#include <cstdio>

#include "cases.hpp"

namespace faults {
namespace {

template <bool ordered>
__global__ void reversed(int* to) {
  __shared__ int values[64];
  values[threadIdx.x] = threadIdx.x;
  if (ordered) __syncthreads();
  to[threadIdx.x] = values[63 - threadIdx.x];
}

template <bool ordered>
__global__ void reduction(int* to) {
  __shared__ int values[128];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (threadIdx.x < step) values[threadIdx.x] += values[threadIdx.x + step];
    if (ordered) __syncthreads();
  }
  if (threadIdx.x == 0) *to = values[0];
}

// The writes of the next round must wait for the reads of this round.
template <bool ordered>
__global__ void rounds(int* to) {
  __shared__ int values[64];
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    values[threadIdx.x] = threadIdx.x + round;
    __syncthreads();
    sum += values[63 - threadIdx.x];
    if (ordered) __syncthreads();
  }
  to[threadIdx.x] = sum;
}

template <bool atomic>
__global__ void histogram(int* to) {
  __shared__ int bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  if (atomic)
    atomicAdd(bins + threadIdx.x % 4, 1);
  else
    bins[threadIdx.x % 4] += 1;
  __syncthreads();
  if (threadIdx.x < 4) to[threadIdx.x] = bins[threadIdx.x];
}

template <bool ordered>
__global__ void in_warp(int* to) {
  __shared__ int values[32];
  values[threadIdx.x] = threadIdx.x;
  if (ordered) __syncwarp();
  to[threadIdx.x] = values[31 - threadIdx.x];
}

// With two buffers, a round needs one barrier; with one buffer, it needs two.
template <int buffers>
__global__ void buffered(int* to) {
  __shared__ int values[buffers][64];
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    int* const own = values[round % buffers];
    own[threadIdx.x] = threadIdx.x + round;
    __syncthreads();
    sum += own[63 - threadIdx.x];
  }
  to[threadIdx.x] = sum;
}

template <bool ordered>
__global__ void through_global(int* between, int* to) {
  between[threadIdx.x] = threadIdx.x;
  if (ordered) __syncthreads();
  to[threadIdx.x] = between[63 - threadIdx.x];
}

template <bool ordered>
__global__ void warp_through_global(int* between, int* to) {
  between[threadIdx.x] = threadIdx.x;
  if (ordered) __syncwarp();
  to[threadIdx.x] = between[31 - threadIdx.x];
}

__global__ void all_set(int* to) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x % 3 == 0) flag = 1;
  __syncthreads();
  to[threadIdx.x] = flag;
}

__global__ void one_slot(int* to) {
  __shared__ int last;
  last = threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = last;
}

__global__ void one_slot_of_one(int* to) {
  __shared__ int last;
  if (threadIdx.x == 40) last = threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = last;
}

// A tile and its halo: thread 1 writes the last element, which thread 63 reads.
template <bool ordered>
__global__ void halo(const int* from, int* to) {
  __shared__ int tile[66];
  tile[threadIdx.x + 1] = from[threadIdx.x + 1];
  if (threadIdx.x < 2) tile[threadIdx.x * 65] = from[threadIdx.x * 65];
  if (ordered) __syncthreads();
  to[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 2];
}

template <bool locked>
__global__ void lock(int* to) {
  __shared__ int taken;
  __shared__ int sum;
  if (threadIdx.x == 0) taken = sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (locked && atomicCAS(&taken, 0, 1) != 0) {
    }
    __threadfence_block();
    *static_cast<volatile int*>(&sum) = sum + 1;
    __threadfence_block();
    if (locked) atomicExch(&taken, 0);
  }
  __syncthreads();
  to[threadIdx.x] = sum;
}

void alone(void (*kernel)(int*), int threads) {
  const Ints to(128);
  kernel<<<1, threads>>>(to);
  finish();
}

void with_second(void (*kernel)(int*, int*), int threads) {
  const Ints between(128);
  const Ints to(128);
  kernel<<<1, threads>>>(between, to);
  finish();
}

void with_source(void (*kernel)(const int*, int*)) {
  const Ints from(128);
  const Ints to(128);
  kernel<<<1, 64>>>(from, to);
  finish();
}

// Makes more races than the number after which a launch with a race check is stopped.
__global__ void many_races(int* to, int* ends) {
  for (int i = 0; i < 1100; ++i) to[i] = threadIdx.x + i;
  atomicAdd(ends, 1);
}

// Calls printf after a race in the same warp.
__global__ void race_then_printf(int* to) {
  __shared__ int value;
  value = threadIdx.x;
  if (threadIdx.x == 32) printf("%d\n", 7);
  __syncthreads();
  if (threadIdx.x == 0) *to = value;
}

}  // namespace

std::vector<Case> race_cases() {
  return {
      {"shared_no_barrier", "race", [] { alone(reversed<false>, 64); }},
      {"shared_barrier", sound, [] { alone(reversed<true>, 64); }},
      {"reduction_no_barrier", "race", [] { alone(reduction<false>, 128); }},
      {"reduction_barrier", sound, [] { alone(reduction<true>, 128); }},
      {"rounds_no_second_barrier", "race", [] { alone(rounds<false>, 64); }},
      {"rounds_second_barrier", sound, [] { alone(rounds<true>, 64); }},
      {"one_buffer_one_barrier", "race", [] { alone(buffered<1>, 64); }},
      {"two_buffers_one_barrier", sound, [] { alone(buffered<2>, 64); }},
      {"histogram_plain", "race", [] { alone(histogram<false>, 64); }},
      {"histogram_atomic", sound, [] { alone(histogram<true>, 64); }},
      {"warp_no_syncwarp", "race", [] { alone(in_warp<false>, 32); }},
      {"warp_syncwarp", sound, [] { alone(in_warp<true>, 32); }},
      {"halo_no_barrier", "race", [] { with_source(halo<false>); }},
      {"halo_barrier", sound, [] { with_source(halo<true>); }},
      {"one_slot_of_many", "race", [] { alone(one_slot, 64); }},
      {"one_slot_of_one", sound, [] { alone(one_slot_of_one, 64); }},
      {"equal_values", sound, [] { alone(all_set, 64); }},
      {"lock_missing", "race", [] { alone(lock<false>, 64); }},
      {"lock_taken", sound, [] { alone(lock<true>, 64); }},
      {"global_in_block_no_barrier", "race", [] { with_second(through_global<false>, 64); }},
      {"global_in_block_barrier", sound, [] { with_second(through_global<true>, 64); }},
      {"global_in_warp_no_syncwarp", "race", [] { with_second(warp_through_global<false>, 32); }},
      {"global_in_warp_syncwarp", sound, [] { with_second(warp_through_global<true>, 32); }},
      {"many_races", "race",
       [] {
         const Ints to(1100);
         const Ints ends(1);
         many_races<<<1, 1024>>>(to, ends);
         finish();
         int count = 0;
         check(cudaMemcpy(&count, ends, sizeof(count), cudaMemcpyDeviceToHost));
         std::printf("%d threads ended\n", count);
       }},
      {"race_then_printf", "race",
       [] {
         const Ints to(1);
         race_then_printf<<<1, 64>>>(to);
         finish();
       }},
  };
}

}  // namespace faults
