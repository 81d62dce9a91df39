// Matches blocks by sums of absolute differences. Each block of 8 by 8 pixels has 256 sums, one for
// each of 16 by 16 places in the search image. A thread computes four neighbouring sums.
__global__ void match(int* sad, const unsigned char* reference, const unsigned char* search,
                      int blocks_x, int blocks_y) {
  const int width = 8 * blocks_x;
  const int search_width = width + 15;
  const unsigned char* const block = reference + blockIdx.y * 8 * width + blockIdx.x * 8;
  for (int k = 0; k < 4; ++k) {
    const int place = 4 * threadIdx.x + k;
    const unsigned char* const there =
        search + (blockIdx.y * 8 + place / 16) * search_width + blockIdx.x * 8 + place % 16;
    int sum = 0;
    for (int y = 0; y < 8; ++y) {
      for (int x = 0; x < 8; ++x) sum += abs(block[y * width + x] - there[y * search_width + x]);
    }
    sad[(blockIdx.y * blocks_x + blockIdx.x) * 256 + place] = sum;
  }
}
