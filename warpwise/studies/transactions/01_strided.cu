// Idea: lane i loads a word `stride` words after the word of lane i - 1, and stores it next to that
//   lane's result. The first word lies `offset` words after a multiple of 512 bytes. No word is
//   loaded twice, and the words in between are not loaded at all.
// Expected: since compute capability 6.0 a load takes a transaction for each touched sector of 32
//   bytes. Before 1.2 a half-warp takes one if it fills a segment in order, and sixteen if not.
//   From 1.2 to below 6.0 it takes one for each touched segment or line.
// Next limit: none: this is the subject of the study.
#include "word.cuh"

extern "C" __global__ void transactions(Word* out, const Word* in, long long count, int stride,
                                        int offset) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  if (i < count) out[i] = in[offset + i * stride];
}
