// slow: a thread moves the three bytes of a pixel to three planes.
// fast: a thread moves four pixels by three words.

extern "C" __global__ void slow(unsigned char* out, const unsigned char* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int plane = 0; plane < 3; ++plane) out[plane * n + i] = in[3 * i + plane];
}
extern "C" __global__ void fast(unsigned char* out, const unsigned char* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned* words = reinterpret_cast<const unsigned*>(in) + 3 * i;
  // The bytes are r g b r, g b r g and b r g b.
  const unsigned a = words[0];
  const unsigned b = words[1];
  const unsigned c = words[2];
  unsigned* planes = reinterpret_cast<unsigned*>(out);
  planes[i] = __byte_perm(__byte_perm(a, b, 0x0630), c, 0x5210);
  planes[n / 4 + i] = __byte_perm(__byte_perm(a, b, 0x0741), c, 0x6210);
  planes[n / 2 + i] = __byte_perm(__byte_perm(a, b, 0x0052), c, 0x7410);
}
