// Pairs of kernels. The result of NAME_wrong depends on the order in which threads run, though most
// have no race. NAME_right is similar, and has the same result in each order, up to rounding.
// Launches have 4 blocks of 64 threads; `data` has 4096 words of zeros, `flags` has 64.

#include <cassert>
#include <cstdio>

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

// ---- Blocks

// The first block that runs wins.
KERNEL winner_wrong(int* data, int* flags) {
  if (threadIdx.x == 0 && atomicExch(flags, 1) == 0) atomicExch(data, int(blockIdx.x) + 1);  // here
}
KERNEL winner_right(int* data, int* flags) {
  if (threadIdx.x == 0 && atomicExch(flags, 1) == 0) atomicExch(data, 1);
}

// The first block that runs writes word 7, so that the first words are the same in each order.
KERNEL later_wrong(int* data, int* flags) {
  if (threadIdx.x == 0 && atomicExch(flags, 1) == 0) atomicExch(data + 7, int(blockIdx.x) + 1);
}

// An atomic read and a later atomic write are together not an atomic update.
KERNEL update_wrong(int* data, int*) { atomicExch(data, atomicAdd(data, 0) + 1); }
KERNEL update_right(int* data, int*) { atomicAdd(data, 1); }

// Numbers blocks in the order in which they run, as scans with look-back do.
KERNEL ticket_wrong(int* data, int* flags) {
  __shared__ int ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(flags, 1);
  __syncthreads();
  data[ticket * blockDim.x + threadIdx.x] = int(THREAD);
}
KERNEL ticket_right(int* data, int* flags) {
  __shared__ int ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(flags, 1);
  __syncthreads();
  data[ticket * blockDim.x + threadIdx.x] = ticket * int(blockDim.x + threadIdx.x);
}

// Each block waits for the previous block, which may not have begun yet.
KERNEL chain_wrong(int* data, int* flags) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x > 0) {
    while (atomicAdd(flags, 0) == 0) {
    }
  }
  const int before = atomicAdd(data, 0);
  __threadfence();
  atomicExch(data, 2 * before + int(blockIdx.x) + 1);
  atomicAdd(flags, 1);
}
KERNEL chain_right(int* data, int* flags) {
  if (threadIdx.x != 0) return;
  while (atomicAdd(flags, 0) != blockIdx.x) {
  }
  const int before = atomicAdd(data, 0);
  __threadfence();
  atomicExch(data, 2 * before + int(blockIdx.x) + 1);
  atomicAdd(flags, 1);
}

// ---- Warps and lanes

KERNEL warps_wrong(int* data, int*) {
  __shared__ volatile int last;
  if (threadIdx.x % 32 == 0) last = int(threadIdx.x);
  __syncthreads();
  data[THREAD] = last;
}
KERNEL warps_right(int* data, int*) {
  __shared__ volatile int last;
  if (threadIdx.x == 32) last = int(threadIdx.x);
  __syncthreads();
  data[THREAD] = last;
}

// The lanes of one warp append to a list, in the order in which they run.
KERNEL slots_wrong(int* data, int* flags) {
  if (THREAD < 32) data[atomicAdd(flags, 1)] = int(threadIdx.x);
}
KERNEL slots_right(int* data, int* flags) {
  if (THREAD < 32) data[atomicAdd(flags, 1)] = 7;
}

// Several lanes write one word by the same instruction.
KERNEL lanes_wrong(int* data, int*) {
  if (THREAD < 32) *data = int(threadIdx.x);
}
KERNEL lanes_right(int* data, int*) {
  if (THREAD < 32) *data = 7;
}

// The lanes of a warp exchange values through shared memory without __syncwarp().
KERNEL in_step_wrong(int* data, int*) {
  __shared__ int tile[64];
  tile[threadIdx.x] = int(threadIdx.x);
  data[THREAD] = tile[threadIdx.x ^ 1];
}
KERNEL in_step_right(int* data, int*) {
  __shared__ int tile[64];
  tile[threadIdx.x] = int(threadIdx.x);
  __syncwarp();
  data[THREAD] = tile[threadIdx.x ^ 1];
}

// ---- Output and assertions

KERNEL printed_wrong(int*, int* flags) {
  if (threadIdx.x == 0) printf("block %d is number %d\n", blockIdx.x, atomicAdd(flags, 1));
}
KERNEL printed_right(int*, int*) {
  if (threadIdx.x == 0) printf("block %d\n", blockIdx.x);
}

KERNEL assumed_wrong(int*, int* flags) {
  if (threadIdx.x == 0) assert(atomicAdd(flags, 1) == blockIdx.x);
}
KERNEL assumed_right(int*, int* flags) {
  if (threadIdx.x == 0) assert(atomicAdd(flags, 1) < gridDim.x);
}

// ---- Floating-point sums, which may round differently

KERNEL sum_wrong(float* data, int* flags) {
  const float mine = 1.0F + 0.001F * float(THREAD);
  if (atomicAdd(flags, 1) % 2 == 0) atomicAdd(data, mine);
}
KERNEL sum_right(float* data, int*) {
  const float mine = 1.0F + 0.001F * float(THREAD);
  atomicAdd(data, mine);
}

// An integer is stored as the bits of a float. Its difference between orders is not rounding.
KERNEL count_wrong(float* data, int* flags) {
  atomicAdd(data, 1.0F);
  if (threadIdx.x == 0) data[1 + blockIdx.x] = __int_as_float(atomicAdd(flags, 1) + 1000000);
}
KERNEL count_right(float* data, int* flags) {
  atomicAdd(data, 1.0F);
  if (threadIdx.x == 0) atomicAdd(flags, 1000000);
}
