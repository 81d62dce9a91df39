// Each warp counts by ballots. A register of lane b is the counter of bin b.
__global__ void histogram(int* out, const unsigned char* in, int groups) {
  __shared__ int counters[2][16];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  int mine = 0;
  for (int i = threadIdx.x; i < 1024; i += 64) {
    const int bin = in[blockIdx.x * 1024 + i] / 16;
    unsigned same = ~0u;
    for (int bit = 0; bit < 4; ++bit) {
      const unsigned set = __ballot_sync(~0u, bin >> bit & 1);
      same &= lane >> bit & 1 ? set : ~set;
    }
    mine += __popc(same);
  }
  if (lane < 16) counters[warp][lane] = mine;
  __syncthreads();
  if (threadIdx.x < 16) out[blockIdx.x * 16 + threadIdx.x] = counters[0][lane] + counters[1][lane];
}
