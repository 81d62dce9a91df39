#include "warpwise/primitives/shared/tuning.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/shared/tuning_file.hpp"

namespace warpwise::tuning {
namespace {

/// Settings by their keys.
using Table = std::vector<Setting>;

/// No machine has more devices; any beyond take the built-in values.
constexpr int most_devices = 64;
std::array<std::atomic<const Table*>, most_devices> tables;  // null: not read yet
thread_local Trial* trial = nullptr;

const Setting* setting_of(const Table& table, const Key& key) {
  const auto at = std::lower_bound(table.begin(), table.end(), key,
                                   [](const Setting& a, const Key& b) { return a.key < b; });
  return at != table.end() && at->key == key ? &*at : nullptr;
}

Table read_table() {
  if (is_off()) return {};
  std::vector<Line> lines = read_lines(read_file(file_path()).text);
  Table table = settings_of(lines, tunables(), source_hash, current_gpu());
  std::sort(table.begin(), table.end(),
            [](const Setting& a, const Setting& b) { return a.key < b.key; });
  return table;
}

const Table& table_of(int device) {
  static const Table built_in;
  if (device < 0 || device >= most_devices) return built_in;
  std::atomic<const Table*>& place = tables[static_cast<std::size_t>(device)];
  if (const Table* table = place.load(std::memory_order_acquire)) return *table;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (const Table* table = place.load(std::memory_order_acquire)) return *table;
  // Never freed: another thread may read it until the very end of the program.
  static auto& kept = *new std::vector<std::unique_ptr<const Table>>;
  try {
    kept.push_back(std::make_unique<const Table>(read_table()));
  } catch (const std::exception&) {  // no memory, or a GPU that cannot be identified
    kept.push_back(std::make_unique<const Table>());
  }
  place.store(kept.back().get(), std::memory_order_release);
  return *kept.back();
}

}  // namespace

int chosen(const Tunable& tunable, int kind, std::int64_t elements) noexcept {
  const Key key{&tunable, kind, size_class(elements)};
  int value = tunable.choices[0];
  try {
    if (const Setting* found = setting_of(table_of(gpu::current_device()), key)) {
      value = found->value;
    }
    if (trial != nullptr) value = trial->taken(key, value);
  } catch (const std::exception&) {  // a call without a device reports that itself
  }
  return value;
}

int Trial::taken(const Key& key, int value) {
  for (const Setting& each : settings_) {
    if (each.key == key) value = each.value;
  }
  const auto is_same = [&](const Setting& each) { return each.key == key; };
  if (std::none_of(asked_.begin(), asked_.end(), is_same)) asked_.push_back({key, value});
  return value;
}

Trial::Trial(std::vector<Setting> settings) : settings_(std::move(settings)) { trial = this; }
Trial::~Trial() { trial = nullptr; }

Gpu current_gpu() {
  const gpu::DeviceInfo info = gpu::device_info(gpu::current_device());
  return {info.name,
          std::to_string(info.compute_capability_major) + "." +
              std::to_string(info.compute_capability_minor),
          info.multiprocessors, info.driver_version};
}

std::vector<Setting> in_effect() { return table_of(gpu::current_device()); }

void reload() {
  for (auto& place : tables) place.store(nullptr, std::memory_order_release);
}

}  // namespace warpwise::tuning
