// Counts and reverses bits, multiplies to full width, divides and averages: one result each.
extern "C" __global__ void bits(const unsigned* a, const unsigned* b, unsigned* results,
                                unsigned long long* wide, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const unsigned x = a[i];
  const unsigned y = b[i];
  const int sx = static_cast<int>(x);
  const int sy = static_cast<int>(y);
  const unsigned long long w = static_cast<unsigned long long>(x) << 32 | y;
  unsigned* const out = results + 14 * i;
  out[0] = static_cast<unsigned>(__popc(x));
  out[1] = static_cast<unsigned>(__clz(sx));
  out[2] = static_cast<unsigned>(__ffs(sx));
  out[3] = __brev(x);
  out[4] = __umulhi(x, y);
  out[5] = static_cast<unsigned>(__mulhi(sx, sy));
  out[6] = static_cast<unsigned>(__mul24(sx, sy));
  out[7] = __usad(x, y, 5u);
  out[8] = __uhadd(x, y);
  out[9] = static_cast<unsigned>(__rhadd(sx, sy));
  out[10] = static_cast<unsigned>(__popcll(w) + __clzll(static_cast<long long>(w)));
  out[11] = y == 0 ? 0 : x / y + x % y;
  out[12] = sy == 0 ? 0 : static_cast<unsigned>(sx / (sy | 1) + sx % (sy | 1));
  out[13] = static_cast<unsigned>(abs(sx)) >> (y & 31) | static_cast<unsigned>(sx >> (y & 31));
  wide[3 * i] = __brevll(w);
  wide[3 * i + 1] = __umul64hi(w, w + y);
  wide[3 * i + 2] = y == 0 ? 0 : w / y + w % y;
}
