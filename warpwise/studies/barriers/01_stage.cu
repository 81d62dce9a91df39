// Idea: a thread adds ACCESSES values, one after another. Between the load of a value and its
//   addition it does OPS multiplications that do not need the value. STAGE 0 reads the value from
//   global memory. In STAGE 1 each warp copies 32 values to shared memory, and its threads read
//   them there after __syncwarp(). STAGE 2 uses __syncthreads() instead. All three stages have the
//   same loads, values and multiplications.
// Expected: a warp stops only at the first use of a loaded value. STAGE 0 uses it after the
//   multiplications, which hide the load. STAGE 1 and 2 use it before them, for the copy to shared
//   memory. In STAGE 2 the block also waits for its slowest warp. The times of load and
//   multiplications then add up, unless other resident blocks compute meanwhile.
// Next limit: the multiplications, if many warps are resident. All three stages share them.
extern __shared__ float tile[];

__device__ void wait() {
  if (STAGE == 1) __syncwarp();
  if (STAGE == 2) __syncthreads();
}

extern "C" __global__ void barriers(float* out, const float* in, long long count) {
  const int thread = threadIdx.x;
  // Mirrored lane of the same warp. This thread reads the value that its partner copied.
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
    // Without a loop the compiler could move some of the multiplications before the copy.
#pragma unroll 16
    for (int k = 0; k < OPS; ++k) x = __fmul_rn(x, 1.0009765625F);
    sum = __fadd_rn(sum, value);
  }
  if (is_inside) out[first + thread] = __fadd_rn(sum, x);
}
