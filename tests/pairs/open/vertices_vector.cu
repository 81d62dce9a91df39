// slow: areas of triangles of a mesh; the coordinates of a vertex are loaded one by one.
// fast: a vertex, which has four floats, is loaded whole.

__device__ float area(float3 a, float3 b, float3 c) {
  const float3 u = make_float3(b.x - a.x, b.y - a.y, b.z - a.z);
  const float3 v = make_float3(c.x - a.x, c.y - a.y, c.z - a.z);
  const float x = u.y * v.z - u.z * v.y;
  const float y = u.z * v.x - u.x * v.z;
  const float z = u.x * v.y - u.y * v.x;
  return 0.5F * sqrtf(x * x + y * y + z * z);
}
__device__ float3 scalars(const float* vertices, unsigned corner) {
  const float* at = &vertices[(corner & 4194303) * 4];
  return make_float3(at[0], at[1], at[2]);
}
__device__ float3 vector(const float* vertices, unsigned corner) {
  const float4 at = reinterpret_cast<const float4*>(vertices)[corner & 4194303];
  return make_float3(at.x, at.y, at.z);
}
extern "C" __global__ void slow(float* out, const float* vertices, const unsigned* corners, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float3 a = scalars(vertices, corners[i]);
  const float3 b = scalars(vertices, corners[n + i]);
  const float3 c = scalars(vertices, corners[2 * n + i]);
  out[i] = area(a, b, c);
}
extern "C" __global__ void fast(float* out, const float* vertices, const unsigned* corners, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float3 a = vector(vertices, corners[i]);
  const float3 b = vector(vertices, corners[n + i]);
  const float3 c = vector(vertices, corners[2 * n + i]);
  out[i] = area(a, b, c);
}
