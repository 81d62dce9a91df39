// Tests CUDA arrays: copies, textures of every shape, and surfaces. The program gives the same
// results on a GPU.

#include <cuda.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace {

template <class Read>
__global__ void read_each(Read read, const float4* at, float* to, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = read(at[i]);
}

struct Line {
  cudaTextureObject_t texture;
  __device__ float operator()(float4 p) const { return tex1D<float>(texture, p.x); }
};
struct Plane {
  cudaTextureObject_t texture;
  __device__ float operator()(float4 p) const { return tex2D<float>(texture, p.x, p.y); }
};
struct Volume {
  cudaTextureObject_t texture;
  __device__ float operator()(float4 p) const { return tex3D<float>(texture, p.x, p.y, p.z); }
};
struct LineLayers {
  cudaTextureObject_t texture;
  __device__ float operator()(float4 p) const {
    return tex1DLayered<float>(texture, p.x, static_cast<int>(p.w));
  }
};
struct PlaneLayers {
  cudaTextureObject_t texture;
  __device__ float operator()(float4 p) const {
    return tex2DLayered<float>(texture, p.x, p.y, static_cast<int>(p.w));
  }
};
struct Cube {
  cudaTextureObject_t texture;
  __device__ float operator()(float4 p) const { return texCubemap<float>(texture, p.x, p.y, p.z); }
};
struct Cubes {
  cudaTextureObject_t texture;
  __device__ float operator()(float4 p) const {
    return texCubemapLayered<float>(texture, p.x, p.y, p.z, static_cast<int>(p.w));
  }
};

template <class Read>
std::vector<float> readings(Read read, const std::vector<float4>& at) {
  float4* places = nullptr;
  float* results = nullptr;
  EXPECT_EQ(cudaMalloc(&places, at.size() * sizeof(float4)), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&results, at.size() * sizeof(float)), cudaSuccess);
  cudaMemcpy(places, at.data(), at.size() * sizeof(float4), cudaMemcpyHostToDevice);
  const int count = static_cast<int>(at.size());
  read_each<<<(count + 127) / 128, 128>>>(read, places, results, count);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  std::vector<float> found(at.size());
  EXPECT_EQ(cudaMemcpy(found.data(), results, found.size() * sizeof(float), cudaMemcpyDeviceToHost),
            cudaSuccess);
  cudaFree(places);
  cudaFree(results);
  return found;
}

/// An array of floats 0, 1, 2, … and textures over it.
class Numbered {
 public:
  explicit Numbered(cudaExtent extent, unsigned flags = 0) {
    const auto one = [](std::size_t n) { return n > 0 ? n : 1; };
    values.resize(extent.width * one(extent.height) * one(extent.depth));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    EXPECT_EQ(cudaMalloc3DArray(&array, &format, extent, flags), cudaSuccess);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = {values.data(), extent.width * sizeof(float), extent.width, one(extent.height)};
    copy.dstArray = array;
    copy.extent = {extent.width, one(extent.height), one(extent.depth)};
    copy.kind = cudaMemcpyHostToDevice;
    EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  }
  ~Numbered() {
    if (texture_ != 0) cudaDestroyTextureObject(texture_);
    cudaFreeArray(array);
  }
  Numbered(const Numbered&) = delete;
  Numbered& operator=(const Numbered&) = delete;

  cudaTextureObject_t texture(cudaTextureFilterMode filter, cudaTextureAddressMode mode,
                              bool normalized) {
    if (texture_ != 0) cudaDestroyTextureObject(texture_);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description{};
    for (auto& each : description.addressMode) each = mode;
    description.filterMode = filter;
    description.normalizedCoords = normalized ? 1 : 0;
    EXPECT_EQ(cudaCreateTextureObject(&texture_, &resource, &description, nullptr), cudaSuccess);
    return texture_;
  }

  std::vector<float> values;
  cudaArray_t array = nullptr;

