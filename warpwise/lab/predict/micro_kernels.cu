// Kernels that each measure one property of a GPU, over and over. Most of the measured instructions
// are in assembly, so that no compiler merges or drops them.

struct Probe {
  unsigned long long* out;     // cycles, then the threads' results
  unsigned long long* memory;  // memory that the kernel accesses
  unsigned long long count;    // elements of `memory`, or rounds of a loop
  unsigned long long stride;   // bytes from one element to the next
  unsigned long long step;     // elements from one load of a chain to the next, or repetitions
  unsigned long long texture;  // texture of zeros
};

namespace {

// Iterations of each measured loop. The loop keeps the code short enough for the instruction cache.
constexpr int turns = 8;

// Measures the cycles of one warp for calls of `step`, each of which waits for the call before it.
template <class Step>
__device__ void time_chain(const Probe& p, Step step) {
  const long long start = clock64();
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < STEPS; ++i) step();
  }
  const long long cycles = clock64() - start;
  if (threadIdx.x == 0) p.out[0] = cycles;
}

// Stores a result at the end of a kernel, so that no compiler drops the work.
template <class Value>
__device__ void keep(const Probe& p, Value value) {
  p.out[1 + threadIdx.x] = static_cast<unsigned long long>(value);
}

// Measures the cycles of a whole block for `step`, which has CHAINS independent instructions.
template <class Step>
__device__ void time_rate(const Probe& p, Step step) {
  __syncthreads();
  const long long start = clock64();
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < STEPS / CHAINS; ++i) step();
  }
  __syncthreads();
  const long long cycles = clock64() - start;
  if (threadIdx.x == 0) p.out[0] = cycles;
}

__constant__ int zeros[192];

}  // namespace

// Empty but for the read of a parameter, which misses all caches and is part of a launch's time.
extern "C" __global__ void nothing(Probe p) {
  if (p.count == 1) p.out[0] = 0;
}

// ---- latencies, measured with one warp, and with eight warps for barriers

extern "C" __global__ void arithmetic_cycles(Probe p) {
  float x = 1;
  time_chain(p, [&] { asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x)); });
  keep(p, x);
}

extern "C" __global__ void float64_cycles(Probe p) {
  double x = 1;
  time_chain(p, [&] { asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(x)); });
  keep(p, x);
}

extern "C" __global__ void special_cycles(Probe p) {
  float x = 1;
  time_chain(p, [&] { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)); });
  keep(p, x);
}

extern "C" __global__ void shared_cycles(Probe p) {
  __shared__ unsigned tile[32];
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x));
  asm volatile("st.shared.u32 [%0], %0;" : : "r"(at) : "memory");
  time_chain(p, [&] { asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)); });
  keep(p, at);
}

extern "C" __global__ void constant_cycles(Probe p) {
  int at = 0;
  time_chain(p, [&] {
    at = *reinterpret_cast<const int*>(reinterpret_cast<const char*>(zeros) + at);
    asm volatile("" : "+r"(at));
  });
  keep(p, at);
}

extern "C" __global__ void texture_cycles(Probe p) {
  unsigned at = threadIdx.x * 0;
  time_chain(p, [&] { at = tex1Dfetch<unsigned>(p.texture, static_cast<int>(at)); });
  keep(p, at);
}

extern "C" __global__ void barrier_cycles(Probe p) {
  time_chain(p, [] { __syncthreads(); });
}

// Times rounds of an empty loop. The compiler cannot prove that the counter is uniform in a warp.
// It therefore keeps the counter in a register of each lane, not in a uniform register.
extern "C" __global__ void branch_cycles(Probe p) {
  unsigned round = threadIdx.x / 32;
  const long long start = clock64();
#pragma unroll 1
  for (; round < static_cast<unsigned>(p.count); ++round) asm volatile("" ::: "memory");
  const long long cycles = clock64() - start;
  if (threadIdx.x == 0) p.out[0] = cycles;
  keep(p, round);
}

