// Accelerations of bodies (x, y, z, mass) by mutual attraction. Shared memory holds as many bodies
// at a time as a block has threads. Uses the approximate reciprocal square root.
constexpr int block = 128;

extern "C" __global__ void n_body(const float4* bodies, float3* accelerations, int count) {
  __shared__ float4 others[block];
  const int i = static_cast<int>(blockIdx.x) * block + static_cast<int>(threadIdx.x);
  const float4 own = i < count ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 sum = make_float3(0, 0, 0);
  for (int begin = 0; begin < count; begin += block) {
    const int other = begin + static_cast<int>(threadIdx.x);
    others[threadIdx.x] = other < count ? bodies[other] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int k = 0; k < block; ++k) {
      const float dx = others[k].x - own.x;
      const float dy = others[k].y - own.y;
      const float dz = others[k].z - own.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float pull = others[k].w * inverse * inverse * inverse;
      sum.x += dx * pull;
      sum.y += dy * pull;
      sum.z += dz * pull;
    }
    __syncthreads();
  }
  if (i < count) accelerations[i] = sum;
}
