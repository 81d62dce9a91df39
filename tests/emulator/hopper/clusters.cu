// Tests clusters of blocks: ranks, barriers, distributed shared memory, and remote mbarriers.

#include <cooperative_groups.h>

#include "check.hpp"

namespace cg = cooperative_groups;
using namespace hopper;

namespace {

constexpr int lanes = 32;

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ unsigned mapped(unsigned address, unsigned rank) {
  unsigned result;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(result) : "r"(address), "r"(rank));
  return result;
}

__device__ void wait_for(unsigned mbarrier, unsigned parity) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(mbarrier), "r"(parity)
        : "memory");
  }
}

struct Place {
  unsigned ctaid[3], nctaid[3], clusterid[3], nclusterid[3], rank, blocks, is_explicit;
};

__global__ void __cluster_dims__(2, 2, 1) places(Place* out) {
  Place place;
#define READ(to, name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(to))
  READ(place.ctaid[0], "cluster_ctaid.x");
  READ(place.ctaid[1], "cluster_ctaid.y");
  READ(place.ctaid[2], "cluster_ctaid.z");
  READ(place.nctaid[0], "cluster_nctaid.x");
  READ(place.nctaid[1], "cluster_nctaid.y");
  READ(place.nctaid[2], "cluster_nctaid.z");
  READ(place.clusterid[0], "clusterid.x");
  READ(place.clusterid[1], "clusterid.y");
  READ(place.clusterid[2], "clusterid.z");
  READ(place.nclusterid[0], "nclusterid.x");
  READ(place.nclusterid[1], "nclusterid.y");
  READ(place.nclusterid[2], "nclusterid.z");
  READ(place.rank, "cluster_ctarank");
  READ(place.blocks, "cluster_nctarank");
  asm volatile("{\n.reg .pred p;\nmov.pred p, %%is_explicit_cluster;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(place.is_explicit));
  if (threadIdx.x == 0) out[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = place;
}

void check_places() {
  const dim3 grid(4, 6, 2);
  Place* out = managed<Place>(grid.x * grid.y * grid.z);
  places<<<grid, lanes>>>(out);
  REQUIRE(cudaDeviceSynchronize());
  bool right = true;
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        const Place& p = out[(z * grid.y + y) * grid.x + x];
        right = right && p.ctaid[0] == x % 2 && p.ctaid[1] == y % 2 && p.ctaid[2] == 0;
        right = right && p.nctaid[0] == 2 && p.nctaid[1] == 2 && p.nctaid[2] == 1;
        right = right && p.clusterid[0] == x / 2 && p.clusterid[1] == y / 2 && p.clusterid[2] == z;
        right = right && p.nclusterid[0] == 2 && p.nclusterid[1] == 3 && p.nclusterid[2] == 2;
        right = right && p.rank == x % 2 + y % 2 * 2 && p.blocks == 4 && p.is_explicit == 1;
      }
    }
  }
  report("places", right);
}

// Each block reads its right neighbour's numbers, and adds to its left neighbour's counter.
__global__ void ring(int* out) {
  __shared__ int numbers[lanes];
  __shared__ int counter;
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  const unsigned blocks = cluster.num_blocks();
  numbers[threadIdx.x] = static_cast<int>(100 * rank + threadIdx.x);
  if (threadIdx.x == 0) counter = 0;
  cluster.sync();
  int* right = cluster.map_shared_rank(numbers, (rank + 1) % blocks);
  int* left = cluster.map_shared_rank(&counter, (rank + blocks - 1) % blocks);
  const int read = right[threadIdx.x] + 10000 * static_cast<int>(cluster.query_shared_rank(right));
  atomicAdd(left, static_cast<int>(threadIdx.x));
  auto token = cluster.barrier_arrive();
  const int own = 7;
  cluster.barrier_wait(std::move(token));
  out[blockIdx.x * lanes + threadIdx.x] = read + counter * own;
  cluster.sync();
}

