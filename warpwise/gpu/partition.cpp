#include "warpwise/gpu/partition.hpp"

#include <string>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/driver.hpp"

namespace warpwise::gpu {

struct Partition::Made {
  Part first;
  Part rest;
};

#if CUDA_VERSION >= 12050

namespace {

// Streams of green contexts need CUDA 12.5, green contexts themselves 12.4.
constexpr unsigned needed_version = 12050;

struct PartitionFunctions {
  PFN_cuDeviceGet_v2000 device = nullptr;
  PFN_cuDeviceGetDevResource_v12040 resource = nullptr;
  PFN_cuDevSmResourceSplitByCount_v12040 split = nullptr;
  PFN_cuDevResourceGenerateDesc_v12040 describe = nullptr;
  PFN_cuGreenCtxCreate_v12040 create = nullptr;
  PFN_cuGreenCtxDestroy_v12040 destroy = nullptr;
  PFN_cuGreenCtxStreamCreate_v12050 create_stream = nullptr;
};

template <class Function>
void find_partition_function(const char* name, Function& function) {
  function = driver_function<Function>(name, needed_version);
  if (function != nullptr) return;
  throw Unsupported(std::string("the CUDA driver has no function ") + name +
                    ": a part of the multiprocessors (a green context) needs a driver of CUDA "
                    "12.5 or later");
}

const PartitionFunctions& partition_functions() {
  static const PartitionFunctions functions = [] {
    PartitionFunctions found;
    find_partition_function("cuDeviceGet", found.device);
    find_partition_function("cuDeviceGetDevResource", found.resource);
    find_partition_function("cuDevSmResourceSplitByCount", found.split);
    find_partition_function("cuDevResourceGenerateDesc", found.describe);
    find_partition_function("cuGreenCtxCreate", found.create);
    find_partition_function("cuGreenCtxDestroy", found.destroy);
    find_partition_function("cuGreenCtxStreamCreate", found.create_stream);
    return found;
  }();
  return functions;
}

// Throws Unsupported if the driver says that this GPU or process cannot be partitioned. Examples
// are a process under MPS, or one with CUPTI loaded.
void require_parts(CUresult result, const char* what) {
  if (result == CUDA_ERROR_NOT_SUPPORTED || result == CUDA_ERROR_NOT_PERMITTED) {
    throw Unsupported(
        std::string("green contexts (parts of the multiprocessors) are not available here: ") +
        what + ": " + text_of(result));
  }
  require(result, what);
}

// Owns a green context until a Part takes it.
class Context {
 public:
  Context(CUdevResource& resource, CUdevice device) {
    CUdevResourceDesc description = nullptr;
    require_parts(partition_functions().describe(&description, &resource, 1),
                  "cuDevResourceGenerateDesc failed");
    require_parts(
        partition_functions().create(&handle_, description, device, CU_GREEN_CTX_DEFAULT_STREAM),
        "cuGreenCtxCreate failed");
  }
  ~Context() {
    if (handle_ != nullptr) partition_functions().destroy(handle_);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  StreamHandle stream() const {
    CUstream stream = nullptr;
    require(partition_functions().create_stream(&stream, handle_, CU_STREAM_NON_BLOCKING, 0),
            "cuGreenCtxStreamCreate failed");
    return stream;
  }
  CUgreenCtx release() { return std::exchange(handle_, nullptr); }

 private:
  CUgreenCtx handle_ = nullptr;
};

}  // namespace

Part::~Part() {
  if (context_ == nullptr) return;
  // A green context is destroyed after its streams, and a stream after its work is done.
  cudaStreamSynchronize(stream_);
  cudaStreamDestroy(std::exchange(stream_.handle_, nullptr));
  partition_functions().destroy(context_);
}

Partition::Made Partition::make(int multiprocessors) {
  require_device();
  // Green contexts are parts of the primary context. This call makes the runtime create it.
  check(cudaFree(nullptr), "cudaFree");
  CUdevice device = 0;
  require(partition_functions().device(&device, current_device()), "cuDeviceGet failed");
  CUdevResource all{};
  require_parts(partition_functions().resource(device, &all, CU_DEV_RESOURCE_TYPE_SM),
                "cuDeviceGetDevResource failed");
  const auto count = static_cast<int>(all.sm.smCount);
  if (multiprocessors < 1 || multiprocessors >= count) {
    throw InvalidArgument("a part of " + std::to_string(multiprocessors) +
                          " multiprocessors; this GPU has " + std::to_string(count) +
                          ", and a part takes at least 1 and leaves at least 1");
  }
  CUdevResource first{};
  CUdevResource rest{};
  unsigned groups = 1;
  // The flag allows smaller parts. Without it, GPUs of CC 9.0 give multiples of 8 multiprocessors.
  const CUresult result = partition_functions().split(
      &first, &groups, &all, &rest, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING,
      static_cast<unsigned>(multiprocessors));
  if (result == CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION ||
      (result == CUDA_SUCCESS &&
       (groups != 1 || rest.type != CU_DEV_RESOURCE_TYPE_SM || rest.sm.smCount == 0))) {
    throw Unsupported("this GPU cannot form a part of " + std::to_string(multiprocessors) +
                      " of its " + std::to_string(count) + " multiprocessors");
  }
  require(result, "cuDevSmResourceSplitByCount failed");
  Context of_first(first, device);
  Context of_rest(rest, device);
  Stream first_stream(of_first.stream());
  Stream rest_stream(of_rest.stream());
  return {Part(of_first.release(), std::move(first_stream), static_cast<int>(first.sm.smCount)),
          Part(of_rest.release(), std::move(rest_stream), static_cast<int>(rest.sm.smCount))};
}

#else

Part::~Part() = default;

Partition::Made Partition::make(int) {
  throw Unsupported(
      "this build's CUDA toolkit is older than 12.5, so it has no green contexts (parts of the "
      "multiprocessors)");
}

#endif

Part::Part(GreenContextHandle context, Stream stream, int multiprocessors)
    : context_(context), stream_(std::move(stream)), multiprocessors_(multiprocessors) {}

Part::Part(Part&& other) noexcept
    : context_(std::exchange(other.context_, nullptr)), stream_(std::move(other.stream_)),
      multiprocessors_(other.multiprocessors_) {}

Part& Part::operator=(Part&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(stream_, other.stream_);
  std::swap(multiprocessors_, other.multiprocessors_);
  return *this;
}

Partition::Partition(int multiprocessors) : Partition(make(multiprocessors)) {}

Partition::Partition(Made made) : first_(std::move(made.first)), rest_(std::move(made.rest)) {}

}  // namespace warpwise::gpu
