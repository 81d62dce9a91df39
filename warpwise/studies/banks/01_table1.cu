// Idea: the three kernels of A1 in docs/sources.md. A thread writes an element to shared memory
//   and, after a barrier, reads an element of its block. READ 2 reads the 256 words of a block as
//   columns of 16: the 16 lanes of a half-warp meet in one bank of 16. READ 1: each thread reads
//   its own word. READ 0: no thread reads, and the stored word comes from a register.
// Expected: on 16 banks READ 2 takes 16 passes a half-warp, and READ 1 takes one pass. On the 32
//   banks since compute capability 2.0 the lanes of a warp meet in four banks, 8 in each.
// Next limit: global memory. All three kernels have the same loads and stores of it.
extern "C" __global__ void banks(unsigned* out, const unsigned* in, long long count, int) {
  __shared__ unsigned words[BLOCK_X];
  const int thread = threadIdx.x;
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + thread;
  const unsigned own = i < count ? in[i] : 0;
  // Volatile, so that the compiler keeps the store, which READ 0 does not read.
  volatile unsigned* const shared = words;
  shared[thread] = own;
  __syncthreads();
  unsigned result = own;
  if (READ == 1) result = shared[thread];
  if (READ == 2) result = shared[thread % 16 * 16 + thread / 16];
  if (i < count) out[i] = result;
}
