// Sums each tile of 8 threads by cooperative groups, and each block with the block's barrier.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace groups = cooperative_groups;

extern "C" __global__ void group_sums(const int* from, int* sums, int* of_blocks) {
  const groups::thread_block block = groups::this_thread_block();
  const auto tile = groups::tiled_partition<8>(block);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int sum = groups::reduce(tile, from[i], groups::plus<int>());
  const int largest = groups::reduce(tile, from[i], groups::greater<int>());
  if (tile.thread_rank() == 0) {
    sums[2 * (i / 8)] = sum;
    sums[2 * (i / 8) + 1] = largest;
  }
  __shared__ int total;
  if (block.thread_rank() == 0) total = 0;
  block.sync();
  if (tile.thread_rank() == 0) atomicAdd(&total, sum);
  block.sync();
  if (block.thread_rank() == 0) of_blocks[blockIdx.x] = total;
}
