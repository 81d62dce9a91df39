// Intrinsics on packed bytes and half words, byte permutations, and funnel shifts: one result each.
constexpr int results_of_thread = 24;

extern "C" __global__ void packed(const unsigned* a, const unsigned* b, const unsigned* c,
                                  unsigned* results, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const unsigned x = a[i];
  const unsigned y = b[i];
  const unsigned z = c[i];
  unsigned* const out = results + i * results_of_thread;
  out[0] = __dp4a(x, y, z);
  out[1] =
      static_cast<unsigned>(__dp4a(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)));
  out[2] = __dp2a_lo(x, y, z);
  out[3] = static_cast<unsigned>(
      __dp2a_hi(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)));
  out[4] = __vadd4(x, y);
  out[5] = __vsub4(x, y);
  out[6] = __vaddus4(x, y);
  out[7] = __vabsdiffu4(x, y);
  out[8] = __vabsdiffs4(x, y);
  out[9] = __vsadu4(x, y);
  out[10] = __vsads4(x, y);
  out[11] = __vcmpeq4(x, y);
  out[12] = __vcmpgtu4(x, y);
  out[13] = __vcmpges4(x, y);
  out[14] = __vsetltu4(x, y);
  out[15] = __vavgu4(x, y);
  out[16] = __vmaxu4(x, y);
  out[17] = __vmins2(x, y);
  out[18] = __byte_perm(x, y, z & 0x7777u);
  out[19] = __byte_perm(x, y, 0x5410u);
  out[20] = __funnelshift_l(x, y, z);
  out[21] = __funnelshift_rc(x, y, z);
  out[22] = __viaddmax_u32(x, y, z);
  out[23] = __vimin3_s32_relu(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z));
}
