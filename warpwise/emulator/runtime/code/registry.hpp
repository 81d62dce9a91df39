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
#include <thread>
#include <vector>

#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator::runtime {

/// A fat binary of the program, or PTX loaded at run time. A fat binary's PTX is read at the first
/// use of its kernels.
struct Module {
  const void* wrapper = nullptr;
  std::string text;  ///< the PTX of a module without a wrapper
  std::once_flag once;
  std::unique_ptr<Program> program;
  struct Managed {
    void** host = nullptr;  ///< the program's pointer to the variable
    std::string name;
  };
  std::vector<Managed> managed;
  std::set<std::string> handles;  ///< kernel names, whose addresses are the kernels' handles
  Program& get();
  std::string ptx() const;
};

struct Kernel {
  Module* module = nullptr;
  std::string name;
  std::optional<int> dynamic_shared_asked_for = std::nullopt;  ///< set by cudaFuncSetAttribute
  bool allows_large_clusters = false;  ///< allows clusters of more than 8 blocks
};

struct Variable {
  Module* module = nullptr;
  std::string name;
  std::size_t bytes = 0;
};

/// A capture of the work of one stream, or of several streams that joined the capture.
struct Capture {
  cudaStream_t origin = nullptr;  ///< the stream that began the capture
  cudaGraph_t graph = nullptr;
  /// Nodes that each stream's next node will follow.
  std::map<cudaStream_t, std::vector<cudaGraphNode_t>> last = {};
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  bool owns_graph = true;  ///< false if the capture adds to a graph of the program
  std::thread::id thread = std::this_thread::get_id();  ///< the thread that began the capture
  bool is_invalid = false;                              ///< true after a refused call
  bool has_legacy_stream = true;  ///< false if each thread of the program has its own stream 0
};

/// Assumed number of registers of each thread, because PTX does not state it. Most kernels need no
/// more.
inline constexpr int assumed_registers = 32;

/// Returns a GPU's limits, which hold until the program sets others.
inline std::map<cudaLimit, std::uint64_t> default_limits() {
  return {{cudaLimitStackSize, 1024},
          {cudaLimitMallocHeapSize, 8 << 20},
          {cudaLimitPrintfFifoSize, 1 << 20}};
}

/// The emulated GPU, and everything that the program has registered.
struct Runtime {
  Device device;
  rules::ComputeCapability cc;
  /// Returns the compute capability as a number: 90 for 9.0.
  std::uint32_t architecture() const {
    return static_cast<std::uint32_t>(10 * cc.major + cc.minor);
  }
  std::uint64_t budget = 0;
  int multiprocessors = 132;  ///< the number of an H200, unless another one is requested
  std::map<cudaLimit, std::uint64_t> limits = default_limits();
  std::mutex mutex;
  std::vector<std::unique_ptr<Module>> modules;
  std::map<const void*, Kernel> kernels;
  std::map<const void*, Variable> variables;
  std::map<cudaStream_t, std::shared_ptr<Capture>> captures;
  cudaError_t sticky = cudaSuccess;

  Runtime();
};
Runtime& emulated();

/// Stores an error as the thread's last one, and returns it.
cudaError_t report(cudaError_t error);
cudaError_t take_last_error(bool reset);

/// While an object of this class exists, the thread's last error stays as it is.
class LastErrorKept {
 public:
  LastErrorKept();
  ~LastErrorKept();
  LastErrorKept(const LastErrorKept&) = delete;
  LastErrorKept& operator=(const LastErrorKept&) = delete;

 private:
  cudaError_t before_;
};

/// Returns false for a stream that was destroyed, or never made.
bool is_stream(cudaStream_t stream);
/// Returns the error of every call that takes this stream: the fault of an earlier kernel, or
/// cudaErrorInvalidResourceHandle for a stream that was destroyed.
cudaError_t refuse_stream(cudaStream_t stream);
/// Destroys all streams and events, and ends all captures, for cudaDeviceReset().
void destroy_streams_and_events();

/// Returns the capture of a stream; null if there is none.
std::shared_ptr<Capture> capture_of(cudaStream_t stream);
/// Adds the stream to a capture; does nothing if `capture` is null.
void join_capture(cudaStream_t stream, std::shared_ptr<Capture> capture);
/// Removes all streams from a capture.
void leave_capture(const Capture& capture);

bool is_invalid(const Capture& capture);
/// Makes a capture invalid because of a refused call, and returns the call's error.
cudaError_t invalidate(Capture& capture, cudaError_t error);
/// Sets the calling thread's capture mode and returns the one before.
cudaStreamCaptureMode exchange_capture_mode(cudaStreamCaptureMode mode);

// While streams capture, a GPU refuses some calls in other streams too. The functions below return
// the error of a refused call, and invalidate the captures that forbid the call.

/// Refuses a call that may wait for the device, or that allocates or frees memory: cudaMalloc(),
/// cudaFree(), … After a kernel's fault it returns the fault's error. A thread whose own capture
/// mode is relaxed may always make the call. Otherwise these captures forbid it:
///
/// - one that the calling thread began, if its mode is not relaxed
/// - one that another thread began, if its mode and the calling thread's mode are both global
cudaError_t refuse_unsafe_call();
/// Refuses a wait for the whole device, in every mode.
cudaError_t refuse_wait_for_all();
/// Refuses work in the legacy default stream while a blocking stream captures, in every mode.
cudaError_t refuse_default_stream(cudaStream_t stream);
/// Returns true if refuse_default_stream() would refuse work in this stream. Invalidates nothing.
bool follows_capture(cudaStream_t stream);
/// Refuses a wait for a stream that captures, and a wait that refuse_stream(), refuse_unsafe_call()
/// or refuse_default_stream() refuses.
cudaError_t refuse_wait_for(cudaStream_t stream);

/// Refuses a callback in a stream that captures, because graphs hold host functions instead.
cudaError_t refuse_callback(cudaStream_t stream);

/// While an object of this class exists, the thread's copies and fills check their arguments, but
/// access no memory.
class ChecksAlone {
 public:
  ChecksAlone();
  ~ChecksAlone();
  ChecksAlone(const ChecksAlone&) = delete;
  ChecksAlone& operator=(const ChecksAlone&) = delete;
  static bool exist();
};

/// Runs work now, or records it as a node of this type if the stream captures. A copy or fill with
/// wrong arguments is refused and not recorded.
cudaError_t run_or_capture(cudaStream_t stream, cudaGraphNodeType type,
                           std::function<cudaError_t()> work);
/// Begins a capture in any stream, also in the default stream of a thread.
/// \param has_legacy_stream  false for a program of nvcc --default-stream per-thread
cudaError_t begin_capture(cudaStream_t stream, cudaStreamCaptureMode mode, bool has_legacy_stream);

/// Calls `body`, unless the device is unusable. Turns exceptions into error codes and messages.
cudaError_t guarded(const std::function<cudaError_t()>& body);

/// Stores the error of a kernel's fault. The device is unusable afterwards, as on a GPU.
cudaError_t fail(cudaError_t error);

inline Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

/// Returns true for an address in the range of device memory, which host code cannot access.
bool is_device_address(Address address);

/// Returns a host pointer to the bytes at a device address. Returns a host's pointer unchanged.
const std::byte* bytes_of(const void* pointer, std::size_t bytes);
/// Returns a host pointer through which the caller may write to the bytes. From this call on,
/// Check::init treats all of them as initialised.
std::byte* host_of(const void* pointer, std::size_t bytes);

}  // namespace warpwise::emulator::runtime