// Makes each element of the memory point to the one that is `step` elements further on.
extern "C" __global__ void link(Probe p) {
  const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x;
  for (unsigned long long i = first + threadIdx.x; i < p.count; i += threads) {
    const unsigned long long next = (i + p.step) % p.count;
    p.memory[i * (p.stride / 8)] =
        reinterpret_cast<unsigned long long>(p.memory + next * (p.stride / 8));
  }
}

// Runs one thread. The first loop loads the data into the cache from which the timed loop reads.
extern "C" __global__ void l1_cycles(Probe p) {
  unsigned long long at = reinterpret_cast<unsigned long long>(p.memory);
  for (unsigned long long i = 0; i < p.count; ++i)
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at));
  time_chain(p, [&] { asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)); });
  keep(p, at);
}

extern "C" __global__ void l2_cycles(Probe p) {
  unsigned long long at = reinterpret_cast<unsigned long long>(p.memory);
  for (unsigned long long i = 0; i < p.count; ++i)
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at));
  time_chain(p, [&] { asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)); });
  keep(p, at);
}

extern "C" __global__ void dram_cycles(Probe p) {
  unsigned long long at = reinterpret_cast<unsigned long long>(p.memory);
  time_chain(p, [&] { asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)); });
  keep(p, at);
}

// ---- rates, of a block that fills its multiprocessor's schedulers

namespace {

// Chains of different values, so that no compiler merges them.
template <class Value>
struct Chains {
  Value values[CHAINS];
  __device__ Chains() {
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) values[i] = static_cast<Value>(CHAINS * threadIdx.x + i);
  }
};

template <class Value, class Step>
__device__ void time_chains(const Probe& p, Step step) {
  Chains<Value> chains;
  time_rate(p, [&] {
#pragma unroll
    for (Value& each : chains.values) step(each);
  });
  Value sum = 0;
#pragma unroll
  for (const Value& each : chains.values) sum += each;
  keep(p, sum);
}

}  // namespace

extern "C" __global__ void float32_per_cycle(Probe p) {
  time_chains<float>(p, [](float& x) { asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x)); });
}

extern "C" __global__ void integer_per_cycle(Probe p) {
  const unsigned other = static_cast<unsigned>(p.count);
  time_chains<unsigned>(p, [&](unsigned& x) {
    asm volatile("lop3.b32 %0, %0, %1, %1, 0x2d;" : "+r"(x) : "r"(other));
  });
}

extern "C" __global__ void float64_per_cycle(Probe p) {
  time_chains<double>(p, [](double& x) { asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(x)); });
}

extern "C" __global__ void special_per_cycle(Probe p) {
  time_chains<float>(p, [](float& x) { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)); });
}

extern "C" __global__ void shuffle_per_cycle(Probe p) {
  time_chains<unsigned>(p, [](unsigned& x) {
    asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x));
  });
}

namespace {

// Measures independent loads. Their addresses differ, so that no compiler merges two loads. `first`
// is 0 but depends on an earlier load, so that the loads stay in the loop. An iteration computes it
// once: computing it for each load would take more instructions than the loads.
template <class Load>
__device__ void time_loads(const Probe& p, Load load) {
  constexpr int sums = 4;
  unsigned read[sums] = {};
  __syncthreads();
  const long long start = clock64();
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    const unsigned first = read[0] & 0x80000000U;
#pragma unroll
    for (int i = 0; i < STEPS; ++i) read[i % sums] |= load(first, i);
  }
  __syncthreads();
  const long long cycles = clock64() - start;
  if (threadIdx.x == 0) p.out[0] = cycles;
  keep(p, read[0] | read[1] | read[2] | read[3]);
}

}  // namespace

