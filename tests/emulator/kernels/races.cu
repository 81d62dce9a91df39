// Pairs of kernels: NAME_wrong has a race, NAME_right is similar and has none. A race is between a
// line with "one:" and a line with "other:" in a kernel, or between two accesses on a line with
// "both:". Launches have 4 blocks of 64 threads; `data` has 4096 words of zeros, `flags` has 64.

#include "races.cuh"

// ---- Between blocks

KERNEL same_place_wrong(int* data, int*) {
  data[threadIdx.x] = static_cast<int>(blockIdx.x);  // both:
}
KERNEL same_place_right(int* data, int*) { data[THREAD] = static_cast<int>(blockIdx.x); }

KERNEL neighbour_wrong(int* data, int*) {
  data[THREAD] = 1;                                 // one:
  data[1024 + THREAD] = data[THREAD ^ blockDim.x];  // other:
}
KERNEL neighbour_right(int* data, int*) {
  data[THREAD] = 1;
  data[1024 + THREAD] = data[THREAD];
}

// A block reads an element that another block overwrites.
KERNEL in_place_wrong(int* data, int*) {
  const int next = data[THREAD + 1];  // one:
  data[THREAD] = next + 1;            // other:
}
KERNEL in_place_right(int* data, int*) {
  const int next = data[THREAD];
  data[THREAD] = next + 1;
}

KERNEL sum_wrong(int* data, int*) {
  if (threadIdx.x == 0) data[0] += 1;  // both:
}
KERNEL sum_right(int* data, int*) {
  if (threadIdx.x == 0) atomicAdd(data, 1);
}

// An atomic access does not protect a plain access by another thread.
KERNEL mixed_wrong(int* data, int*) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) data[0] = 5;         // one:
  if (blockIdx.x != 0) atomicAdd(data, 1);  // other:
}
KERNEL mixed_right(int* data, int*) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) atomicExch(data, 5);
  if (blockIdx.x != 0) atomicAdd(data, 1);
}

// Accesses to neighbouring bytes do not race; accesses to the same byte do.
KERNEL bytes_wrong(int* data, int*) {
  byte* const bytes = reinterpret_cast<byte*>(data);
  bytes[threadIdx.x * 5 + blockIdx.x / 2] = static_cast<byte>(blockIdx.x);  // both:
}
KERNEL bytes_right(int* data, int*) {
  byte* const bytes = reinterpret_cast<byte*>(data);
  bytes[threadIdx.x * 5 + blockIdx.x] = static_cast<byte>(blockIdx.x);
}

// ---- Order between blocks

KERNEL flag_wrong(int* data, int* flags) {
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  if (blockIdx.x == 0) {
    data[0] = 7;  // one:
    atomicExch(flags, 1);
  } else {
    wait_for(flags);
    data[1] = data[0];  // other:
  }
}
KERNEL flag_right(int* data, int* flags) {
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  if (blockIdx.x == 0) {
    data[0] = 7;
    __threadfence();
    atomicExch(flags, 1);
  } else {
    wait_for(flags);
    __threadfence();
    data[1] = data[0];
  }
}

KERNEL block_fence_wrong(int* data, int* flags) {
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  if (blockIdx.x == 0) {
    data[0] = 7;  // one:
    __threadfence_block();
    *static_cast<volatile int*>(flags) = 1;
  } else {
    wait_for(flags);
    __threadfence_block();
    data[1] = data[0];  // other:
  }
}
// Between threads of one block, a fence of the block's scope is enough.
KERNEL block_fence_right(int* data, int* flags) {
  int* const own = data + blockIdx.x * 2;
  if (threadIdx.x == 0) {
    own[0] = 7;
    __threadfence_block();
    *static_cast<volatile int*>(flags + blockIdx.x) = 1;
  } else if (threadIdx.x == 32) {
    wait_for(flags + blockIdx.x);
    __threadfence_block();
    own[1] = own[0];
  }
}

__device__ void store_release(int* to, int value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ void store_relaxed(int* to, int value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ int load_acquire(const int* from) {
  int value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

KERNEL release_wrong(int* data, int* flags) {
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  if (blockIdx.x == 0) {
    data[0] = 7;  // one:
    store_relaxed(flags, 1);
  } else {
    while (load_acquire(flags) == 0) {
    }
    data[1] = data[0];  // other:
  }
}
KERNEL release_right(int* data, int* flags) {
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  if (blockIdx.x == 0) {
    data[0] = 7;
    store_release(flags, 1);
  } else {
    while (load_acquire(flags) == 0) {
    }
    data[1] = data[0];
  }
}

// The fence comes before the write that it should order.
KERNEL early_fence_wrong(int* data, int* flags) {
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  if (blockIdx.x == 0) {
    __threadfence();
    data[0] = 7;  // one:
    atomicExch(flags, 1);
  } else {
    wait_for(flags);
    data[1] = data[0];  // other:
  }
}
// A chain of blocks: each waits for the previous block's flag, fences, and sets its own flag.
KERNEL early_fence_right(int* data, int* flags) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 7;
  } else {
    wait_for(flags + blockIdx.x - 1);
  }
  __threadfence();
  atomicExch(flags + blockIdx.x, 1);
  if (blockIdx.x == 3) data[1] = data[0];
}

KERNEL lock_wrong(int* data, int* flags) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(flags, 0, 1) != 0) {
  }
  data[0] += 1;  // both:
  atomicExch(flags, 0);
}
KERNEL lock_right(int* data, int* flags) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(flags, 0, 1) != 0) {
  }
  __threadfence();
  data[0] += 1;
  __threadfence();
  atomicExch(flags, 0);
}

