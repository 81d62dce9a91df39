#include "warpwise/emulator/device.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/memory_uses.hpp"
#include "warpwise/emulator/unwritten_memory.hpp"

namespace warpwise::emulator {
namespace {

constexpr std::uint64_t alignment = 512;  // required by textures; cudaMalloc also aligns to 512
// GPU drivers align large allocations to pages, and Taichi relies on this alignment.
constexpr std::uint64_t large = 1024 * 1024;
constexpr std::uint64_t page_alignment = 4096;
// Bytes between allocations. An access up to this far past an allocation's end reaches no other
// allocation.
constexpr std::uint64_t gap = 64 * 1024;
// Limit of remembered freed allocations.
constexpr std::size_t most_freed = 65536;

std::uint64_t default_limit() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_bytes <= 0) return std::uint64_t{1} << 32;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes) / 4 * 3;
}

/// Returns zeroed memory of whole pages, so that a page can be protected.
std::unique_ptr<std::byte, FreeMemory> whole_pages(std::uint64_t bytes) {
  constexpr std::uint64_t page = MemoryUses::page_bytes;
  const std::uint64_t taken = std::max<std::uint64_t>(1, (bytes + page - 1) / page) * page;
  std::unique_ptr<std::byte, FreeMemory> memory(
      static_cast<std::byte*>(std::aligned_alloc(page, taken)));
  if (memory == nullptr) {
    throw OutOfMemory("this machine cannot allocate " + std::to_string(bytes) +
                      " bytes for the emulated GPU's memory");
  }
  std::memset(memory.get(), 0, taken);
  return memory;
}

}  // namespace

AllocationView Device::State::find(Address address) const {
  const std::shared_lock lock(mutex);
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return {};
  const auto& [begin, allocation] = *std::prev(after);
  if (address - begin >= allocation.bytes) return {};
  return {begin, begin + allocation.bytes, allocation.host.get(), allocation.shadow.get()};
}

const Freed* Device::State::find_freed(Address address) const {
  const auto after = freed.upper_bound(address);
  if (after == freed.begin()) return nullptr;
  const auto& [begin, range] = *std::prev(after);
  return address - begin < range.bytes ? &range : nullptr;
}

void Device::State::forget_freed(Address begin, std::uint64_t bytes) {
  auto it = freed.upper_bound(begin);
  if (it != freed.begin()) --it;
  while (it != freed.end() && it->first < begin + bytes)
    it = it->first + it->second.bytes > begin ? freed.erase(it) : std::next(it);
}

bool Device::State::was_freed(Address address) const {
  const std::shared_lock lock(mutex);
  return find_freed(address) != nullptr;
}

std::string Device::State::describe(Address address) const {
  const std::shared_lock lock(mutex);
  const auto named = [](const auto& allocation) {
    return (allocation.name.empty() ? std::string("a buffer") : allocation.name) + " of " +
           std::to_string(allocation.bytes) + " bytes";
  };
  if (const Freed* range = find_freed(address); range != nullptr) {
    const Address begin = std::prev(freed.upper_bound(address))->first;
    return "byte " + std::to_string(address - begin) + " of " + named(*range) +
           ", which was freed" + (range->by.empty() ? "" : " by " + range->by);
  }
  const auto after = allocations.upper_bound(address);
  const auto before = after == allocations.begin() ? allocations.end() : std::prev(after);
  const std::uint64_t offset = before == allocations.end() ? 0 : address - before->first;
  if (before != allocations.end() && offset < before->second.bytes)
    return "byte " + std::to_string(offset) + " of " + named(before->second);
  // Host-visible allocations may lie close together. The message therefore names the nearer of the
  // two neighbours.
  const std::uint64_t to_next = after == allocations.end() ? gap : after->first - address;
  const std::uint64_t past =
      before == allocations.end() ? ~std::uint64_t{0} : offset - before->second.bytes;
  if (to_next <= gap / 2 && to_next <= past)
    return std::to_string(to_next) + " bytes before " + named(after->second);
  if (past < (std::uint64_t{1} << 30))
    return std::to_string(past) + " bytes past the end of " + named(before->second);
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
    throw OutOfMemory("an allocation of " + std::to_string(bytes) +
                      " bytes does not fit: the emulated GPU has " + std::to_string(limit - used) +
                      " of its " + std::to_string(limit) + " bytes left");
  }
  Allocation allocation;
  allocation.bytes = bytes;
  // For a large size calloc takes no physical memory before the first use.
  allocation.host.reset(static_cast<std::byte*>(std::calloc(bytes > 0 ? bytes : 1, 1)));
  if (allocation.host == nullptr) {
    throw OutOfMemory("this machine cannot allocate " + std::to_string(bytes) +
                      " bytes for the emulated GPU's memory");
  }
  allocation.name = std::move(name);
  if (tracks_definedness) allocation.shadow = unwritten_memory(bytes);
  used += bytes;
  return allocation;
}

