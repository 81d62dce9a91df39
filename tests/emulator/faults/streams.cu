// The order that streams, events and waits impose on kernels, copies and the host, and programs
// that lack this order.

#include <cuda.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <future>
#include <thread>

#include "cases.hpp"
#include "two_streams.hpp"

namespace faults {
namespace {

__global__ void add_one(int* values) { values[threadIdx.x] += 1; }

__global__ void put(int* to, int value) { to[threadIdx.x] = value; }

__global__ void put_bytes(unsigned char* to, int first) { to[2 * threadIdx.x + first] = first; }

__global__ void copy(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }

__global__ void count(int* to) { atomicAdd(to, 1); }

void parts(int offset) {
  const Ints values(64);
  const Two on;
  add_one<<<1, 32, 0, on.first>>>(values);
  add_one<<<1, 32, 0, on.second>>>(values + offset);
}

void bytes(int of_second) {
  const Buffer<unsigned char> values(64);
  const Two on;
  put_bytes<<<1, 32, 0, on.first>>>(values, 0);
  put_bytes<<<1, 32, 0, on.second>>>(values, of_second);
}

enum class Wait { none, device, stream, event, event_then, query, other_stream };

void wait(Wait how, const Two& on) {
  switch (how) {
    case Wait::none: break;
    case Wait::device: check(cudaDeviceSynchronize()); break;
    case Wait::stream: check(cudaStreamSynchronize(on.first)); break;
    case Wait::other_stream: check(cudaStreamSynchronize(on.second)); break;
    case Wait::event:
      check(cudaEventRecord(on.event, on.first));
      check(cudaEventSynchronize(on.event));
      break;
    case Wait::event_then:
      check(cudaEventRecord(on.event, on.first));
      check(cudaStreamWaitEvent(on.second, on.event, 0));
      break;
    case Wait::query:
      while (cudaStreamQuery(on.first) == cudaErrorNotReady) {
      }
      break;
  }
}

void two_writers(Wait how, unsigned flags = cudaStreamNonBlocking) {
  const Ints values(32);
  const Two on(flags);
  put<<<1, 32, 0, on.first>>>(values, 1);
  wait(how, on);
  put<<<1, 32, 0, on.second>>>(values, 2);
}

// The event is recorded too early: before the work for which it should stand.
void event_too_early() {
  const Ints values(32);
  const Two on;
  check(cudaEventRecord(on.event, on.first));
  put<<<1, 32, 0, on.first>>>(values, 1);
  check(cudaStreamWaitEvent(on.second, on.event, 0));
  put<<<1, 32, 0, on.second>>>(values, 2);
}

void through_default(unsigned flags) {
  const Ints values(32);
  const Two on(flags);
  put<<<1, 32, 0, on.first>>>(values, 1);
  put<<<1, 32>>>(values, 2);
  put<<<1, 32, 0, on.second>>>(values, 3);
}

void readers_and_writer(bool waits_for_both) {
  const Ints values(32);
  const Ints to(64);
  const Two on;
  copy<<<1, 32, 0, on.first>>>(values, to);
  copy<<<1, 32, 0, on.second>>>(values, to + 32);
  if (waits_for_both) wait(Wait::event_then, on);
  put<<<1, 32, 0, on.second>>>(values, 1);
}

void counters(bool atomic) {
  const Ints to(32);
  const Two on;
  for (cudaStream_t stream : {on.first, on.second}) {
    if (atomic)
      count<<<1, 32, 0, stream>>>(to);
    else
      add_one<<<1, 32, 0, stream>>>(to);
  }
}

void fill_on_other(Wait how) {
  const Ints values(32);
  const Two on;
  check(cudaMemsetAsync(values, 0, 128, on.first));
  wait(how, on);
  add_one<<<1, 32, 0, on.second>>>(values);
}

// cudaMemset() of device memory returns early, and a non-blocking stream does not wait for it.
void fill_then_kernel(unsigned flags) {
  const Ints values(32);
  const Two on(flags);
  check(cudaMemset(values, 0, 128));
  add_one<<<1, 32, 0, on.first>>>(values);
}

void upload_then_kernel() {
  static int from[32];
  const Ints values(32);
  const Two on;
  check(cudaMemcpy(values, from, 128, cudaMemcpyHostToDevice));
  add_one<<<1, 32, 0, on.first>>>(values);
}

void free_on_other(bool ordered) {
  const Two on;
  int* values = nullptr;
  check(cudaMallocAsync(&values, 128, on.first));
  put<<<1, 32, 0, on.first>>>(values, 1);
  if (ordered) wait(Wait::event_then, on);
  check(cudaFreeAsync(values, on.second));
}

// Memory exists only after its allocation, in the order of the stream that has allocated it.
void use_on_other(Wait how) {
  const Two on;
  int* values = nullptr;
  check(cudaMallocAsync(&values, 128, on.first));
  wait(how, on);
  put<<<1, 32, 0, on.second>>>(values, 1);
  check(cudaDeviceSynchronize());
  check(cudaFreeAsync(values, on.second));
}

void fill_new_on_other(bool ordered) {
  const Two on;
  void* values = nullptr;
  check(cudaMallocAsync(&values, 10000, on.first));
  if (ordered) wait(Wait::event_then, on);
  check(cudaMemsetAsync(values, 0, 10000, on.second));
  check(cudaDeviceSynchronize());
  check(cudaFree(values));
}

// An event behind a later kernel also orders the allocation before the other stream's kernel.
void use_behind_work() {
  const Two on;
  int* values = nullptr;
  check(cudaMallocAsync(&values, 8192, on.first));
  put<<<1, 32, 0, on.first>>>(values, 1);
  wait(Wait::event_then, on);
  put<<<1, 32, 0, on.second>>>(values + 1024, 1);
  check(cudaDeviceSynchronize());
  check(cudaFreeAsync(values, on.second));
}

// Memory is allocated on the default stream. Only a blocking stream waits for the default stream.
void use_of_default(unsigned flags) {
  const Two on(flags);
  int* values = nullptr;
  check(cudaMallocAsync(&values, 128, nullptr));
  put<<<1, 32, 0, on.first>>>(values, 1);
  check(cudaDeviceSynchronize());
  check(cudaFreeAsync(values, nullptr));
}

// ---- accesses by the host

volatile int taken;

struct Pinned {
  int* values = nullptr;
  Pinned() {
    check(cudaMallocHost(&values, 4096));
    std::memset(values, 0, 4096);
  }
  ~Pinned() { check(cudaFreeHost(values)); }
};
struct Managed {
  int* values = nullptr;
  Managed() {
    check(cudaMallocManaged(&values, 4096));
    std::memset(values, 0, 4096);
  }
  ~Managed() { check(cudaFree(values)); }
};

void host_takes(Wait how) {
  const Managed memory;
  const Two on;
  put<<<1, 32, 0, on.first>>>(memory.values, 1);
  wait(how, on);
  taken = memory.values[31];
}

// The copy would wait, but it is refused, because a blocking stream captures.
void host_takes_behind_refused_copy() {
  const Managed memory;
  const Ints from(1);
  const Two on(cudaStreamDefault);
  int to = 0;
  put<<<1, 32, 0, on.first>>>(memory.values, 1);
  check(cudaStreamBeginCapture(on.second, cudaStreamCaptureModeRelaxed));
  cudaMemcpyAsync(&to, from, sizeof(to), cudaMemcpyDeviceToHost, nullptr);
  taken = memory.values[31];
  cudaStreamEndCapture(on.second, nullptr);
  cudaGetLastError();
}

__global__ void put_into_both(int* first, int* second) {
  int* const to = threadIdx.x < 16 ? first : second;
  to[threadIdx.x] = 1;
}

// The first lanes write device memory, and later lanes write memory that the host reads.
void host_takes_of_later_lanes() {
  const Ints own(32);
  const Managed memory;
  put_into_both<<<1, 32>>>(own, memory.values);
  taken = memory.values[20];
}

__global__ void count_for_host(int* to) { atomicAdd_system(to, 1); }

// The host reads a counter while a kernel increments it.
void host_looks_on(void (*kernel)(int*)) {
  const Managed memory;
  const Two on;
  kernel<<<1, 32, 0, on.first>>>(memory.values);
  taken = static_cast<volatile int*>(memory.values)[0];
}

void host_takes_other_part(int index) {
  const Managed memory;
  const Two on;
  put<<<1, 32, 0, on.first>>>(memory.values, 1);
  taken = memory.values[index];
  memory.values[32] = 1;
}

void host_writes_what_is_uploaded(Wait how) {
  const Pinned memory;
  const Ints to(32);
  const Two on;
  check(cudaMemcpyAsync(to, memory.values, 128, cudaMemcpyHostToDevice, on.first));
  taken = memory.values[0];  // the host may read what a copy reads
  wait(how, on);
  memory.values[0] = 1;
}

template <class Function>
Function driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion(name, &found, 13000, cudaEnableDefault, &result));
  return reinterpret_cast<Function>(found);
}

