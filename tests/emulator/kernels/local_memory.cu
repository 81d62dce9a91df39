// An array that the compiler cannot keep in registers, and a switch on values from memory.
extern "C" __global__ void local_sort(const int* from, int* to, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  int values[8];
  for (int k = 0; k < 8; ++k) values[k] = from[8 * i + k];
#pragma unroll 1
  for (int k = 1; k < 8; ++k) {
    const int value = values[k];
    int place = k;
    for (; place > 0 && values[place - 1] > value; --place) values[place] = values[place - 1];
    values[place] = value;
  }
  for (int k = 0; k < 8; ++k) to[8 * i + k] = values[k];
}

extern "C" __global__ void switch_table(const int* from, int* to, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const int x = from[i];
  int y = 0;
  switch (x & 7) {
    case 0: y = x * 3; break;
    case 1: y = __popc(x); break;
    case 2: y = x / 7; break;
    case 3: y = from[(i + 1) % count]; break;
    case 4: y = x ^ 0x55; break;
    case 5: y = static_cast<int>(sqrtf(static_cast<float>(x))); break;
    case 6: y = to[i] + x; break;
    default: y = -x; break;
  }
  to[i] = y;
}
