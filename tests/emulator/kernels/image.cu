// Integer kernels on 8-bit images, with which the emulator's speed is measured.
using byte = unsigned char;

extern "C" __global__ void sobel(const byte* from, byte* to, int width, int height, int pitch) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  const int left = max(x - 1, 0);
  const int right = min(x + 1, width - 1);
  const byte* const above = from + max(y - 1, 0) * pitch;
  const byte* const row = from + y * pitch;
  const byte* const below = from + min(y + 1, height - 1) * pitch;
  const int dx =
      above[right] + 2 * row[right] + below[right] - above[left] - 2 * row[left] - below[left];
  const int dy =
      below[left] + 2 * below[x] + below[right] - above[left] - 2 * above[x] - above[right];
  to[y * pitch + x] = static_cast<byte>(min(abs(dx) + abs(dy), 255));
}

// Computes the mean of 5 x 5 pixels, clamped at the border, with loops that are not unrolled.
extern "C" __global__ void box(const byte* from, byte* to, int width, int height, int pitch) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  int sum = 0;
#pragma unroll 1
  for (int dy = -2; dy <= 2; ++dy) {
    const byte* const row = from + min(max(y + dy, 0), height - 1) * pitch;
#pragma unroll
    for (int dx = -2; dx <= 2; ++dx) sum += row[min(max(x + dx, 0), width - 1)];
  }
  to[y * pitch + x] = static_cast<byte>((sum * 2 + 25) / 50);
}
