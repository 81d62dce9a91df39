// Compares gathers of texels (tld4) and cvt.rna.tf32 of floats with the bits that an H200 gave.

#include <cmath>
#include <type_traits>

#include "check.hpp"

using namespace hopper;

namespace {

__global__ void to_tf32(unsigned step, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = __uint_as_float(step * i);
  asm volatile("cvt.rna.tf32.f32 %0, %1;" : "=r"(out[i]) : "f"(x));
}

constexpr int places = 4096;

/// Gathers each channel of the four texels around each place.
template <class T4>
__global__ void gather(cudaTextureObject_t texture, const float2* at, T4* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int c = 0; c < 4; ++c) out[4 * i + c] = tex2Dgather<T4>(texture, at[i].x, at[i].y, c);
}

struct Reading {
  cudaTextureFilterMode filter = cudaFilterModePoint;
  cudaTextureReadMode mode = cudaReadModeElementType;
};

/// Returns a coordinate at most a quarter of the extent outside. Every fourth one is a multiple of
/// 1/512, half a filter step. Some of these are edges or centres of texels.
float place(Random& random, int i, float extent, bool normalized) {
  const float x = (random.unit() * 0.75f + 0.5f) * extent;
  if (i % 16 == 0 && !normalized) return std::floor(x * 2) / 2;
  return i % 4 == 0 ? std::floor(x * 512) / 512 : x;
}

template <class T, class T4, class Result>
void check(const char* name, const Reading& reading, const std::uint64_t (&hashes)[4]) {
  constexpr int width = 23;
  constexpr int height = 17;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T4>();
  cudaArray_t array;
  REQUIRE(cudaMallocArray(&array, &format, width, height, cudaArrayTextureGather));
  std::vector<T> texels(width * height * 4);
  Random random(3);
  for (T& x : texels) x = static_cast<T>(random.next() & 255);
  REQUIRE(cudaMemcpy2DToArray(array, 0, 0, texels.data(), width * sizeof(T4), width * sizeof(T4),
                              height, cudaMemcpyHostToDevice));
  const cudaTextureAddressMode modes[] = {cudaAddressModeClamp, cudaAddressModeBorder,
                                          cudaAddressModeWrap, cudaAddressModeMirror};
  for (int m = 0; m < 4; ++m) {
    const bool normalized = m >= 2;
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description{};
    description.addressMode[0] = description.addressMode[1] = modes[m];
    description.normalizedCoords = normalized;
    description.filterMode = reading.filter;
    description.readMode = reading.mode;
    cudaTextureObject_t texture;
    REQUIRE(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    float2* at = managed<float2>(places);
    for (int i = 0; i < places; ++i) {
      const float x = place(random, i, normalized ? 1.0f : width, normalized);
      const float y = place(random, i, normalized ? 1.0f : height, normalized);
      at[i] = {x, y};
    }
    Result* out = managed<Result>(4 * places);
    gather<Result><<<places / 256, 256>>>(texture, at, out);
    REQUIRE(cudaDeviceSynchronize());
    same_bits(name, hash_of(out, 4 * places * sizeof(Result)), hashes[m]);
    REQUIRE(cudaDestroyTextureObject(texture));
  }
  REQUIRE(cudaFreeArray(array));
}

}  // namespace

int main() {
  constexpr int floats = 1 << 20;
  auto* out = managed<unsigned>(floats);
  to_tf32<<<floats / 256, 256>>>(4099, out);
  REQUIRE(cudaDeviceSynchronize());
  same_bits("cvt.rna.tf32", hash_of(out, floats * sizeof(unsigned)), 0xaf512a4dc4f432cd);
  check<float, float4, float4>(
      "floats", {},
      {0x210f5c68690e7418, 0xa6b77365ee344d33, 0xcd6723b8eb92e4e6, 0x0eaca9d060ca875b});
  check<float, float4, float4>(
      "floats, linear", {cudaFilterModeLinear},
      {0x210f5c68690e7418, 0xa6b77365ee344d33, 0xcd6723b8eb92e4e6, 0x0eaca9d060ca875b});
  check<unsigned char, uchar4, uchar4>(
      "bytes", {},
      {0x8f2f2dd9f0d91bcd, 0x09704ebfb883576d, 0x0727f24234d09fdc, 0x9a4fc82aabd838c2});
  check<unsigned char, uchar4, float4>(
      "fractions", {cudaFilterModePoint, cudaReadModeNormalizedFloat},
      {0x0e6eed5383cc6b92, 0x58f76b6dc44e163e, 0xf9ae929813e979a7, 0x050a3692332afca9});
  check<int, int4, int4>(
      "words", {},
      {0xd7f0ffdcc92dd2f1, 0xfec4d95c53e70bbf, 0x2c9aa5551769a306, 0xf538fa622ffcd970});
  return failures == 0 ? 0 : 1;
}
