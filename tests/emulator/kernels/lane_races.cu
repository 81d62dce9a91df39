// Pairs of kernels as in races.cu. Their races are between lanes of a warp, or follow a
// synchronisation by only one lane.

#include "races.cuh"

// ---- One lane's synchronisation does not order its warp

__device__ void tell_block(int* flag) {
  __threadfence_block();
  *static_cast<volatile int*>(flag) = 1;
}

__device__ void lane_flag(int* data, int* flag, bool meets) {
  __shared__ int words[32];
  const int t = static_cast<int>(threadIdx.x);
  if (t < 32) {
    words[t] = t;  // one:
    if (meets) __syncwarp();
    if (t == 0) tell_block(flag);
  } else {
    wait_for(flag);
    __threadfence_block();
    data[THREAD] = words[t - 32];  // other:
  }
}
KERNEL lane_flag_wrong(int* data, int* flags) { lane_flag(data, flags + blockIdx.x, false); }
KERNEL lane_flag_right(int* data, int* flags) { lane_flag(data, flags + blockIdx.x, true); }

__device__ void lane_flag_between_blocks(int* data, int* flags, bool meets) {
  if (threadIdx.x >= 32 || blockIdx.x > 1) return;
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 7;  // one:
    if (meets) __syncwarp();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicExch(flags, 1);
    }
  } else {
    wait_for(flags);
    __threadfence();
    data[1024 + threadIdx.x] = data[threadIdx.x];  // other:
  }
}
KERNEL lane_flag_between_blocks_wrong(int* data, int* flags) {
  lane_flag_between_blocks(data, flags, false);
}
KERNEL lane_flag_between_blocks_right(int* data, int* flags) {
  lane_flag_between_blocks(data, flags, true);
}

// Every lane executes a fence. Lane 0 sets the flag without waiting for the fences of other lanes.
__device__ void lane_fences(int* data, int* flags, bool meets) {
  if (threadIdx.x >= 32 || blockIdx.x > 1) return;
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 7;  // one:
    __threadfence();
    if (meets) __syncwarp();
    if (threadIdx.x == 0) atomicExch(flags, 1);
  } else {
    wait_for(flags);
    data[1024 + threadIdx.x] = data[threadIdx.x];  // other:
  }
}
KERNEL lane_fences_wrong(int* data, int* flags) { lane_fences(data, flags, false); }
KERNEL lane_fences_right(int* data, int* flags) { lane_fences(data, flags, true); }

// One lane waits for the flag on behalf of all lanes.
__device__ void lane_wait(int* data, int* flag, bool meets) {
  __shared__ int words[32];
  const int t = static_cast<int>(threadIdx.x);
  if (t < 32) {
    words[t] = t;  // one:
    __syncwarp();
    if (t == 0) tell_block(flag);
  } else {
    if (t == 32) {
      wait_for(flag);
      __threadfence_block();
    }
    if (meets) __syncwarp();
    data[THREAD] = words[t - 32];  // other:
  }
}
KERNEL lane_wait_wrong(int* data, int* flags) { lane_wait(data, flags + blockIdx.x, false); }
KERNEL lane_wait_right(int* data, int* flags) { lane_wait(data, flags + blockIdx.x, true); }

// The lanes of a tile synchronise, then one of them sets a flag on behalf of all lanes of the warp.
__device__ void tile_flag(int* data, int* flag, unsigned lanes) {
  __shared__ int words[32];
  const int t = static_cast<int>(threadIdx.x);
  if (t < 32) {
    words[t] = t;  // one:
    __syncwarp(lanes == 32 ? ~0U : 0xffffU << t / 16 * 16);
    if (t == 0) tell_block(flag);
  } else {
    wait_for(flag);
    data[THREAD] = words[t - 32];  // other:
  }
}
KERNEL tile_flag_wrong(int* data, int* flags) { tile_flag(data, flags + blockIdx.x, 16); }
KERNEL tile_flag_right(int* data, int* flags) { tile_flag(data, flags + blockIdx.x, 32); }

