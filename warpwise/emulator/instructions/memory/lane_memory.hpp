#pragma once

// Internal to the emulator: memory accesses of the functions of the device's runtime.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/execute/calls.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {

/// Longest text in bytes that a device runtime function reads.
inline constexpr std::size_t longest_string = 4096;

/// Accesses memory for one lane by generic addresses, and shows each access to the observers.
template <class Observers>
class LaneMemory {
 public:
  LaneMemory(Warp& warp, const Operation& op, int lane) : warp_(warp), op_(op), lane_(lane) {}

  int lane() const { return lane_; }

  /// Reads bytes at a generic address. Returns false if some of them are out of bounds.
  bool read(Address address, void* to, std::size_t bytes) const {
    if (is_global(address)) {
      const AllocationView view = warp_.worker->device->find(address);
      if (view.host == nullptr || bytes > view.end - address) return false;
      return copy(Space::global, address, view.host + (address - view.begin), to, bytes);
    }
    if (address >= local_window && address - local_window < window_bytes)
      return read_local(address - local_window, to, bytes);
    if (address >= shared_window && address - shared_window < window_bytes) {
      const std::uint64_t offset = address - shared_window;
      const AlignedBytes& shared = warp_.block->shared;
      if (offset > shared.size() || bytes > shared.size() - offset) return false;
      return copy(Space::shared, offset, shared.data() + offset, to, bytes);
    }
    return false;
  }

  /// Returns an argument of a call. The operand holds the argument's offset in local memory.
  template <class T>
  T argument(std::int32_t operand) const {
    T value{};
    read_local(source<std::uint64_t>(warp_, operand)[lane_], &value, sizeof(T));
    return value;
  }

  template <class T>
  void set_result(std::int32_t operand, T value) const {
    const std::uint64_t offset = source<std::uint64_t>(warp_, operand)[lane_];
    std::byte* to = local(offset, sizeof(value));
    if (to == nullptr) return;
    std::memcpy(to, &value, sizeof(value));
    show(Space::local, AccessKind::store, offset, to, sizeof(value));
  }

  /// Writes bytes at a generic address of global or local memory. Returns false if some of them are
  /// out of bounds.
  bool write(Address address, const void* from, std::size_t bytes) const {
    const AllocationView view = warp_.worker->device->find(address);
    if (view.host == nullptr || bytes > view.end - address)
      return write_local(address, from, bytes);
    std::byte* to = view.host + (address - view.begin);
    std::memcpy(to, from, bytes);
    show(Space::global, AccessKind::store, address, to, bytes);
    return true;
  }

  std::string text(Address address) const {
    std::string result;
    char c = 0;
    while (result.size() < longest_string && read(address + result.size(), &c, 1) && c != 0)
      result += c;
    return result;
  }

 private:
  std::byte* local(std::uint64_t offset, std::size_t bytes) const {
    const std::uint64_t size = warp_.worker->launch->local_bytes;
    if (offset > size || bytes > size - offset) return nullptr;
    clear_local(warp_, offset + bytes);
    return warp_.block->local.data() + warp_.thread(lane_) * size + offset;
  }

  bool write_local(Address address, const void* from, std::size_t bytes) const {
    if (address < local_window || address - local_window >= window_bytes) return false;
    std::byte* to = local(address - local_window, bytes);
    if (to == nullptr) return false;
    std::memcpy(to, from, bytes);
    show(Space::local, AccessKind::store, address - local_window, to, bytes);
    return true;
  }

  bool read_local(std::uint64_t offset, void* to, std::size_t bytes) const {
    std::byte* from = local(offset, bytes);
    return from != nullptr && copy(Space::local, offset, from, to, bytes);
  }

  bool copy(Space space, Address address, std::byte* from, void* to, std::size_t bytes) const {
    std::memcpy(to, from, bytes);
    show(space, AccessKind::load, address, from, bytes);
    return true;
  }

  void show([[maybe_unused]] Space space, [[maybe_unused]] AccessKind kind,
            [[maybe_unused]] Address address, [[maybe_unused]] std::byte* host,
            [[maybe_unused]] std::size_t bytes) const {
    if constexpr (Observers::any) {
      std::array<std::uint64_t, warp_lanes> addresses;
      addresses.fill(address);
      Resolved place;
      place.base = host;
      std::fill_n(place.at, warp_lanes, 0);
      place.valid = Mask{1} << lane_;
      Observers::of(warp_).after_access(warp_, op_,
                                        Access{space, kind, static_cast<int>(bytes),
                                               addresses.data(), place.valid, false, -1, &place});
    }
  }

  Warp& warp_;
  const Operation& op_;
  int lane_;
};

}  // namespace warpwise::emulator
