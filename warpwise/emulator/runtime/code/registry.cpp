#include "warpwise/emulator/runtime/code/registry.hpp"
#include "warpwise/emulator/device_checks.hpp"

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/runtime/api/not_run.hpp"
#include "warpwise/emulator/runtime/checks/allocations.hpp"
#include "warpwise/emulator/runtime/checks/launch_check.hpp"
#include "warpwise/emulator/runtime/checks/stream_order.hpp"
#include "warpwise/emulator/runtime/code/fat_binary.hpp"
#include "warpwise/emulator/runtime/fork_locks.hpp"
#include "warpwise/emulator/runtime/reports/closed_libraries.hpp"
#include "warpwise/emulator/runtime/reports/reports.hpp"

namespace warpwise::emulator::runtime {
namespace {

// First device address (global_base of state.hpp); lower addresses belong to the host.
constexpr Address first_device_address = Address{16} << 40;
constexpr Address first_address_that_the_host_sees = Address{64} << 40;

thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

Program& Module::get() {
  std::call_once(once, [this] { program = std::make_unique<Program>(ptx()); });
  return *program;
}

std::string Module::ptx() const {
  if (wrapper == nullptr) return text;
  const std::string library = closed_library_of(wrapper);
  try {
    return ptx_of(wrapper, emulated().architecture());
  } catch (const InvalidArgument&) {
    if (library.empty()) throw;
    throw Unsupported(why_not_run(library));
  }
}

Runtime::Runtime() {
  keep_free_in_children(mutex);
  keep_free_in_children(lock_of(device));
  if (const char* text = std::getenv("WARPWISE_EMULATED_CC"))
    cc = rules::parse_compute_capability(text);
  if (const char* text = std::getenv("WARPWISE_EMULATED_BUDGET"))
    budget = std::strtoull(text, nullptr, 10);
  multiprocessors = multiprocessors_asked_for(multiprocessors);
  if (checks_asked_for().has(Check::runtime)) at_end(report_unchecked_launches);
  if (checks_asked_for().has(Check::memory)) at_end(report_leaks);
  if (checks_asked_for().has(Check::init)) device.track_definedness();
}

namespace {

// Guards the construction of the runtime. The construction itself calls emulated(), so the lock is
// recursive. The guard of a static variable would stay taken in a child of fork() that another
// thread makes during the construction.
std::recursive_mutex making;
Runtime* half_made = nullptr;
std::atomic<Runtime*> made = nullptr;
[[maybe_unused]] const bool is_kept_free = (keep_free_in_children(making), true);

}  // namespace

Runtime& emulated() {
  if (Runtime* const instance = made.load(std::memory_order_acquire)) return *instance;
  const std::lock_guard guard(making);
  // Never destroyed, because destructors of the program's static objects may still call the
  // runtime.
  if (half_made == nullptr) {
    half_made = new Runtime;
    stream_order();
    made.store(half_made, std::memory_order_release);
  }
  return *half_made;
}

cudaError_t report(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t take_last_error(bool reset) {
  const cudaError_t error = emulated().sticky != cudaSuccess ? emulated().sticky : last_error;
  if (reset) last_error = cudaSuccess;
  note_question();
  return error;
}

LastErrorKept::LastErrorKept() : before_(last_error) {}
LastErrorKept::~LastErrorKept() { last_error = before_; }

cudaError_t fail(cudaError_t error) {
  Runtime& own = emulated();
  const std::lock_guard lock(own.mutex);
  if (own.sticky == cudaSuccess) own.sticky = error;
  return error;
}

namespace {

cudaError_t explained(cudaError_t error, const std::string& text) {
  note_error(cudaGetErrorName(error), text);
  return report(error);
}

}  // namespace

cudaError_t guarded(const std::function<cudaError_t()>& body) {
  try {
    if (emulated().sticky != cudaSuccess) return report(emulated().sticky);
    return report(body());
  } catch (const OutOfMemory& e) {
    return explained(cudaErrorMemoryAllocation, e.what());
  } catch (const std::bad_alloc&) {
    return explained(cudaErrorMemoryAllocation, "this machine's memory is full");
  } catch (const Unsupported& e) {
    return explained(cudaErrorNotSupported, e.what());
  } catch (const std::exception& e) {
    return explained(cudaErrorInvalidValue, e.what());
  }
}

void say_not_run(const std::string& name, const std::string& consequence) {
  static std::set<std::string>& said = *new std::set<std::string>;
  bool is_first = false;
  {
    const std::lock_guard lock(emulated().mutex);
    is_first = said.insert(name).second;
  }
  if (is_first) {
    std::fprintf(stderr, "warpwise: the emulated GPU does not run %s: %s\n", name.c_str(),
                 consequence.c_str());
    note_call_not_run(name);
  }
}

int not_run(const char* function) {
  say_not_run(function, "it returns cudaErrorNotSupported");
  return report(cudaErrorNotSupported);
}

int driver_not_run(const char* function) {
  say_not_run(function, "it returns CUDA_ERROR_NOT_SUPPORTED");
  return cudaErrorNotSupported;  // the driver uses the same number
}

bool is_device_address(Address address) {
  return address >= first_device_address && address < first_address_that_the_host_sees;
}

const std::byte* bytes_of(const void* pointer, std::size_t bytes) {
  const Address address = address_of(pointer);
  if (is_device_address(address) || emulated().device.holds(address))
    return emulated().device.bytes_at(address, bytes);
  return static_cast<const std::byte*>(pointer);
}

std::byte* host_of(const void* pointer, std::size_t bytes) {
  const Address address = address_of(pointer);
  if (is_device_address(address) || emulated().device.holds(address))
    return emulated().device.host_pointer(address, bytes);
  return static_cast<std::byte*>(const_cast<void*>(pointer));
}

}  // namespace warpwise::emulator::runtime
