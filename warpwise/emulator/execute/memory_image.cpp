#include "warpwise/emulator/execute/memory_image.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <shared_mutex>

namespace warpwise::emulator {
namespace {

constexpr std::uint64_t image_piece_bytes = 64 * 1024;
constexpr std::array<std::byte, image_piece_bytes> zeros{};

/// Calls visit(index, begin, bytes) for each piece of an allocation.
template <class Visit>
void for_each_piece(const Allocation& allocation, const Visit& visit) {
  for (std::uint64_t at = 0; at < allocation.bytes; at += image_piece_bytes) {
    visit(static_cast<std::size_t>(at / image_piece_bytes), allocation.host.get() + at,
          std::min(image_piece_bytes, allocation.bytes - at));
  }
}

}  // namespace

MemoryImage::MemoryImage(const Device::State& device) {
  const std::shared_lock lock(device.mutex);
  for (const auto& [address, allocation] : device.allocations) {
    if (allocation.is_of_heap) continue;
    Pieces& pieces = images_[address];
    for_each_piece(allocation, [&](std::size_t, const std::byte* begin, std::uint64_t bytes) {
      std::unique_ptr<std::byte[]>& piece = pieces.emplace_back();
      if (std::memcmp(begin, zeros.data(), bytes) == 0) return;
      piece = std::make_unique_for_overwrite<std::byte[]>(bytes);
      std::memcpy(piece.get(), begin, bytes);
    });
  }
}

void MemoryImage::restore(Device::State& device) const {
  const std::unique_lock lock(device.mutex);
  for (const auto& image : images_) {
    const auto found = device.allocations.find(image.first);
    if (found == device.allocations.end()) continue;
    const Pieces& pieces = image.second;
    for_each_piece(found->second, [&](std::size_t i, std::byte* begin, std::uint64_t bytes) {
      const std::byte* const was = pieces[i] ? pieces[i].get() : zeros.data();
      // Writes only pieces that differ, because the system gives memory only to pages that have
      // been written.
      if (std::memcmp(begin, was, bytes) != 0) std::memcpy(begin, was, bytes);
    });
  }
}

Difference MemoryImage::difference_at(const Device::State& device, Address address,
                                      const Pieces& pieces) {
  const std::shared_lock lock(device.mutex);
  const auto found = device.allocations.find(address);
  Difference result;
  if (found == device.allocations.end()) return result;
  const Allocation& allocation = found->second;
  bool same = true;
  for_each_piece(allocation, [&](std::size_t i, const std::byte* begin, std::uint64_t bytes) {
    same = same && std::memcmp(begin, pieces[i] ? pieces[i].get() : zeros.data(), bytes) == 0;
  });
  if (same) return result;
  result.begin = address;
  result.bytes = allocation.bytes;
  result.name = allocation.name.empty() ? "a buffer" : allocation.name;
  result.is.assign(allocation.host.get(), allocation.host.get() + allocation.bytes);
  result.was.reserve(allocation.bytes);
  for_each_piece(allocation, [&](std::size_t i, const std::byte*, std::uint64_t bytes) {
    const std::byte* const was = pieces[i] ? pieces[i].get() : zeros.data();
    result.was.insert(result.was.end(), was, was + bytes);
  });
  for (std::uint64_t i = 0; i < allocation.bytes; ++i) {
    if (result.is[i] == result.was[i]) continue;
    if (result.count++ == 0) result.first = i;
  }
  return result;
}

}  // namespace warpwise::emulator
