#pragma once

// Internal to the emulator: what a Device holds.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

struct FreeMemory {
  bool is_foreign = false;  ///< somebody else's, shown to the device
  void operator()(std::byte* p) const {
    if (!is_foreign) std::free(p);
  }
};

struct Allocation {
  std::uint64_t bytes = 0;
  std::unique_ptr<std::byte, FreeMemory> host;
  std::string name;
  std::unique_ptr<std::byte, FreeMemory> shadow;  ///< see state.hpp; null: all of it is defined
  bool is_of_heap = false;                        ///< taken by a kernel
};

/// What there was where memory has been freed.
struct Freed {
  std::uint64_t bytes = 0;
  std::string name;
  std::string by;  ///< who freed it, for messages; empty if not known
};

class MemoryUses;

struct Device::State {
  mutable std::shared_mutex mutex;
  std::map<Address, Allocation> allocations;
  std::map<Address, Freed> freed;      ///< whose addresses are no one else's
  std::deque<Address> freed_in_order;  ///< the first of which is forgotten when they are many
  bool tracks_definedness = false;
  MemoryUses* uses = nullptr;  ///< that are told of what launches touch
  Address next = global_base;
  std::uint64_t used = 0;
  std::uint64_t limit = 0;
  std::uint64_t heap_used = 0;
  std::map<std::uint64_t, Texture> textures;
  std::uint64_t next_texture = 1;
  std::atomic<std::uint32_t> modelled = 0;  ///< what launches left in memory: a ModelledSet
  /// Addresses of the variables of each program that ran here, by the program's number.
  std::map<std::uint64_t, std::vector<Address>> modules;

  /// The freed allocation that held `address`; null if there is none.
  const Freed* find_freed(Address address) const;
  /// Forgets what was freed in a range that is allocated again.
  void forget_freed(Address begin, std::uint64_t bytes);

  /// Memory for an allocation, counted. \throws OutOfMemory
  Allocation take(std::uint64_t bytes, std::string name);
  /// Gives an allocation its address.
  Address place(Allocation allocation);
  /// Memory for a kernel's malloc; 0 if all that kernels have would take more than `heap_bytes`.
  Address allocate_of_heap(std::uint64_t bytes, std::string name, std::uint64_t heap_bytes);
  /// Ends such an allocation, whose memory is returned; null if none begins there.
  std::shared_ptr<std::byte> free_of_heap(Address address, std::string by);
  /// Takes an allocation away and remembers what it was.
  Allocation take_out(std::map<Address, Allocation>::iterator found, std::string by);
  /// The allocation that holds `address`; an empty view if there is none.
  AllocationView find(Address address) const;
  /// The same of an address from which `bytes` lie in it. \throws InvalidArgument
  AllocationView view(Address address, std::uint64_t bytes) const;
  /// What lies at or nearest below an address, for messages: "4 bytes past the end of 'x' (400
  /// bytes)".
  std::string describe(Address address) const;
  bool was_freed(Address address) const;
  /// Takes all memory for written: a launch that was not checked may have done so.
  void define_all();
  std::optional<Texture> texture(std::uint64_t handle) const;
};

/// The bytes from a texture's first texel to its last. \throws InvalidArgument  for sizes that
/// cannot be
std::uint64_t bytes_of(const Texture& texture);

}  // namespace warpwise::emulator
