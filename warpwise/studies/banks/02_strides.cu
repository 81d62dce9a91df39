// Idea: each thread writes and reads one word of WORDS times 4 bytes, the words of adjacent lanes
//   `stride` words apart. PADDED leaves a word free behind each row of 32 banks, so that words a
//   whole row apart lie in adjacent banks.
// Expected: as many passes as lanes that go at the same time and meet in one bank: the greatest
//   power of two in the stride, up to the number of banks. Wide words go in halves or quarters of a
//   warp, and meet less often. Padding takes the conflicts of powers of two away.
// Next limit: the block's shared memory, which grows with the stride, and with it the blocks of an
//   SM.
#if WORDS == 1
using Word = unsigned;
#elif WORDS == 2
using Word = uint2;
#else
using Word = uint4;
#endif

extern __shared__ unsigned char memory[];

__device__ int place_of(int word) { return PADDED ? word + word / (32 / WORDS) : word; }

extern "C" __global__ void banks(unsigned* out, const unsigned* in, long long count, int stride) {
  Word* const words = reinterpret_cast<Word*>(memory);
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  const bool is_inside = i * WORDS < count;
  const int place = place_of(static_cast<int>(threadIdx.x) * stride);
  if (is_inside) words[place] = reinterpret_cast<const Word*>(in)[i];
  __syncthreads();
  if (is_inside) reinterpret_cast<Word*>(out)[i] = words[place];
}
