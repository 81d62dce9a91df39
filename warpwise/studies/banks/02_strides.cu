// Idea: each thread stores a word of WORDS times 4 bytes, and reads it READS times. The words of
//   adjacent lanes are `stride` words apart. With PADDED a word stays free after every 128 bytes,
//   so that words 128 bytes apart lie in different banks. Reads are combined by XOR. READS is odd,
//   so that the result is the word. The reads are volatile: the compiler removes none.
// Expected: a request takes as many passes as lanes share a bank. For words of 4 bytes this is the
//   greatest power of two that divides the stride, at most the number of banks. Words of 8 bytes
//   are served by half-warps, and words of 16 bytes by quarters, so fewer lanes meet. For words of
//   4 bytes, padding removes the conflicts of strides that are powers of two.
// Next limit: the block's shared memory. It grows with the stride and limits an SM's blocks.
static_assert(READS % 2 == 1, "an even number of reads leaves nothing of the word");

// A word of 4, 8 or 16 bytes, which one instruction of inline assembly reads. In C++, a volatile
// read of a vector type is a read per member. Reads that are not volatile would be merged into one.
#if WORDS == 1
using Word = unsigned;
__device__ void flip(Word& bits, unsigned address) {
  Word word;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
  bits ^= word;
}
#elif WORDS == 2
using Word = uint2;
__device__ void flip(Word& bits, unsigned address) {
  Word word;
  asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
               : "=r"(word.x), "=r"(word.y)
               : "r"(address));
  bits.x ^= word.x;
  bits.y ^= word.y;
}
#else
using Word = uint4;
__device__ void flip(Word& bits, unsigned address) {
  Word word;
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
               : "r"(address));
  bits.x ^= word.x;
  bits.y ^= word.y;
  bits.z ^= word.z;
  bits.w ^= word.w;
}
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
  if (!is_inside) return;
  Word bits = {};
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&words[place]));
#pragma unroll 1
  for (int n = 0; n < READS; n += 1) flip(bits, address);
  reinterpret_cast<Word*>(out)[i] = bits;
}
