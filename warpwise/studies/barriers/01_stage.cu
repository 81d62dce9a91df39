// Idea: a thread takes ACCESSES values, one after another. Between asking for one and adding it, it
//   has OPS multiplications to do that need none of them. STAGE 0 reads the value from global
//   memory. STAGE 1 has each warp copy 32 values to shared memory and reads its value there, and
//   STAGE 2 stands between two barriers of the whole block for that. Loads, values and
//   multiplications are the same in all three.
// Expected: a load only stops the warp that uses its value. STAGE 0 uses it after the
//   multiplications, whose time hides the load's. A copy to shared memory uses it at once, before
//   them, and at a barrier the block waits for its slowest warp: load and multiplications take
//   their times one after the other, unless other blocks are there to compute meanwhile.
// Next limit: with many resident warps the multiplications themselves, which all do alike.
extern __shared__ float tile[];

__device__ void wait() {
  if (STAGE == 1) __syncwarp();
  if (STAGE == 2) __syncthreads();
}

extern "C" __global__ void barriers(float* out, const float* in, long long count) {
  const int thread = threadIdx.x;
  // The lane that mirrors this one in its warp: another thread, so that the copy has to wait.
  const int partner = thread ^ 31;
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK_X;
  const bool is_inside = first + thread < count;
  const bool is_partner_inside = first + partner < count;
  float sum = 0;
  float x = 1.0F + thread;
#pragma unroll 1
  for (int access = 0; access < ACCESSES; ++access) {
    const float* const row = in + access * count + first;
    float value = 0;
    if (STAGE == 0) {
      if (is_partner_inside) value = row[partner];
    } else {
      tile[thread] = is_inside ? row[thread] : 0;
      wait();
      value = tile[partner];
      wait();
    }
    // In a loop, so that the compiler cannot move them to before the copy.
#pragma unroll 16
    for (int k = 0; k < OPS; ++k) x = __fmul_rn(x, 1.0009765625F);
    sum = __fadd_rn(sum, value);
  }
  if (is_inside) out[first + thread] = __fadd_rn(sum, x);
}
