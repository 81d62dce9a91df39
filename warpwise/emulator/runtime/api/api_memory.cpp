// Memory: allocation, copies and fills.

#include <algorithm>
#include <cstring>
#include <limits>

#include "warpwise/base/counted.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/emulator/runtime/api/arrays.hpp"
#include "warpwise/emulator/runtime/api/pools.hpp"
#include "warpwise/emulator/runtime/checks/allocations.hpp"
#include "warpwise/emulator/runtime/checks/copy_check.hpp"
#include "warpwise/emulator/runtime/checks/page_signal.hpp"
#include "warpwise/emulator/runtime/checks/stream_order.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"
#include "warpwise/emulator/runtime/graphs/graph.hpp"
#include "warpwise/emulator/runtime/reports/explain_record.hpp"

using warpwise::emulator::Address;
using warpwise::emulator::Use;
using namespace warpwise::emulator::runtime;

namespace {

/// Handles an allocation of zero bytes: returns a null pointer and no error.
cudaError_t nothing(void** pointer) {
  *pointer = nullptr;
  return cudaSuccess;
}

cudaError_t allocate(void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return report(cudaErrorInvalidValue);
  if (bytes == 0) return nothing(pointer);
  const cudaError_t refused = refuse_unsafe_call();
  if (refused != cudaSuccess) return refused;
  return guarded([&] {
    const std::string name = next_allocation_name();
    const Address address = emulated().device.allocate(bytes, name);
    note_allocation(address, bytes, AllocationKind::device, name);
    *pointer = reinterpret_cast<void*>(address);
    return cudaSuccess;
  });
}

/// Waits for the device's work, as freeing functions do on a GPU, and stops watching the memory.
void end_of_memory(const void* pointer) {
  StreamOrder* const order = stream_order();
  if (order == nullptr) return;
  order->host_waits_for_all();
  const auto [begin, bytes] = emulated().device.allocation_of(address_of(pointer));
  order->hides(begin, bytes);
}

/// \param host  true in a function that frees pinned memory
cudaError_t release(void* pointer, bool host) {
  const cudaError_t refused = refuse_unsafe_call();
  if (refused != cudaSuccess) return refused;
  if (pointer == nullptr) return cudaSuccess;
  return guarded([&] {
    note_free(pointer, host);
    end_of_memory(pointer);
    emulated().device.free(address_of(pointer));
    return cudaSuccess;
  });
}

/// Allocates memory that host and device access at the same address.
cudaError_t allocate_shared(void** pointer, std::size_t bytes, AllocationKind kind) {
  if (pointer == nullptr) return report(cudaErrorInvalidValue);
  if (bytes == 0 && kind == AllocationKind::managed) return report(cudaErrorInvalidValue);
  if (bytes == 0) return nothing(pointer);
  const cudaError_t refused = refuse_unsafe_call();
  if (refused != cudaSuccess) return refused;
  return guarded([&] {
    const std::string name = next_allocation_name();
    StreamOrder* const order = stream_order();
    *pointer = emulated().device.allocate_visible(bytes, name);
    note_allocation(address_of(*pointer), bytes, kind, name);
    if (order != nullptr) order->shows_own(address_of(*pointer), bytes);
    return cudaSuccess;
  });
}

/// Checks the direction that a copy states, as on a GPU. `kind` may state the host for memory of
/// the device. It must not state the device for memory that only the host can access.
cudaError_t check_direction(const void* to, const void* from, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool is_wrong =
      (to_device && is_memory_of_host(to)) || (from_device && is_memory_of_host(from));
  return is_wrong ? cudaErrorInvalidValue : cudaSuccess;
}

/// Checks a copy's arguments, as on a GPU.
cudaError_t check_rows(const void* to, std::size_t to_pitch, const void* from,
                       std::size_t from_pitch, std::size_t width, cudaMemcpyKind kind) {
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  const cudaError_t error = check_direction(to, from, kind);
  if (error != cudaSuccess) return error;
  return width > to_pitch || width > from_pitch ? cudaErrorInvalidPitchValue : cudaSuccess;
}

cudaError_t fill_rows(void* to, std::size_t pitch, int value, std::size_t width,
                      std::size_t height) {
  if (width == 0 || height == 0) return cudaSuccess;
  const cudaError_t refused = refuse_default_stream(nullptr);
  if (refused != cudaSuccess) return refused;
  const bool is_wrong = is_memory_of_host(to) || (height > 1 && width > pitch);
  if (ChecksAlone::exist() && !is_wrong) return cudaSuccess;
  check_fill({to, pitch, width, height});
  if (is_wrong) return report(cudaErrorInvalidValue);
  return guarded([&] {
    bytes_of(to, pitch * (height - 1) + width);  // checks that all bytes exist
    const WorkScope scope;
    WorkScope::touch(to, pitch, width, height, Use::write);
    for (std::size_t y = 0; y < height; ++y)
      std::memset(host_of(static_cast<std::byte*>(to) + y * pitch, width), value, width);
    record_fill(to, width * height);
    return cudaSuccess;
  });
}

cudaError_t fill_slices(const cudaPitchedPtr& to, int value, const cudaExtent& extent) {
  if (extent.depth > 1 && extent.height > to.ysize) return report(cudaErrorInvalidValue);
  for (std::size_t z = 0; z < extent.depth; ++z) {
    const cudaError_t error = fill_rows(static_cast<std::byte*>(to.ptr) + z * to.ysize * to.pitch,
                                        to.pitch, value, extent.width, extent.height);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

/// Finds a variable. The name of a managed variable stands for its memory, not for the pointer that
/// the program has registered.
const Variable* find_variable(const void* symbol) {
  Runtime& own = emulated();
  const std::lock_guard lock(own.mutex);
  if (const auto found = own.variables.find(symbol); found != own.variables.end())
    return &found->second;
  for (const auto& module : own.modules) {
    for (const Module::Managed& each : module->managed) {
      if (*each.host == symbol) return &own.variables.at(each.host);
    }
  }
  return nullptr;
}

cudaError_t symbol_address(const void* symbol, Address* address, std::size_t* bytes) {
  return guarded([&] {
    const Variable* const found = find_variable(symbol);
    if (found == nullptr) return cudaErrorInvalidSymbol;
    std::uint64_t size = 0;
    const Address at = found->module->get().variable(emulated().device, found->name, &size);
    if (address != nullptr) *address = at;
    if (bytes != nullptr) *bytes = size;
    return cudaSuccess;
  });
}

/// Finds the part of a symbol that a copy accesses.
cudaError_t part_of_symbol(const void* symbol, std::size_t offset, std::size_t bytes,
                           void** pointer) {
  Address address = 0;
  std::size_t size = 0;
  const cudaError_t error = symbol_address(symbol, &address, &size);
  if (error != cudaSuccess) return error;
  *pointer = reinterpret_cast<void*>(address + offset);
  if (offset <= size && bytes <= size - offset) return cudaSuccess;
  report_bad_copy("a copy of " + warpwise::counted(bytes, "byte") + " at byte " +
                  std::to_string(offset) + " exceeds a variable of " +
                  warpwise::counted(size, "byte"));
  return report(cudaErrorInvalidValue);
}

}  // namespace

namespace warpwise::emulator::runtime {

bool is_memory_of_host(const void* pointer) {
  // Memory of a graph exists only while the graph runs.
  if (ChecksAlone::exist() && is_in_graph_memory(pointer)) return false;
  return !is_device_address(address_of(pointer)) && !emulated().device.holds(address_of(pointer));
}

cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  if (width == 0 || height == 0) return cudaSuccess;
  const cudaError_t refused = refuse_default_stream(nullptr);
  if (refused != cudaSuccess) return refused;
  const cudaError_t error = check_rows(to, to_pitch, from, from_pitch, width, kind);
  if (ChecksAlone::exist() && error == cudaSuccess) return cudaSuccess;
  check_copy({to, to_pitch, width, height}, {from, from_pitch, width, height}, kind);
  if (error != cudaSuccess) return report(error);
  return guarded([&] {
    auto* target = const_cast<std::byte*>(bytes_of(to, to_pitch * (height - 1) + width));
    const std::byte* origin = bytes_of(from, from_pitch * (height - 1) + width);
    check_written(to, {from, from_pitch, width, height});
    const WorkScope scope;
    WorkScope::touch(from, from_pitch, width, height, Use::read);
    WorkScope::touch(to, to_pitch, width, height, Use::write);
    for (std::size_t y = 0; y < height; ++y) {
      std::memmove(target + y * to_pitch, origin + y * from_pitch, width);
      emulated().device.copied(address_of(to) + y * to_pitch, address_of(from) + y * from_pitch,
                               width);
    }
    record_copy(to, from, width * height);
    return cudaSuccess;
  });
}

cudaError_t free_in_stream(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  if (emulated().sticky != cudaSuccess) return report(emulated().sticky);
  if (kind_of(pointer) == AllocationKind::managed) return report(cudaErrorNotSupported);
  try {
    note_free(pointer, false);
    const WorkScope scope = WorkScope::that_frees();
    const auto [begin, bytes] = emulated().device.allocation_of(address_of(pointer));
    if (begin == address_of(pointer)) WorkScope::touch(pointer, bytes, Use::write);
    emulated().device.free(address_of(pointer));
    // Forgets whole pages, because an allocation of device memory shares no page with another one.
    if (begin == address_of(pointer) && is_device_address(begin)) WorkScope::forget(begin, bytes);
    return cudaSuccess;
  } catch (const Error&) {
    return report(cudaErrorInvalidValue);
  }
}

}  // namespace warpwise::emulator::runtime

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) { return allocate(pointer, bytes); }
cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  if (const cudaError_t refused = refuse_stream(stream); refused != cudaSuccess) return refused;
  const std::shared_ptr<Capture> capture = capture_of(stream);
  PoolUse* const use = use_of(pool);
  if (use == nullptr) return report(cudaErrorInvalidValue);
  if (capture == nullptr) {
    const cudaError_t refused = refuse_default_stream(stream);
    if (refused != cudaSuccess) return refused;
    const OnStream on(stream);
    const WorkScope scope;
    const cudaError_t error = allocate(pointer, bytes);
    if (error != cudaSuccess || bytes == 0) return error;
    count_in_pool(address_of(*pointer), *use);
    WorkScope::allocates(*pointer, bytes);
    return error;
  }
  if (is_invalid(*capture)) return report(cudaErrorStreamCaptureInvalidated);
  if (pointer == nullptr || bytes == 0) return allocate(pointer, bytes);
  return guarded([&] {
    void* reserved = *pointer = reserve_graph_memory(bytes);
    append(*capture, stream, cudaGraphNodeTypeMemAlloc, [=] {
      return take_graph_memory(reserved);
    })->memory = reserved;
    return cudaSuccess;
  });
}
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  cudaMemPool_t pool = nullptr;
  cudaDeviceGetMemPool(&pool, 0);
  return cudaMallocFromPoolAsync(pointer, bytes, pool, stream);
}
cudaError_t cudaFree(void* pointer) { return release(pointer, false); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  if (const cudaError_t invalid = refuse_stream(stream); invalid != cudaSuccess) return invalid;
  if (const std::shared_ptr<Capture> capture = capture_of(stream)) {
    if (is_invalid(*capture)) return report(cudaErrorStreamCaptureInvalidated);
    // A captured graph uses this memory at each launch, so the memory stays.
    if (!is_graph_memory(pointer)) {
      note_kept(pointer);
      return cudaSuccess;
    }
    append(*capture, stream, cudaGraphNodeTypeMemFree, [=] { return free_graph_memory(pointer); });
    return cudaSuccess;
  }
  const cudaError_t implicit = refuse_default_stream(stream);
  const cudaError_t refused = implicit != cudaSuccess ? implicit : refuse_unsafe_call();
  if (refused != cudaSuccess) return refused;
  const OnStream on(stream);
  return free_in_stream(pointer);
}
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  if (pitch == nullptr) return report(cudaErrorInvalidValue);
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  if (width > most - 511) return report(cudaErrorMemoryAllocation);
  const std::size_t row = (width + 511) / 512 * 512;
  if (row != 0 && height > most / row) return report(cudaErrorMemoryAllocation);
  const cudaError_t error = allocate(pointer, row * height);
  if (error == cudaSuccess) *pitch = row;
  return error;
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  *pitched = {nullptr, 0, extent.width, extent.height};
  if (extent.depth != 0 && extent.height > std::numeric_limits<std::size_t>::max() / extent.depth)
    return report(cudaErrorMemoryAllocation);
  return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width,
                         extent.height * extent.depth);
}
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int) {
  return allocate_shared(pointer, bytes, AllocationKind::managed);
}
cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return allocate_shared(pointer, bytes, AllocationKind::pinned);
}
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int) {
  return allocate_shared(pointer, bytes, AllocationKind::pinned);
}
cudaError_t cudaFreeHost(void* pointer) { return release(pointer, true); }
cudaError_t cudaHostRegister(void* host, size_t bytes, unsigned int) {
  if (host == nullptr || bytes == 0) return report(cudaErrorInvalidValue);
  const cudaError_t refused = refuse_unsafe_call();
  if (refused != cudaSuccess) return refused;
  if (emulated().device.holds(address_of(host)))
    return report(cudaErrorHostMemoryAlreadyRegistered);
  return guarded([&] {
    emulated().device.show(host, bytes);
    note_registration(address_of(host));
    // Watches only readable and writable pages, because watching restores pages to that state.
    StreamOrder* const order = stream_order();
    if (order != nullptr && are_read_and_written(address_of(host), bytes))
      order->shows(address_of(host), bytes);
    return cudaSuccess;
  });
}
cudaError_t cudaHostUnregister(void* host) {
  const cudaError_t refused = refuse_unsafe_call();
  if (refused != cudaSuccess) return refused;
  const std::optional<AllocationKind> kind = kind_of(host);
  if (kind && kind != AllocationKind::registered) return report(cudaErrorInvalidValue);
  const auto [begin, bytes] = emulated().device.allocation_of(address_of(host));
  if (bytes == 0 || begin != address_of(host)) return report(cudaErrorHostMemoryNotRegistered);
  end_of_memory(host);
  emulated().device.hide(host, bytes);
  forget_registration(begin);
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int) {
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return wait_for_copy(to, from, copy_rows(to, bytes, from, bytes, bytes, 1, kind));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return wait_for_copy(
      to, from,
      run_or_capture(stream, cudaGraphNodeTypeMemcpy,
                     [=] { return copy_rows(to, bytes, from, bytes, bytes, 1, kind); }),
      stream);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return wait_for_copy(to, from, copy_rows(to, to_pitch, from, from_pitch, width, height, kind));
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return wait_for_copy(
      to, from,
      run_or_capture(
          stream, cudaGraphNodeTypeMemcpy,
          [=] { return copy_rows(to, to_pitch, from, from_pitch, width, height, kind); }),
      stream);
}
// A fill of pinned or managed memory is synchronous.
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return wait_for_copy(to, to, fill_rows(to, bytes, value, bytes, 1));
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return report(run_or_capture(stream, cudaGraphNodeTypeMemset,
                               [=] { return fill_rows(to, bytes, value, bytes, 1); }));
}
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return wait_for_copy(to, to, fill_rows(to, pitch, value, width, height));
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return report(run_or_capture(stream, cudaGraphNodeTypeMemset,
                               [=] { return fill_rows(to, pitch, value, width, height); }));
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return wait_for_copy(to.ptr, to.ptr, fill_slices(to, value, extent));
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return report(run_or_capture(stream, cudaGraphNodeTypeMemset,
                               [=] { return fill_slices(to, value, extent); }));
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t bytes) {
  if (to_device != 0 || from_device != 0) return report(cudaErrorInvalidDevice);
  return copy_rows(to, bytes, from, bytes, bytes, 1, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  if (to_device != 0 || from_device != 0) return report(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
// These calls do nothing, because the memory's location changes no result.
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) {
  return cudaSuccess;
}
cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned int,
                                 cudaStream_t stream) {
  return refuse_stream(stream);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  Address address = 0;
  const cudaError_t error = symbol_address(symbol, &address, nullptr);
  if (error == cudaSuccess) *pointer = reinterpret_cast<void*>(address);
  return error;
}
cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return symbol_address(symbol, nullptr, bytes);
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)
    return report(cudaErrorInvalidMemcpyDirection);
  void* to = nullptr;
  const cudaError_t error = part_of_symbol(symbol, offset, bytes, &to);
  if (error != cudaSuccess) return error;
  return wait_for_copy(to, from, copy_rows(to, bytes, from, bytes, bytes, 1, kind));
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return report(run_or_capture(stream, cudaGraphNodeTypeMemcpy, [=] {
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
  }));
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost)
    return report(cudaErrorInvalidMemcpyDirection);
  void* from = nullptr;
  const cudaError_t error = part_of_symbol(symbol, offset, bytes, &from);
  if (error != cudaSuccess) return error;
  return wait_for_copy(to, from, copy_rows(to, bytes, from, bytes, bytes, 1, kind));
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return wait_for_copy(
      to, symbol,
      run_or_capture(stream, cudaGraphNodeTypeMemcpy,
                     [=] { return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind); }),
      stream);
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
  if (emulated().sticky != cudaSuccess) return report(emulated().sticky);
  const auto [used, limit] = emulated().device.memory();
  // Memory of the host that is registered counts as used, and may exceed the limit.
  if (free_bytes != nullptr) *free_bytes = limit - std::min(used, limit);
  if (total != nullptr) *total = limit;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  if (attributes == nullptr) return report(cudaErrorInvalidValue);
  if (emulated().sticky != cudaSuccess) return report(emulated().sticky);
  *attributes = {};
  void* const address = const_cast<void*>(pointer);
  const std::optional<AllocationKind> kind = kind_of(pointer);
  if (!kind) {
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = address;
    return cudaSuccess;
  }
  attributes->devicePointer = address;
  switch (*kind) {
    case AllocationKind::pinned:
    case AllocationKind::registered: attributes->type = cudaMemoryTypeHost; break;
    case AllocationKind::managed: attributes->type = cudaMemoryTypeManaged; break;
    default: attributes->type = cudaMemoryTypeDevice; return cudaSuccess;
  }
  attributes->hostPointer = address;
  return cudaSuccess;
}

}  // extern "C"
