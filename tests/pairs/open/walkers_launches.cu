// slow: 48 launches, each of which takes every random walker one step on.
// fast: one launch takes every walker 48 steps on.

__device__ void walk(unsigned* positions, unsigned* states, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned position = positions[i];
  unsigned state = states[i];
  for (int k = 0; k < steps; ++k) {
    state = state * 1664525 + 1013904223;
    const unsigned direction = state >> 30;
    const unsigned step = direction & 1 ? 1 : 1024;
    position = direction & 2 ? position + step : position - step;
    position &= 1048575;
  }
  positions[i] = position;
  states[i] = state;
}
extern "C" __global__ void slow(unsigned* positions, unsigned* states, int steps) {
  walk(positions, states, steps);
}
extern "C" __global__ void fast(unsigned* positions, unsigned* states, int steps) {
  walk(positions, states, steps);
}
