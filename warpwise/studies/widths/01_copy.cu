// Idea: a thread copies a word of WORDS times 4 bytes, with one load and one store of this width.
// Expected: a thread has the same number of instructions at every width. Words of 8 bytes thus need
//   half the warp instructions of words of 4 bytes, and words of 16 bytes a quarter. The machine
//   code then has LDG and STG with .E.64 or .E.128, and a word takes 2 or 4 registers.
// Next limit: memory's bandwidth.
#include "word.cuh"

extern "C" __global__ void widths(unsigned char* out, const unsigned char* in, long long bytes) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  const long long at = i * static_cast<long long>(sizeof(Word));
  if (at < bytes) *reinterpret_cast<Word*>(out + at) = *reinterpret_cast<const Word*>(in + at);
}
