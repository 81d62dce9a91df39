// Idea: the document's three kernels. A thread writes an element to shared memory and, after a
//   barrier, reads an element of its block; READ chooses which. 2: a block of 256 is 16 rows of 16
//   words, and is read by columns: the 16 lanes of a half-warp meet in one bank of 16. 1: each
//   thread reads its own word. 0: none is read, and the stored word comes from a register.
// Expected: on 16 banks the reads of READ 2 take 16 passes a half-warp, those of READ 1 one. On the
//   32 banks since compute capability 2.0 the lanes of a warp meet in two banks, 16 in each.
// Next limit: global memory, which all three load and store alike.
extern "C" __global__ void banks(unsigned* out, const unsigned* in, long long count, int) {
  __shared__ unsigned words[BLOCK_X];
  const int thread = threadIdx.x;
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + thread;
  const unsigned own = i < count ? in[i] : 0;
  // Kept by the compiler although READ 0 does not use it.
  volatile unsigned* const shared = words;
  shared[thread] = own;
  __syncthreads();
  unsigned result = own;
  if (READ == 1) result = shared[thread];
  if (READ == 2) result = shared[thread % 16 * 16 + thread / 16];
  if (i < count) out[i] = result;
}
