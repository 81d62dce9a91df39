// Idea: a thread takes ACCESSES values, one after another. Between the load of a value and its
//   addition it does OPS multiplications that do not need the values. STAGE 0 reads the value from
//   global memory. In STAGE 1 each warp copies 32 values to shared memory and reads its value
//   there. STAGE 2 copies with two barriers of the whole block. Loads, values and
//   multiplications are the same in all three.
// Expected: a load stops the warp only at the use of its value. STAGE 0 uses the value after the
//   multiplications, which hide the load. A copy to shared memory uses the value before them. At a
//   barrier the block waits for its slowest warp. Load and multiplications then take their times
//   one after the other, unless other resident blocks compute meanwhile.
// Next limit: with many resident warps, the multiplications, which all three stages share.
extern __shared__ float tile[];

__device__ void wait() {
  if (STAGE == 1) __syncwarp();
  if (STAGE == 2) __syncthreads();
}

extern "C" __global__ void barriers(float* out, const float* in, long long count) {
  const int thread = threadIdx.x;
  // The partner mirrors this lane in its warp. This thread waits until the partner has copied.
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
    // The operations stay in a loop, because the compiler could move single ones before the copy.
#pragma unroll 16
    for (int k = 0; k < OPS; ++k) x = __fmul_rn(x, 1.0009765625F);
    sum = __fadd_rn(sum, value);
  }
  if (is_inside) out[first + thread] = __fadd_rn(sum, x);
}
