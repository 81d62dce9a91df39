// Small kernels, for which a GPU's profiler has counted memory requests, sectors and passes. The
// emulator's counts are compared with those. access_cases.json lists the launches, and access.ptx
// is this file, compiled.
//
// A lane's index in a pattern is ((lane & keep) ^ flip) * step + (lane >> shift) * jump + first,
// and the lanes of `active` take part. Each kernel has one access of the width in its name. The
// GPU and the emulator also count the accesses to the 32-bit results and tables.

namespace {

struct Pattern {
  unsigned keep;
  unsigned flip;
  unsigned step;
  unsigned shift;
  unsigned jump;
  unsigned first;
  unsigned active;
};

__device__ unsigned lane() { return threadIdx.x & 31; }
__device__ unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ bool is_active(const Pattern& pattern) { return (pattern.active >> lane() & 1) != 0; }
__device__ unsigned place(const Pattern& p) {
  return ((lane() & p.keep) ^ p.flip) * p.step + (lane() >> p.shift) * p.jump + p.first;
}

__device__ unsigned folded(unsigned char x) { return x; }
__device__ unsigned folded(unsigned short x) { return x; }
__device__ unsigned folded(unsigned x) { return x; }
__device__ unsigned folded(uint2 x) { return x.x ^ x.y; }
__device__ unsigned folded(uint4 x) { return x.x ^ x.y ^ x.z ^ x.w; }
__device__ unsigned folded(unsigned long long x) { return static_cast<unsigned>(x ^ x >> 32); }

template <class T>
__device__ T spread(unsigned x) {
  return static_cast<T>(x);
}
template <>
__device__ uint2 spread(unsigned x) {
  return {x, x + 1};
}
template <>
__device__ uint4 spread(unsigned x) {
  return {x, x + 1, x + 2, x + 3};
}

template <class T>
__device__ void load(const T* in, unsigned* out, const Pattern& pattern) {
  if (is_active(pattern)) out[thread()] = folded(in[place(pattern)]);
}

template <class T>
__device__ void store(T* out, const Pattern& pattern) {
  if (is_active(pattern)) out[place(pattern)] = spread<T>(thread());
}

// Shared memory is not written before the loads, so that loads are its only accesses. Their values
// do not matter.
extern __shared__ uint4 memory[];

template <class T>
__device__ void shared_load(unsigned* out, const Pattern& pattern) {
  const T* shared = reinterpret_cast<const T*>(memory);
  if (is_active(pattern)) out[thread()] = folded(shared[place(pattern)]);
}

// Nothing is read back, because words that no lane stores are not initialised.
template <class T>
__device__ void shared_store(const Pattern& pattern) {
  T* shared = reinterpret_cast<T*>(memory);
  if (is_active(pattern)) shared[place(pattern)] = spread<T>(thread());
}

}  // namespace

extern "C" {

__global__ void load_8(const unsigned char* in, unsigned* out, Pattern p) { load(in, out, p); }
__global__ void load_16(const unsigned short* in, unsigned* out, Pattern p) { load(in, out, p); }
__global__ void load_32(const unsigned* in, unsigned* out, Pattern p) { load(in, out, p); }
__global__ void load_64(const unsigned long long* in, unsigned* out, Pattern p) {
  load(in, out, p);
}
__global__ void load_32x2(const uint2* in, unsigned* out, Pattern p) { load(in, out, p); }
__global__ void load_128(const uint4* in, unsigned* out, Pattern p) { load(in, out, p); }

__global__ void store_8(unsigned char* out, Pattern p) { store(out, p); }
__global__ void store_16(unsigned short* out, Pattern p) { store(out, p); }
__global__ void store_32(unsigned* out, Pattern p) { store(out, p); }
__global__ void store_64(unsigned long long* out, Pattern p) { store(out, p); }
__global__ void store_32x2(uint2* out, Pattern p) { store(out, p); }
__global__ void store_128(uint4* out, Pattern p) { store(out, p); }

__global__ void shared_load_8(unsigned* out, Pattern p) { shared_load<unsigned char>(out, p); }
__global__ void shared_load_16(unsigned* out, Pattern p) { shared_load<unsigned short>(out, p); }
__global__ void shared_load_32(unsigned* out, Pattern p) { shared_load<unsigned>(out, p); }
__global__ void shared_load_64(unsigned* out, Pattern p) {
  shared_load<unsigned long long>(out, p);
}
__global__ void shared_load_32x2(unsigned* out, Pattern p) { shared_load<uint2>(out, p); }
__global__ void shared_load_128(unsigned* out, Pattern p) { shared_load<uint4>(out, p); }

__global__ void shared_store_8(Pattern p) { shared_store<unsigned char>(p); }
__global__ void shared_store_16(Pattern p) { shared_store<unsigned short>(p); }
__global__ void shared_store_32(Pattern p) { shared_store<unsigned>(p); }
__global__ void shared_store_64(Pattern p) { shared_store<unsigned long long>(p); }
__global__ void shared_store_32x2(Pattern p) { shared_store<uint2>(p); }
__global__ void shared_store_128(Pattern p) { shared_store<uint4>(p); }

// Loads through the read-only data cache.
__global__ void load_read_only_32(const unsigned* in, unsigned* out, Pattern p) {
  if (is_active(p)) out[thread()] = __ldg(in + place(p));
}

// Reads indices from a table, for permutations that no formula describes.
__global__ void gather_32(const unsigned* table, const unsigned* in, unsigned* out) {
  out[thread()] = in[table[thread()]];
}
__global__ void gather_128(const unsigned* table, const uint4* in, unsigned* out) {
  out[thread()] = folded(in[table[thread()]]);
}
__global__ void scatter_32(const unsigned* table, unsigned* out) {
  out[table[thread()]] = thread();
}
__global__ void shared_gather_32(const unsigned* table, unsigned* out) {
  out[thread()] = reinterpret_cast<const unsigned*>(memory)[table[thread()]];
}
__global__ void shared_gather_64(const unsigned* table, unsigned* out) {
  out[thread()] = folded(reinterpret_cast<const unsigned long long*>(memory)[table[thread()]]);
}
__global__ void shared_gather_128(const unsigned* table, unsigned* out) {
  out[thread()] = folded(memory[table[thread()]]);
}

// Each of `ways` groups of lanes leaves the loop after another number of iterations. The store
// after the loop is again one request of the whole warp.
__global__ void loop_loads(const unsigned* in, unsigned* out, unsigned ways) {
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned i = 0; i <= lane() % ways; ++i) sum += in[i * 32 + lane()];
  out[thread()] = sum;
}

