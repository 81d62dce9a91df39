// printf with each kind of argument, and an assertion that holds.
#include <cassert>
#include <cstdio>

extern "C" __global__ void print(const int* values, double scale) {
  const int i = static_cast<int>(threadIdx.x);
  if (i == 0) printf("scale %.3f, %s %c %%\n", scale, "text", 'x');
  assert(values != nullptr);
  if (values[i] > 0) printf("%d: %d %08x %lld\n", i, values[i], values[i], 1ll << 40 | i);
}
