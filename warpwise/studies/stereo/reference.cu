// What all steps have to give, one image row a thread, written without their header.
__device__ int score(const unsigned char* left, const unsigned char* right, int width, int height,
                     int x, int y, int d, int half) {
  int sum = 0;
  for (int j = y - half; j <= y + half; ++j) {
    const int row = (j < 0 ? 0 : j < height ? j : height - 1) * width;
    for (int i = x - half; i <= x + half; ++i) {
      const int a = i < 0 ? 0 : i < width ? i : width - 1;
      const int b = i - d < 0 ? 0 : i - d < width ? i - d : width - 1;
      sum += abs(left[row + a] - right[row + b]);
    }
  }
  return sum;
}

extern "C" __global__ void reference(const unsigned char* left, const unsigned char* right,
                                     short* out, void*, int width, int height, int half,
                                     int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  const int x = i % width;
  const int y = i / width;
  int best = 0, back = 0;
  for (int d = 1; d < count && d <= x; ++d) {
    if (score(left, right, width, height, x, y, d, half) <
        score(left, right, width, height, x, y, best, half)) {
      best = d;
    }
  }
  const int matched = x - best;
  for (int d = 1; d < count && matched + d < width; ++d) {
    if (score(left, right, width, height, matched + d, y, d, half) <
        score(left, right, width, height, matched + back, y, back, half)) {
      back = d;
    }
  }
  out[i] = static_cast<short>(abs(best - back) > 1 ? -1 : best);
}
