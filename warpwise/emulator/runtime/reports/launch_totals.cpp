#include "warpwise/emulator/runtime/reports/launch_totals.hpp"

#include <atomic>
#include <mutex>
#include <string>

#include "warpwise/emulator/runtime/reports/launch_record.hpp"

namespace warpwise::emulator::runtime {
namespace {

std::atomic<bool> is_on = false;

struct Totals {
  std::mutex mutex;
  std::uint64_t launches = 0;
  ExecutionCounts execution;
  MemoryCounts memory;
};

Totals& totals() {
  // Never destroyed, because the program's static objects may still launch.
  static Totals& instance = *new Totals;
  return instance;
}

}  // namespace

bool totals_are_asked_for() { return is_on; }

void add_to_totals(const LaunchResult& result) {
  if (!is_on || result.memory.empty()) return;
  Totals& own = totals();
  const std::lock_guard lock(own.mutex);
  ++own.launches;
  add_counts(result.totals, own.execution);
  add_counts(result.memory.front(), own.memory);
}

}  // namespace warpwise::emulator::runtime

extern "C" {

using namespace warpwise::emulator::runtime;

void warpwise_emulated_count(bool on) {
  Totals& own = totals();
  const std::lock_guard lock(own.mutex);
  own.launches = 0;
  own.execution = {};
  own.memory = {};
  is_on = on;
}

const char* warpwise_emulated_counts() {
  thread_local std::string text;
  Totals& own = totals();
  const std::lock_guard lock(own.mutex);
  RecordJson object = json_of_counts(own.execution);
  object["launches"] = own.launches;
  object["texture_requests"] = own.memory.texture_requests;
  object["texture_references"] = own.memory.texture_references;
  warpwise::emulator::visit_memory(
      [&](const char* name, const auto& each) { object[name] = json_of_counts(each); }, own.memory);
  text = object.dump();
  return text.c_str();
}
}