 private:
  cudaTextureObject_t texture_ = 0;
};

TEST(Arrays, TexturesOfOneDimension) {
  Numbered line({5, 0, 0});
  EXPECT_EQ(readings(Line{line.texture(cudaFilterModePoint, cudaAddressModeClamp, false)},
                     {{-3, 0, 0, 0}, {2.5f, 0, 0, 0}, {9, 0, 0, 0}}),
            (std::vector<float>{0, 2, 4}));
  EXPECT_EQ(readings(Line{line.texture(cudaFilterModeLinear, cudaAddressModeWrap, true)},
                     {{0.5f, 0, 0, 0}, {1.0f, 0, 0, 0}, {0.4f, 0, 0, 0}}),
            (std::vector<float>{2, 2, 1.5f}));
}

TEST(Arrays, TexturesOfPlanesAndVolumes) {
  Numbered plane({4, 3, 0});
  EXPECT_EQ(readings(Plane{plane.texture(cudaFilterModeLinear, cudaAddressModeBorder, false)},
                     {{1.5f, 1.5f, 0, 0}, {2, 1, 0, 0}, {0, 0.5f, 0, 0}, {9, 1, 0, 0}}),
            (std::vector<float>{5, 3.5f, 0, 0}));
  Numbered volume({5, 4, 3});
  const auto at = [](float x, float y, float z) { return float4{x, y, z, 0}; };
  const std::vector<float4> places = {at(0.5f, 0.5f, 0.5f), at(2, 1.5f, 1.5f), at(1.5f, 2, 2),
                                      at(1.5f, 1.5f, 2), at(-9, 1, 9)};
  EXPECT_EQ(
      readings(Volume{volume.texture(cudaFilterModePoint, cudaAddressModeClamp, false)}, places),
      (std::vector<float>{0, 27, 51, 46, 45}));
  EXPECT_EQ(
      readings(Volume{volume.texture(cudaFilterModeLinear, cudaAddressModeClamp, false)}, places),
      (std::vector<float>{0, 26.5f, 38.5f, 36, 42.5f}));
  EXPECT_EQ(readings(Volume{volume.texture(cudaFilterModePoint, cudaAddressModeMirror, true)},
                     {at(0.5f, 0.5f, -0.1f), at(1.1f, 0.5f, 1.1f)}),
            (std::vector<float>{12, 54}));
}

TEST(Arrays, AreReadWithABorderOfAColour) {
  Numbered line({4, 0, 0});
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = line.array;
  cudaTextureDesc description{};
  description.addressMode[0] = cudaAddressModeBorder;
  description.borderColor[0] = 7;
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaSuccess);
  EXPECT_EQ(readings(Line{texture}, {{-1, 0, 0, 0}, {0, 0, 0, 0}, {3, 0, 0, 0}, {4, 0, 0, 0}}),
            (std::vector<float>{7, 0, 3, 7}));
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
}

TEST(Arrays, AreReadAsSrgb) {
  const std::uint8_t bytes[] = {0, 128, 255};
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<std::uint8_t>();
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &format, 3), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2DToArray(array, 0, 0, bytes, 3, 3, 1, cudaMemcpyHostToDevice), cudaSuccess);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description{};
  description.addressMode[0] = cudaAddressModeClamp;
  description.readMode = cudaReadModeNormalizedFloat;
  description.sRGB = 1;
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaSuccess);
  EXPECT_EQ(readings(Line{texture}, {{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 0, 0}}),
            (std::vector<float>{0, 0.2158203125f, 1}))
      << "as an H200 reads them";
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
}

