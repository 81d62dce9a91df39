// Sorts 512 integers of each block in shared memory, ascending.
constexpr unsigned count = 512;

extern "C" __global__ void bitonic_sort(int* values) {
  __shared__ int sorted[count];
  int* const own = values + blockIdx.x * count;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) sorted[i] = own[i];
  for (unsigned length = 2; length <= count; length *= 2) {
    for (unsigned distance = length / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        const unsigned partner = i ^ distance;
        if (partner < i) continue;
        const bool ascending = (i & length) == 0;
        const int low = sorted[i];
        const int high = sorted[partner];
        if ((low > high) == ascending) {
          sorted[i] = high;
          sorted[partner] = low;
        }
      }
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) own[i] = sorted[i];
}
