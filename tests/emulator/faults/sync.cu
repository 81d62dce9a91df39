// Barriers and masks without some of their threads, and kernels that never end.

#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/std/chrono>

#include "cases.hpp"

namespace faults {
namespace {

__global__ void barrier_of_half(int* to) {
  if (threadIdx.x < 32) {
    to[threadIdx.x] = 1;
    __syncthreads();
  } else {
    to[threadIdx.x] = 2;
  }
}

__global__ void barrier_of_all(int* to) {
  if (threadIdx.x < 32)
    to[threadIdx.x] = 1;
  else
    to[threadIdx.x] = 2;
  __syncthreads();
}

__global__ void barrier_in_warp(int* to) {
  if (threadIdx.x % 32 < 16) {
    to[threadIdx.x] = 1;
    __syncthreads();
  }
}

__global__ void early_exit(int* to, int count) {
  if (threadIdx.x >= count) return;
  to[threadIdx.x] = 1;
  __syncthreads();
  to[threadIdx.x] += 1;
}

__global__ void early_skip(int* to, int count) {
  if (threadIdx.x < count) to[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x < count) to[threadIdx.x] += 1;
}

__global__ void two_barriers(int* to) {
  if (threadIdx.x < 32) {
    to[threadIdx.x] = 1;
    __syncthreads();
    to[threadIdx.x] += 3;
  } else {
    to[threadIdx.x] = 2;
    __syncthreads();
    to[threadIdx.x] += 4;
  }
}

__global__ void rounds(int* to, int own) {
  const int count = own != 0 && threadIdx.x >= 32 ? 3 : 4;
  for (int i = 0; i < count; ++i) {
    to[threadIdx.x] += i;
    __syncthreads();
  }
}

__global__ void shuffle_of_half(int* to, unsigned mask) {
  int value = threadIdx.x;
  if (threadIdx.x < 16) value = __shfl_xor_sync(mask, value, 1);
  to[threadIdx.x] = value;
  __syncwarp();
}

__global__ void shuffle_without_self(int* to, unsigned mask) {
  to[threadIdx.x] = __shfl_down_sync(mask, static_cast<int>(threadIdx.x), 1);
}

__global__ void vote_of_half(int* to, unsigned mask) {
  if (threadIdx.x < 16) to[threadIdx.x] = __ballot_sync(mask, threadIdx.x & 1);
  __syncwarp();
}

__global__ void vote_and_end(int* to, unsigned mask) {
  if (threadIdx.x < 16) to[threadIdx.x] = __ballot_sync(mask, threadIdx.x & 1);
}

__global__ void syncwarp_of_half(int* to, unsigned mask) {
  if (threadIdx.x < 16) {
    to[threadIdx.x] = 1;
    __syncwarp(mask);
  } else {
    to[threadIdx.x] = 2;
  }
  to[threadIdx.x] += __shfl_down_sync(~0U, static_cast<int>(threadIdx.x), 1);
}

__global__ void different_masks(int* to, unsigned low, unsigned high) {
  const unsigned mask = threadIdx.x < 16 ? low : high;
  to[threadIdx.x] = __ballot_sync(mask, threadIdx.x & 1);
}

__global__ void coalesced(int* to) {
  if (threadIdx.x % 3 == 0) {
    const auto group = cooperative_groups::coalesced_threads();
    to[threadIdx.x] = group.shfl(static_cast<int>(threadIdx.x), 0);
  }
}

__global__ void named_barrier(int* to, int threads) {
  if (threadIdx.x < 64) asm volatile("bar.sync 1, %0;" ::"r"(threads));
  to[threadIdx.x] = 1;
}

__global__ void named_barrier_at_two_places(int* to) {
  if (threadIdx.x < 32) {
    to[threadIdx.x] = 1;
    asm volatile("barrier.sync 1;");
  } else {
    asm volatile("barrier.sync 1;");
    to[threadIdx.x] = to[threadIdx.x - 32];
  }
}

__global__ void crossed_barriers(int* to, int crossed) {
  const int first = crossed != 0 && threadIdx.x >= 32 ? 2 : 1;
  asm volatile("bar.sync %0, 64;" ::"r"(first));
  asm volatile("bar.sync %0, 64;" ::"r"(3 - first));
  to[threadIdx.x] = 1;
}

// The wait loop of cuda::barrier reads a clock. An endless wait must be recognised all the same.
__global__ void block_barrier(int* to, int expected) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(Barrier) char memory[sizeof(Barrier)];
  auto* const barrier = reinterpret_cast<Barrier*>(memory);
  if (threadIdx.x == 0) init(barrier, expected);
  __syncthreads();
  barrier->arrive_and_wait();
  to[threadIdx.x] = 1;
}

// No other thread arrives, so the wait ends after its limit of a second.
__global__ void block_barrier_with_limit(int* to, int expected) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(Barrier) char memory[sizeof(Barrier)];
  auto* const barrier = reinterpret_cast<Barrier*>(memory);
  if (threadIdx.x == 0) init(barrier, expected);
  __syncthreads();
  const bool came = barrier->try_wait_for(barrier->arrive(), cuda::std::chrono::seconds(1));
  to[threadIdx.x] = came ? 1 : 2;
}