extern "C" __global__ void shared_passes_per_cycle(Probe p) {
  __shared__ unsigned tile[1024 + 32 * STEPS];
  for (int i = static_cast<int>(threadIdx.x); i < 1024 + 32 * STEPS; i += 1024) tile[i] = 0;
  const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x));
  time_loads(p, [&](unsigned first, int i) {
    unsigned loaded;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(loaded) : "r"(own + first + 128 * i));
    return loaded;
  });
}

extern "C" __global__ void load_store_per_cycle(Probe p) {
  const unsigned* own = reinterpret_cast<const unsigned*>(p.memory) + threadIdx.x;
  time_loads(p, [&](unsigned first, int i) {
    unsigned loaded;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(loaded) : "l"(own + first + 32 * i));
    return loaded;
  });
}

extern "C" __global__ void l1_bytes_per_cycle(Probe p) {
  const uint4* own = reinterpret_cast<const uint4*>(p.memory) + threadIdx.x;
  time_loads(p, [&](unsigned first, int i) {
    uint4 loaded;
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(loaded.x), "=r"(loaded.y), "=r"(loaded.z), "=r"(loaded.w)
                 : "l"(own + first + 8 * i));
    return loaded.x | loaded.y | loaded.z | loaded.w;
  });
}

extern "C" __global__ void texture_per_cycle(Probe p) {
  const int own = static_cast<int>(threadIdx.x);
  time_loads(p, [&](unsigned first, int i) {
    return tex1Dfetch<unsigned>(p.texture, own + static_cast<int>(first) + i);
  });
}

// Groups of eight warps have a barrier each, so that one group's wait hides another's.
extern "C" __global__ void barriers_per_cycle(Probe p) {
  const unsigned group = threadIdx.x / 256;
  time_rate(p, [&] {
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) asm volatile("bar.sync %0, 256;" ::"r"(group + 1) : "memory");
  });
}

// Each lane reads a different word of constant memory. Two loads of a lane are 8 bytes apart, so
// that no compiler joins them.
extern "C" __global__ void constant_passes_per_cycle(Probe p) {
  const char* own = reinterpret_cast<const char*>(zeros) + 4 * (threadIdx.x % 32);
  time_loads(p, [&](unsigned first, int i) {
    return static_cast<unsigned>(
        *reinterpret_cast<const int*>(own + 4 * static_cast<int>(first >> 31) + 8 * i));
  });
}

// All warps add to one word of shared memory. The compiler adds a warp's lanes first, so that each
// warp's addition is one pass.
extern "C" __global__ void shared_atomics_per_cycle(Probe p) {
  __shared__ unsigned word;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&word));
  time_rate(p, [&] {
#pragma unroll
    for (int i = 0; i < CHAINS; ++i)
      asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(threadIdx.x) : "memory");
  });
}

// All threads add floats to one word of shared memory. ptxas makes a compare-and-swap loop of it.
extern "C" __global__ void shared_loop_cycles(Probe p) {
  __shared__ float word;
  if (threadIdx.x == 0) word = 0;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&word));
  time_rate(p, [&] {
#pragma unroll
    for (int i = 0; i < CHAINS; ++i)
      asm volatile("red.shared.add.f32 [%0], 0f3f800000;" ::"r"(at) : "memory");
  });
}

extern "C" __global__ void texture_plane_per_cycle(Probe p) {
  const float x = static_cast<float>(threadIdx.x % 32), y = static_cast<float>(threadIdx.x / 32);
  time_loads(p, [&](unsigned first, int i) {
    return tex2D<unsigned>(p.texture, x + static_cast<float>(first + i % 8),
                           y + static_cast<float>(i / 8));
  });
}

extern "C" __global__ void conversion64_per_cycle(Probe p) {
  time_chains<float>(p, [](float& x) {
    asm volatile("{.reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t;}" : "+f"(x));
  });
}