TEST(Arrays, AreViewedOnlyAsAWhole) {
  Numbered plane({4, 3, 0});
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = plane.array;
  const cudaTextureDesc description{};
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatFloat1;
  view.width = 4;
  view.height = 3;
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &description, &view), cudaSuccess);
  EXPECT_EQ(readings(Plane{texture}, {{2, 1, 0, 0}}), (std::vector<float>{6}));
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
  view.format = cudaResViewFormatUnsignedInt1;
  EXPECT_EQ(cudaCreateTextureObject(&texture, &resource, &description, &view),
            cudaErrorNotSupported);
  view.format = cudaResViewFormatNone;
  view.width = 2;
  EXPECT_EQ(cudaCreateTextureObject(&texture, &resource, &description, &view),
            cudaErrorNotSupported);
  cudaGetLastError();
}

TEST(Arrays, TexturesHaveChannels) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 512), cudaSuccess);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.sizeInBytes = 512;
  const cudaTextureDesc description{};
  cudaTextureObject_t texture = 0;
  EXPECT_EQ(cudaCreateTextureObject(&texture, &resource, &description, nullptr),
            cudaErrorInvalidChannelDescriptor);
  CUDA_RESOURCE_DESC driver_resource{};
  driver_resource.resType = CU_RESOURCE_TYPE_LINEAR;
  driver_resource.res.linear.devPtr = reinterpret_cast<CUdeviceptr>(memory);
  driver_resource.res.linear.format = CU_AD_FORMAT_UNORM_INT8X4;
  driver_resource.res.linear.numChannels = 4;
  driver_resource.res.linear.sizeInBytes = 512;
  const CUDA_TEXTURE_DESC driver_description{};
  CUtexObject object = 0;
  EXPECT_EQ(cuTexObjectCreate(&object, &driver_resource, &driver_description, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  cudaGetLastError();
}

// A layer with a negative index, or past the end, is read as the last layer, as on an H200.
TEST(Arrays, TexturesOfLayers) {
  Numbered lines({4, 0, 3}, cudaArrayLayered);
  EXPECT_EQ(readings(LineLayers{lines.texture(cudaFilterModeLinear, cudaAddressModeClamp, false)},
                     {{1, 0, 0, 0}, {1, 0, 0, 2}, {1, 0, 0, -1}, {1, 0, 0, 7}}),
            (std::vector<float>{0.5f, 8.5f, 8.5f, 8.5f}));
  Numbered planes({4, 3, 3}, cudaArrayLayered);
  EXPECT_EQ(readings(PlaneLayers{planes.texture(cudaFilterModeLinear, cudaAddressModeClamp, false)},
                     {{1, 1, 0, 0}, {1, 1, 0, 1}, {1, 1, 0, 2}, {1, 1, 0, 3}}),
            (std::vector<float>{2.5f, 14.5f, 26.5f, 26.5f}));
}

// An H200 gives the same results. They show which side of each face is its top, and which face is
// read if two coordinates are equally large.
TEST(Arrays, TexturesOfCubes) {
  Numbered cube({4, 4, 6}, cudaArrayCubemap);
  const auto texture = cube.texture(cudaFilterModePoint, cudaAddressModeClamp, true);
  EXPECT_EQ(readings(Cube{texture}, {{-2, -2, -2, 0},
                                     {-2, -2, -1, 0},
                                     {-2, -2, 0, 0},
                                     {-2, -1, 2, 0},
                                     {-2, 0, -2, 0},
                                     {-2, 2, 1, 0},
                                     {0, 0, 0, 0}}),
            (std::vector<float>{95, 60, 56, 76, 91, 44, 74}));
  // One direction for each face, slightly off its middle.
  EXPECT_EQ(readings(Cube{texture}, {{1, 0.1f, 0.1f, 0},
                                     {-1, 0.1f, 0.1f, 0},
                                     {0.1f, 1, 0.1f, 0},
                                     {0.1f, -1, 0.1f, 0},
                                     {0.1f, 0.1f, 1, 0},
                                     {0.1f, 0.1f, -1, 0}}),
            (std::vector<float>{5, 22, 42, 54, 70, 85}));
  Numbered cubes({2, 2, 12}, cudaArrayCubemap | cudaArrayLayered);
  EXPECT_EQ(readings(Cubes{cubes.texture(cudaFilterModeLinear, cudaAddressModeClamp, true)},
                     {{1, 0, 0, 0}, {1, 0, 0, 1}, {0, 0, -1, 1}, {0, 0, -1, 5}}),
            (std::vector<float>{1.5f, 25.5f, 45.5f, 45.5f}));
}

template <class T>
__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const auto value = surf2Dread<T>(from, x * static_cast<int>(sizeof(T)), y);
  surf2Dwrite(value, to, (height - 1 - y) * static_cast<int>(sizeof(T)), x);
  (void)width;
}