// Tiles of a warp synchronise separately, so writes of another tile are not ordered.
__device__ void tiles(int* data, int distance) {
  __shared__ int words[64];
  const int t = static_cast<int>(threadIdx.x);
  const unsigned tile = 0xffU << t % 32 / 8 * 8;
  words[t] = t;  // one:
  __syncwarp(tile);
  data[THREAD] = words[t ^ distance];  // other:
}
KERNEL tiles_wrong(int* data, int*) { tiles(data, 8); }
KERNEL tiles_right(int* data, int*) { tiles(data, 7); }

// Lane 0 has the word overwritten. Without __syncwarp(), other lanes may still have to read it.
__device__ void lane_done(int* data, int* flag, bool meets) {
  __shared__ int word;
  const int t = static_cast<int>(threadIdx.x);
  if (t == 32) word = 5;
  __syncthreads();
  if (t < 32) {
    data[THREAD] = word;  // one:
    if (meets) __syncwarp();
    if (t == 0) tell_block(flag);
  } else if (t == 32) {
    wait_for(flag);
    word = 6;  // other:
  }
}
KERNEL lane_done_wrong(int* data, int* flags) { lane_done(data, flags + blockIdx.x, false); }
KERNEL lane_done_right(int* data, int* flags) { lane_done(data, flags + blockIdx.x, true); }

// Lanes of one warp take a lock in turn.
__device__ void lane_lock(int* data, int* lock, bool locks) {
  if (threadIdx.x >= 32 || threadIdx.x % 8 != 0 || blockIdx.x != 0) return;
  bool done = false;
  while (!done) {
    if (locks && atomicCAS(lock, 0, 1) != 0) continue;
    __threadfence();
    data[0] += static_cast<int>(threadIdx.x) + 1;  // both:
    __threadfence();
    if (locks) atomicExch(lock, 0);
    done = true;
  }
}
KERNEL lane_lock_wrong(int* data, int* flags) { lane_lock(data, flags, false); }
KERNEL lane_lock_right(int* data, int* flags) { lane_lock(data, flags, true); }

// ---- Instructions of a whole warp that order no memory

KERNEL shuffle_wrong(int* data, int*) {
  data[THREAD] = 1;  // one:
  const int next = __shfl_down_sync(~0U, static_cast<int>(threadIdx.x), 1);
  data[1024 + THREAD] = data[THREAD ^ 1] + next;  // other:
}
KERNEL shuffle_right(int* data, int*) {
  data[THREAD] = 1;
  const int next = __shfl_down_sync(~0U, static_cast<int>(threadIdx.x), 1);
  __syncwarp();
  data[1024 + THREAD] = data[THREAD ^ 1] + next;
}

// Atomic accesses by all lanes do not synchronise the lanes.
KERNEL atomics_of_warp_wrong(int* data, int* flags) {
  data[THREAD] = 1;  // one:
  atomicAdd(flags, 1);
  data[1024 + THREAD] = data[THREAD ^ 1];  // other:
}
KERNEL atomics_of_warp_right(int* data, int* flags) {
  data[THREAD] = 1;
  __syncwarp();
  atomicAdd(flags, 1);
  data[1024 + THREAD] = data[THREAD ^ 1];
}

using namespace nvcuda;
__device__ void matrix_store(int* data, bool meets) {
  __shared__ float sums[2][256];
  float* const own = sums[threadIdx.x / 32];
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fragment;
  wmma::fill_fragment(fragment, 1.0F);
  wmma::store_matrix_sync(own, fragment, 16, wmma::mem_row_major);  // one:
  if (meets) __syncwarp();
  data[THREAD] = static_cast<int>(own[threadIdx.x % 32 * 8 + 7]);  // other:
}
KERNEL matrix_store_wrong(int* data, int*) { matrix_store(data, false); }
KERNEL matrix_store_right(int* data, int*) { matrix_store(data, true); }

