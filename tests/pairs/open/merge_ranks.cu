// slow: a thread merges two sorted runs of 64 numbers.
// fast: a thread finds the place of one number by a search in the other run.

// Keys of a run ascend. Both runs have the same range, each shifted by up to 31 places.
__device__ unsigned key(const unsigned* in, unsigned place, unsigned salt) {
  const unsigned value = in[place];
  const unsigned shift = value / 64 * 2654435761U >> 27;
  return ((value & ~64U) + shift) * 64 + (value * salt >> 26);
}
constexpr unsigned salt_a = 2654435761U;
constexpr unsigned salt_b = 2246822519U;

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * 128;
  unsigned a = 0;
  unsigned b = 0;
  unsigned key_a = key(in, first, salt_a);
  unsigned key_b = key(in, first + 64, salt_b);
  for (unsigned k = 0; k < 128; ++k) {
    if (key_a <= key_b) {
      out[first + k] = key_a;
      key_a = ++a < 64 ? key(in, first + a, salt_a) : ~0U;
    } else {
      out[first + k] = key_b;
      key_b = ++b < 64 ? key(in, first + 64 + b, salt_b) : ~0U;
    }
  }
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned first = i / 128 * 128;
  const bool of_a = i % 128 < 64;
  const unsigned own = key(in, i, of_a ? salt_a : salt_b);
  const unsigned other = of_a ? first + 64 : first;
  const unsigned salt = of_a ? salt_b : salt_a;
  // Numbers of run a come before their equals of run b.
  unsigned low = 0;
  unsigned high = 64;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    const unsigned found = key(in, other + middle, salt);
    if (of_a ? found < own : found <= own) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[first + i % 64 + low] = own;
}
