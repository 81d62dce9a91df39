// slow: a bitonic sort keeps keys and values in two arrays, compares both, and exchanges both.
// fast: key and value lie in 64 bits.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  __shared__ unsigned keys[1024];
  __shared__ unsigned values[1024];
  const unsigned t = threadIdx.x;
  for (unsigned k = t; k < 1024; k += 512) {
    keys[k] = in[blockIdx.x * 1024 + k];
    values[k] = k;
  }
  __syncthreads();
  for (unsigned size = 2; size <= 1024; size *= 2) {
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      const unsigned a = 2 * t - (t & (stride - 1));
      const unsigned b = a + stride;
      const unsigned key_a = keys[a];
      const unsigned key_b = keys[b];
      const unsigned value_a = values[a];
      const unsigned value_b = values[b];
      const bool greater = key_a > key_b || (key_a == key_b && value_a > value_b);
      if (greater == ((a & size) == 0)) {
        keys[a] = key_b;
        keys[b] = key_a;
        values[a] = value_b;
        values[b] = value_a;
      }
      __syncthreads();
    }
  }
  for (unsigned k = t; k < 1024; k += 512) {
    out[2 * (blockIdx.x * 1024 + k)] = values[k];
    out[2 * (blockIdx.x * 1024 + k) + 1] = keys[k];
  }
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  __shared__ unsigned long long pairs[1024];
  const unsigned t = threadIdx.x;
  for (unsigned k = t; k < 1024; k += 512) {
    pairs[k] = static_cast<unsigned long long>(in[blockIdx.x * 1024 + k]) << 32 | k;
  }
  __syncthreads();
  for (unsigned size = 2; size <= 1024; size *= 2) {
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      const unsigned a = 2 * t - (t & (stride - 1));
      const unsigned b = a + stride;
      const unsigned long long pair_a = pairs[a];
      const unsigned long long pair_b = pairs[b];
      if ((pair_a > pair_b) == ((a & size) == 0)) {
        pairs[a] = pair_b;
        pairs[b] = pair_a;
      }
      __syncthreads();
    }
  }
  unsigned long long* to = reinterpret_cast<unsigned long long*>(out);
  for (unsigned k = t; k < 1024; k += 512) to[blockIdx.x * 1024 + k] = pairs[k];
}
