// Idea: the three kernels of source A1 in docs/sources.md. A thread writes a word to shared memory
//   and passes a barrier. With READ 2 the block reads its 256 words by columns of a 16 by 16
//   matrix, so that the 16 lanes of a half-warp read one bank of 16. With READ 1 a thread reads its
//   own word. With READ 0 it reads none, and stores the word that it still has in a register.
// Expected: with 16 banks, READ 2 takes 16 passes for a half-warp, and READ 1 takes one. Since
//   compute capability 2.0 there are 32 banks. A warp then uses only four of them, 8 lanes each.
// Next limit: global memory, which all three kernels load and store alike.
extern "C" __global__ void banks(unsigned* out, const unsigned* in, long long count, int) {
  __shared__ unsigned words[BLOCK_X];
  const int thread = threadIdx.x;
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + thread;
  const unsigned own = i < count ? in[i] : 0;
  // `volatile` makes the compiler keep the store, although READ 0 never reads the word.
  volatile unsigned* const shared = words;
  shared[thread] = own;
  __syncthreads();
  unsigned result = own;
  if (READ == 1) result = shared[thread];
  if (READ == 2) result = shared[thread % 16 * 16 + thread / 16];
  if (i < count) out[i] = result;
}