cudaSurfaceObject_t surface_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  EXPECT_EQ(cudaCreateSurfaceObject(&surface, &resource), cudaSuccess);
  return surface;
}

/// Rotates a picture of 4 x 3 texels by a quarter, on the device and on the host.
template <class T, class Make>
void expect_turned(const Make& make) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t from = nullptr;
  cudaArray_t to = nullptr;
  ASSERT_EQ(cudaMallocArray(&from, &format, 4, 3, cudaArraySurfaceLoadStore), cudaSuccess);
  ASSERT_EQ(cudaMallocArray(&to, &format, 3, 4, cudaArraySurfaceLoadStore), cudaSuccess);
  std::vector<T> given(12);
  for (int i = 0; i < 12; ++i) given[i] = make(i);
  ASSERT_EQ(cudaMemcpy2DToArray(from, 0, 0, given.data(), 4 * sizeof(T), 4 * sizeof(T), 3,
                                cudaMemcpyHostToDevice),
            cudaSuccess);
  turn<T><<<1, dim3(4, 3)>>>(surface_of(from), surface_of(to), 4, 3);
  std::vector<T> turned(12);
  ASSERT_EQ(cudaMemcpy2DFromArray(turned.data(), 3 * sizeof(T), to, 0, 0, 3 * sizeof(T), 4,
                                  cudaMemcpyDeviceToHost),
            cudaSuccess);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 4; ++x) {
      EXPECT_EQ(std::memcmp(&turned[x * 3 + 2 - y], &given[y * 4 + x], sizeof(T)), 0) << x << y;
    }
  }
  cudaFreeArray(from);
  cudaFreeArray(to);
}

TEST(Arrays, SurfacesOfEverySize) {
  expect_turned<unsigned char>([](int i) { return static_cast<unsigned char>(200 + i); });
  expect_turned<short>([](int i) { return static_cast<short>(-1000 * i); });
  expect_turned<float>([](int i) { return 1.5f * static_cast<float>(i); });
  expect_turned<uchar4>([](int i) {
    const auto c = static_cast<unsigned char>(i);
    return uchar4{c, 2, 3, static_cast<unsigned char>(255 - c)};
  });
  expect_turned<float2>([](int i) { return float2{static_cast<float>(i), -1}; });
  expect_turned<float4>([](int i) { return float4{static_cast<float>(i), 1, 2, 3}; });
}

// Reads outside a surface. An H200 gives the same values.
__global__ void edges(cudaSurfaceObject_t surface, int* found) {
  found[0] = surf2Dread<int>(surface, -4, 1, cudaBoundaryModeZero);
  found[1] = surf2Dread<int>(surface, 4, 3, cudaBoundaryModeZero);
  found[2] = surf2Dread<int>(surface, -4, 1, cudaBoundaryModeClamp);
  found[3] = surf2Dread<int>(surface, 400, 9, cudaBoundaryModeClamp);
  surf2Dwrite(70, surface, 16, 0, cudaBoundaryModeZero);
  surf2Dwrite(71, surface, -8, -1, cudaBoundaryModeClamp);
}

__global__ void outside(cudaSurfaceObject_t surface, int x, int* found) {
  *found = surf2Dread<int>(surface, x, 0, cudaBoundaryModeTrap);
}

