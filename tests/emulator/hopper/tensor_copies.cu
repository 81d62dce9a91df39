// Tests tensor maps and bulk copies: tiles of one to five dimensions, elements outside the tensor,
// swizzles, multicasts, and reductions.

#include <cuda.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstring>

#include "check.hpp"

using namespace hopper;

namespace {

using Encode = CUresult(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                        const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                        CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                        CUtensorMapFloatOOBfill);

Encode* encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  REQUIRE(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                           cudaEnableDefault, &found));
  return reinterpret_cast<Encode*>(function);
}

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void init(unsigned mbarrier) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(mbarrier)
      : "memory");
}

__device__ void expect(unsigned mbarrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(mbarrier), "r"(bytes)
               : "memory");
}

__device__ void wait_for(unsigned mbarrier) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(mbarrier)
        : "memory");
  }
}

struct Corner {
  int at[5];
};

constexpr int most_bytes = 32 * 1024;

template <int D>
__device__ void start_load(unsigned to, const CUtensorMap* map, const Corner& c,
                           unsigned mbarrier) {
#define LOAD(d, coordinates, ...)                                                           \
  asm volatile(                                                                             \
      "cp.async.bulk.tensor." d                                                             \
      "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" coordinates \
      "}], [%2];" ::"r"(to),                                                                \
      "l"(map), "r"(mbarrier), __VA_ARGS__                                                  \
      : "memory")
  if constexpr (D == 1) LOAD("1", "%3", "r"(c.at[0]));
  if constexpr (D == 2) LOAD("2", "%3, %4", "r"(c.at[0]), "r"(c.at[1]));
  if constexpr (D == 3) LOAD("3", "%3, %4, %5", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]));
  if constexpr (D == 4)
    LOAD("4", "%3, %4, %5, %6", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]));
  if constexpr (D == 5)
    LOAD("5", "%3, %4, %5, %6, %7", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]),
         "r"(c.at[4]));
}

// Loads a tile of `told` bytes into shared memory, and copies its first `kept` bytes to `out`.
template <int D>
__global__ void load(const __grid_constant__ CUtensorMap map, Corner corner, unsigned told,
                     unsigned kept, unsigned char* out) {
  extern __shared__ __align__(1024) unsigned char tile[];
  __shared__ alignas(8) std::uint64_t arrival;
  for (unsigned i = threadIdx.x; i < kept; i += blockDim.x) tile[i] = 0x5a;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (threadIdx.x == 0) init(shared_address(&arrival));
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(shared_address(&arrival), told);
    start_load<D>(shared_address(tile), &map, corner, shared_address(&arrival));
  }
  wait_for(shared_address(&arrival));
  for (unsigned i = threadIdx.x; i < kept; i += blockDim.x) out[i] = tile[i];
}

struct Tensor {
  int dimensions = 2;
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  unsigned element = 4;
  cuuint64_t sizes[5] = {1, 1, 1, 1, 1};
  cuuint64_t strides[4] = {};
  cuuint32_t box[5] = {1, 1, 1, 1, 1};
  cuuint32_t steps[5] = {1, 1, 1, 1, 1};
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  unsigned char* memory = nullptr;
  std::size_t bytes = 0;

