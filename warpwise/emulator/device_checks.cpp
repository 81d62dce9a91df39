#include "warpwise/emulator/device_checks.hpp"

#include <mutex>
#include <shared_mutex>

#include "warpwise/emulator/device.hpp"

namespace warpwise::emulator {

std::vector<std::pair<std::string, std::uint64_t>> heap_allocations(const Device& device) {
  const Device::State& state = device.state();
  const std::shared_lock lock(state.mutex);
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (const auto& [begin, allocation] : state.allocations) {
    if (allocation.is_of_heap) all.emplace_back(allocation.name, allocation.bytes);
  }
  return all;
}

void free_heap(Device& device) {
  Device::State& state = device.state();
  const std::unique_lock lock(state.mutex);
  for (auto each = state.allocations.begin(); each != state.allocations.end();) {
    const auto found = each++;
    if (found->second.is_of_heap) state.take_out(found, "");
  }
}

bool is_variable(const Device& device, Address address) {
  const std::shared_lock lock(device.state().mutex);
  const auto found = device.state().allocations.find(address);
  return found != device.state().allocations.end() && found->second.is_variable;
}

void count_as_written(Device& device) { device.state().define_all(); }

std::shared_mutex& lock_of(Device& device) { return device.state().mutex; }

void watch_uses(Device& device, MemoryUses& uses) {
  const std::unique_lock lock(device.state().mutex);
  device.state().uses = &uses;
}

std::string described(const Device& device, Address address) {
  return device.state().describe(address);
}

}  // namespace warpwise::emulator