__device__ void matrix_load(int* data, bool meets) {
  __shared__ float sums[2][256];
  float* const own = sums[threadIdx.x / 32];
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (int i = 0; i < 8; ++i) own[i * 32 + lane] = 1;
  __syncwarp();
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fragment;
  wmma::load_matrix_sync(fragment, own, 16, wmma::mem_row_major);  // one:
  if (meets) __syncwarp();
  for (int i = 0; i < 8; ++i) own[i * 32 + lane] = 2;  // other:
  data[THREAD] = static_cast<int>(fragment.x[0]);
}
KERNEL matrix_load_wrong(int* data, int*) { matrix_load(data, false); }
KERNEL matrix_load_right(int* data, int*) { matrix_load(data, true); }

__device__ void row_load(int* data, bool meets) {
  __shared__ __align__(16) int rows[64 * 4];
  int* const own = rows + threadIdx.x / 32 * 128;
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (int i = 0; i < 4; ++i) own[i * 32 + lane] = lane;
  __syncwarp();
  int value = 0;
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(own + lane * 4));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(value)
               : "r"(at));  // one:
  if (meets) __syncwarp();
  own[lane] = value;  // other:
  data[THREAD] = value;
}
KERNEL row_load_wrong(int* data, int*) { row_load(data, false); }
KERNEL row_load_right(int* data, int*) { row_load(data, true); }

// ---- Threads that have exited

// The barrier does not wait for what a warp writes after its bar.arrive.
__device__ void arrive_and_exit(int* data, bool early) {
  __shared__ int words[32];
  const int t = static_cast<int>(threadIdx.x);
  if (t < 32) {
    if (early) words[t] = t;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    if (!early) words[t] = t;  // one:
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    data[THREAD] = words[t - 32];  // other:
  }
}
KERNEL arrive_and_exit_wrong(int* data, int*) { arrive_and_exit(data, false); }
KERNEL arrive_and_exit_right(int* data, int*) { arrive_and_exit(data, true); }

// ---- Volatile accesses

// The last warp adds numbers as textbooks show it for GPUs before CC 7.0.
__device__ void volatile_tree(int* data, bool meets) {
  __shared__ volatile int sums[128];
  const int t = static_cast<int>(threadIdx.x);
  sums[t] = data[THREAD] + t;
  sums[t + 64] = 0;
  __syncthreads();
  if (t < 32) {
    for (int step = 32; step > 0; step /= 2) {
      const int other = sums[t + step];  // both:
      if (meets) __syncwarp();
      sums[t] = sums[t] + other;  // both:
      if (meets) __syncwarp();
    }
    if (t == 0) data[2048 + blockIdx.x] = sums[0];
  }
}
KERNEL volatile_tree_wrong(int* data, int*) { volatile_tree(data, false); }
KERNEL volatile_tree_right(int* data, int*) { volatile_tree(data, true); }

__device__ void volatile_shift(int* data, bool meets) {
  __shared__ volatile int words[64];
  const int t = static_cast<int>(threadIdx.x);
  words[t] = t;  // one:
  if (meets) __syncwarp();
  data[THREAD] = words[t ^ 1];  // other:
}
KERNEL volatile_shift_wrong(int* data, int*) { volatile_shift(data, false); }

// Each lane waits for a flag of the previous lane.
KERNEL volatile_shift_right(int* data, int*) {
  __shared__ int words[64];
  __shared__ volatile int flags[64];
  const int t = static_cast<int>(threadIdx.x);
  flags[t] = 0;
  __syncwarp();
  bool done = false;
  while (!done) {
    if (t % 32 == 0 || flags[t - 1] != 0) {
      words[t] = t % 32 == 0 ? 1 : words[t - 1] + 1;
      __threadfence_block();
      flags[t] = 1;
      done = true;
    }
  }
  data[THREAD] = words[t];
}

