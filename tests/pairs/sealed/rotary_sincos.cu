// slow: pairs are turned by an angle that a power, a sine and a cosine make.
// fast: a power of two makes the angle, and one function makes both sine and cosine.

extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float place = static_cast<float>(i >> 6 & 1023);
  const float angle = place * powf(10000.0F, -static_cast<float>(i & 63) / 64);
  const float2 v = reinterpret_cast<const float2*>(in)[i];
  const float s = sinf(angle);
  const float c = cosf(angle);
  reinterpret_cast<float2*>(out)[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float place = static_cast<float>(i >> 6 & 1023);
  const float angle = place * exp2f(-0.20762051F * static_cast<float>(i & 63));
  const float2 v = reinterpret_cast<const float2*>(in)[i];
  float s;
  float c;
  sincosf(angle, &s, &c);
  reinterpret_cast<float2*>(out)[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}
