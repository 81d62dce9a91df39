#include "warpwise/emulator/instructions/calls/device_runtime.hpp"

#include <bit>
#include <memory>
#include <string>
#include <utility>

#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/instructions/memory/lane_memory.hpp"

namespace warpwise::emulator {
namespace {

// Values of cudaError_t in kernels.
constexpr std::uint32_t success = 0;
constexpr std::uint32_t invalid_value = 1;
constexpr std::uint32_t memory_allocation = 2;
constexpr std::uint32_t launch_max_depth_exceeded = 65;
// Handles of streams: the tail stream, which every grid has, and one handle for all streams that
// kernels make.
constexpr std::uint64_t tail_launch_stream = 3;
constexpr std::uint64_t made_stream = 0x100;

struct ThreeSizes {
  std::uint32_t x, y, z;
  Dim3 dim3() const { return {x, y, z}; }
};

/// Calls body(memory, operands of the arguments and the result) for each active lane in order.
template <class Observers, class Body>
void for_each_lane(Warp& warp, const Operation& op, const Body& body) {
  warp.wrote = true;
  for (Mask left = warp.active; left != 0; left &= left - 1)
    body(LaneMemory<Observers>(warp, op, std::countr_zero(left)), list_of(warp, op));
}

/// Gives a lane a call's result, and keeps an error for give_last_error().
template <class Observers>
void give_error(const Warp& warp, const LaneMemory<Observers>& memory, std::int32_t result,
                std::uint32_t error) {
  if (error != success)
    warp.worker->launch_errors[{warp.block->linear, warp.thread(memory.lane())}] = error;
  memory.set_result(result, error);
}

/// Queues work, which runs after the grid, in the order of the blocks and of each block's calls.
/// Work of the tail stream runs last.
void queue(const Warp& warp, DeviceWork work, std::uint64_t stream) {
  work.is_tail = stream == tail_launch_stream;
  warp.worker->launched[warp.block->linear].push_back(std::move(work));
}

/// Allocates a launch's parameters: (kernel, grid, block, shared bytes) -> buffer, null for no
/// kernel. Here and below, parentheses hold a call's arguments, and its result follows ->.
template <class Observers>
void give_parameter_buffer(Warp& warp, const Operation& op) {
  for_each_lane<Observers>(warp, op, [&](const auto& memory, const std::int32_t* list) {
    const auto& kernels = warp.worker->code->kernels;
    const auto kernel = kernels.find(memory.template argument<Address>(list[0]));
    Address buffer = 0;
    if (kernel != kernels.end()) {
      const std::uint64_t bytes = kernel->second.parameter_bytes;
      buffer = warp.worker->device->allocate_of_heap(
          bytes, "parameters of '" + kernel->second.name + "'", ~std::uint64_t{0});
      DeviceWork work;
      work.kernel = kernel->second.name;
      work.grid = memory.template argument<ThreeSizes>(list[1]).dim3();
      work.block = memory.template argument<ThreeSizes>(list[2]).dim3();
      work.dynamic_shared_bytes = memory.template argument<std::uint32_t>(list[3]);
      work.parameters.resize(bytes);
      if (buffer != 0) warp.worker->prepared[buffer] = std::move(work);
    }
    memory.set_result(list[4], buffer);
  });
}

/// Queues a launch: (memory for parameters, stream) -> error.
template <class Observers>
void launch_kernel(Warp& warp, const Operation& op) {
  for_each_lane<Observers>(warp, op, [&](const auto& memory, const std::int32_t* list) {
    Worker& worker = *warp.worker;
    const auto buffer = memory.template argument<Address>(list[0]);
    auto prepared = worker.prepared.extract(buffer);
    if (prepared.empty()) return give_error(warp, memory, list[2], invalid_value);
    std::vector<std::byte>& parameters = prepared.mapped().parameters;
    memory.read(buffer, parameters.data(), parameters.size());
    worker.freed.push_back(worker.device->free_of_heap(buffer, "the launch that they were for"));
    worker.forget_views();
    const auto stream = memory.template argument<std::uint64_t>(list[1]);
    if (worker.launch->depth >= most_nested_launches && stream != tail_launch_stream)
      return give_error(warp, memory, list[2], launch_max_depth_exceeded);
    queue(warp, std::move(prepared.mapped()), stream);
    memory.set_result(list[2], success);
  });
}

/// Queues a copy: (to, from, bytes, direction, stream) -> error.
template <class Observers>
void copy_memory(Warp& warp, const Operation& op) {
  for_each_lane<Observers>(warp, op, [&](const auto& memory, const std::int32_t* list) {
    DeviceWork work;
    work.kind = DeviceWork::Kind::copy;
    work.to = memory.template argument<Address>(list[0]);
    work.from = memory.template argument<Address>(list[1]);
    work.bytes = memory.template argument<std::uint64_t>(list[2]);
    queue(warp, std::move(work), memory.template argument<std::uint64_t>(list[4]));
    memory.set_result(list[5], success);
  });
}

/// Queues a fill: (to, value of each byte, bytes, stream) -> error.
template <class Observers>
void fill_memory(Warp& warp, const Operation& op) {
  for_each_lane<Observers>(warp, op, [&](const auto& memory, const std::int32_t* list) {
    DeviceWork work;
    work.kind = DeviceWork::Kind::fill;
    work.to = memory.template argument<Address>(list[0]);
    work.value = static_cast<std::byte>(memory.template argument<std::uint32_t>(list[1]));
    work.bytes = memory.template argument<std::uint64_t>(list[2]);
    queue(warp, std::move(work), memory.template argument<std::uint64_t>(list[3]));
    memory.set_result(list[4], success);
  });
}

/// Makes a stream or an event: (address for the handle, flags) -> error. Everything that a grid
/// launches runs in one order, so streams and events need no objects.
template <class Observers>
void make_handle(Warp& warp, const Operation& op) {
  for_each_lane<Observers>(warp, op, [&](const auto& memory, const std::int32_t* list) {
    const bool wrote =
        memory.write(memory.template argument<Address>(list[0]), &made_stream, sizeof(made_stream));
    give_error(warp, memory, list[2], wrote ? success : invalid_value);
  });
}

/// Allocates memory: (address for the pointer, bytes) -> error.
template <class Observers>
void runtime_malloc(Warp& warp, const Operation& op) {
  for_each_lane<Observers>(warp, op, [&](const auto& memory, const std::int32_t* list) {
    const Address taken = warp.worker->device->allocate_of_heap(
        memory.template argument<std::uint64_t>(list[1]), "memory of a kernel's cudaMalloc",
        warp.worker->launch->heap_bytes);
    const bool wrote =
        memory.write(memory.template argument<Address>(list[0]), &taken, sizeof(taken));
    give_error(warp, memory, list[2],
               !wrote       ? invalid_value
               : taken == 0 ? memory_allocation
                            : success);
  });
}

/// Frees memory: (address) -> error.
template <class Observers>
void runtime_free(Warp& warp, const Operation& op) {
  for_each_lane<Observers>(warp, op, [&](const auto& memory, const std::int32_t* list) {
    Worker& worker = *warp.worker;
    const auto address = memory.template argument<Address>(list[0]);
    std::shared_ptr<std::byte> freed =
        address == 0 ? nullptr : worker.device->free_of_heap(address, "a kernel's cudaFree");
    give_error(warp, memory, list[1], address != 0 && freed == nullptr ? invalid_value : success);
    if (freed == nullptr) return;
    worker.freed.push_back(std::move(freed));
    worker.forget_views();
  });
}

/// Returns the error of the thread's last failed call: () -> error. `forgets` also clears it.
template <class Observers, bool forgets>
void give_last_error(Warp& warp, const Operation& op) {
  for_each_lane<Observers>(warp, op, [&](const auto& memory, const std::int32_t* list) {
    auto& errors = warp.worker->launch_errors;
    const auto found = errors.find({warp.block->linear, warp.thread(memory.lane())});
    memory.set_result(list[0], found == errors.end() ? success : found->second);
    if (forgets && found != errors.end()) errors.erase(found);
  });
}

/// Serves calls on streams and events, which need no objects: (any arguments) -> success.
template <class Observers>
void succeed(Warp& warp, const Operation& op) {
  for_each_lane<Observers>(warp, op, [&](const auto& memory, const std::int32_t* list) {
    memory.set_result(list[op.count - 1], success);
  });
}

/// Returns a null text: (error) -> text. The GPU's memory holds no texts of errors.
template <class Observers>
void give_no_text(Warp& warp, const Operation& op) {
  for_each_lane<Observers>(warp, op, [&](const auto& memory, const std::int32_t* list) {
    memory.set_result(list[op.count - 1], Address{0});
  });
}

/// Sets a condition of a graph: (condition, value). See runtime/graphs/graph_conditions.cpp.
template <class Observers>
void set_condition(Warp& warp, const Operation& op) {
  for_each_lane<Observers>(warp, op, [&](const auto& memory, const std::int32_t* list) {
    const auto address = memory.template argument<Address>(list[0]);
    const auto value = memory.template argument<std::uint32_t>(list[1]);
    if (!memory.write(address, &value, sizeof(value)))
      record_fault(warp, op, FaultKind::out_of_bounds, memory.lane(),
                   "a conditional handle that belongs to no graph: " +
                       warp.worker->device->describe(address));
  });
}

constexpr std::string_view set_condition_name = "cudaGraphSetConditional";
constexpr std::string_view prefix = "__cudaCDP2";

/// Returns a runtime function's name without the prefix "__cudaCDP2"; empty for other functions.
/// Variants for per-thread default streams end in "_ptsz", which is removed.
std::string_view runtime_call_name(std::string_view name) {
  if (name == set_condition_name) return name;
  if (!name.starts_with(prefix)) return {};
  name.remove_prefix(prefix.size());
  if (name.ends_with("_ptsz")) name.remove_suffix(5);
  return name;
}

}  // namespace

bool is_device_runtime_call(std::string_view name) { return !runtime_call_name(name).empty(); }

bool gives_parameter_buffer(std::string_view name) {
  return runtime_call_name(name) == "GetParameterBufferV2";
}

SystemCall device_runtime_call(ObserverSet observers, std::string_view function) {
  const std::string_view name = runtime_call_name(function);
  return with_observers(observers, [&](auto set) -> SystemCall {
    using Set = typename decltype(set)::type;
    if (name == "GetParameterBufferV2") return {give_parameter_buffer<Set>, 4, 1};
    if (name == "LaunchDeviceV2") return {launch_kernel<Set>, 2, 1};
    if (name == "MemcpyAsync") return {copy_memory<Set>, 5, 1};
    if (name == "MemsetAsync") return {fill_memory<Set>, 4, 1};
    if (name == set_condition_name) return {set_condition<Set>, 2, 0};
    if (name == "Malloc") return {runtime_malloc<Set>, 2, 1};
    if (name == "Free") return {runtime_free<Set>, 1, 1};
    if (name == "StreamCreateWithFlags" || name == "EventCreateWithFlags")
      return {make_handle<Set>, 2, 1};
    if (name == "StreamDestroy" || name == "EventDestroy") return {succeed<Set>, 1, 1};
    if (name == "EventRecord") return {succeed<Set>, 2, 1};
    if (name == "StreamWaitEvent") return {succeed<Set>, 3, 1};
    if (name == "GetLastError") return {give_last_error<Set, true>, 0, 1};
    if (name == "PeekAtLastError") return {give_last_error<Set, false>, 0, 1};
    if (name == "GetErrorString" || name == "GetErrorName") return {give_no_text<Set>, 1, 1};
    return {};
  });
}

}  // namespace warpwise::emulator
