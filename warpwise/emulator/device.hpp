#pragma once

// Internal to the emulator: the state of a Device.

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

struct FreeMemory {
  bool is_foreign = false;         ///< memory that the device does not own: see show()
  std::uint64_t mapped_bytes = 0;  ///< size of memory from mmap(); 0: memory from malloc()
  void operator()(std::byte* p) const;
};

struct Allocation {
  std::uint64_t bytes = 0;
  std::unique_ptr<std::byte, FreeMemory> host;
  std::string name;
  /// Shadow memory for Check::init: a state for each byte, which says if the byte is defined (see
  /// execute/state.hpp). Null: all bytes are defined.
  std::unique_ptr<std::byte, FreeMemory> shadow;
  bool is_of_heap = false;   ///< allocated by a kernel
  bool is_variable = false;  ///< a program's variable, which no call frees
};

/// A freed allocation.
struct Freed {
  std::uint64_t bytes = 0;
  std::string name;
  std::string by;  ///< the caller that freed it, for messages; empty if unknown
};

class MemoryUses;

struct Device::State {
  mutable std::shared_mutex mutex;
  std::map<Address, Allocation> allocations;
  std::map<Address, Freed> freed;      ///< no live allocation overlaps one of them
  std::deque<Address> freed_in_order;  ///< keys of `freed`; the oldest is dropped beyond a limit
  bool tracks_definedness = false;
  MemoryUses* uses = nullptr;  ///< records the accesses of launches
  Address next = global_base;
  std::uint64_t used = 0;
  std::uint64_t limit = 0;
  std::uint64_t heap_used = 0;
  std::map<std::uint64_t, Texture> textures;
  std::uint64_t next_texture = 1;
  std::atomic<std::uint32_t> modelled = 0;  ///< ModelledSet: kinds of inexact values in memory
  /// Addresses of the variables of each program that ran here, by the program's number.
  std::map<std::uint64_t, std::vector<Address>> modules;

  /// Returns the freed allocation that held `address`; null if there is none.
  const Freed* find_freed(Address address) const;
  /// Forgets freed allocations in a range that is allocated again.
  void forget_freed(Address begin, std::uint64_t bytes);

  /// Takes memory for an allocation and counts it. \throws OutOfMemory
  Allocation take(std::uint64_t bytes, std::string name);
  /// Gives an allocation an address and adds it to `allocations`.
  Address place(Allocation allocation);
  /// Allocates for a kernel's malloc. Returns 0 if the kernels' allocations would exceed
  /// `heap_bytes`, or all allocations the device's limit.
  Address allocate_of_heap(std::uint64_t bytes, std::string name, std::uint64_t heap_bytes);
  /// Frees an allocation of a kernel and returns its memory; null if none begins at the address.
  std::shared_ptr<std::byte> free_of_heap(Address address, std::string by);
  /// Removes an allocation and remembers it as freed.
  Allocation take_out(std::map<Address, Allocation>::iterator found, std::string by);
  /// Returns the allocation that holds `address`; an empty view if there is none.
  AllocationView find(Address address) const;
  /// Finds the allocation that holds `bytes` from `address`. \throws InvalidArgument
  AllocationView view(Address address, std::uint64_t bytes) const;
  /// Describes an address by the allocation that holds or held it, or is nearest: "4 bytes past the
  /// end of 'x' of 400 bytes".
  std::string describe(Address address) const;
  bool was_freed(Address address) const;
  /// Marks all memory as written: an unchecked launch may have written it.
  void define_all();
  std::optional<Texture> texture(std::uint64_t handle) const;
};

/// Returns the number of bytes from a texture's first texel to its last.
/// \throws InvalidArgument  for impossible sizes
std::uint64_t bytes_of(const Texture& texture);

}  // namespace warpwise::emulator