// One stream writes a value after its kernel; the other stream may wait for this value.
void value_on_other(bool waits) {
  const Ints values(32);
  const Ints written(1);
  const Two on;
  const auto place = reinterpret_cast<CUdeviceptr>(static_cast<int*>(written));
  put<<<1, 32, 0, on.first>>>(values, 1);
  driver_function<decltype(&cuStreamWriteValue32)>("cuStreamWriteValue32")(
      on.first, place, 1, CU_STREAM_WRITE_VALUE_DEFAULT);
  if (waits)
    driver_function<decltype(&cuStreamWaitValue32)>("cuStreamWaitValue32")(
        on.second, place, 1, CU_STREAM_WAIT_VALUE_GEQ);
  put<<<1, 32, 0, on.second>>>(values, 2);
}

// A synchronous fill of pinned memory has ended when its call returns.
void host_takes_filled(bool synchronous) {
  const Pinned memory;
  const auto to = reinterpret_cast<CUdeviceptr>(memory.values);
  if (synchronous)
    driver_function<decltype(&cuMemsetD8)>("cuMemsetD8")(to, 1, 128);
  else
    driver_function<decltype(&cuMemsetD8Async)>("cuMemsetD8Async")(to, 1, 128, nullptr);
  taken = memory.values[0];
}