// Lanes poll a flag that another warp sets. One lane then clears it by an ordinary store.
__device__ void polled(int* flags, bool meets, bool votes) {
  int* const flag = flags + blockIdx.x;
  if (threadIdx.x == 32) atomicExch(flag, 1);
  if (threadIdx.x >= 32) return;
  if (votes) __all_sync(~0U, 1);
  while (*static_cast<volatile int*>(flag) == 0) {  // one:
  }
  if (meets) __syncwarp();
  if (threadIdx.x == 0) *flag = 0;  // other:
}
KERNEL polled_wrong(int*, int* flags) { polled(flags, false, false); }
KERNEL polled_right(int*, int* flags) { polled(flags, true, false); }
KERNEL polled_vote_wrong(int*, int* flags) { polled(flags, false, true); }

// By the vote, each lane knows that all lanes have read the flag.
KERNEL polled_vote_right(int*, int* flags) {
  int* const flag = flags + blockIdx.x;
  if (threadIdx.x == 32) atomicExch(flag, 1);
  if (threadIdx.x >= 32) return;
  while (!__all_sync(~0U, *static_cast<volatile int*>(flag) != 0)) {
  }
  if (threadIdx.x == 0) *flag = 0;
}

// ---- Flags that one access reads or writes together

__device__ int4 load_four(const int* from) {
  int4 all;
  asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(all.x), "=r"(all.y), "=r"(all.z), "=r"(all.w)
               : "l"(from)
               : "memory");
  return all;
}

// Each of three blocks sets a flag. The last block polls the three flags by one load.
__device__ void four_polled(int* data, int* flags, bool fences) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x < 3) {
    data[blockIdx.x] = 7;  // one:
    if (fences) __threadfence();
    *static_cast<volatile int*>(flags + blockIdx.x + 1) = 1;
    return;
  }
  for (int4 all{}; all.y == 0 || all.z == 0 || all.w == 0;) all = load_four(flags);
  __threadfence();
  data[3] = data[0] + data[1] + data[2];  // other:
}
KERNEL four_polled_wrong(int* data, int* flags) { four_polled(data, flags, false); }
KERNEL four_polled_right(int* data, int* flags) { four_polled(data, flags, true); }

// One block sets the flags of all other blocks by one store.
__device__ void four_set(int* data, int* flags, bool fences) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 7;  // one:
    if (fences) __threadfence();
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(flags), "r"(1)
                 : "memory");
  } else {
    wait_for(flags + blockIdx.x);
    __threadfence();
    data[blockIdx.x] = data[0];  // other:
  }
}
KERNEL four_set_wrong(int* data, int* flags) { four_set(data, flags, false); }
KERNEL four_set_right(int* data, int* flags) { four_set(data, flags, true); }

// One warp polls two flags by one load. Another warp sets the second flag last.
__device__ void two_polled(int* data, int* flags, bool meets) {
  __shared__ int words[32];
  const int t = static_cast<int>(threadIdx.x);
  int* const own = flags + 2 * blockIdx.x;
  if (t < 32) {
    if (t == 0) tell_block(own);
    words[t] = t;  // one:
    if (meets) __syncwarp();
    if (t == 0) tell_block(own + 1);
    return;
  }
  for (int x = 0, y = 0; x == 0 || y == 0;)
    asm volatile("ld.volatile.global.v2.u32 {%0, %1}, [%2];"
                 : "=r"(x), "=r"(y)
                 : "l"(own)
                 : "memory");
  __threadfence_block();
  data[THREAD] = words[t - 32];  // other:
}
KERNEL two_polled_wrong(int* data, int* flags) { two_polled(data, flags, false); }
KERNEL two_polled_right(int* data, int* flags) { two_polled(data, flags, true); }

// ---- Only for the strict check