// ---- The last block sums what all blocks have written

__device__ bool is_last(int* flags) {
  __shared__ bool last;
  if (threadIdx.x == 0) last = atomicAdd(flags, 1) == static_cast<int>(gridDim.x) - 1;
  __syncthreads();
  return last;
}
__device__ void sum_up(int* data) {
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += data[b * blockDim.x + threadIdx.x];  // other:
  data[1024 + threadIdx.x] = sum;
}

KERNEL last_block_wrong(int* data, int* flags) {
  data[THREAD] = 1;  // one:
  __syncthreads();
  if (is_last(flags)) sum_up(data);  // called:
}
KERNEL last_block_right(int* data, int* flags) {
  data[THREAD] = 1;
  __threadfence();
  __syncthreads();
  if (is_last(flags)) sum_up(data);
}

// A fence by one thread covers the writes of all threads only if it comes after the barrier.
KERNEL last_block_by_one_wrong(int* data, int* flags) {
  data[THREAD] = 1;  // one:
  if (threadIdx.x == 0) __threadfence();
  __syncthreads();
  if (is_last(flags)) sum_up(data);  // called:
}
KERNEL last_block_by_one_right(int* data, int* flags) {
  data[THREAD] = 1;
  __syncthreads();
  if (threadIdx.x == 0) __threadfence();
  if (is_last(flags)) sum_up(data);
}

// ---- Blocks that look back at the sums of earlier blocks, which a flag publishes

__device__ void look_back(int* data, int* flags, bool fences) {
  if (threadIdx.x != 0) return;
  int sum = 1;
  for (int b = static_cast<int>(blockIdx.x) - 1; b >= 0; --b) {
    while (*static_cast<volatile int*>(flags + b) == 0) {
    }
    sum += data[b];  // other:
    if (*static_cast<volatile int*>(flags + b) == 2) break;
  }
  data[blockIdx.x] = sum;  // one:
  if (fences) __threadfence();
  *static_cast<volatile int*>(flags + blockIdx.x) = 2;
}
KERNEL look_back_wrong(int* data, int* flags) { look_back(data, flags, false); }  // called:
KERNEL look_back_right(int* data, int* flags) { look_back(data, flags, true); }

// ---- Cooperative grids

KERNEL grid_sync_wrong(int* data, int*) {
  data[THREAD] = 1;  // one:
  __syncthreads();
  data[1024 + THREAD] = data[THREAD ^ blockDim.x];  // other:
}
KERNEL grid_sync_right(int* data, int*) {
  data[THREAD] = 1;
  cooperative_groups::this_grid().sync();
  data[1024 + THREAD] = data[THREAD ^ blockDim.x];
}

// ---- Atomic accesses whose scope is too narrow

KERNEL scope_wrong(int* data, int*) {
  if (threadIdx.x == 0) atomicAdd_block(data, 1);  // both:
}
KERNEL scope_right(int* data, int*) { atomicAdd_block(data + blockIdx.x, 1); }

KERNEL scope_of_one_wrong(int* data, int*) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) atomicAdd(data, 1);        // one:
  if (blockIdx.x != 0) atomicMax_block(data, 1);  // other:
}
KERNEL scope_of_one_right(int* data, int*) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) atomicAdd_system(data, 1);
  if (blockIdx.x != 0) atomicMax(data, 1);
}

// ---- Inside of a block

KERNEL block_barrier_wrong(int* data, int*) {
  data[THREAD] = 1;                         // one:
  data[1024 + THREAD] = data[THREAD ^ 32];  // other:
}
KERNEL block_barrier_right(int* data, int*) {
  data[THREAD] = 1;
  __syncthreads();
  data[1024 + THREAD] = data[THREAD ^ 32];
}

KERNEL warp_barrier_wrong(int* data, int*) {
  data[THREAD] = 1;                        // one:
  data[1024 + THREAD] = data[THREAD ^ 1];  // other:
}
KERNEL warp_barrier_right(int* data, int*) {
  data[THREAD] = 1;
  __syncwarp();
  data[1024 + THREAD] = data[THREAD ^ 1];
}

