// Idea: a thread copies one word of WORDS times 4 bytes, with one load and one store of any width.
// Expected: a thread has the same number of instructions for a word of any width. The same bytes
//   take a half and a quarter of the warp instructions. The machine code has LDG.E.64, LDG.E.128,
//   STG.E.64 and STG.E.128; a word takes 2 or 4 registers.
// Next limit: memory's bandwidth.
#include "word.cuh"

extern "C" __global__ void widths(unsigned char* out, const unsigned char* in, long long bytes) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  const long long at = i * static_cast<long long>(sizeof(Word));
  if (at < bytes) *reinterpret_cast<Word*>(out + at) = *reinterpret_cast<const Word*>(in + at);
}
