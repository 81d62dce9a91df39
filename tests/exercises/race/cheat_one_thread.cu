// fails: instructions_per_element
__global__ void relax(int* data, int count, int steps) {
  __shared__ int values[256];
  if (threadIdx.x > 0) return;
  const int first = blockIdx.x * 256;
  const int size = min(256, count - first);
  for (int i = 0; i < size; ++i) values[i] = data[first + i];
  for (int step = 0; step < steps; ++step) {
    int left = 0;
    for (int i = 0; i < size; ++i) {
      const int own = values[i];
      values[i] = (left + (i + 1 < size ? values[i + 1] : 0)) / 2;
      left = own;
    }
  }
  for (int i = 0; i < size; ++i) data[first + i] = values[i];
}
