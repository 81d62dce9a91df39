// slow: a thread computes one cell of the Game of Life from the bits of nine cells.
// fast: a thread computes the 32 cells of a word by logical operations on whole words.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int x = i % 8192;
  const int y = i / 8192;
  int neighbours = 0;
  int here = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int column = (x + dx) & 8191;
      const int row = (y + dy) & (rows - 1);
      const int cell = in[row * 256 + column / 32] >> column % 32 & 1;
      if (dx == 0 && dy == 0)
        here = cell;
      else
        neighbours += cell;
    }
  }
  const unsigned word = __ballot_sync(~0U, neighbours == 3 || (neighbours == 2 && here == 1));
  if (threadIdx.x % 32 == 0) out[i / 32] = word;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int x = i % 256;
  const int y = i / 256;
  unsigned left[3];
  unsigned middle[3];
  unsigned right[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const int row = ((y + k - 1) & (rows - 1)) * 256;
    middle[k] = in[row + x];
    left[k] = middle[k] << 1 | in[row + ((x - 1) & 255)] >> 31;
    right[k] = middle[k] >> 1 | in[row + ((x + 1) & 255)] << 31;
  }
  const unsigned ones0 = left[0] ^ middle[0] ^ right[0];
  const unsigned twos0 = (left[0] & middle[0]) | (left[0] & right[0]) | (middle[0] & right[0]);
  const unsigned ones2 = left[2] ^ middle[2] ^ right[2];
  const unsigned twos2 = (left[2] & middle[2]) | (left[2] & right[2]) | (middle[2] & right[2]);
  const unsigned ones1 = left[1] ^ right[1];
  const unsigned twos1 = left[1] & right[1];
  const unsigned ones = ones0 ^ ones1 ^ ones2;
  const unsigned carry = (ones0 & ones1) | (ones0 & ones2) | (ones1 & ones2);
  const unsigned single = (twos0 ^ twos1 ^ twos2 ^ carry) & ~((twos0 & twos1) | (twos2 & carry));
  out[i] = single & (ones | middle[1]);
}
