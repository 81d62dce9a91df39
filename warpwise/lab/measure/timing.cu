// Kernels of the timer: some run around the work that it times, others measure roofs.

namespace {

__device__ unsigned long long nanoseconds() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

__device__ unsigned multiprocessor() {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

struct __align__(16) Clock {
  unsigned long long cycles;
  unsigned long long nanoseconds;
};

}  // namespace

// Reads the cycle counter and the time on each multiprocessor that a block runs on.
// Counters differ between multiprocessors. A clock rate therefore needs two readings on the
// same multiprocessor.
extern "C" __global__ void read_clocks(Clock* clocks, unsigned long long count) {
  const unsigned number = multiprocessor();
  if (threadIdx.x == 0 && number < count) {
    const Clock now = {static_cast<unsigned long long>(clock64()), nanoseconds()};
    // If several blocks of a multiprocessor write, both values come from one of them.
    asm volatile("st.volatile.v2.u64 [%0], {%1, %2};"
                 :
                 : "l"(clocks + number), "l"(now.cycles), "l"(now.nanoseconds)
                 : "memory");
  }
}

// Keeps the stream busy until the host has put the timed work on it, at most for `limit_ns`.
// flags[0]: the host is done. flags[1]: the host was too late.
extern "C" __global__ void wait_for_host(volatile unsigned* flags, unsigned long long limit_ns) {
  const unsigned long long start = nanoseconds();
  while (flags[0] == 0) {
    if (nanoseconds() - start > limit_ns) {
      flags[1] = 1;
      return;
    }
  }
}

// Reads `count` words, LOADS of them at a time, and writes nothing. All bytes of the words are 1.
// The exclusive or of the words only keeps the compiler from removing the loads.
extern "C" __global__ void read_words(uint4* words, unsigned long long count) {
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned result = 0;
  for (; i + (LOADS - 1) * stride < count; i += LOADS * stride) {
    uint4 loaded[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) loaded[k] = words[i + k * stride];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) {
      result ^= loaded[k].x ^ loaded[k].y << 1 ^ loaded[k].z << 2 ^ loaded[k].w << 3;
    }
  }
  for (; i < count; i += stride) {
    const uint4 last = words[i];
    result ^= last.x ^ last.y << 1 ^ last.z << 2 ^ last.w << 3;
  }
  // Never true, because words of 0x01010101, shifted by at most 3, have none of these bits.
  if ((result & 0xf0f0f0f0U) != 0) words[0].x = result;
}

// Computes `turns` * STEPS packed sums of absolute differences in each of a thread's CHAINS chains.
// Each sum needs the chain's sum before it, and chains differ, so the compiler must keep all sums.
extern "C" __global__ void absolute_differences(unsigned* results, long long turns) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned other = 0x9e3779b9U * (thread + 1);
  unsigned sums[CHAINS];
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) sums[i] = other + 0x01030507U * i;
  for (long long turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int k = 0; k < STEPS; ++k) {
#pragma unroll
      for (int i = 0; i < CHAINS; ++i) sums[i] = __vsadu4(sums[i], other);
    }
  }
  unsigned result = 0;
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) result ^= sums[i];
  results[thread] = result;
}
