// Threads copy four elements at a time. Thread count / 4 copies the last count % 4 elements.
__global__ void copy(int* out, const int* in, int count) {
  const int thread = blockIdx.x * 256 + threadIdx.x;
  const int4* const in4 = reinterpret_cast<const int4*>(in);
  int4* const out4 = reinterpret_cast<int4*>(out);
  for (int i = thread; i < count / 4; i += gridDim.x * 256) out4[i] = in4[i];
  if (thread == count / 4) {
    for (int i = count / 4 * 4; i < count; ++i) out[i] = in[i];
  }
}
