#pragma once

// Internal to the emulator: a copy of a device's memory, to compare and to restore.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "warpwise/emulator/device.hpp"

namespace warpwise::emulator {

/// A difference between memory and an image.
struct Difference {
  Address begin = 0;           ///< address of the allocation
  std::uint64_t bytes = 0;     ///< size of the allocation
  std::string name;            ///< name of the allocation
  std::uint64_t first = 0;     ///< offset of the allocation's first byte that differs
  std::uint64_t count = 0;     ///< number of the allocation's bytes that differ
  std::vector<std::byte> is;   ///< the whole allocation now
  std::vector<std::byte> was;  ///< the whole allocation in the image
};

/// A copy of all of a device's memory, except the kernels' heap.
class MemoryImage {
 public:
  explicit MemoryImage(const Device::State& device);

  /// Restores the memory. Later allocations stay as they are.
  void restore(Device::State& device) const;

  /// Returns the difference of the first allocation for which counts(difference) is true. If there
  /// is no such allocation, the result has 0 bytes.
  template <class Counts>
  Difference difference(const Device::State& device, const Counts& counts) const {
    for (const auto& [address, pieces] : images_) {
      Difference found = difference_at(device, address, pieces);
      if (found.count > 0 && counts(found)) return found;
    }
    return {};
  }

 private:
  // The content of an allocation, in pieces. A null piece stands for zeros. It saves memory,
  // because a program may never write to most of a large allocation.
  using Pieces = std::vector<std::unique_ptr<std::byte[]>>;

  static Difference difference_at(const Device::State& device, Address address,
                                  const Pieces& pieces);

  std::map<Address, Pieces> images_;
};

}  // namespace warpwise::emulator