void check_ring(int blocks) {
  const int grid = 2 * blocks;
  int* out = managed<int>(grid * lanes);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid);
  config.blockDim = dim3(lanes);
  config.attrs = &attribute;
  config.numAttrs = 1;
  REQUIRE(cudaLaunchKernelEx(&config, ring, out));
  REQUIRE(cudaDeviceSynchronize());
  bool right = true;
  for (int i = 0; i < grid * lanes; ++i) {
    const int next = (i / lanes % blocks + 1) % blocks;
    const int expected = 100 * next + i % lanes + 10000 * next + 7 * (lanes * (lanes - 1) / 2);
    right = right && out[i] == expected;
  }
  std::printf("ring of %d ", blocks);
  report("blocks", right);
  int clusters = 0;
  REQUIRE(cudaOccupancyMaxActiveClusters(&clusters, ring, &config));
  report("active clusters", clusters > 0);
}

// Each block sends its threads' numbers to the shared memory of the next block, which waits at its
// mbarrier for all bytes. Then it adds the first half of them to the sum in block 0's memory.
__global__ void __cluster_dims__(4, 1, 1) send(int* out) {
  __shared__ alignas(16) int received[2 * lanes];
  __shared__ alignas(8) std::uint64_t arrival;
  __shared__ alignas(8) std::uint64_t sum_arrival;
  __shared__ int sum;
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  const unsigned mbarrier = shared_address(&arrival);
  const unsigned of_sum = shared_address(&sum_arrival);
  if (threadIdx.x == 0) {
    sum = 0;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(mbarrier));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 5;" ::"r"(of_sum));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(mbarrier),
                 "r"(2 * lanes * 4)
                 : "memory");
    if (rank == 0)
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(of_sum),
                   "r"(4 * lanes * 4)
                   : "memory");
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  const unsigned next = (rank + 1) % 4;
  const unsigned to = mapped(shared_address(received + 2 * threadIdx.x), next);
  const int value = static_cast<int>(1000 * rank + 2 * threadIdx.x);
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::
          "r"(to),
      "r"(value), "r"(value + 1), "r"(mapped(mbarrier, next))
      : "memory");
  wait_for(mbarrier, 0);
  asm volatile(
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s32 [%0], %1, "
      "[%2];" ::"r"(mapped(shared_address(&sum), 0)),
      "r"(received[threadIdx.x]), "r"(mapped(of_sum, 0))
      : "memory");
  __syncwarp();
  if (threadIdx.x == 0)
    asm volatile(
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapped(of_sum, 0))
        : "memory");
  out[(blockIdx.x * 2) * lanes + threadIdx.x] = received[threadIdx.x];
  out[(blockIdx.x * 2 + 1) * lanes + threadIdx.x] = received[lanes + threadIdx.x];
  if (rank == 0) {
    wait_for(of_sum, 0);
    if (threadIdx.x == 0) out[gridDim.x * 2 * lanes + blockIdx.x / 4] = sum;
  }
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

void check_sending() {
  constexpr int grid = 8;
  int* out = managed<int>(grid * 2 * lanes + grid / 4);
  send<<<grid, lanes>>>(out);
  REQUIRE(cudaDeviceSynchronize());
  bool right = true;
  int sum = 0;
  for (int i = 0; i < grid * 2 * lanes; ++i) {
    const int from = (i / (2 * lanes) + 3) % 4;
    const int expected = 1000 * from + i % (2 * lanes);
    right = right && out[i] == expected;
    if (i / (2 * lanes) < 4 && i % (2 * lanes) < lanes) sum += expected;
  }
  report("st.async", right);
  report("red.async", out[grid * 2 * lanes] == sum && out[grid * 2 * lanes + 1] == sum);
}

void check_attributes() {
  cudaFuncAttributes attributes{};
  REQUIRE(cudaFuncGetAttributes(&attributes, places));
  report("attributes",
         attributes.clusterDimMustBeSet == 1 && attributes.requiredClusterWidth == 2 &&
             attributes.requiredClusterHeight == 2 && attributes.requiredClusterDepth == 1);
  Place* out = managed<Place>(9);
  places<<<dim3(3, 3), lanes>>>(out);
  std::printf("a grid that is no multiple: %s\n", cudaGetErrorName(cudaGetLastError()));
}

}  // namespace

int main() {
  check_places();
  for (const int blocks : {1, 2, 3, 8}) check_ring(blocks);
  check_sending();
  check_attributes();
  return failures == 0 ? 0 : 1;
}