// All threads add to one word, `step` times.
extern "C" __global__ void atomic_cycles(Probe p) {
  float* word = reinterpret_cast<float*>(p.memory);
  for (unsigned long long i = 0; i < p.step; ++i)
    asm volatile("red.global.add.f32 [%0], 0f00000000;" ::"l"(word) : "memory");
}

// One lane of each warp adds to a word, `step` times.
extern "C" __global__ void integer_atomic_cycles(Probe p) {
  unsigned* word = reinterpret_cast<unsigned*>(p.memory);
  if (threadIdx.x % 32 != 0) return;
  for (unsigned long long i = 0; i < p.step; ++i)
    asm volatile("red.global.add.u32 [%0], 0;" ::"l"(word) : "memory");
}

// Each lane adds to a different one of `count` words, which are `stride` bytes apart.
extern "C" __global__ void atomic_sectors_per_cycle(Probe p) {
  const unsigned threads = gridDim.x * blockDim.x;
  unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned long long i = 0; i < p.step; ++i) {
    const char* const at = reinterpret_cast<char*>(p.memory) + number % p.count * p.stride;
    asm volatile("red.global.add.f32 [%0], 0f00000000;" ::"l"(at) : "memory");
    number += threads;
  }
}

namespace {

// Lanes access different lines in each of `step` rounds; the lines stay in L2.
template <class Access>
__device__ void time_lines(const Probe& p, Access access) {
  const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned long long line = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (unsigned long long i = 0; i < p.step; ++i) {
    access(p.memory + 16 * (line % p.count));
    line += threads;
  }
}

}  // namespace

extern "C" __global__ void l2_read_lines_per_cycle(Probe p) {
  unsigned read = 0;
  time_lines(p, [&](const unsigned long long* at) {
    unsigned loaded;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(loaded) : "l"(at));
    read |= loaded;
  });
  if (read == 1) p.out[0] = read;
}

extern "C" __global__ void l2_written_lines_per_cycle(Probe p) {
  time_lines(p, [](unsigned long long* at) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(0) : "memory");
  });
}

// Warps store whole lines of memory that stays in L2, `step` times.
extern "C" __global__ void l2_written_sectors_per_cycle(Probe p) {
  const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned long long word = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (unsigned long long i = 0; i < p.step; ++i) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(reinterpret_cast<unsigned*>(p.memory) +
                                                 word % (4 * p.count)),
                 "r"(0)
                 : "memory");
    word += threads;
  }
}

// Each block reads the memory's first `count` words of 16 bytes, so that all blocks ask for a line
// at about the same time.
extern "C" __global__ void l2_shared_gb_per_s(Probe p) {
  const uint4* words = reinterpret_cast<const uint4*>(p.memory);
  unsigned read = 0;
#pragma unroll 4
  for (unsigned long long i = threadIdx.x; i < p.count; i += blockDim.x) {
    uint4 word;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                 : "l"(words + i));
    read |= word.x | word.y | word.z | word.w;
  }
  if (read == 1) p.out[0] = read;
}

// Each thread reads one word of a line of its own, in memory that L2 does not hold.
extern "C" __global__ void dram_sectors(Probe p) {
  const unsigned long long line =
      static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned loaded;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(loaded) : "l"(p.memory + 16 * line));
  if (loaded != 0) p.out[0] = loaded;
}

// All blocks together copy the memory's first `count` words of 16 bytes to the next ones, `step`
// times. Most kernels read and write, so this one copies: reads alone get a higher rate from L2.
extern "C" __global__ void l2_gb_per_s(Probe p) {
  uint4* words = reinterpret_cast<uint4*>(p.memory);
  const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x;
  for (unsigned long long round = 0; round < p.step; ++round) {
#pragma unroll 4
    for (unsigned long long i = first + threadIdx.x; i < p.count; i += threads) {
      uint4 word;
      asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                   : "l"(words + i));
      asm volatile("st.global.cg.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(words + p.count + i),
                   "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w)
                   : "memory");
    }
  }
}