  void allocate(std::uint64_t seed) {
    cuuint64_t row = sizes[0] * element;
    for (int d = 1; d < dimensions; ++d) {
      strides[d - 1] = (row + 15) / 16 * 16 + 16;
      row = strides[d - 1] * sizes[d];
    }
    bytes = row;
    memory = managed<unsigned char>(bytes);
    Random random(seed);
    for (std::size_t i = 0; i < bytes; ++i) memory[i] = static_cast<unsigned char>(random.next());
  }
  CUtensorMap map() const {
    CUtensorMap map;
    const CUresult result = encoder()(&map, type, static_cast<cuuint32_t>(dimensions), memory,
                                      sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                      swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
    if (result != CUDA_SUCCESS) std::printf("no tensor map: %d\n", static_cast<int>(result));
    return map;
  }
  unsigned count(int d) const { return (box[d] + steps[d] - 1) / steps[d]; }
  unsigned tile_bytes() const {
    unsigned elements = box[0];
    for (int d = 1; d < dimensions; ++d) elements *= count(d);
    return elements * element;
  }
  /// Calls body(pointer into the tensor or null, offset in the tile) for each element of a tile.
  /// With is_written, elements that fill up a row's last 16 bytes also count as inside the tensor.
  template <class Body>
  void each(const Corner& corner, const Body& body, bool is_written = false) const {
    const unsigned elements = tile_bytes() / element;
    cuuint64_t ends[5];
    std::memcpy(ends, sizes, sizeof(ends));
    if (is_written) ends[0] = (sizes[0] * element + 15) / 16 * 16 / element;
    for (unsigned i = 0; i < elements; ++i) {
      unsigned rest = i;
      std::int64_t at = 0;
      bool inside = true;
      for (int d = 0; d < dimensions; ++d) {
        const unsigned counted = d == 0 ? box[0] : count(d);
        const std::int64_t place =
            corner.at[d] + std::int64_t{rest % counted} * (d == 0 ? 1 : steps[d]);
        rest /= counted;
        inside = inside && place >= 0 && place < static_cast<std::int64_t>(ends[d]);
        at += place * static_cast<std::int64_t>(d == 0 ? element : strides[d - 1]);
      }
      body(inside ? memory + at : nullptr, i * element);
    }
  }
};

template <int D>
std::vector<unsigned char> loaded(const Tensor& tensor, const Corner& corner, unsigned kept) {
  unsigned char* out = managed<unsigned char>(most_bytes);
  load<D><<<1, 64, most_bytes>>>(tensor.map(), corner, tensor.tile_bytes(), kept, out);
  REQUIRE(cudaDeviceSynchronize());
  return {out, out + kept};
}

unsigned swizzled(unsigned offset, unsigned width) {
  const unsigned pieces = width / 16;
  return width == 0 ? offset : offset ^ (offset / 128 % pieces) * 16;
}

template <int D>
void check_load(const char* name, const Tensor& tensor, const Corner& corner, unsigned width = 0) {
  const auto tile = loaded<D>(tensor, corner, tensor.tile_bytes());
  bool right = true;
  tensor.each(corner, [&](const unsigned char* from, unsigned at) {
    unsigned char expected[8] = {};
    if (from != nullptr) std::memcpy(expected, from, tensor.element);
    const unsigned char* found = tile.data() + swizzled(at, width);
    if (from == nullptr && tensor.fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) {
      float value = 0;
      std::memcpy(&value, found, sizeof(value));
      right = right && std::isnan(value);
    } else {
      right = right && std::memcmp(found, expected, tensor.element) == 0;
    }
  });
  report(name, right);
}

// The address at which a box begins in its row is a multiple of 16 bytes, as hardware requires.
void check_loads() {
  Tensor one;
  one.dimensions = 1;
  one.type = CU_TENSOR_MAP_DATA_TYPE_UINT8;
  one.element = 1;
  one.sizes[0] = 1000;
  one.box[0] = 256;
  one.allocate(1);
  check_load<1>("1-D inside", one, {{128}});
  check_load<1>("1-D at another place", one, {{144}});
  check_load<1>("1-D before and behind", one, {{-112}});
  check_load<1>("1-D beyond", one, {{896}});

  Tensor two;
  two.sizes[0] = 50;
  two.sizes[1] = 40;
  two.box[0] = 24;
  two.box[1] = 17;
  two.allocate(2);
  check_load<2>("2-D inside", two, {{8, 3}});
  check_load<2>("2-D over the first corner", two, {{-8, -5}});
  check_load<2>("2-D over the last corner", two, {{32, 29}});
  check_load<2>("2-D outside", two, {{60, 3}});
  two.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  const Tensor with_nan = two;
  check_load<2>("2-D with NaN outside", with_nan, {{32, -2}});
  two.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  two.steps[1] = 3;
  check_load<2>("2-D of every third row", two, {{4, 2}});

  Tensor three;
  three.dimensions = 3;
  three.type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
  three.element = 2;
  for (int d = 0; d < 3; ++d) three.sizes[d] = 20 + d;
  three.box[0] = 16;
  three.box[1] = 5;
  three.box[2] = 4;
  three.allocate(3);
  check_load<3>("3-D", three, {{8, 18, -2}});

  Tensor five;
  five.dimensions = 5;
  five.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  five.element = 8;
  for (int d = 0; d < 5; ++d) five.sizes[d] = 6;
  five.box[0] = 4;
  five.box[1] = 2;
  five.box[2] = 3;
  five.box[3] = 2;
  five.box[4] = 2;
  five.allocate(5);
  check_load<5>("5-D", five, {{2, -1, 4, 2, 5}});
  five.dimensions = 4;
  check_load<4>("4-D", five, {{2, 5, -2, 3}});
}

void check_swizzles() {
  Tensor tensor;
  tensor.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  tensor.element = 2;
  tensor.sizes[0] = 128;
  tensor.sizes[1] = 64;
  tensor.box[1] = 32;
  tensor.allocate(7);
  const CUtensorMapSwizzle swizzles[] = {CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
                                         CU_TENSOR_MAP_SWIZZLE_128B};
  for (int i = 0; i < 3; ++i) {
    const unsigned width = 32U << i;
    tensor.swizzle = swizzles[i];
    tensor.box[0] = width / 2;
    std::printf("swizzle of %u ", width);
    check_load<2>("bytes", tensor, {{16, 5}}, width);
  }
  // Each row has half of a swizzle pattern's width, but takes the space of a whole pattern.
  tensor.box[0] = 32;
  const unsigned kept = 128 * tensor.box[1];
  const auto tile = loaded<2>(tensor, {{0, 0}}, kept);
  same_bits("rows of half a pattern", hash_of(tile.data(), kept), 0x6b5ee4719ac1c099);
}

// ---- copies to global memory

template <int reduces>
__global__ void store(const __grid_constant__ CUtensorMap map, int x, int y, unsigned bytes,
                      const unsigned char* from) {
  extern __shared__ __align__(1024) unsigned char tile[];
  for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) tile[i] = from[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  if constexpr (reduces == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
            &map),
        "r"(x), "r"(y), "r"(shared_address(tile))
        : "memory");
  } else {
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], "
        "[%3];" ::"l"(&map),
        "r"(x), "r"(y), "r"(shared_address(tile))
        : "memory");
  }
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

