// slow: a thread inverts one byte.
// fast: a thread inverts sixteen bytes by one load and one store.

extern "C" __global__ void slow(unsigned char* out, const unsigned char* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 255 - in[i];
}
extern "C" __global__ void fast(unsigned char* out, const unsigned char* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 16) return;
  uint4 bytes = reinterpret_cast<const uint4*>(in)[i];
  bytes = make_uint4(~bytes.x, ~bytes.y, ~bytes.z, ~bytes.w);
  reinterpret_cast<uint4*>(out)[i] = bytes;
}
