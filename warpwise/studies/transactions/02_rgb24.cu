// Idea: the 16 lanes of a half-warp load from 16 pixels of three bytes. A lane loads the aligned
//   word that holds its pixel's first byte. Each half-warp has its own 192 bytes, three segments of
//   64. Its 16 pixels are the 48 bytes that begin AT bytes into them. AT is 0, 48, 96 or 144.
// Expected: the 48 bytes at 0 and at 144 lie in one segment of 64 bytes, those at 48 and at 96 in
//   two. On compute capability 1.2 and 1.3, a segment has 64 bytes only for words of 2 bytes. It
//   has 32 bytes for words of 1 byte, and 128 bytes for words of 4 bytes.
// Next limit: none, because the transactions are the subject of the study.
#include "word.cuh"

extern "C" __global__ void transactions(Word* out, const Word* in, long long count, int, int) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  const long long first = i / 16 * 192 + AT;
  const int byte = static_cast<int>(i % 16) * 3;
  constexpr int word_bytes = sizeof(Word);
  if (i < count) out[i] = in[(first + byte) / word_bytes];
}
