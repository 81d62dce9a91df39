#include "warpwise/emulator/runtime/checks/allocations.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/device_checks.hpp"
#include "warpwise/emulator/runtime/checks/stream_order.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"
#include "warpwise/emulator/runtime/fork_locks.hpp"
#include "warpwise/emulator/runtime/reports/reports.hpp"

namespace warpwise::emulator::runtime {
namespace {

// Maximum number of remembered freed allocations, equal to the device's limit.
constexpr std::size_t most_freed = 65536;

struct AllocationRecord {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  AllocationKind kind = AllocationKind::device;
  bool is_live = true;
  bool is_no_leak = false;  ///< not reported as a leak, although it is never freed
  PoolUse* pool = nullptr;  ///< the pool that counts the allocation
  CallSite made;
  CallSite freed;

  void end() {
    is_live = false;
    if (pool != nullptr) pool->now -= bytes;
    pool = nullptr;
  }
  std::string name() const { return "allocation " + std::to_string(number); }
};

struct Records {
  std::mutex mutex;
  std::map<Address, AllocationRecord> all;
  std::map<std::uint64_t, Address> by_number;
  std::deque<std::uint64_t> freed;  ///< numbers; at the limit the oldest number is dropped
  std::uint64_t made = 0;

  void forget(Address address) {
    const auto found = all.find(address);
    if (found == all.end()) return;
    by_number.erase(found->second.number);
    all.erase(found);
  }
};
Records& records() {
  static Records& instance = []() -> Records& {
    Records& made = *new Records;
    keep_free_in_children(made.mutex);
    return made;
  }();
  return instance;
}

constexpr std::string_view prefix = "allocation ";

std::string of_bytes(const AllocationRecord& record) {
  return record.name() + " of " + std::to_string(record.bytes) + " bytes";
}

/// Describes the error of a call that frees `address`; empty if there is none.
std::string mistake(Address address, bool host, const AllocationRecord* record) {
  const auto [begin, bytes] = emulated().device.allocation_of(address);
  const std::string what =
      record == nullptr ? "memory that no CUDA function has allocated" : of_bytes(*record);
  if (record != nullptr && record->kind == AllocationKind::registered)
    return "frees registered memory of the host: cudaHostUnregister ends its registration";
  if (bytes == 0) return "frees " + what + (record == nullptr ? "" : ", which was freed before");
  if (begin != address) {
    return "frees byte " + std::to_string(address - begin) + " of " + what +
           ": free memory by the address of its first byte";
  }
  if (record == nullptr)  // a variable of the program, or mapped memory
    return "frees " + emulated().device.describe(address) + ", which no CUDA function allocated";
  const bool is_pinned = record->kind == AllocationKind::pinned;
  if (is_pinned && !host)
    return "frees " + what + ", which is pinned memory: cudaFreeHost frees it";
  if (!is_pinned && host)
    return "frees " + what + ", which is not pinned memory: cudaFree frees it";
  return {};
}

void report_heap_leaks() {
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> by_name;
  for (const auto& [name, bytes] : heap_allocations(emulated().device)) {
    by_name[name].first += 1;
    by_name[name].second += bytes;
  }
  for (const auto& [name, sum] : by_name) {
    note_host_fault(FaultKind::leak, {},
                    std::to_string(sum.second) + " bytes in " + std::to_string(sum.first) +
                        " pieces, " + name + " in a kernel, were never freed");
  }
}

}  // namespace

std::string next_allocation_name() {
  const std::lock_guard lock(records().mutex);
  return std::string(prefix) + std::to_string(++records().made);
}

void note_allocation(Address address, std::uint64_t bytes, AllocationKind kind,
                     const std::string& name) {
  AllocationRecord record;
  std::from_chars(name.data() + prefix.size(), name.data() + name.size(), record.number);
  record.bytes = bytes;
  record.kind = kind;
  if (is_reported()) record.made = CallSite::here_in_python();
  const std::lock_guard lock(records().mutex);
  records().forget(address);  // drops an earlier freed allocation at this address
  records().by_number[record.number] = address;
  records().all[address] = std::move(record);
}

void count_in_pool(Address address, PoolUse& pool) {
  const std::lock_guard lock(records().mutex);
  const auto found = records().all.find(address);
  if (found == records().all.end()) return;
  found->second.pool = &pool;
  pool.now += found->second.bytes;
  pool.high = std::max(pool.high.load(), pool.now.load());
}

void note_registration(Address address) {
  AllocationRecord record;
  record.kind = AllocationKind::registered;
  record.is_no_leak = true;
  const std::lock_guard lock(records().mutex);
  records().forget(address);  // drops an earlier freed allocation at this address
  records().all[address] = std::move(record);
}

void forget_registration(Address address) {
  const std::lock_guard lock(records().mutex);
  records().forget(address);
}

std::optional<AllocationKind> kind_of(const void* pointer) {
  const std::lock_guard lock(records().mutex);
  const auto [begin, bytes] = emulated().device.allocation_of(address_of(pointer));
  if (bytes == 0) return std::nullopt;
  const auto found = records().all.find(begin);
  if (found != records().all.end() && found->second.is_live) return found->second.kind;
  const bool is_managed = !is_device_address(begin) && is_variable(emulated().device, begin);
  return is_managed ? AllocationKind::managed : AllocationKind::device;
}

void note_free(const void* pointer, bool host) {
  const Address address = address_of(pointer);
  Records& own = records();
  const CallSite site = is_reported() ? CallSite::here_in_python() : CallSite();
  std::string wrong;
  {
    const std::lock_guard lock(own.mutex);
    const Address begin = emulated().device.allocation_of(address).first;
    const auto found = own.all.find(begin != 0 ? begin : address);
    // Memory may begin where an earlier allocation, which was freed, began.
    const bool is_known = found != own.all.end() && (begin == 0 || found->second.is_live);
    wrong = mistake(address, host, is_known ? &found->second : nullptr);
    // The program tries to free the memory, so it is no leak.
    if (begin == address && is_known) found->second.is_no_leak = true;
    if (wrong.empty()) {
      AllocationRecord& record = found->second;
      record.end();
      record.freed = site;
      own.freed.push_back(record.number);
      if (own.freed.size() > most_freed) {
        const auto oldest = own.by_number.find(own.freed.front());
        if (oldest != own.by_number.end()) own.forget(oldest->second);
        own.freed.pop_front();
      }
    }
  }
  if (wrong.empty()) return;
  if (checks_asked_for().has(Check::memory))
    note_host_fault(FaultKind::invalid_free, site, with_origins(wrong));
  throw InvalidArgument(wrong);
}

void note_kept(const void* pointer) {
  const std::lock_guard lock(records().mutex);
  const auto found = records().all.find(address_of(pointer));
  if (found != records().all.end()) found->second.is_no_leak = true;
}

void free_all_memory() {
  std::vector<Address> live;
  {
    const std::lock_guard lock(records().mutex);
    for (auto& [address, record] : records().all) {
      if (!record.is_live) continue;
      record.end();
      live.push_back(address);
    }
  }
  Device& device = emulated().device;
  StreamOrder* const order = stream_order();
  for (const Address address : live) {
    const auto [begin, bytes] = device.allocation_of(address);
    if (begin != address) continue;
    if (order != nullptr) order->hides(begin, bytes);
    device.free(address, "cudaDeviceReset");
  }
  free_heap(device);
}

std::string with_origins(std::string message) {
  std::vector<AllocationRecord> named;
  {
    const std::lock_guard lock(records().mutex);
    for (std::size_t at = message.find(prefix); at != std::string::npos;
         at = message.find(prefix, at + 1)) {
      std::uint64_t number = 0;
      std::from_chars(message.data() + at + prefix.size(), message.data() + message.size(), number);
      const auto found = records().by_number.find(number);
      if (found == records().by_number.end()) continue;
      const AllocationRecord& record = records().all.at(found->second);
      const bool is_known =
          named.end() != std::find_if(named.begin(), named.end(),
                                      [&](auto& each) { return each.number == number; });
      if (record.made.is_known() && !is_known) named.push_back(record);
    }
  }
  for (const AllocationRecord& record : named) {
    message += "; " + record.name() + " was made by " + record.made.text();
    if (record.freed.is_known()) message += " and freed by " + record.freed.text();
  }
  return message;
}

void report_leaks() {
  // A device with an error is unusable, so the program cannot free its memory. After a refused
  // kernel the program may have ended early.
  if (emulated().sticky != cudaSuccess || any_kernel_was_refused()) return;
  // When Python ends, it frees neither global arrays nor the pools of its packages.
  if (::dlsym(RTLD_DEFAULT, "Py_IsInitialized") != nullptr) return;
  struct Sum {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    AllocationRecord first;
  };
  std::map<const void*, Sum> by_call;
  {
    const std::lock_guard lock(records().mutex);
    for (const auto& [address, record] : records().all) {
      if (!record.is_live || record.is_no_leak) continue;
      Sum& sum = by_call[record.made.address()];
      if (sum.count == 0 || record.number < sum.first.number) sum.first = record;
      sum.count += 1;
      sum.bytes += record.bytes;
    }
  }
  for (const auto& [address, sum] : by_call) {
    const std::string what =
        sum.count == 1
            ? of_bytes(sum.first) + " was never freed"
            : std::to_string(sum.count) + " allocations of " + std::to_string(sum.bytes) +
                  " bytes in all were never freed, " + sum.first.name() + " the first of them";
    note_host_fault(FaultKind::leak, sum.first.made, what);
  }
  report_heap_leaks();
}

}  // namespace warpwise::emulator::runtime
