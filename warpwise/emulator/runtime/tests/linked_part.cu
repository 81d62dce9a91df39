// The second file of linked_test.

#include "linked_part.cuh"

__constant__ int table[4] = {5, 6, 7, 8};

__device__ __noinline__ int of_the_other_file(int value) { return value + 40; }

namespace {

__device__ int own = 4;

__global__ void fill(int* to) {
  to[0] = own;
  to[1] = table[1];
  to[2] = of_both_files(4);
  to[5] = "rs"[threadIdx.x];
}

}  // namespace

void fill_from_the_other_file(int* to) { fill<<<1, 1>>>(to); }