// While a host function runs, other threads can make CUDA calls.
void host_function_waits_for_thread() {
  static std::promise<void> has_begun;
  static std::promise<void> is_done;
  std::thread other([] {
    has_begun.get_future().wait();
    const Two on;
    is_done.set_value();
  });
  const Two on;
  const auto wait_for_other = [](void*) {
    has_begun.set_value();
    is_done.get_future().wait();
  };
  check(cudaLaunchHostFunc(on.first, wait_for_other, nullptr));
  other.join();
}

struct sigaction handler_before;
void* own_page = nullptr;

void open_own_page(int, siginfo_t*, void*) {
  if (mprotect(own_page, 4096, PROT_READ | PROT_WRITE) != 0) _exit(1);
}

void pass_on(int signal, siginfo_t* info, void* context) {
  handler_before.sa_sigaction(signal, info, context);
}

// The emulator catches SIGSEGV too. The program's handlers must still get its own signals, once.
void handlers_that_chain() {
  const auto set = [](void (*handler)(int, siginfo_t*, void*), struct sigaction* before) {
    struct sigaction action{};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, before);
  };
  own_page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  set(open_own_page, nullptr);
  const Managed memory;
  put<<<1, 32>>>(memory.values, 1);
  set(pass_on, &handler_before);
  check(cudaDeviceSynchronize());
  put<<<1, 32>>>(memory.values, 2);
  *static_cast<int*>(own_page) = 1;
  check(cudaDeviceSynchronize());
  taken = memory.values[0];
}

// Two kernels write parts of a page. The host may use a part once it has waited for its kernel.
void written_in_parts() {
  const Managed memory;
  const Two on;
  put<<<1, 32, 0, on.first>>>(memory.values, 1);
  put<<<1, 32, 0, on.second>>>(memory.values + 32, 1);
  check(cudaStreamSynchronize(on.first));
  const int file = memfd_create("parts", 0);
  if (write(file, memory.values, 128) != 128) _exit(1);
  close(file);
}