template <class Work>
std::vector<int> with_surface(std::vector<int>& texels, const Work& work) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  EXPECT_EQ(cudaMallocArray(&array, &format, 4, 3, cudaArraySurfaceLoadStore), cudaSuccess);
  texels.resize(12);
  for (int i = 0; i < 12; ++i) texels[i] = i + 1;
  cudaMemcpy2DToArray(array, 0, 0, texels.data(), 16, 16, 3, cudaMemcpyHostToDevice);
  int* found = nullptr;
  EXPECT_EQ(cudaMallocManaged(&found, 16), cudaSuccess);
  work(surface_of(array), found);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<int> result(found, found + 4);
  cudaMemcpy2DFromArray(texels.data(), 16, array, 0, 0, 16, 3, cudaMemcpyDeviceToHost);
  cudaFree(found);
  cudaFreeArray(array);
  return result;
}

TEST(Arrays, OutsideOfSurfaces) {
  std::vector<int> texels;
  const std::vector<int> found = with_surface(
      texels, [](cudaSurfaceObject_t surface, int* to) { edges<<<1, 1>>>(surface, to); });
  EXPECT_EQ(found, (std::vector<int>{0, 0, 5, 12}));
  EXPECT_EQ(texels, (std::vector<int>{71, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

__global__ void shapes(cudaSurfaceObject_t line, cudaSurfaceObject_t volume,
                       cudaSurfaceObject_t layers, cudaSurfaceObject_t cube) {
  const int i = static_cast<int>(threadIdx.x);
  surf1Dwrite(10 + i, line, i * 4);
  surf3Dwrite(surf1Dread<int>(line, i * 4) + 10, volume, i * 4, 1, 2);
  surf2DLayeredwrite(surf3Dread<int>(volume, i * 4, 1, 2) + 10, layers, i * 4, 0, 1);
  surfCubemapwrite(surf2DLayeredread<int>(layers, i * 4, 0, 1) + 10, cube, i * 4, 1, 5);
}

std::vector<int> all_of(cudaArray_t array, cudaExtent extent) {
  std::vector<int> values(extent.width * extent.height * extent.depth);
  cudaMemcpy3DParms copy{};
  copy.srcArray = array;
  copy.dstPtr = {values.data(), extent.width * 4, extent.width, extent.height};
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  return values;
}

TEST(Arrays, SurfacesOfEveryShape) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  const auto make = [&](cudaExtent extent, unsigned flags) {
    cudaArray_t array = nullptr;
    EXPECT_EQ(cudaMalloc3DArray(&array, &format, extent, flags | cudaArraySurfaceLoadStore),
              cudaSuccess);
    return array;
  };
  cudaArray_t line = make({2, 0, 0}, 0);
  cudaArray_t volume = make({2, 2, 3}, 0);
  cudaArray_t layers = make({2, 1, 2}, cudaArrayLayered);
  cudaArray_t cube = make({2, 2, 6}, cudaArrayCubemap);
  shapes<<<1, 2>>>(surface_of(line), surface_of(volume), surface_of(layers), surface_of(cube));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(all_of(line, {2, 1, 1}), (std::vector<int>{10, 11}));
  EXPECT_EQ(all_of(volume, {2, 2, 3}), (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20, 21}));
  EXPECT_EQ(all_of(layers, {2, 1, 2}), (std::vector<int>{0, 0, 30, 31}));
  EXPECT_EQ(all_of(cube, {2, 2, 6}).back(), 41);
  for (cudaArray_t each : {line, volume, layers, cube}) EXPECT_EQ(cudaFreeArray(each), cudaSuccess);
}

TEST(Arrays, CopiesOfParts) {
  Numbered volume({4, 3, 2});
  // Copies a part of the second plane to an array, and from there to memory.
  cudaArray_t small = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  ASSERT_EQ(cudaMallocArray(&small, &format, 2, 2), cudaSuccess);
  cudaMemcpy3DParms copy{};
  copy.srcArray = volume.array;
  copy.srcPos = {1, 1, 1};
  copy.dstArray = small;
  copy.extent = {2, 2, 1};
  copy.kind = cudaMemcpyDeviceToDevice;
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  std::vector<float> found(4);
  ASSERT_EQ(cudaMemcpy2DFromArray(found.data(), 8, small, 0, 0, 8, 2, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(found, (std::vector<float>{17, 18, 21, 22}));
  copy.extent.width = 3;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidValue) << "the small array has two columns";
  cudaExtent extent{};
  unsigned flags = 9;
  cudaChannelFormatDesc told{};
  ASSERT_EQ(cudaArrayGetInfo(&told, &extent, &flags, volume.array), cudaSuccess);
  EXPECT_EQ(extent.depth, 2U);
  EXPECT_EQ(told.x, 32);
  EXPECT_EQ(flags, 0U);
  cudaFreeArray(small);
}

TEST(Arrays, WhatNoArrayIs) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc odd = {8, 8, 8, 0, cudaChannelFormatKindUnsigned};
  EXPECT_EQ(cudaMallocArray(&array, &odd, 4, 4), cudaErrorInvalidChannelDescriptor);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  EXPECT_EQ(cudaMallocArray(&array, &format, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc3DArray(&array, &format, {4, 3, 6}, cudaArrayCubemap), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(Arrays, CopiesWithoutAnArrayAreErrors) {
  float values[2] = {};
  EXPECT_EQ(cudaMemcpyToArray(nullptr, 0, 0, values, 8, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyFromArray(values, nullptr, 0, 0, 8, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyArrayToArray(nullptr, 0, 0, nullptr, 0, 0, 8, cudaMemcpyDeviceToDevice),
            cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(Arrays, OfTheDriver) {
  CUDA_ARRAY3D_DESCRIPTOR description{};
  description.Width = 4;
  description.Height = 2;
  description.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  description.NumChannels = 1;
  cudaFree(nullptr);
  CUarray array = nullptr;
  ASSERT_EQ(cuArray3DCreate(&array, &description), CUDA_SUCCESS);
  CUDA_ARRAY_DESCRIPTOR told{};
  ASSERT_EQ(cuArrayGetDescriptor(&told, array), CUDA_SUCCESS);
  EXPECT_EQ(told.Height, 2U);
  EXPECT_EQ(told.Format, CU_AD_FORMAT_UNSIGNED_INT8);
  const std::uint8_t bytes[8] = {0, 51, 102, 153, 204, 255, 0, 0};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = bytes;
  copy.srcPitch = 4;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = 4;
  copy.Height = 2;
  ASSERT_EQ(cuMemcpy2D(&copy), CUDA_SUCCESS);
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC texture{};
  for (auto& each : texture.addressMode) each = CU_TR_ADDRESS_MODE_CLAMP;
  CUtexObject object = 0;
  ASSERT_EQ(cuTexObjectCreate(&object, &resource, &texture, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(readings(Plane{object}, {{1.5f, 0.5f, 0, 0}, {1.5f, 1.5f, 0, 0}, {9, 0, 0, 0}}),
            (std::vector<float>{0.2f, 1, 0.6f}));
  EXPECT_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
  EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
}

// This test is the last one, because the device cannot be used afterwards.
TEST(Arrays, TrapsOutsideOfSurfaces) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &format, 4, 3, cudaArraySurfaceLoadStore), cudaSuccess);
  int* found = nullptr;
  ASSERT_EQ(cudaMallocManaged(&found, 16), cudaSuccess);
  const cudaSurfaceObject_t surface = surface_of(array);
  outside<<<1, 1>>>(surface, 12, found);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  outside<<<1, 1>>>(surface, 16, found);
  EXPECT_NE(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