void check_stores() {
  Tensor tensor;
  tensor.sizes[0] = 50;
  tensor.sizes[1] = 40;
  tensor.box[0] = 24;
  tensor.box[1] = 17;
  tensor.allocate(11);
  auto* floats = reinterpret_cast<float*>(tensor.memory);
  Random random(12);
  const std::size_t count = tensor.bytes / 4;
  for (std::size_t i = 0; i < count; ++i) floats[i] = static_cast<float>(random.integer(1000));
  std::vector<unsigned char> expected(tensor.memory, tensor.memory + tensor.bytes);
  float* tile = managed<float>(24 * 17);
  for (int i = 0; i < 24 * 17; ++i) tile[i] = static_cast<float>(random.integer(1000));
  const auto* bytes = reinterpret_cast<const unsigned char*>(tile);
  const Corner corner{{32, 30}};
  store<0>
      <<<1, 64, most_bytes>>>(tensor.map(), corner.at[0], corner.at[1], tensor.tile_bytes(), bytes);
  REQUIRE(cudaDeviceSynchronize());
  tensor.each(
      corner,
      [&](const unsigned char* to, unsigned at) {
        if (to != nullptr) std::memcpy(expected.data() + (to - tensor.memory), bytes + at, 4);
      },
      true);
  report("store", std::memcmp(expected.data(), tensor.memory, tensor.bytes) == 0);
  // Five blocks add the same tile to the tensor.
  store<1><<<5, 64, most_bytes>>>(tensor.map(), 32, 3, tensor.tile_bytes(), bytes);
  REQUIRE(cudaDeviceSynchronize());
  tensor.each(
      {{32, 3}},
      [&](const unsigned char* to, unsigned at) {
        if (to == nullptr) return;
        float sum = 0;
        std::memcpy(&sum, expected.data() + (to - tensor.memory), 4);
        sum += 5 * tile[at / 4];
        std::memcpy(expected.data() + (to - tensor.memory), &sum, 4);
      },
      true);
  report("reduction of a tile", std::memcmp(expected.data(), tensor.memory, tensor.bytes) == 0);
}

__global__ void reduce_bytes(int* sums, unsigned* most, __half* halves) {
  __shared__ alignas(16) int own[64];
  __shared__ alignas(16) __half half_own[64];
  own[threadIdx.x] = static_cast<int>(threadIdx.x * (blockIdx.x + 1));
  half_own[threadIdx.x] = __float2half(static_cast<float>(threadIdx.x) / 4);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 256;" ::"l"(sums),
      "r"(shared_address(own))
      : "memory");
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%0], [%1], 256;" ::"l"(most),
      "r"(shared_address(own))
      : "memory");
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], 128;" ::"l"(
          halves),
      "r"(shared_address(half_own))
      : "memory");
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

