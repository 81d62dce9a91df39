// Idea: lane i loads a word `stride` words from its neighbour's, the first one `offset` words
//   after a multiple of 512 bytes, and stores it next to its neighbour's. No word is loaded twice,
//   and the words in between are not loaded at all.
// Expected: since compute capability 6.0 one transaction for each touched sector of 32 bytes.
//   Before 1.2 one for a half-warp that fills a segment in order, and sixteen for any other. In
//   between one for each touched segment or line.
// Next limit: none: this is the subject of the study.
#include "word.cuh"

extern "C" __global__ void transactions(Word* out, const Word* in, long long count, int stride,
                                        int offset) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  if (i < count) out[i] = in[offset + i * stride];
}
