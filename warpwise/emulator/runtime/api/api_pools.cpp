// Memory pools. All pools take memory from the emulated GPU, and give freed memory back at once.

#include <array>
#include <map>
#include <memory>
#include <mutex>

#include "warpwise/emulator/runtime/api/pools.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"
#include "warpwise/emulator/runtime/fork_locks.hpp"

using namespace warpwise::emulator::runtime;

// The runtime's handles are pointers to incomplete types.
struct CUmemPoolHandle_st {
  std::array<int, 3> may_reuse = {1, 1, 1};  ///< changes nothing here
  std::uint64_t release_threshold = 0;       ///< never reached, because no freed memory is kept
  PoolUse use;
  bool is_destroyed = false;
};

namespace {

struct Pools {
  std::mutex mutex;
  /// A destroyed pool stays, because its memory may not be freed yet.
  std::map<cudaMemPool_t, std::unique_ptr<CUmemPoolHandle_st>> all;
  cudaMemPool_t first = make();  ///< the device's default pool
  cudaMemPool_t current = first;

  cudaMemPool_t make() {
    auto made = std::make_unique<CUmemPoolHandle_st>();
    const cudaMemPool_t handle = made.get();
    all[handle] = std::move(made);
    return handle;
  }
  bool has(cudaMemPool_t pool) const { return all.contains(pool) && !pool->is_destroyed; }
};
Pools& pools() {
  static Pools& instance = []() -> Pools& {
    Pools& made = *new Pools;
    keep_free_in_children(made.mutex);
    return made;
  }();
  return instance;
}

cudaError_t give_pool(cudaMemPool_t* pool, int device, cudaMemPool_t Pools::* which) {
  if (device != 0) return report(cudaErrorInvalidDevice);
  if (pool == nullptr) return report(cudaErrorInvalidValue);
  const std::lock_guard lock(pools().mutex);
  *pool = pools().*which;
  return cudaSuccess;
}

}  // namespace

namespace warpwise::emulator::runtime {

PoolUse* use_of(cudaMemPool_t pool) {
  const std::lock_guard lock(pools().mutex);
  return pools().has(pool) ? &pool->use : nullptr;
}

void reset_pools() {
  const std::lock_guard lock(pools().mutex);
  const cudaMemPool_t first = pools().current = pools().first;
  for (const auto& [handle, pool] : pools().all) pool->is_destroyed = handle != first;
  first->may_reuse = CUmemPoolHandle_st().may_reuse;
  first->release_threshold = 0;
  first->use.high = first->use.now.load();
}

}  // namespace warpwise::emulator::runtime

extern "C" {

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  if (pool == nullptr || properties == nullptr) return report(cudaErrorInvalidValue);
  const cudaError_t refused = refuse_unsafe_call();
  if (refused != cudaSuccess) return refused;
  const std::lock_guard lock(pools().mutex);
  *pool = pools().make();
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  const std::lock_guard lock(pools().mutex);
  if (!pools().has(pool) || pool == pools().first) return report(cudaErrorInvalidValue);
  pool->is_destroyed = true;
  if (pools().current == pool) pools().current = pools().first;
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  const std::lock_guard lock(pools().mutex);
  if (!pools().has(pool) || value == nullptr) return report(cudaErrorInvalidValue);
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      pool->may_reuse[attribute - cudaMemPoolReuseFollowEventDependencies] =
          *static_cast<const int*>(value);
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
      pool->release_threshold = *static_cast<const std::uint64_t*>(value);
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      // The high marks can only be set to 0.
      if (*static_cast<const std::uint64_t*>(value) != 0) return report(cudaErrorInvalidValue);
      pool->use.high = pool->use.now.load();
      return cudaSuccess;
    default: return report(cudaErrorInvalidValue);
  }
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  const std::lock_guard lock(pools().mutex);
  if (!pools().has(pool) || value == nullptr) return report(cudaErrorInvalidValue);
  const auto give = [&](std::uint64_t bytes) {
    *static_cast<std::uint64_t*>(value) = bytes;
    return cudaSuccess;
  };
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      *static_cast<int*>(value) =
          pool->may_reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: return give(pool->release_threshold);
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: return give(pool->use.now);
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: return give(pool->use.high);
    default: return report(cudaErrorInvalidValue);
  }
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  const cudaError_t refused = refuse_unsafe_call();
  if (refused != cudaSuccess) return refused;
  return use_of(pool) == nullptr ? report(cudaErrorInvalidValue) : cudaSuccess;
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access,
                                 size_t count) {
  const bool is_wrong = use_of(pool) == nullptr || (access == nullptr && count > 0);
  return is_wrong ? report(cudaErrorInvalidValue) : cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return give_pool(pool, device, &Pools::first);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return give_pool(pool, device, &Pools::current);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (device != 0) return report(cudaErrorInvalidDevice);
  const std::lock_guard lock(pools().mutex);
  if (!pools().has(pool)) return report(cudaErrorInvalidValue);
  pools().current = pool;
  return cudaSuccess;
}

}  // extern "C"
