// Calls that are not inlined: a recursive one, and others that take a structure by value, a pointer
// to local memory or a pointer to a function.
struct Pair {
  int first;
  double second;
  short third[3];
};

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ Pair doubled(Pair pair) {
  pair.first *= 2;
  pair.second *= 2;
  for (short& each : pair.third) each = static_cast<short>(each * 2);
  return pair;
}

__device__ __noinline__ void fill(int* values, int count, int from) {
  for (int i = 0; i < count; ++i) values[i] = from + i * i;
}

__device__ __noinline__ int plus_one(int x) { return x + 1; }
__device__ __noinline__ int negated(int x) { return -x; }

using Function = int (*)(int);
__device__ Function functions[2] = {plus_one, negated};

extern "C" __global__ void calls(int* results) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int* const out = results + 5 * i;
  out[0] = fibonacci(i % 10);
  const Pair pair = doubled({i, i * 0.5, {1, static_cast<short>(i), 3}});
  out[1] = pair.first + static_cast<int>(pair.second);
  out[2] = pair.third[1] + pair.third[2];
  int values[16];
  fill(values, 16, i);
  out[3] = values[(i * 7) % 16];
  out[4] = functions[i % 2](i);
}