void check_reductions() {
  int* sums = managed<int>(64);
  unsigned* most = managed<unsigned>(64);
  __half* halves = managed<__half>(64);
  reduce_bytes<<<4, 64>>>(sums, most, halves);
  REQUIRE(cudaDeviceSynchronize());
  bool right = true;
  for (int i = 0; i < 64; ++i) {
    right = right && sums[i] == 10 * i && most[i] == 4U * i;
    right = right && __half2float(halves[i]) == static_cast<float>(i);
  }
  report("reductions of bytes", right);
}

// ---- multicasts

// Each block of a cluster of two loads half of a tile for both blocks, once by a tensor copy and
// once by a bulk copy.
__global__ void __cluster_dims__(2, 1, 1)
    share(const __grid_constant__ CUtensorMap map, const int* linear, int* out) {
  __shared__ alignas(1024) int tile[2][8][32];
  __shared__ alignas(16) int row[2][32];
  __shared__ alignas(8) std::uint64_t arrival;
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  const unsigned mbarrier = shared_address(&arrival);
  if (threadIdx.x == 0) {
    init(mbarrier);
    expect(mbarrier, sizeof(tile) + sizeof(row));
  }
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
        "multicast::"
        "cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(tile[rank])),
        "l"(&map), "r"(0), "r"(8 * rank), "r"(mbarrier), "h"(static_cast<unsigned short>(3))
        : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], "
        "[%1], 128, [%2], %3;" ::"r"(shared_address(row[rank])),
        "l"(linear + 32 * rank), "r"(mbarrier), "h"(static_cast<unsigned short>(3))
        : "memory");
  }
  wait_for(mbarrier);
  int* own = out + blockIdx.x * 18 * 32;
  for (int y = 0; y < 16; ++y) own[y * 32 + threadIdx.x] = tile[y / 8][y % 8][threadIdx.x];
  for (int y = 0; y < 2; ++y) own[(16 + y) * 32 + threadIdx.x] = row[y][threadIdx.x];
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

void check_multicasts() {
  Tensor tensor;
  tensor.type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  tensor.sizes[0] = 40;
  tensor.sizes[1] = 16;
  tensor.box[0] = 32;
  tensor.box[1] = 8;
  tensor.allocate(21);
  int* linear = managed<int>(64);
  for (int i = 0; i < 64; ++i) linear[i] = 7 * i;
  int* out = managed<int>(2 * 18 * 32);
  share<<<2, 32>>>(tensor.map(), linear, out);
  REQUIRE(cudaDeviceSynchronize());
  bool right = true;
  for (int i = 0; i < 2 * 18 * 32; ++i) {
    const int y = i / 32 % 18;
    const int x = i % 32;
    int expected = 7 * ((y - 16) * 32 + x);
    if (y < 16) std::memcpy(&expected, tensor.memory + y * tensor.strides[0] + x * 4, 4);
    right = right && out[i] == expected;
  }
  report("multicasts", right);
}

void check_refusals() {
  Tensor tensor;
  tensor.sizes[0] = tensor.sizes[1] = 64;
  tensor.box[0] = 32;
  tensor.allocate(31);
  CUtensorMap map;
  const auto encode = [&] {
    return encoder()(&map, tensor.type, 2, tensor.memory, tensor.sizes, tensor.strides, tensor.box,
                     tensor.steps, CU_TENSOR_MAP_INTERLEAVE_NONE, tensor.swizzle,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE, tensor.fill);
  };
  bool right = encode() == CUDA_SUCCESS;
  tensor.box[0] = 257;
  right = right && encode() == CUDA_ERROR_INVALID_VALUE;
  tensor.box[0] = 3;  // 12 bytes: no multiple of 16
  right = right && encode() == CUDA_ERROR_INVALID_VALUE;
  tensor.box[0] = 64;  // 256 bytes: wider than the swizzle
  tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  right = right && encode() == CUDA_ERROR_INVALID_VALUE;
  tensor.box[0] = 32;
  right = right && encode() == CUDA_SUCCESS;
  tensor.strides[0] += 4;
  right = right && encode() == CUDA_ERROR_INVALID_VALUE;
  tensor.strides[0] -= 4;
  report("maps that cannot be", right);
  alignas(128) unsigned char space[256];
  const CUresult misaligned = encoder()(
      reinterpret_cast<CUtensorMap*>(space + 16), tensor.type, 2, tensor.memory, tensor.sizes,
      tensor.strides, tensor.box, tensor.steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, tensor.fill);
  std::printf("a map at an odd place: %d\n", static_cast<int>(misaligned));
}

}  // namespace

int main() {
  check_loads();
  check_swizzles();
  check_stores();
  check_reductions();
  check_multicasts();
  check_refusals();
  return failures == 0 ? 0 : 1;
}