Address Device::State::allocate_of_heap(std::uint64_t bytes, std::string name,
                                        std::uint64_t heap_bytes) {
  const std::unique_lock lock(mutex);
  if (bytes > heap_bytes || heap_used > heap_bytes - bytes || bytes > limit || used > limit - bytes)
    return 0;
  Allocation allocation = take(bytes, std::move(name));
  allocation.is_of_heap = true;
  heap_used += bytes;
  return place(std::move(allocation));
}

std::shared_ptr<std::byte> Device::State::free_of_heap(Address address, std::string by) {
  const std::unique_lock lock(mutex);
  const auto found = allocations.find(address);
  if (found == allocations.end() || !found->second.is_of_heap) return nullptr;
  // The returned pointer keeps the whole allocation alive, with its shadow.
  const auto taken = std::make_shared<Allocation>(take_out(found, std::move(by)));
  return {taken, taken->host.get()};
}

Address Device::State::place(Allocation allocation) {
  if (allocation.bytes >= large)
    next = (next + page_alignment - 1) / page_alignment * page_alignment;
  const Address address = next;
  next += (allocation.bytes + gap + alignment - 1) / alignment * alignment;
  allocations.emplace(address, std::move(allocation));
  return address;
}

Address Device::allocate(std::uint64_t bytes, std::string name) {
  const std::unique_lock lock(state_->mutex);
  return state_->place(state_->take(bytes, std::move(name)));
}

void* Device::allocate_visible(std::uint64_t bytes, std::string name) {
  const std::unique_lock lock(state_->mutex);
  Allocation allocation = state_->take(bytes, std::move(name));
  if (state_->uses != nullptr) allocation.host = whole_pages(bytes);
  allocation.shadow.reset();  // the host may write it at any time
  void* pointer = allocation.host.get();
  const auto address = reinterpret_cast<Address>(pointer);
  if (!may_be_host_visible(address))
    throw OutOfMemory("this machine's memory overlaps the addresses of the emulated GPU's memory");
  state_->forget_freed(address, bytes);
  state_->allocations.emplace(address, std::move(allocation));
  return pointer;
}

void Device::show(void* host, std::uint64_t bytes, std::string name) {
  const std::unique_lock lock(state_->mutex);
  const auto address = reinterpret_cast<Address>(host);
  if (!may_be_host_visible(address))
    throw InvalidArgument("the host's memory overlaps the addresses of the emulated GPU's memory");
  const auto after = state_->allocations.lower_bound(address + bytes);
  if (after != state_->allocations.begin()) {
    const auto& [begin, before] = *std::prev(after);
    if (begin + before.bytes > address)
      throw InvalidArgument("the emulated GPU already has an allocation at these host addresses");
  }
  Allocation allocation;
  allocation.bytes = bytes;
  allocation.host = {static_cast<std::byte*>(host), FreeMemory{.is_foreign = true}};
  allocation.name = std::move(name);
  state_->used += bytes;
  state_->forget_freed(address, bytes);
  state_->allocations.emplace(address, std::move(allocation));
}

void Device::hide(void* host, std::uint64_t bytes) {
  const std::unique_lock lock(state_->mutex);
  const auto address = reinterpret_cast<Address>(host);
  auto& all = state_->allocations;
  for (auto each = all.lower_bound(address); each != all.end() && each->first < address + bytes;) {
    state_->used -= each->second.bytes;
    each = all.erase(each);
  }
}

std::pair<Address, std::uint64_t> Device::allocation_of(Address address) const {
  const AllocationView view = state_->find(address);
  return view.host == nullptr ? std::pair<Address, std::uint64_t>{}
                              : std::pair{view.begin, view.end - view.begin};
}

bool Device::holds(Address address) const { return state_->find(address).host != nullptr; }

std::pair<std::uint64_t, std::uint64_t> Device::memory() const {
  const std::shared_lock lock(state_->mutex);
  return {state_->used, state_->limit};
}

void Device::free(Address address, std::string by) {
  std::unique_lock lock(state_->mutex);
  const auto found = state_->allocations.find(address);
  if (found == state_->allocations.end() || found->second.is_of_heap || found->second.is_variable) {
    lock.unlock();
    throw InvalidArgument(
        "address " + std::to_string(address) +
        " cannot be freed, because no allocation by the host begins there: it is " +
        state_->describe(address));
  }
  state_->take_out(found, std::move(by));
}

Allocation Device::State::take_out(std::map<Address, Allocation>::iterator found, std::string by) {
  Allocation allocation = std::move(found->second);
  used -= allocation.bytes;
  if (allocation.is_of_heap) heap_used -= allocation.bytes;
  freed[found->first] = {allocation.bytes, allocation.name, std::move(by)};
  freed_in_order.push_back(found->first);
  if (freed_in_order.size() > most_freed) {
    freed.erase(freed_in_order.front());
    freed_in_order.pop_front();
  }
  allocations.erase(found);
  return allocation;
}

void Device::track_definedness() {
  const std::unique_lock lock(state_->mutex);
  state_->tracks_definedness = true;
}

