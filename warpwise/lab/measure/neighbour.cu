// Reads memory on some multiprocessors, to take bandwidth from a kernel measured on the others.

namespace {

__device__ unsigned long long nanoseconds() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

}  // namespace

// Same layout as in neighbour.cpp.
struct Streaming {
  uint4* words;                     // zeros; a warp's turn (iteration) reads 32 * LOADS words
  unsigned long long turns_in_all;  // number of turns that read all words once
  unsigned long long* done;         // turns done, counted per block
  volatile unsigned* flags;         // in host memory: stop, running, ended by itself
  volatile unsigned* stop;          // stop flag in the GPU's memory, which all warps read
  unsigned long long turns;         // most turns of a warp
  unsigned long long period_ns;     // time of a warp's turn
  unsigned long long limit_ns;      // time limit of the kernel
};

// Reads memory at a fixed rate, one turn per warp and period, until the host sets the stop flag. At
// the latest it ends after `turns` turns or `limit_ns`, even if the host fails.
extern "C" __global__ void stream_memory(Streaming p) {
  constexpr unsigned between_counts = 8;
  constexpr unsigned late_turns = 8;
  const bool asks_host = blockIdx.x == 0 && threadIdx.x == 0;
  if (asks_host) p.flags[1] = 1;
  const unsigned lane = threadIdx.x % 32;
  const unsigned warps_in_block = blockDim.x / 32;
  const unsigned long long warps = static_cast<unsigned long long>(gridDim.x) * warps_in_block;
  const unsigned long long warp = blockIdx.x * warps_in_block + threadIdx.x / 32;
  unsigned long long turn = warp;
  const unsigned long long start = nanoseconds();
  // Spreads the ends of the warps' first turns over a period, so that the loads are spread too.
  unsigned long long due = start + p.period_ns * warp / warps;
  unsigned result = 0;
  for (unsigned long long i = 0; i < p.turns; ++i, turn += warps) {
    const uint4* const from = p.words + turn % p.turns_in_all * (32 * LOADS) + lane;
    uint4 loaded[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) loaded[k] = __ldcs(from + 32 * k);
#pragma unroll
    for (int k = 0; k < LOADS; ++k) {
      result |= loaded[k].x | loaded[k].y | loaded[k].z | loaded[k].w;
    }
    // `result` is 0, but the compiler cannot know that. The turn therefore ends only when its words
    // have arrived.
    due += p.period_ns + result;
    unsigned long long now = nanoseconds();
    // A long delay is not made up for later, so that the kernel never takes more than its share.
    if (now > due + late_turns * p.period_ns) due = now;
    while (now < due) {
      __nanosleep(100);
      now = nanoseconds();
    }
    if ((i + warp) % between_counts != 0) continue;
    if (lane == 0) atomicAdd(p.done + blockIdx.x, static_cast<unsigned long long>(between_counts));
    if (asks_host && p.flags[0] != 0) *p.stop = 1;
    if (__any_sync(0xffffffffU, *p.stop != 0 || now - start > p.limit_ns)) break;
  }
  if (asks_host && p.flags[0] == 0) p.flags[2] = 1;
}
