// slow: a thread loads the 27 neighbours of its cell.
// fast: a thread goes along z and keeps sums of three planes, so that it loads nine in each step.

constexpr float weight_centre = -4.0F;
constexpr float weight_face = 0.25F;
constexpr float weight_edge = 0.15F;
constexpr float weight_corner = 0.0875F;

extern "C" __global__ void slow(float* out, const float* in, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const int z = blockIdx.z + 1;
  if (x == 0 || y == 0 || x == n - 1 || y == n - 1) return;
  float sum = 0;
#pragma unroll
  for (int dz = -1; dz <= 1; ++dz) {
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
      for (int dx = -1; dx <= 1; ++dx) {
        const int away = dx * dx + dy * dy + dz * dz;
        const float weight = away == 0   ? weight_centre
                             : away == 1 ? weight_face
                             : away == 2 ? weight_edge
                                         : weight_corner;
        sum += weight * in[((z + dz) * n + y + dy) * n + x + dx];
      }
    }
  }
  out[(z * n + y) * n + x] = sum;
}
struct Plane {
  float centre;
  float sides;
  float corners;
};
__device__ Plane plane(const float* at, int n) {
  return {at[0], at[-1] + at[1] + at[-n] + at[n], at[-n - 1] + at[-n + 1] + at[n - 1] + at[n + 1]};
}
extern "C" __global__ void fast(float* out, const float* in, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (x == 0 || y == 0 || x == n - 1 || y == n - 1) return;
  const int first = blockIdx.z * 16;
  const int begin = max(first, 1);
  const int end = min(first + 16, n - 1);
  const float* at = in + ((begin - 1) * n + y) * n + x;
  Plane below = plane(at, n);
  Plane own = plane(at + n * n, n);
  for (int z = begin; z < end; ++z) {
    const Plane above = plane(in + ((z + 1) * n + y) * n + x, n);
    out[(z * n + y) * n + x] = weight_centre * own.centre +
                               weight_face * (own.sides + below.centre + above.centre) +
                               weight_edge * (own.corners + below.sides + above.sides) +
                               weight_corner * (below.corners + above.corners);
    below = own;
    own = above;
  }
}
