// Expected result, byte by byte: words that lie a stride apart or, with RGB24, the words that hold
// the first bytes of pixels.
extern "C" __global__ void reference(unsigned char* out, const unsigned char* in, long long count,
                                     int stride, int offset) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  if (i >= count) return;
  constexpr int bytes = BITS / 8;
  long long from = bytes * (offset + i * stride);
#ifdef RGB24
  const long long pixel = i / 16 * 64 + i % 16;
  from = AT + 3 * pixel;
  from -= from % bytes;
#endif
  for (int k = 0; k < bytes; ++k) out[bytes * i + k] = in[from + k];
}
