// slow: lanes read the colours of a palette in constant memory, each at another place.
// fast: lanes read a copy of the palette in global memory.

struct Palette {
  unsigned colours[256];
  constexpr Palette() : colours{} {
    for (unsigned i = 0; i < 256; ++i) {
      const unsigned red = i < 128 ? 0 : 2 * i - 255;
      const unsigned green = i < 128 ? 2 * i : 510 - 2 * i;
      colours[i] = red | green << 8 | (255 - i) << 16 | 0xFF000000U;
    }
  }
};
__constant__ Palette palette;
__device__ const Palette palette_copy;

__device__ void paint(uint4* out, const unsigned* in, const unsigned* colours) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned word = in[i];
  out[i] = make_uint4(colours[word & 255], colours[word >> 8 & 255], colours[word >> 16 & 255],
                      colours[word >> 24]);
}
extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  paint(reinterpret_cast<uint4*>(out), in, palette.colours);
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  paint(reinterpret_cast<uint4*>(out), in, palette_copy.colours);
}
