#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator::runtime {

/// A fat binary of the program, whose PTX is read at the first use of one of its kernels, or PTX
/// that it loads while it runs.
struct Module {
  const void* wrapper = nullptr;
  std::string text;  ///< where there is no wrapper
  std::once_flag once;
  std::unique_ptr<Program> program;
  struct Managed {
    void** host = nullptr;  ///< that the program finds the variable through
    std::string name;
  };
  std::vector<Managed> managed;
  std::set<std::string> handles;  ///< names of its kernels, whose addresses stand for them
  Program& get();
  std::string ptx() const;
};

struct Kernel {
  Module* module = nullptr;
  std::string name;
  std::optional<int> dynamic_shared_asked_for = std::nullopt;  ///< with cudaFuncSetAttribute
  bool allows_large_clusters = false;  ///< of more blocks than every GPU with clusters has
};

struct Variable {
  Module* module = nullptr;
  std::string name;
  std::size_t bytes = 0;
};

/// What streams capture together.
struct Capture {
  cudaStream_t origin = nullptr;  ///< that began it
  cudaGraph_t graph = nullptr;
  /// What the next node of each stream comes after.
  std::map<cudaStream_t, std::vector<cudaGraphNode_t>> last = {};
};

/// Of a GPU like an H200; a program may size its grid by it.
inline constexpr int multiprocessors = 132;

/// The emulated GPU and all that the program told the runtime about itself.
struct Runtime {
  Device device;
  rules::ComputeCapability cc;
  /// 90 for a compute capability of 9.0.
  std::uint32_t architecture() const {
    return static_cast<std::uint32_t>(10 * cc.major + cc.minor);
  }
  std::uint64_t budget = 0;
  /// What the program has set, or what a GPU begins with.
  std::map<cudaLimit, std::uint64_t> limits{{cudaLimitStackSize, 1024},
                                            {cudaLimitMallocHeapSize, 8 << 20},
                                            {cudaLimitPrintfFifoSize, 1 << 20}};
  std::mutex mutex;
  std::vector<std::unique_ptr<Module>> modules;
  std::map<const void*, Kernel> kernels;
  std::map<const void*, Variable> variables;
  std::map<cudaStream_t, std::shared_ptr<Capture>> captures;
  /// Why the device is in error, for cudaGetErrorString; empty when it is not.
  std::string fault;
  cudaError_t sticky = cudaSuccess;

  Runtime();
};
Runtime& emulated();

/// Keeps an error as the thread's last one, and returns it.
cudaError_t report(cudaError_t error);
cudaError_t take_last_error(bool reset);

/// What a stream captures; null where it does not.
std::shared_ptr<Capture> capture_of(cudaStream_t stream);
/// From now on the stream takes part, unless `capture` is null.
void join_capture(cudaStream_t stream, std::shared_ptr<Capture> capture);
/// No stream takes part any more.
void leave_capture(const Capture& capture);

/// Runs work now, or, while the stream captures, notes it down.
cudaError_t run_or_capture(cudaStream_t stream, std::function<cudaError_t()> work);

/// Calls body and turns Warpwise's exceptions into error codes, whose text cudaGetErrorString then
/// gives.
cudaError_t guarded(const std::function<cudaError_t()>& body);

/// Keeps the text of an error that makes the device unusable (as on a GPU) or not.
cudaError_t fail(cudaError_t error, std::string message, bool sticky);

inline Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

/// Whether an address is one of those that the host does not see.
bool is_device_address(Address address);

/// Host memory behind any pointer, to read: of the device, or the pointer itself.
const std::byte* bytes_of(const void* pointer, std::size_t bytes);
/// The same to write; all of it counts as written.
std::byte* host_of(const void* pointer, std::size_t bytes);

}  // namespace warpwise::emulator::runtime
