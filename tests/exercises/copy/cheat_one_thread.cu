// fails: instructions_per_element
__global__ void copy(int* out, const int* in, int count) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  int i = 0;
  for (; i + 4 <= count; i += 4)
    *reinterpret_cast<int4*>(out + i) = *reinterpret_cast<const int4*>(in + i);
  for (; i < count; ++i) out[i] = in[i];
}
