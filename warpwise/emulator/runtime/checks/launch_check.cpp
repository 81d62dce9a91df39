#include "warpwise/emulator/runtime/checks/launch_check.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "warpwise/emulator/readable.hpp"
#include "warpwise/emulator/runtime/checks/stream_order.hpp"
#include "warpwise/emulator/runtime/code/modules.hpp"
#include "warpwise/emulator/runtime/reports/report_files.hpp"
#include "warpwise/emulator/runtime/reports/reports.hpp"

namespace warpwise::emulator::runtime {
namespace {

struct Failed {
  std::string kernel;
  cudaError_t error;
  CallSite site;
};

// Failed launches of each thread, because each thread has its own last error.
struct AllFailed {
  std::mutex mutex;
  std::map<std::uint64_t, std::vector<Failed>> by_thread;
};
AllFailed& all_failed() {
  static AllFailed& instance = *new AllFailed;
  return instance;
}

/// Returns this thread's number. The system's own number may be reused after a thread's end.
std::uint64_t this_thread() {
  static std::atomic<std::uint64_t> threads = 0;
  thread_local const std::uint64_t number = ++threads;
  return number;
}

}  // namespace

void note_failed_launch(const void* function, cudaError_t error) {
  if (!checks_asked_for().has(Check::runtime) || emulated().sticky != cudaSuccess) return;
  const Kernel* const kernel = find_kernel(function);
  if (any_kernel_was_refused()) return;
  const std::lock_guard lock(all_failed().mutex);
  all_failed().by_thread[this_thread()].push_back(
      {kernel == nullptr ? "of unknown name" : readable(kernel->name), error, CallSite::here()});
}

void note_question() {
  const std::lock_guard lock(all_failed().mutex);
  all_failed().by_thread.erase(this_thread());
}

void report_unchecked_launches() {
  warpwise_emulated_report_touches();
  if (emulated().sticky != cudaSuccess || any_kernel_was_refused()) return;
  for (const auto& [thread, failed] : all_failed().by_thread) {
    for (const Failed& each : failed) {
      note_host_fault(FaultKind::unchecked_launch, each.site,
                      "kernel " + each.kernel + " did not run, " + cudaGetErrorName(each.error) +
                          ", and the program has not checked the error",
                      each.kernel);
    }
  }
  const StreamOrder* const order = stream_order();
  if (order == nullptr) return;
  for (const auto& [kernel, site] : order->not_waited_for()) {
    note_host_fault(
        FaultKind::unchecked_launch, site,
        "the program ends without waiting for kernel " + kernel + " or checking its errors",
        kernel);
  }
}

}  // namespace warpwise::emulator::runtime

extern "C" void warpwise_emulated_report_touches() {
  using namespace warpwise::emulator::runtime;
  if (StreamOrder* const order = stream_order()) order->report_touches();
}
