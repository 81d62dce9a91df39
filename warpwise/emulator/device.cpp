#include "warpwise/emulator/device.hpp"

#include <unistd.h>

#include <cstring>
#include <mutex>

#include "warpwise/base/error.hpp"

namespace warpwise::emulator {
namespace {

constexpr std::uint64_t alignment = 512;  // what textures need; cudaMalloc gives as much
// Host addresses lie above the emulated GPU's, which begin at global_base and go up by what is
// allocated.
constexpr Address visible_base = Address{64} << 40;
// An access that ends this far past an allocation does not reach the next one.
constexpr std::uint64_t gap = 64 * 1024;

std::uint64_t default_limit() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_bytes <= 0) return std::uint64_t{1} << 32;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes) / 4 * 3;
}

}  // namespace

AllocationView Device::State::find(Address address) const {
  const std::shared_lock lock(mutex);
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return {};
  const auto& [begin, allocation] = *std::prev(after);
  if (address - begin >= allocation.bytes) return {};
  return {begin, begin + allocation.bytes, allocation.host.get()};
}

std::string Device::State::describe(Address address) const {
  const std::shared_lock lock(mutex);
  const auto named = [](const Allocation& allocation) {
    return (allocation.name.empty() ? std::string("a buffer") : allocation.name) + " of " +
           std::to_string(allocation.bytes) + " bytes";
  };
  const auto after = allocations.upper_bound(address);
  if (after != allocations.end() && after->first - address <= gap / 2) {
    return std::to_string(after->first - address) + " bytes before " + named(after->second);
  }
  if (after != allocations.begin()) {
    const auto& [begin, allocation] = *std::prev(after);
    const std::uint64_t offset = address - begin;
    if (offset < allocation.bytes)
      return "byte " + std::to_string(offset) + " of " + named(allocation);
    const std::uint64_t past = offset - allocation.bytes;
    if (past < (std::uint64_t{1} << 30)) {
      return std::to_string(past) + " bytes past the end of " + named(allocation);
    }
  }
  return address < 4096 ? "a null pointer" : "no buffer";
}

std::optional<Texture> Device::State::texture(std::uint64_t handle) const {
  const std::shared_lock lock(mutex);
  const auto found = textures.find(handle);
  if (found == textures.end()) return std::nullopt;
  return found->second;
}

Device::Device(std::uint64_t memory_bytes) : state_(std::make_unique<State>()) {
  state_->limit = memory_bytes != 0 ? memory_bytes : default_limit();
}

Device::~Device() = default;

Allocation Device::State::take(std::uint64_t bytes, std::string name) {
  if (bytes > limit || used > limit - bytes) {
    throw OutOfMemory("the emulated GPU has " + std::to_string(limit - used) + " of " +
                      std::to_string(limit) + " bytes left, " + std::to_string(bytes) +
                      " were asked for");
  }
  Allocation allocation;
  allocation.bytes = bytes;
  // calloc leaves large blocks untouched until they are used.
  allocation.host.reset(static_cast<std::byte*>(std::calloc(bytes > 0 ? bytes : 1, 1)));
  if (allocation.host == nullptr) {
    throw OutOfMemory("this machine has no " + std::to_string(bytes) +
                      " bytes for the emulated GPU");
  }
  allocation.name = std::move(name);
  used += bytes;
  return allocation;
}

Address Device::allocate(std::uint64_t bytes, std::string name) {
  const std::unique_lock lock(state_->mutex);
  Allocation allocation = state_->take(bytes, std::move(name));
  const Address address = state_->next;
  state_->next += (bytes + gap + alignment - 1) / alignment * alignment;
  state_->allocations.emplace(address, std::move(allocation));
  return address;
}

void* Device::allocate_visible(std::uint64_t bytes, std::string name) {
  const std::unique_lock lock(state_->mutex);
  Allocation allocation = state_->take(bytes, std::move(name));
  void* pointer = allocation.host.get();
  const auto address = reinterpret_cast<Address>(pointer);
  if (address < visible_base)
    throw OutOfMemory("this machine's memory lies where the emulated GPU's does");
  state_->allocations.emplace(address, std::move(allocation));
  return pointer;
}