// The data is volatile, and the flag may be set without a fence.
__device__ void volatile_data(int* data, int* flags, bool fences) {
  volatile int* const words = data;
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  if (blockIdx.x == 0) {
    words[0] = 7;  // one:
    if (fences) __threadfence();
    atomicExch(flags, 1);
  } else {
    while (atomicAdd(flags, 0) == 0) {
    }
    words[1] = words[0];  // other:
  }
}
KERNEL volatile_data_wrong(int* data, int* flags) { volatile_data(data, flags, false); }
KERNEL volatile_data_right(int* data, int* flags) { volatile_data(data, flags, true); }

// A volatile access to a flag orders nothing.
KERNEL volatile_flag_wrong(int*, int* flags) {
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  if (blockIdx.x == 0)
    *static_cast<volatile int*>(flags) = 1;  // one:
  else
    while (*static_cast<volatile int*>(flags) == 0) {  // other:
    }
}
KERNEL volatile_flag_right(int*, int* flags) {
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  if (blockIdx.x == 0)
    atomicExch(flags, 1);
  else
    while (atomicAdd(flags, 0) == 0) {
    }
}

// A lock between the warps of a block. A fence must separate the guarded access from the release.
__device__ void block_lock(int* data, int* lock, bool fences) {
  if (threadIdx.x % 32 != 0) return;
  int* const own = data + blockIdx.x;
  while (atomicCAS_block(lock, 0, 1) != 0) {
  }
  __threadfence_block();
  *own += 1;  // both:
  if (fences) __threadfence_block();
  atomicExch_block(lock, 0);
}
KERNEL block_lock_wrong(int* data, int* flags) { block_lock(data, flags + blockIdx.x, false); }
KERNEL block_lock_right(int* data, int* flags) { block_lock(data, flags + blockIdx.x, true); }

// A lock between blocks. One of them may access data without a fence after its compare-and-swap.
enum class AfterLock { nothing, block_fence, fence };

__device__ void taken_lock(int* data, int* lock, AfterLock first) {
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  if (blockIdx.x == 0 && first == AfterLock::block_fence) __threadfence_block();
  if (blockIdx.x == 1 || first == AfterLock::fence) __threadfence();
  *data += 1;  // both:
  __threadfence();
  atomicExch(lock, 0);
}
KERNEL taken_lock_wrong(int* data, int* lock) { taken_lock(data, lock, AfterLock::nothing); }
KERNEL taken_lock_right(int* data, int* lock) { taken_lock(data, lock, AfterLock::fence); }
KERNEL narrow_lock_wrong(int* data, int* lock) { taken_lock(data, lock, AfterLock::block_fence); }
KERNEL narrow_lock_right(int* data, int* lock) { taken_lock(data, lock, AfterLock::fence); }

// A lock between warps of a block. In lock_of_warps_right, a barrier separates the two sections.
__device__ void lock_of_warps(int* data, int* lock, bool meets) {
  if (blockIdx.x != 0) return;
  for (unsigned turn = 0; turn < 64; turn += 32) {
    if (threadIdx.x == turn) {
      while (atomicCAS_block(lock, 0, 1) != 0) {
      }
      *data += 1;  // both:
      __threadfence_block();
      atomicExch_block(lock, 0);
    }
    if (meets) __syncthreads();
  }
}
KERNEL lock_of_warps_wrong(int* data, int* lock) { lock_of_warps(data, lock, false); }
KERNEL lock_of_warps_right(int* data, int* lock) { lock_of_warps(data, lock, true); }

// Two blocks take turns by a compare-and-swap. Only the second reads data that needs a fence.
KERNEL handed_over(int* data, int* step) {
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  const int own = 2 * blockIdx.x;
  while (atomicCAS(step, own, own + 1) != own) {
  }
  if (blockIdx.x == 1) __threadfence();
  *data += 1;
  __threadfence();
  atomicExch(step, own + 2);
}