void host_function(bool in_stream) {
  const Managed memory;
  const Two on;
  put<<<1, 32, 0, on.first>>>(memory.values, 1);
  const auto take = [](void* values) { taken = static_cast<int*>(values)[0]; };
  if (in_stream)
    check(cudaLaunchHostFunc(on.first, take, memory.values));
  else
    take(memory.values);
}

void pageable_download() {
  static int to[32];
  const Ints from(32);
  const Two on;
  add_one<<<1, 32, 0, on.first>>>(from);
  // If the host's memory is not pinned, the call itself waits.
  check(cudaMemcpyAsync(to, from, 128, cudaMemcpyDeviceToHost, on.first));
  taken = to[0];
}

void registered(Wait how) {
  alignas(4096) static int values[1024];
  check(cudaHostRegister(values, sizeof(values), cudaHostRegisterDefault));
  {
    const Ints from(32);
    const Two on;
    check(cudaMemcpyAsync(values, from, 128, cudaMemcpyDeviceToHost, on.first));
    wait(how, on);
    taken = values[31];
  }
  check(cudaHostUnregister(values));
}

__managed__ int variable[32];

void managed_variable(bool waits) {
  put<<<1, 32>>>(variable, 1);
  if (waits) check(cudaDeviceSynchronize());
  taken = variable[0];
  finish();
}

// A copy from device memory to an array, or back, returns at once although its name lacks Async.
void host_takes_behind_array(bool to_array, bool waits) {
  const Managed memory;
  const Ints values(32);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  check(cudaMallocArray(&array, &format, 32));
  check(cudaDeviceSynchronize());
  put<<<1, 32>>>(memory.values, 1);
  if (to_array)
    check(cudaMemcpy2DToArray(array, 0, 0, values, 128, 128, 1, cudaMemcpyDeviceToDevice));
  else
    check(cudaMemcpy2DFromArray(values, 128, array, 0, 0, 128, 1, cudaMemcpyDeviceToDevice));
  if (waits) check(cudaDeviceSynchronize());
  taken = memory.values[31];
  finish();
  check(cudaFreeArray(array));
}

void last_launch(bool takes_result) {
  static int to[32];
  const Ints values(32);
  put<<<1, 32>>>(values, 1);
  if (takes_result) check(cudaMemcpy(to, values, 128, cudaMemcpyDeviceToHost));
}

}  // namespace

