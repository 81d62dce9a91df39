#pragma once

// Internal to the emulator: what a Device holds.

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

struct FreeMemory {
  void operator()(std::byte* p) const { std::free(p); }
};

struct Allocation {
  std::uint64_t bytes = 0;
  std::unique_ptr<std::byte, FreeMemory> host;
  std::string name;
};

struct Device::State {
  mutable std::shared_mutex mutex;
  std::map<Address, Allocation> allocations;
  Address next = global_base;
  std::uint64_t used = 0;
  std::uint64_t limit = 0;
  std::map<std::uint64_t, Texture> textures;
  std::uint64_t next_texture = 1;
  /// Addresses of the variables of each program that ran here, by the program's number.
  std::map<std::uint64_t, std::vector<Address>> modules;

  /// Memory for an allocation, counted. \throws OutOfMemory
  Allocation take(std::uint64_t bytes, std::string name);
  /// The allocation that holds `address`; an empty view if there is none.
  AllocationView find(Address address) const;
  /// What lies at or nearest below an address, for messages: "4 bytes past the end of 'x' (400
  /// bytes)".
  std::string describe(Address address) const;
  std::optional<Texture> texture(std::uint64_t handle) const;
};

}  // namespace warpwise::emulator
