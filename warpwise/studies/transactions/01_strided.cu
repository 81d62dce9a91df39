// Idea: lane i loads a word `stride` words from its neighbour's, the first one `offset` words
//   behind a multiple of 512 bytes, and stores it beside its neighbour's. No word is loaded twice,
//   and none of those in between at all.
// Expected: since compute capability 6.0 as many transactions as the lanes touch sectors of 32
//   bytes. Before 1.2 one for a half-warp that fills a segment in order, and sixteen for any other.
//   In between as many as there are segments or lines.
// Next limit: none: this is what the study is about.
#include "word.cuh"

extern "C" __global__ void transactions(Word* out, const Word* in, long long count, int stride,
                                        int offset) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  if (i < count) out[i] = in[offset + i * stride];
}