std::vector<Case> stream_cases() {
  return {
      {"streams_overlap_by_one", "race", [] { parts(31); }},
      {"streams_halves", sound, [] { parts(32); }},
      {"streams_same_bytes", "race", [] { bytes(0); }},
      {"streams_bytes_in_turn", sound, [] { bytes(1); }},
      {"streams_two_writers", "race", [] { two_writers(Wait::none); }},
      {"streams_device_waited_for", sound, [] { two_writers(Wait::device); }},
      {"streams_stream_waited_for", sound, [] { two_writers(Wait::stream); }},
      {"streams_wrong_stream_waited_for", "race", [] { two_writers(Wait::other_stream); }},
      {"streams_event_waited_for", sound, [] { two_writers(Wait::event); }},
      {"streams_event_in_other", sound, [] { two_writers(Wait::event_then); }},
      {"streams_event_too_early", "race", event_too_early},
      {"streams_asked", sound, [] { two_writers(Wait::query); }},
      {"streams_two_that_block", "race", [] { two_writers(Wait::none, cudaStreamDefault); }},
      {"default_between_blocking", sound, [] { through_default(cudaStreamDefault); }},
      {"default_between_others", "race", [] { through_default(cudaStreamNonBlocking); }},
      {"streams_readers_one_waited_for", "race", [] { readers_and_writer(false); }},
      {"streams_readers_waited_for", sound, [] { readers_and_writer(true); }},
      {"streams_add", "race", [] { counters(false); }},
      {"streams_count_atomically", sound, [] { counters(true); }},
      {"streams_fill", "race", [] { fill_on_other(Wait::none); }},
      {"streams_fill_then_event", sound, [] { fill_on_other(Wait::event_then); }},
      {"fill_before_other_stream", "race", [] { fill_then_kernel(cudaStreamNonBlocking); }},
      {"fill_before_blocking_stream", sound, [] { fill_then_kernel(cudaStreamDefault); }},
      {"upload_before_other_stream", sound, upload_then_kernel},
      {"streams_allocation", "race", [] { use_on_other(Wait::none); }},
      {"streams_allocation_before_event", sound, [] { use_on_other(Wait::event_then); }},
      {"streams_allocation_waited_for", sound, [] { use_on_other(Wait::stream); }},
      {"streams_allocation_behind_work", sound, use_behind_work},
      {"streams_allocation_filled", "race", [] { fill_new_on_other(false); }},
      {"streams_allocation_filled_behind_event", sound, [] { fill_new_on_other(true); }},
      {"default_allocation", "race", [] { use_of_default(cudaStreamNonBlocking); }},
      {"default_allocation_blocking", sound, [] { use_of_default(cudaStreamDefault); }},
      {"streams_free", "race", [] { free_on_other(false); }},
      {"streams_free_after_event", sound, [] { free_on_other(true); }},
      {"managed_taken", "unsynchronised", [] { host_takes(Wait::none); }},
      {"managed_taken_of_later_lanes", "unsynchronised", host_takes_of_later_lanes},
      {"managed_taken_after_other", "unsynchronised", [] { host_takes(Wait::other_stream); }},
      {"managed_taken_after_event_in_other", "unsynchronised",
       [] { host_takes(Wait::event_then); }},
      {"managed_taken_after_refused_copy", "unsynchronised", host_takes_behind_refused_copy},
      {"managed_taken_after_stream", sound, [] { host_takes(Wait::stream); }},
      {"managed_taken_after_event", sound, [] { host_takes(Wait::event); }},
      {"managed_taken_after_asking", sound, [] { host_takes(Wait::query); }},
      {"managed_counted_for_device", "unsynchronised", [] { host_looks_on(count); }},
      {"managed_counted_for_host", sound, [] { host_looks_on(count_for_host); }},
      {"managed_same_page_used", "unsynchronised", [] { host_takes_other_part(31); }},
      {"managed_same_page_unused", sound, [] { host_takes_other_part(33); }},
      {"pinned_written_too_early", "unsynchronised",
       [] { host_writes_what_is_uploaded(Wait::none); }},
      {"pinned_written_in_time", sound, [] { host_writes_what_is_uploaded(Wait::event); }},
      {"pinned_filled_by_driver", sound, [] { host_takes_filled(true); }},
      {"pinned_filled_by_driver_later", "unsynchronised", [] { host_takes_filled(false); }},
      {"host_beside_stream", "unsynchronised", [] { host_function(false); }},
      {"handlers_that_chain", sound, handlers_that_chain},
      {"written_in_parts", sound, written_in_parts},
      {"host_function_waits_for_thread", sound, host_function_waits_for_thread},
      {"host_function_in_stream", sound, [] { host_function(true); }},
      {"pageable_download", sound, pageable_download},
      {"registered_too_early", "unsynchronised", [] { registered(Wait::none); }},
      {"registered_in_time", sound, [] { registered(Wait::stream); }},
      {"streams_value", "race", [] { value_on_other(false); }},
      {"streams_value_waited_for", sound, [] { value_on_other(true); }},
      {"managed_variable_too_early", "unsynchronised", [] { managed_variable(false); }},
      {"managed_variable_in_time", sound, [] { managed_variable(true); }},
      {"managed_taken_after_copy_to_array", "unsynchronised",
       [] { host_takes_behind_array(true, false); }},
      {"managed_taken_after_copy_from_array", "unsynchronised",
       [] { host_takes_behind_array(false, false); }},
      {"managed_taken_after_copy_to_array_and_wait", sound,
       [] { host_takes_behind_array(true, true); }},
      {"launch_freed_after", sound, [] { last_launch(false); }},
      {"launch_result_taken", sound, [] { last_launch(true); }},
  };
}

}  // namespace faults
