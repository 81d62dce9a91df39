// Idea: arithmetic takes the time, not memory. Each element has a state of STATE numbers. ROUNDS
//   rounds compute each number in order from the number before. A thread holds the states of its
//   WORDS elements at once. It loads the elements with one access, and stores them with one.
// Expected: an element takes the same instructions at every width. A thread needs a little more
//   than WORDS times STATE registers, and the launch has WORDS times fewer warps. Large states
//   leave fewer warps on an SM, and at last spill. A small grid leaves schedulers without warps. A
//   thread's elements are independent, so their instructions overlap like those of several warps.
//   This overlap makes up for the missing warps if each scheduler has at least one warp.
// Next limit: arithmetic.
#include "word.cuh"

extern "C" __global__ void widths(unsigned char* out, const unsigned char* in, long long bytes) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  const long long at = i * static_cast<long long>(sizeof(Word));
  if (at >= bytes) return;
  const Word word = *reinterpret_cast<const Word*>(in + at);
  unsigned elements[WORDS];
  unsigned state[WORDS][STATE];
#pragma unroll
  for (int e = 0; e < WORDS; ++e) {
    elements[e] = reinterpret_cast<const unsigned*>(&word)[e];
#pragma unroll
    for (int k = 0; k < STATE; ++k) state[e][k] = elements[e] ^ (k * 0x9e3779b9U);
  }
#pragma unroll 1
  for (int round = 0; round < ROUNDS; ++round) {
#pragma unroll
    for (int k = 0; k < STATE; ++k) {
#pragma unroll
      for (int e = 0; e < WORDS; ++e) {
        elements[e] = (state[e][k] ^ elements[e]) * 1664525U + 1013904223U;
        state[e][k] = elements[e];
      }
    }
  }
  Word result;
#pragma unroll
  for (int e = 0; e < WORDS; ++e) reinterpret_cast<unsigned*>(&result)[e] = elements[e];
  *reinterpret_cast<Word*>(out + at) = result;
}
