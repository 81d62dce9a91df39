// The driver's virtual memory: address ranges, memory without addresses, and mappings between them.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "warpwise/emulator/runtime/driver/driver.hpp"

using namespace warpwise::emulator::runtime;

namespace {

constexpr std::size_t granularity = std::size_t{2} << 20;

/// Memory without an address: an unnamed file that can be mapped at several addresses.
struct Physical {
  int file = -1;
  std::size_t bytes = 0;
};

struct Mapping {
  std::size_t bytes = 0;
  std::shared_ptr<Physical> memory;
  bool accessible = false;
};

/// A range of addresses, which the host can use too, with its mapped memory.
struct Reservation {
  std::size_t bytes = 0;
  std::map<CUdeviceptr, Mapping> mappings;
};

struct VirtualMemory {
  std::mutex mutex;
  std::map<CUdeviceptr, Reservation> reservations;
  std::map<CUmemGenericAllocationHandle, std::shared_ptr<Physical>> handles;
  CUmemGenericAllocationHandle next = 1;

  Reservation* holding(CUdeviceptr address, std::size_t bytes) {
    auto after = reservations.upper_bound(address);
    if (after == reservations.begin()) return nullptr;
    auto& [begin, reservation] = *std::prev(after);
    const bool lies_inside =
        address - begin <= reservation.bytes && bytes <= reservation.bytes - (address - begin);
    return lies_inside ? &reservation : nullptr;
  }
};
VirtualMemory& all() {
  static VirtualMemory& instance = *new VirtualMemory;
  return instance;
}

bool is_whole(std::size_t bytes) { return bytes > 0 && bytes % granularity == 0; }

void close_file(Physical* memory) {
  ::close(memory->file);
  delete memory;
}

// Shows adjacent mappings to the device as one buffer, so that copies may cross them.
void show(Reservation& reservation) {
  CUdeviceptr begin = 0;
  CUdeviceptr end = 0;
  const auto flush = [&] {
    if (end > begin) emulated().device.show(pointer_of(begin), end - begin);
  };
  for (const auto& [address, mapping] : reservation.mappings) {
    if (!mapping.accessible) continue;
    if (address != end) {
      flush();
      begin = address;
    }
    end = address + mapping.bytes;
  }
  flush();
}
void hide(CUdeviceptr begin, const Reservation& reservation) {
  emulated().device.hide(pointer_of(begin), reservation.bytes);
}

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags) {
  *bytes = granularity;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment,
                             CUdeviceptr wanted, unsigned long long flags) {
  if (!is_whole(bytes) || (alignment & (alignment - 1)) != 0 || flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  // Reserves some more bytes, so that the range can begin at a multiple of the alignment. The
  // requested address is only a hint.
  const std::size_t multiple = std::max(alignment, granularity);
  const std::size_t taken = bytes + multiple;
  void* hint = pointer_of(wanted);
  void* at = ::mmap(hint, taken, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUdeviceptr begin = (device_address(at) + multiple - 1) / multiple * multiple;
  ::munmap(at, begin - device_address(at));
  ::munmap(pointer_of(begin + bytes), device_address(at) + taken - (begin + bytes));
  const std::lock_guard lock(all().mutex);
  all().reservations[begin].bytes = bytes;
  *address = begin;
  return CUDA_SUCCESS;
}
CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  const std::lock_guard lock(all().mutex);
  const auto found = all().reservations.find(address);
  if (found == all().reservations.end() || found->second.bytes != bytes ||
      !found->second.mappings.empty()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  ::munmap(pointer_of(address), bytes);
  all().reservations.erase(found);
  return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long flags) {
  if (!is_whole(bytes) || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE && properties->location.id != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  const auto [used, limit] = emulated().device.memory();
  if (bytes > limit - used) return CUDA_ERROR_OUT_OF_MEMORY;
  std::shared_ptr<Physical> memory(new Physical{.bytes = bytes}, close_file);
  memory->file = ::memfd_create("warpwise", MFD_CLOEXEC);
  if (memory->file < 0 || ::ftruncate(memory->file, static_cast<off_t>(bytes)) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  const std::lock_guard lock(all().mutex);
  *handle = all().next++;
  all().handles[*handle] = std::move(memory);
  return CUDA_SUCCESS;
}
// Mapped memory stays until it is unmapped.
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  const std::lock_guard lock(all().mutex);
  return all().handles.erase(handle) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* pointer) {
  const std::lock_guard lock(all().mutex);
  Reservation* reservation = all().holding(device_address(pointer), 0);
  if (reservation == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (const auto& [begin, mapping] : reservation->mappings) {
    if (device_address(pointer) - begin >= mapping.bytes) continue;
    *handle = all().next++;
    all().handles[*handle] = mapping.memory;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                CUmemGenericAllocationHandle handle) {
  const std::lock_guard lock(all().mutex);
  if (!all().handles.contains(handle)) return CUDA_ERROR_INVALID_VALUE;
  *properties = {};
  properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties->location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  const std::lock_guard lock(all().mutex);
  const auto found = all().handles.find(handle);
  Reservation* reservation = all().holding(address, bytes);
  if (found == all().handles.end() || reservation == nullptr || !is_whole(bytes) || flags != 0 ||
      address % granularity != 0 || offset != 0 || bytes != found->second->bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (const auto& [begin, mapping] : reservation->mappings) {
    if (begin < address + bytes && address < begin + mapping.bytes) return CUDA_ERROR_INVALID_VALUE;
  }
  // Maps without access, until cuMemSetAccess().
  if (::mmap(pointer_of(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, found->second->file,
             0) == MAP_FAILED) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  reservation->mappings[address] = {bytes, found->second, false};
  return CUDA_SUCCESS;
}
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  const std::lock_guard lock(all().mutex);
  Reservation* reservation = all().holding(address, bytes);
  if (reservation == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto& mappings = reservation->mappings;
  const auto first = mappings.find(address);
  auto last = mappings.lower_bound(address + bytes);
  if (first == mappings.end() ||
      (last != mappings.begin() &&
       std::prev(last)->first + std::prev(last)->second.bytes != address + bytes)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto begin = std::prev(all().reservations.upper_bound(address))->first;
  hide(begin, *reservation);
  mappings.erase(first, last);
  ::mmap(pointer_of(address), bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  show(*reservation);
  return CUDA_SUCCESS;
}
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* descriptions,
                        size_t count) {
  const std::lock_guard lock(all().mutex);
  Reservation* reservation = all().holding(address, bytes);
  if (reservation == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  const bool accessible = descriptions[0].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
  const auto begin = std::prev(all().reservations.upper_bound(address))->first;
  hide(begin, *reservation);
  for (auto& [at, mapping] : reservation->mappings) {
    if (at < address || at >= address + bytes) continue;
    mapping.accessible = accessible;
    ::mprotect(pointer_of(at), mapping.bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
  show(*reservation);
  return CUDA_SUCCESS;
}
CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation*, CUdeviceptr address) {
  *flags = emulated().device.holds(address) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                            : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}

}  // extern "C"
