#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/runtime/checks/allocations.hpp"
#include "warpwise/emulator/runtime/graphs/graph.hpp"
#include "warpwise/emulator/runtime/reports/call_site.hpp"

using namespace warpwise::emulator;
using namespace warpwise::emulator::runtime;

namespace {

/// Address ranges that graphs have reserved. A range in use has memory at the same address on the
/// host.
struct GraphMemory {
  std::mutex mutex;
  std::map<const void*, std::size_t> reserved;
  std::uint64_t kept = 0;  ///< bytes that the GPU keeps for graphs, in use or not
  std::uint64_t used_high = 0;
  std::uint64_t kept_high = 0;

  std::uint64_t used() const {
    std::uint64_t bytes = 0;
    for (const auto& [pointer, size] : reserved) {
      if (emulated().device.holds(address_of(pointer))) bytes += size;
    }
    return bytes;
  }
  void grow() {
    const std::uint64_t now = used();
    used_high = std::max(used_high, now);
    kept = std::max(kept, now);
    kept_high = std::max(kept_high, kept);
  }
};
GraphMemory& memory() {
  static GraphMemory& all = *new GraphMemory;
  return all;
}

}  // namespace

namespace warpwise::emulator::runtime {

void* reserve_graph_memory(std::size_t bytes) {
  if (bytes > emulated().device.memory().second)
    throw OutOfMemory(std::to_string(bytes) + " bytes are more than the emulated GPU has");
  void* pointer = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pointer == MAP_FAILED) throw std::bad_alloc();
  const std::lock_guard lock(memory().mutex);
  memory().reserved[pointer] = bytes;
  return pointer;
}

bool is_graph_memory(const void* pointer) {
  const std::lock_guard lock(memory().mutex);
  return memory().reserved.contains(pointer);
}

bool is_in_graph_memory(const void* pointer) {
  const std::lock_guard lock(memory().mutex);
  const auto after = memory().reserved.upper_bound(pointer);
  if (after == memory().reserved.begin()) return false;
  const auto& [first, bytes] = *std::prev(after);
  return address_of(pointer) - address_of(first) < bytes;
}

cudaError_t take_graph_memory(const void* pointer) {
  return guarded([&]() -> cudaError_t {
    const CallScope call;
    const std::lock_guard lock(memory().mutex);
    const std::size_t bytes = memory().reserved.at(pointer);
    if (emulated().device.holds(address_of(pointer))) return cudaErrorInvalidValue;
    const auto [used, limit] = emulated().device.memory();
    if (used > limit || bytes > limit - used) throw OutOfMemory("the GPU's memory is full");
    const std::string name = next_allocation_name();
    emulated().device.show(const_cast<void*>(pointer), bytes, name);
    note_allocation(address_of(pointer), bytes, AllocationKind::device, name);
    memory().grow();
    return cudaSuccess;
  });
}

cudaError_t free_graph_memory(const void* pointer) {
  return free_in_stream(const_cast<void*>(pointer));
}

}  // namespace warpwise::emulator::runtime

extern "C" {

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, size_t count,
                                     cudaMemAllocNodeParams* given) {
  return guarded([&] {
    if (given->bytesize == 0) return cudaErrorInvalidValue;
    void* pointer = reserve_graph_memory(given->bytesize);
    const cudaError_t error = add_node(node, graph, after, count, cudaGraphNodeTypeMemAlloc,
                                       [pointer] { return take_graph_memory(pointer); });
    if (error != cudaSuccess) return error;
    (*node)->memory = given->dptr = pointer;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* after, size_t count, void* pointer) {
  if (!is_graph_memory(pointer)) return report(cudaErrorInvalidValue);
  return add_node(node, graph, after, count, cudaGraphNodeTypeMemFree,
                  [pointer] { return free_graph_memory(pointer); });
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  if (device != 0) return report(cudaErrorInvalidDevice);
  GraphMemory& own = memory();
  const std::lock_guard lock(own.mutex);
  std::uint64_t bytes = 0;
  switch (attribute) {
    case cudaGraphMemAttrUsedMemCurrent: bytes = own.used(); break;
    case cudaGraphMemAttrUsedMemHigh: bytes = own.used_high; break;
    case cudaGraphMemAttrReservedMemCurrent: bytes = own.kept; break;
    case cudaGraphMemAttrReservedMemHigh: bytes = own.kept_high; break;
    default: return report(cudaErrorInvalidValue);
  }
  *static_cast<std::uint64_t*>(value) = bytes;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  if (device != 0) return report(cudaErrorInvalidDevice);
  // Only the high marks can be set, and only to 0.
  if (*static_cast<std::uint64_t*>(value) != 0) return report(cudaErrorInvalidValue);
  GraphMemory& own = memory();
  const std::lock_guard lock(own.mutex);
  if (attribute == cudaGraphMemAttrUsedMemHigh)
    own.used_high = own.used();
  else if (attribute == cudaGraphMemAttrReservedMemHigh)
    own.kept_high = own.kept;
  else
    return report(cudaErrorInvalidValue);
  return cudaSuccess;
}
cudaError_t cudaDeviceGraphMemTrim(int device) {
  if (device != 0) return report(cudaErrorInvalidDevice);
  const std::lock_guard lock(memory().mutex);
  memory().kept = memory().used();
  return cudaSuccess;
}

}  // extern "C"
