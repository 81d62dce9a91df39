// Matches blocks by sums of absolute differences. Each block of 8 by 8 pixels has 256 sums, one for
// each of 16 by 16 places in the search image. A thread computes four neighbouring sums.
__global__ void match(int* sad, const unsigned char* reference, const unsigned char* search,
                      int blocks_x, int blocks_y) {
  const int width = 8 * blocks_x;
  const int search_width = width + 15;
  const int first = 4 * threadIdx.x;  // first of four neighbouring places
  const unsigned char* const block = reference + blockIdx.y * 8 * width + blockIdx.x * 8;
  const unsigned char* const there =
      search + (blockIdx.y * 8 + first / 16) * search_width + blockIdx.x * 8 + first % 16;
  int sums[4] = {};
#pragma unroll 1
  for (int y = 0; y < 8; ++y) {
    int row[11];
#pragma unroll
    for (int x = 0; x < 11; ++x) row[x] = there[y * search_width + x];
#pragma unroll
    for (int x = 0; x < 8; ++x) {
      const int pixel = block[y * width + x];
#pragma unroll
      for (int k = 0; k < 4; ++k) sums[k] += abs(pixel - row[x + k]);
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    sad[(blockIdx.y * blocks_x + blockIdx.x) * 256 + first + k] = sums[k];
  }
}
