// Counts the steps until each point of a picture leaves the circle of radius 2. The threads of a
// warp leave the loop at different times.
extern "C" __global__ void mandelbrot(unsigned short* steps, int width, int height, float left,
                                      float top, float pitch, int limit) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  const float real = left + static_cast<float>(x) * pitch;
  const float imaginary = top + static_cast<float>(y) * pitch;
  float a = 0;
  float b = 0;
  int step = 0;
  while (step < limit && a * a + b * b <= 4.0f) {
    const float next = a * a - b * b + real;
    b = 2 * a * b + imaginary;
    a = next;
    ++step;
  }
  steps[y * width + x] = static_cast<unsigned short>(step);
}
