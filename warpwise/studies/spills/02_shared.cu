// Idea: adjacent threads load adjacent words of the block's rows into shared memory. Each thread
//   then works on its row in place. If LIVE is even, an unused word follows each row, so that the
//   lanes of a warp access different banks.
// Expected: few registers, no spills, and coalesced reads. Each word is loaded and stored in every
//   round, like a word in local memory. The size of the rows limits the blocks of an SM.
// Next limit: the accesses to shared memory.
extern __shared__ unsigned rows[];

extern "C" __global__ void spills(unsigned* out, const unsigned* in, cudaTextureObject_t, int count,
                                  int rounds) {
  constexpr int pitch = LIVE | 1;
  const int first = blockIdx.x * BLOCK_X;
  const int words = min(BLOCK_X, count - first) * LIVE;
  for (int j = threadIdx.x; j < words; j += BLOCK_X) {
    rows[j / LIVE * pitch + j % LIVE] = in[first * LIVE + j];
  }
  __syncthreads();
  const int i = first + threadIdx.x;
  if (i >= count) return;
  unsigned* const row = rows + threadIdx.x * pitch;
  unsigned last = i;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    // A full unrolling would let the compiler keep words in registers from round to round.
#pragma unroll 8
    for (int k = 0; k < LIVE; ++k) {
      last = (row[k] ^ last) * 1664525U + 1013904223U;
      row[k] = last;
    }
  }
  out[i] = last;
}
