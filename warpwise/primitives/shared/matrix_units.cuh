#pragma once

// Products of matrices of bytes by a warp's matrix units. Fit for nvcc and NVRTC: no host headers.
// Registers have the layout of PTX's mma.m16n8k32. Lane 4 · i + j holds columns 4j … 4j + 3 of row
// i of A, rows 4j … 4j + 3 of column i of B, and columns 2j and 2j + 1 of the sums' rows i
// and i + 8.
namespace warpwise::kernels {

/// A thread's part of 16×8 sums, modulo 2^32.
struct MatrixSums {
  unsigned at[4];
};

/// A thread's part of 16×32 bytes: 8 upper and 8 lower rows, each with 16 near and 16 far columns.
struct MatrixPair {
  unsigned upper_near, lower_near, upper_far, lower_far;
};

/// Loads a pair from shared memory. Each lane passes the address of 16 bytes, a multiple of 16.
/// Lanes i and 8 + i pass the near columns of upper row i and of lower row i. Lanes 16 + i and
/// 24 + i pass the far columns of the same two rows.
__device__ inline MatrixPair load_pair(const unsigned* row) {
  MatrixPair pair;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(pair.upper_near), "=r"(pair.lower_near), "=r"(pair.upper_far),
                 "=r"(pair.lower_far)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
  return pair;
}

/// Computes sums += 16×16 bytes times 16×8 bytes. An instruction of CC 7.5 computes half the rows.
__device__ inline void multiply_add_16(MatrixSums& sums, unsigned upper, unsigned lower,
                                       unsigned b) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+r"(sums.at[0]), "+r"(sums.at[1]), "+r"(sums.at[2]), "+r"(sums.at[3])
      : "r"(upper), "r"(lower), "r"(b));
#else
  asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+r"(sums.at[0]), "+r"(sums.at[1])
      : "r"(upper), "r"(b));
  asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+r"(sums.at[2]), "+r"(sums.at[3])
      : "r"(lower), "r"(b));
#endif
}

/// Computes sums += the 16 near columns of a, times 16×8 bytes.
__device__ inline void multiply_add_near(MatrixSums& sums, const MatrixPair& a, unsigned near) {
  multiply_add_16(sums, a.upper_near, a.lower_near, near);
}

/// Computes sums += the 16 far columns of a, times 16×8 bytes.
__device__ inline void multiply_add_far(MatrixSums& sums, const MatrixPair& a, unsigned far) {
  multiply_add_16(sums, a.upper_far, a.lower_far, far);
}

/// Computes sums += all 32 columns of a, times 32×8 bytes, whose first 16 rows are in `near`.
__device__ inline void multiply_add(MatrixSums& sums, const MatrixPair& a, unsigned near,
                                    unsigned far) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums.at[0]), "+r"(sums.at[1]), "+r"(sums.at[2]), "+r"(sums.at[3])
      : "r"(a.upper_near), "r"(a.lower_near), "r"(a.upper_far), "r"(a.lower_far), "r"(near),
        "r"(far));
#else
  multiply_add_near(sums, a, near);
  multiply_add_far(sums, a, far);
#endif
}

}  // namespace warpwise::kernels
