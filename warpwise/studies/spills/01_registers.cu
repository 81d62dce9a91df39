// Idea: a thread reads its row of LIVE words, goes through them `rounds` times, and changes each
//   word by the word before it. All words are live from the first round to the last, so that the
//   compiler keeps them in registers. Under a cap on registers, it spills words that do not fit to
//   local memory. With TEXTURE 1 a thread reads its row through a linear texture.
// Expected: without a cap a thread needs more registers than words, and an SM holds few warps. A
//   cap allows more warps, but each spilled word is loaded and stored in every round. Adjacent
//   lanes read words a row apart, each in its own sector. With TEXTURE 1, the texture cache keeps a
//   sector until its next word is read. Since compute capability 7.0, L1 does so for all reads.
// Next limit: arithmetic without a cap; local memory with a cap.
__device__ unsigned word_at(const unsigned* in, cudaTextureObject_t texture, int i) {
  return TEXTURE ? tex1Dfetch<unsigned>(texture, i) : in[i];
}

extern "C" __global__ void spills(unsigned* out, const unsigned* in, cudaTextureObject_t texture,
                                  int count, int rounds) {
  const int i = blockIdx.x * BLOCK_X + threadIdx.x;
  if (i >= count) return;
  unsigned words[LIVE];
#pragma unroll
  for (int k = 0; k < LIVE; ++k) words[k] = word_at(in, texture, i * LIVE + k);
  unsigned last = i;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < LIVE; ++k) {
      last = (words[k] ^ last) * 1664525U + 1013904223U;
      words[k] = last;
    }
  }
  out[i] = last;
}
