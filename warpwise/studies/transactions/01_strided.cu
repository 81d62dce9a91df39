// Idea: lane i loads a word `stride` words after the word of lane i - 1. The lanes store their
//   words side by side. The first word lies `offset` words after a multiple of 512 bytes. No word
//   is loaded twice, and the words between those of two lanes are not loaded at all.
// Expected: since compute capability 6.0 a load takes a transaction for each sector of 32 bytes
//   that it touches. Before 1.2 a half-warp takes one if its lanes fill a segment in order, and
//   else sixteen. From 1.2 to below 6.0 a load takes one for each segment or line that it touches.
// Next limit: none, because the transactions are the subject of the study.
#include "word.cuh"

extern "C" __global__ void transactions(Word* out, const Word* in, long long count, int stride,
                                        int offset) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  if (i < count) out[i] = in[offset + i * stride];
}