// A branch inside a loop: all lanes make the same number of iterations, and in each iteration one
// group of lanes loads.
__global__ void branch_in_loop(const unsigned* in, unsigned* out, unsigned ways) {
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned i = 0; i < ways; ++i) {
    if (lane() % ways == i) sum ^= in[i * 32 + lane()];
    sum = sum * 5 + i;
  }
  out[thread()] = sum;
}

// A switch whose cases each have a store, written so that the compiler does not merge any two. The
// store after the switch is again one request of the whole warp.
__global__ void switch_stores(unsigned* out, unsigned ways) {
  unsigned* own = out + 32 * lane();
  switch (lane() % ways) {
    case 0: asm volatile("st.global.u32 [%0+4], %1;" ::"l"(own), "r"(lane())); break;
    case 1: asm volatile("st.global.u16 [%0+8], %1;" ::"l"(own), "r"(lane())); break;
    case 2: asm volatile("st.global.u8 [%0+13], %1;" ::"l"(own), "r"(lane())); break;
    case 3: asm volatile("st.global.v2.u32 [%0+16], {%1, %1};" ::"l"(own), "r"(lane())); break;
    case 4: asm volatile("st.global.u32 [%0+32], %1;" ::"l"(own), "r"(lane())); break;
    case 5: asm volatile("st.global.u16 [%0+34], %1;" ::"l"(own), "r"(lane())); break;
    case 6: asm volatile("st.global.u8 [%0+47], %1;" ::"l"(own), "r"(lane())); break;
    default:
      asm volatile("st.global.v4.u32 [%0+64], {%1, %1, %1, %1};" ::"l"(own), "r"(lane()));
      break;
  }
  own[9] = 1;
}

// Some lanes exit early, and the others continue without them.
__global__ void early_exit(const unsigned* in, unsigned* out, unsigned stay) {
  if (lane() >= stay) return;
  out[thread()] = in[thread()] + 1;
}

// The kernels from here on are typical kernels that people profile.
__global__ void transpose_naive(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void transpose_padded(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void transpose_without_shared(const unsigned* in, unsigned* out) {
  out[threadIdx.x * 32 + threadIdx.y] = in[threadIdx.y * 32 + threadIdx.x];
}

// A reduction tree in shared memory: in each step the stride and the number of active lanes halve.
__global__ void reduction(const unsigned* in, unsigned* out) {
  __shared__ unsigned partial[256];
  partial[threadIdx.x] = in[thread()];
  __syncthreads();
#pragma unroll 1
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}
// In this tree the stride grows, so that accesses fall on few banks.
__global__ void reduction_with_conflicts(const unsigned* in, unsigned* out) {
  __shared__ unsigned partial[256];
  partial[threadIdx.x] = in[thread()];
  __syncthreads();
#pragma unroll 1
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    const unsigned at = 2 * step * threadIdx.x;
    if (at < blockDim.x) partial[at] += partial[at + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

// Each pixel has three bytes: reading this structure takes three byte loads at a stride of 3.
__global__ void grey_of_rgb(const unsigned char* in, unsigned char* out) {
  const unsigned char* pixel = in + 3 * thread();
  out[thread()] = static_cast<unsigned char>((pixel[0] * 77 + pixel[1] * 150 + pixel[2] * 29) >> 8);
}
__global__ void structure_of_three(const float* in, float* out) {
  out[thread()] = in[3 * thread()] + in[3 * thread() + 1] * in[3 * thread() + 2];
}

}  // extern "C"
