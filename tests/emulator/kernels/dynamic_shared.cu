// Reverses each block's elements in dynamic shared memory, in which two arrays share the space.
extern __shared__ unsigned char memory[];

extern "C" __global__ void reverse_dynamic(const int* from, int* to, short* parities) {
  int* const values = reinterpret_cast<int*>(memory);
  short* const small = reinterpret_cast<short*>(values + blockDim.x);
  const unsigned i = threadIdx.x;
  const unsigned begin = blockIdx.x * blockDim.x;
  values[i] = from[begin + i];
  small[i] = static_cast<short>(values[i] & 1);
  __syncthreads();
  to[begin + i] = values[blockDim.x - 1 - i];
  parities[begin + i] = small[blockDim.x - 1 - i];
}