bool Device::holds(Address address) const { return state_->find(address).host != nullptr; }

std::pair<std::uint64_t, std::uint64_t> Device::memory() const {
  const std::shared_lock lock(state_->mutex);
  return {state_->used, state_->limit};
}

void Device::free(Address address) {
  const std::unique_lock lock(state_->mutex);
  const auto found = state_->allocations.find(address);
  if (found == state_->allocations.end()) {
    throw InvalidArgument("the emulated GPU has no allocation that begins at " +
                          std::to_string(address));
  }
  state_->used -= found->second.bytes;
  state_->allocations.erase(found);
}

std::byte* Device::host_pointer(Address address, std::uint64_t bytes) const {
  const AllocationView view = state_->find(address);
  // A transfer of no bytes may begin one past the end of an allocation.
  if (view.host == nullptr || bytes > view.end - address) {
    throw InvalidArgument("a transfer of " + std::to_string(bytes) + " bytes at " +
                          state_->describe(address) +
                          " does not lie in one allocation of the emulated GPU");
  }
  return view.host + (address - view.begin);
}

void Device::write(Address to, std::span<const std::byte> from) {
  if (from.empty()) return;
  std::memcpy(host_pointer(to, from.size()), from.data(), from.size());
}

void Device::read(Address from, std::span<std::byte> to) const {
  if (to.empty()) return;
  std::memcpy(to.data(), host_pointer(from, to.size()), to.size());
}

std::uint64_t Device::create_texture(const Texture& texture) {
  if (texture.channels != 1 && texture.channels != 2 && texture.channels != 4) {
    throw InvalidArgument("a texture has 1, 2 or 4 channels, not " +
                          std::to_string(texture.channels));
  }
  const int size = texture.channel_bytes;
  const bool floating = texture.kind == TexelKind::floating;
  if ((size != 1 && size != 2 && size != 4) || (floating && size == 1)) {
    throw InvalidArgument("a texture has no channels of " + std::to_string(size) + " bytes");
  }
  const bool as_fraction = !floating && texture.normalized_float;
  if (as_fraction && size == 4) {
    throw InvalidArgument("a texture reads integers of 1 or 2 bytes as fractions, not of 4");
  }
  if (texture.filter == FilterMode::linear && !floating && !as_fraction) {
    throw InvalidArgument("a texture filters floats or integers read as fractions, not integers");
  }
  if (texture.width == 0) throw InvalidArgument("a texture without texels");
  const std::uint64_t texel =
      static_cast<std::uint64_t>(texture.channels) * static_cast<std::uint64_t>(size);
  std::uint64_t row = 0;
  std::uint64_t bytes = 0;
  bool overflow = __builtin_mul_overflow(texture.width, texel, &row);
  bytes = row;
  if (texture.height > 0) {
    if (texture.height > 1 && texture.pitch_bytes < row) {
      throw InvalidArgument("a texture's pitch of " + std::to_string(texture.pitch_bytes) +
                            " bytes is less than its row of " + std::to_string(row));
    }
    overflow |= __builtin_mul_overflow(texture.height - 1, texture.pitch_bytes, &bytes);
    overflow |= __builtin_add_overflow(bytes, row, &bytes);
  }
  if (overflow) throw InvalidArgument("a texture whose size does not fit in 64 bits");
  host_pointer(texture.data, bytes);
  const std::unique_lock lock(state_->mutex);
  const std::uint64_t handle = state_->next_texture++;
  state_->textures.emplace(handle, texture);
  return handle;
}

void Device::destroy_texture(std::uint64_t handle) {
  const std::unique_lock lock(state_->mutex);
  if (state_->textures.erase(handle) == 0) {
    throw InvalidArgument("the emulated GPU has no texture " + std::to_string(handle));
  }
}

}  // namespace warpwise::emulator
