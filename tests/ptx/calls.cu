// nvcc -std=c++20 -ptx -lineinfo -arch=compute_75 calls.cu
// Calls a function with a structure by value, a function through a pointer, and printf. Two scopes
// of inline assembly declare the same name.
#include <cstdio>

struct Pair {
  double first;
  int second[3];
};

__device__ __noinline__ Pair swapped(Pair pair, int with) {
  pair.second[0] = with;
  return pair;
}

__device__ __noinline__ int one_more(int x) { return x + 1; }
__device__ __noinline__ int one_less(int x) { return x - 1; }
__device__ int (*either[2])(int) = {one_more, one_less};

__device__ __forceinline__ unsigned halved(unsigned x) {
  unsigned result;
  asm("{\n\t.reg .u32 half;\n\tshr.u32 half, %1, 1;\n\tmov.u32 %0, half;\n\t}"
      : "=r"(result)
      : "r"(x));
  return result;
}

extern "C" __global__ void call(int* values) {
  const Pair pair = swapped({0.5, {1, 2, 3}}, values[0]);
  values[1] = pair.second[0] + either[values[2] & 1](values[3]);
  values[2] = static_cast<int>(halved(halved(static_cast<unsigned>(values[2]))));
  printf("%d\n", values[1]);
}
