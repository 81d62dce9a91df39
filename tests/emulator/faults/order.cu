// Unordered accesses by different blocks, launches and streams.

#include <cooperative_groups.h>

#include "cases.hpp"

namespace faults {
namespace {

__global__ void neighbour(int* values) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  values[own] = values[(own + 32) % (gridDim.x * blockDim.x)] + 1;
}

__global__ void apart(const int* from, int* to) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  to[own] = from[(own + 32) % (gridDim.x * blockDim.x)] + 1;
}

__global__ void overlapping(int* to, int stride) {
  to[blockIdx.x * stride + threadIdx.x] = blockIdx.x;
}

enum class Add { plain, block_scope, device_scope };

template <Add how>
__global__ void counter(int* to) {
  if (threadIdx.x != 0) return;
  if (how == Add::plain) *to += 1;
  if (how == Add::block_scope) atomicAdd_block(to, 1);
  if (how == Add::device_scope) atomicAdd(to, 1);
}

enum class Fence { none, block, device };

template <Fence fence>
__device__ void make_fence() {
  if (fence == Fence::block) __threadfence_block();
  if (fence == Fence::device) __threadfence();
}

// The last block that arrives sums the results of all blocks.
template <Fence fence>
__global__ void last_block(int* partial, unsigned* arrived, int* to) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = blockIdx.x + 1;
    make_fence<fence>();
    is_last = atomicAdd(arrived, 1) == gridDim.x - 1;
    make_fence<fence>();
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += partial[i];
    *to = sum;
  }
}

// The first block writes a value and sets a flag; the second waits for the flag.
template <Fence fence>
__global__ void flag(int* value, int* ready, int* to) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *value = 42;
    make_fence<fence>();
    atomicExch(ready, 1);
  } else {
    while (atomicAdd(ready, 0) == 0) {
    }
    make_fence<fence>();
    *to = *value;
  }
}

template <bool waits>
__global__ void cooperative(int* values, int* to) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  values[own] = own;
  if (waits) cooperative_groups::this_grid().sync();
  to[own] = values[gridDim.x * blockDim.x - 1 - own];
}

__global__ void scale(int* values) { values[threadIdx.x] = 2 * values[threadIdx.x] + 1; }

__global__ void take(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }

void last_block_case(void (*kernel)(int*, unsigned*, int*)) {
  const Ints partial(4);
  const Buffer<unsigned> arrived(1);
  const Ints to(1);
  kernel<<<4, 32>>>(partial, arrived, to);
  finish();
}

void flag_case(void (*kernel)(int*, int*, int*)) {
  const Ints value(1);
  const Ints ready(1);
  const Ints to(1);
  kernel<<<2, 32>>>(value, ready, to);
  finish();
}

void counter_case(void (*kernel)(int*)) {
  const Ints to(1);
  kernel<<<8, 32>>>(to);
  finish();
}

void cooperative_case(void (*kernel)(int*, int*)) {
  const Ints values(128);
  const Ints to(128);
  int* pointers[] = {values, to};
  void* arguments[] = {&pointers[0], &pointers[1]};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(4), dim3(32),
                                    arguments, 0, nullptr));
  finish();
}

struct Streams {
  cudaStream_t first = nullptr;
  cudaStream_t second = nullptr;
  cudaEvent_t event = nullptr;
  Streams() {
    check(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    check(cudaEventCreate(&event));
    check(cudaDeviceSynchronize());
  }
  ~Streams() {
    finish();
    check(cudaEventDestroy(event));
    check(cudaStreamDestroy(second));
    check(cudaStreamDestroy(first));
  }
  void order() const {
    check(cudaEventRecord(event, first));
    check(cudaStreamWaitEvent(second, event, 0));
  }
};

void kernels_on_streams(bool ordered) {
  const Ints values(32);
  const Ints to(32);
  const Streams streams;
  scale<<<1, 32, 0, streams.first>>>(values);
  if (ordered) streams.order();
  take<<<1, 32, 0, streams.second>>>(values, to);
}

void copy_on_stream(bool ordered) {
  static int values[32];
  const Ints from(32);
  const Streams streams;
  scale<<<1, 32, 0, streams.first>>>(from);
  if (ordered) streams.order();
  check(cudaMemcpyAsync(values, from, sizeof(values), cudaMemcpyDeviceToHost, streams.second));
}

void launch_overlapping(int stride) {
  const Ints to(256);
  overlapping<<<4, 32>>>(to, stride);
  finish();
}

}  // namespace

std::vector<Case> order_cases() {
  return {
      {"blocks_in_place", "race",
       [] {
         const Ints values(128);
         neighbour<<<4, 32>>>(values);
         finish();
       }},
      {"blocks_apart", sound,
       [] {
         const Ints from(128);
         const Ints to(128);
         apart<<<4, 32>>>(from, to);
         finish();
       }},
      {"blocks_overlap", "race", [] { launch_overlapping(24); }},
      {"blocks_side_by_side", sound, [] { launch_overlapping(32); }},
      {"blocks_count_plain", "race", [] { counter_case(counter<Add::plain>); }},
      {"blocks_count_atomic", sound, [] { counter_case(counter<Add::device_scope>); }},
      {"blocks_count_in_block_scope", "narrow_scope",
       [] { counter_case(counter<Add::block_scope>); }},
      {"last_block_no_fence", "race", [] { last_block_case(last_block<Fence::none>); }},
      {"last_block_fence_of_block", "race", [] { last_block_case(last_block<Fence::block>); }},
      {"last_block_fence", sound, [] { last_block_case(last_block<Fence::device>); }},
      {"flag_no_fence", "race", [] { flag_case(flag<Fence::none>); }},
      {"flag_fence_of_block", "race", [] { flag_case(flag<Fence::block>); }},
      {"flag_fence", sound, [] { flag_case(flag<Fence::device>); }},
      {"grid_not_synchronised", "race", [] { cooperative_case(cooperative<false>); }},
      {"grid_synchronised", sound, [] { cooperative_case(cooperative<true>); }},
      {"streams_no_event", "race", [] { kernels_on_streams(false); }},
      {"streams_event", sound, [] { kernels_on_streams(true); }},
      {"copy_on_other_stream", "race", [] { copy_on_stream(false); }},
      {"copy_after_event", sound, [] { copy_on_stream(true); }},
  };
}

}  // namespace faults
