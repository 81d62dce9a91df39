// slow: a thread reads the three bytes of one colour pixel.
// fast: a thread reads four pixels by three words.

__device__ unsigned grey(unsigned r, unsigned g, unsigned b) {
  return (77 * r + 150 * g + 29 * b) >> 8;
}
extern "C" __global__ void slow(unsigned char* out, const unsigned char* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = grey(in[3 * i], in[3 * i + 1], in[3 * i + 2]);
}
extern "C" __global__ void fast(unsigned char* out, const unsigned char* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  const unsigned* words = reinterpret_cast<const unsigned*>(in) + 3 * i;
  const unsigned a = words[0];
  const unsigned b = words[1];
  const unsigned c = words[2];
  const unsigned first = grey(a & 255, a >> 8 & 255, a >> 16 & 255);
  const unsigned second = grey(a >> 24, b & 255, b >> 8 & 255);
  const unsigned third = grey(b >> 16 & 255, b >> 24, c & 255);
  const unsigned fourth = grey(c >> 8 & 255, c >> 16 & 255, c >> 24);
  reinterpret_cast<unsigned*>(out)[i] = first | second << 8 | third << 16 | fourth << 24;
}