__global__ void wait_for(volatile int* flag, int setter) {
  if (blockIdx.x == setter && threadIdx.x == 0) *flag = 1;
  while (*flag == 0) {
  }
}

__global__ void lock(int* taken, int* to, int releases) {
  if (threadIdx.x % 8 == 0) {
    while (atomicCAS(taken, 0, 1) != 0) {
    }
    *to += 1;
    __threadfence();
    if (releases != 0) atomicExch(taken, 0);
  }
}

__global__ void grid_of_some(int* to, int absent) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  if (blockIdx.x != absent) cooperative_groups::this_grid().sync();
}

void launch(void (*kernel)(int*), int threads) {
  const Ints to(128);
  kernel<<<1, threads>>>(to);
  finish();
}

template <class... Words>
void launch_with(void (*kernel)(int*, Words...), int threads, Words... words) {
  const Ints to(128);
  kernel<<<1, threads>>>(to, words...);
  finish();
}

void wait_case(int setter) {
  const Ints flag(1);
  wait_for<<<2, 32>>>(flag, setter);
  finish();
}

void lock_case(int releases) {
  const Ints taken(1);
  const Ints to(1);
  lock<<<1, 32>>>(taken, to, releases);
  finish();
}

void grid_case(int absent) {
  const Ints to(128);
  int* pointer = to;
  void* arguments[] = {&pointer, &absent};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(grid_of_some), dim3(4), dim3(32),
                                    arguments, 0, nullptr));
  finish();
}

constexpr unsigned all = ~0U;
constexpr unsigned low = 0xffffU;

}  // namespace

std::vector<Case> sync_cases() {
  return {
      {"barrier_in_branch", "barrier", [] { launch(barrier_of_half, 64); }},
      {"barrier_behind_branch", sound, [] { launch(barrier_of_all, 64); }},
      {"barrier_within_warp", "barrier", [] { launch(barrier_in_warp, 64); }},
      {"barrier_after_exit", "barrier", [] { launch_with(early_exit, 64, 40); }},
      {"barrier_nobody_exits", sound, [] { launch_with(early_exit, 64, 64); }},
      {"barrier_after_skip", sound, [] { launch_with(early_skip, 64, 40); }},
      {"barrier_at_two_places", "barrier", [] { launch(two_barriers, 64); }},
      {"barrier_in_unequal_rounds", "barrier", [] { launch_with(rounds, 64, 1); }},
      {"barrier_in_equal_rounds", sound, [] { launch_with(rounds, 64, 0); }},
      {"shuffle_mask_too_wide", "member_mask", [] { launch_with(shuffle_of_half, 32, all); }},
      {"shuffle_mask_of_branch", sound, [] { launch_with(shuffle_of_half, 32, low); }},
      {"shuffle_mask_without_self", "member_mask",
       [] { launch_with(shuffle_without_self, 32, low); }},
      {"shuffle_mask_of_all", sound, [] { launch_with(shuffle_without_self, 32, all); }},
      {"vote_mask_too_wide", "member_mask", [] { launch_with(vote_of_half, 32, all); }},
      {"vote_mask_of_branch", sound, [] { launch_with(vote_of_half, 32, low); }},
      {"vote_mask_of_lanes_that_exit", "member_mask", [] { launch_with(vote_and_end, 32, all); },
       "lanes that have exited by then need not come"},
      {"syncwarp_mask_too_wide", "member_mask", [] { launch_with(syncwarp_of_half, 32, all); }},
      {"syncwarp_mask_of_branch", sound, [] { launch_with(syncwarp_of_half, 32, low); }},
      {"masks_overlap", "member_mask",
       [] { launch_with(different_masks, 32, low, low << 8 | low << 16); }},
      {"masks_apart", sound, [] { launch_with(different_masks, 32, low, ~low); }},
      {"coalesced_group", sound, [] { launch(coalesced, 32); }},
      {"named_barrier_too_many", "deadlock", [] { launch_with(named_barrier, 96, 96); }, "", true},
      {"named_barrier_of_those", sound, [] { launch_with(named_barrier, 96, 64); }},
      {"named_barrier_at_two_places", sound, [] { launch(named_barrier_at_two_places, 64); }},
      {"crossed_barriers", "deadlock", [] { launch_with(crossed_barriers, 64, 1); }, "", true},
      {"barriers_in_order", sound, [] { launch_with(crossed_barriers, 64, 0); }},
      {"block_barrier_of_more", "livelock", [] { launch_with(block_barrier, 64, 65); }, "", true},
      {"block_barrier_of_those", sound, [] { launch_with(block_barrier, 64, 64); }},
      {"block_barrier_given_up", sound, [] { launch_with(block_barrier_with_limit, 64, 65); }},
      {"flag_never_set", "livelock", [] { wait_case(7); }, "", true},
      {"flag_set", sound, [] { wait_case(1); }},
      {"lock_never_released", "livelock", [] { lock_case(0); }, "", true},
      {"lock_released", sound, [] { lock_case(1); }},
      {"grid_barrier_of_some", "livelock", [] { grid_case(2); }, "", true},
      {"grid_barrier_of_all", sound, [] { grid_case(7); }},
  };
}

}  // namespace faults