AllocationView Device::State::view(Address address, std::uint64_t bytes) const {
  const AllocationView view = find(address);
  // An empty transfer may begin at an allocation's end, which is outside the allocation. read() and
  // write() therefore return before they call this function.
  if (view.host == nullptr || bytes > view.end - address) {
    throw InvalidArgument("a transfer of " + std::to_string(bytes) + " bytes at " +
                          describe(address) +
                          " does not lie in one allocation of the emulated GPU");
  }
  return view;
}

std::byte* Device::host_pointer(Address address, std::uint64_t bytes) const {
  const AllocationView view = state_->view(address, bytes);
  if (view.shadow != nullptr) std::memset(view.shadow + (address - view.begin), 0, bytes);
  return view.host + (address - view.begin);
}

const std::byte* Device::bytes_at(Address address, std::uint64_t bytes) const {
  const AllocationView view = state_->view(address, bytes);
  return view.host + (address - view.begin);
}

std::string Device::describe(Address address) const { return state_->describe(address); }

void Device::copied(Address to, Address from, std::uint64_t bytes) const {
  if (!state_->tracks_definedness) return;
  const AllocationView target = state_->find(to);
  if (target.shadow == nullptr || bytes > target.end - to) return;
  std::byte* told = target.shadow + (to - target.begin);
  const AllocationView origin = state_->find(from);
  if (origin.shadow == nullptr || bytes > origin.end - from) {
    std::memset(told, 0, bytes);
    return;
  }
  std::memmove(told, origin.shadow + (from - origin.begin), bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) {
    if (told[i] == std::byte{unwritten}) told[i] = std::byte{emulator::copied};
  }
}

bool Device::is_unwritten(Address address, std::uint64_t bytes) const {
  const AllocationView view = state_->find(address);
  if (view.shadow == nullptr || bytes == 0 || bytes > view.end - address) return false;
  const std::byte* first = view.shadow + (address - view.begin);
  return std::find(first, first + bytes, std::byte{0}) == first + bytes;
}

void Device::State::define_all() {
  const std::unique_lock lock(mutex);
  for (auto& [address, allocation] : allocations) allocation.shadow.reset();
}

void Device::write(Address to, std::span<const std::byte> from) {
  if (from.empty()) return;
  std::memcpy(host_pointer(to, from.size()), from.data(), from.size());
}

void Device::read(Address from, std::span<std::byte> to) const {
  if (to.empty()) return;
  std::memcpy(to.data(), bytes_at(from, to.size()), to.size());
}

std::uint64_t bytes_of(const Texture& texture) {
  std::uint64_t row = 0;
  bool overflow = __builtin_mul_overflow(texture.width, texture.texel_bytes(), &row);
  std::uint64_t bytes = row;
  const auto add = [&](std::uint64_t count, std::uint64_t apart, std::uint64_t least,
                       const char* what) {
    if (count < 2) return;
    if (apart < least) {
      throw InvalidArgument("a texture's " + std::string(what) + " of " + std::to_string(apart) +
                            " bytes is less than the " + std::to_string(least) +
                            " bytes of its content");
    }
    std::uint64_t before = 0;
    overflow |= __builtin_mul_overflow(count - 1, apart, &before);
    overflow |= __builtin_add_overflow(bytes, before, &bytes);
  };
  add(texture.height, texture.pitch_bytes, row, "pitch");
  add(texture.depth, texture.slice_bytes, bytes, "slice");
  if (overflow) throw InvalidArgument("a texture whose size does not fit in 64 bits");
  return bytes;
}

std::uint64_t Device::create_texture(const Texture& texture) {
  if (texture.channels != 1 && texture.channels != 2 && texture.channels != 4) {
    throw InvalidArgument("a texture has 1, 2 or 4 channels, not " +
                          std::to_string(texture.channels));
  }
  const int size = texture.channel_bytes;
  const bool floating = texture.kind == TexelKind::floating;
  if ((size != 1 && size != 2 && size != 4) || (floating && size == 1)) {
    throw InvalidArgument("a channel of a texture has 1, 2 or 4 bytes, or 2 or 4 for floats, not " +
                          std::to_string(size));
  }
  const bool as_fraction = !floating && texture.normalized_float;
  if (as_fraction && size == 4) {
    throw InvalidArgument(
        "a texture can read integers of 1 or 2 bytes as normalised floats, but not integers of 4 "
        "bytes");
  }
  if (texture.filter == FilterMode::linear && !floating && !as_fraction) {
    throw InvalidArgument(
        "linear filtering needs texels of floats, or integers that are read as normalised floats");
  }
  if (texture.width == 0) throw InvalidArgument("the width of a texture is 0");
  if ((texture.layered || texture.cube) && texture.depth == 0)
    throw InvalidArgument("the number of layers or faces of a texture is 0");
  if (texture.cube && (texture.depth % 6 != 0 || texture.width != texture.height))
    throw InvalidArgument("a cube map has " + std::to_string(texture.depth) + " faces of " +
                          std::to_string(texture.width) + "x" + std::to_string(texture.height) +
                          " texels: it needs 6 square faces for each cube");
  bytes_at(texture.data, bytes_of(texture));
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
