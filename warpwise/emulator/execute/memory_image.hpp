#pragma once

// Internal to the emulator: what a device's memory holds at one time, to be put back and compared.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "warpwise/emulator/device.hpp"

namespace warpwise::emulator {

/// Where memory differs from an image.
struct Difference {
  Address begin = 0;           ///< of the allocation
  std::uint64_t bytes = 0;     ///< of the allocation
  std::string name;            ///< of the allocation
  std::uint64_t first = 0;     ///< byte of it that differs
  std::uint64_t count = 0;     ///< of its bytes that differ
  std::vector<std::byte> is;   ///< the whole allocation, as it is
  std::vector<std::byte> was;  ///< and in the image
};

/// A copy of all of a device's memory, but for what kernels have taken from their heap.
class MemoryImage {
 public:
  explicit MemoryImage(const Device::State& device);

  /// Makes the memory what it was. Allocations that have come since stay as they are.
  void restore(Device::State& device) const;

  /// The first allocation whose bytes differ for which `counts` holds; no bytes if there is none.
  template <class Counts>
  Difference difference(const Device::State& device, const Counts& counts) const {
    for (const auto& [address, pieces] : images_) {
      Difference found = difference_at(device, address, pieces);
      if (found.count > 0 && counts(found)) return found;
    }
    return {};
  }

 private:
  // Null where all bytes are 0: most of what a program takes it may never use.
  using Pieces = std::vector<std::unique_ptr<std::byte[]>>;

  static Difference difference_at(const Device::State& device, Address address,
                                  const Pieces& pieces);

  std::map<Address, Pieces> images_;
};

}  // namespace warpwise::emulator