// Two shorts in one word belong to different threads.
KERNEL halves_wrong(int* data, int*) {
  short* const halves = reinterpret_cast<short*>(data);
  halves[THREAD] = 1;                          // one:
  halves[2048 + THREAD] = halves[THREAD ^ 1];  // other:
}
KERNEL halves_right(int* data, int*) {
  short* const halves = reinterpret_cast<short*>(data);
  halves[THREAD] = 1;
  halves[2048 + THREAD] = halves[THREAD];
}

// A reduction tree that relies on lanes in lockstep.
KERNEL in_step_wrong(int* data, int*) {
  __shared__ int sums[64];
  sums[threadIdx.x] = data[THREAD];
  __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];  // both:
  }
  if (threadIdx.x == 0) data[2048 + blockIdx.x] = sums[0];
}
KERNEL in_step_right(int* data, int*) {
  __shared__ int sums[64];
  sums[threadIdx.x] = data[THREAD];
  __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) data[2048 + blockIdx.x] = sums[0];
}

// Matrix times vector, from a document for GPUs whose half-warps run in lockstep. Sums are combined
// without a barrier, and at the end by one thread too many.
KERNEL half_warp_tree_wrong(int* data, int*) {
  __shared__ int sums[64 + 16 + 16];
  const int t = threadIdx.x;
  if (t < 32) sums[64 + t] = 0;
  for (int row = blockIdx.x; row < 8; row += gridDim.x) {
    sums[t] = data[row * 64 + t] + t;  // both:
    __syncthreads();
    sums[t] += sums[(t + 8) % 64];                               // both:
    sums[t] += sums[(t + 4) % 64];                               // both:
    sums[t] += sums[(t + 2) % 64];                               // both:
    if (t % 16 == 0) sums[64 + t / 16] = sums[t] + sums[t + 1];  // both:
    __syncthreads();
    if (t <= 16) {
      sums[t] = sums[64 + t];                  // both:
      sums[t] += sums[t + 2];                  // both:
      sums[t] += sums[t + 1];                  // both:
      if (t == 0) data[2048 + row] = sums[0];  // both:
    }
    __syncthreads();
  }
}
KERNEL half_warp_tree_right(int* data, int*) {
  __shared__ int sums[2];
  const int t = threadIdx.x;
  for (int row = blockIdx.x; row < 8; row += gridDim.x) {
    int sum = data[row * 64 + t] + t;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0U, sum, step);
    if (t % 32 == 0) sums[t / 32] = sum;
    __syncthreads();
    if (t == 0) data[2048 + row] = sums[0] + sums[1];
    __syncthreads();
  }
}

// ---- Races in which all threads write the same value, which are a separate kind of fault

// Fills a tile and its border by overlapping copies, each as large as a block: several threads
// write some of the words.
KERNEL overlapping_wrong(int* data, int*) {
  __shared__ int tile[80];
  const int* const from = data + blockIdx.x * 64;
  for (int shift = 0; shift <= 16; shift += 16)
    tile[threadIdx.x + shift] = from[threadIdx.x + shift];  // both:
  __syncthreads();
  data[2048 + THREAD] = tile[threadIdx.x + 8];
}
KERNEL overlapping_right(int* data, int*) {
  __shared__ int tile[80];
  const int* const from = data + blockIdx.x * 64;
  for (int i = static_cast<int>(threadIdx.x); i < 80; i += 64) tile[i] = from[i];
  __syncthreads();
  data[2048 + THREAD] = tile[threadIdx.x + 8];
}

// Fills a tile of 10 x 10 words by four overlapping copies of 8 x 8, one for each corner.
// Kernels for Sobel's filter load their tiles so.
KERNEL four_copies_wrong(int* data, int*) {
  __shared__ int tile[10 * 10];
  const int x = threadIdx.x % 8;
  const int y = threadIdx.x / 8;
  const int* const from = data + blockIdx.x * 64;
  for (int right = 0; right <= 2; right += 2)
    for (int down = 0; down <= 2; down += 2)
      tile[(y + down) * 10 + x + right] = from[(y + down) * 16 + x + right];  // both:
  __syncthreads();
  data[2048 + THREAD] = tile[(y + 2) * 10 + x + 1] - tile[y * 10 + x + 1];
}
KERNEL four_copies_right(int* data, int*) {
  __shared__ int tile[10 * 10];
  const int x = threadIdx.x % 8;
  const int y = threadIdx.x / 8;
  const int* const from = data + blockIdx.x * 64;
  for (int i = static_cast<int>(threadIdx.x); i < 100; i += 64)
    tile[i] = from[i / 10 * 16 + i % 10];
  __syncthreads();
  data[2048 + THREAD] = tile[(y + 2) * 10 + x + 1] - tile[y * 10 + x + 1];
}

KERNEL found_wrong(int* data, int* flags) {
  if (data[THREAD] == 0) flags[0] = 1;  // both:
}
KERNEL found_right(int* data, int* flags) {
  if (data[THREAD] == 0) atomicExch(flags, 1);
}
