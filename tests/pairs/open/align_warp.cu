// slow: edit distances of strings of 32 letters by diagonals; the whole block waits after each.
// fast: only the warp that has the two strings waits.

template <bool block>
__device__ void meet() {
  if (block) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}
template <bool block>
__device__ void distances(unsigned* out, const unsigned char* in) {
  __shared__ unsigned char text[8][32];
  __shared__ int cells[3][8][32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int pair = blockIdx.x * 8 + warp;
  const int own = in[pair * 64 + lane] & 3;
  text[warp][lane] = in[pair * 64 + 32 + lane] & 3;
  meet<block>();
  for (int d = 0; d < 63; ++d) {
    const int j = d - lane;
    if (j >= 0 && j < 32) {
      const int left = j == 0 ? lane + 1 : cells[(d + 2) % 3][warp][lane];
      const int up = lane == 0 ? j + 1 : cells[(d + 2) % 3][warp][lane - 1];
      int corner = j == 0 ? lane : j;
      if (j != 0 && lane != 0) corner = cells[(d + 1) % 3][warp][lane - 1];
      if (own != text[warp][j]) ++corner;
      cells[d % 3][warp][lane] = min(min(left, up) + 1, corner);
    }
    meet<block>();
  }
  if (lane == 31) out[pair] = cells[2][warp][31];
}
extern "C" __global__ void slow(unsigned* out, const unsigned char* in) {
  distances<true>(out, in);
}
extern "C" __global__ void fast(unsigned* out, const unsigned char* in) {
  distances<false>(out, in);
}
