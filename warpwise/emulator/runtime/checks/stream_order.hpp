#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "warpwise/emulator/memory_uses.hpp"
#include "warpwise/emulator/runtime/reports/call_site.hpp"

// Order of the program's work by streams, events and host waits. The emulated GPU runs work in the
// order of the calls. A GPU guarantees only the order recorded here.
namespace warpwise::emulator::runtime {

/// Last work known to be done on each stream, by the stream's number.
using Clock = std::map<std::uint32_t, WorkNumber>;

/// Null if no check of this run needs the order.
class StreamOrder;
StreamOrder* stream_order();

class StreamOrder final : public WorkOrder {
 public:
  /// Serialises work: launches of several threads wait for each other.
  using Lock = std::unique_lock<std::recursive_mutex>;

  StreamOrder();

  void made(cudaStream_t stream, unsigned flags);
  void destroyed(cudaStream_t stream);
  /// Marks everything in a stream as done for the host. `nullptr` is the legacy default stream.
  void host_waits_for(cudaStream_t stream);
  void host_waits_for_all();
  void host_waits_for(const Clock& recorded);
  /// Returns the state that an event recorded now stands for.
  Clock recorded_in(cudaStream_t stream);
  void stream_waits_for(cudaStream_t stream, const Clock& recorded);
  /// Reports memory that the program has touched too early since its last call.
  void report_touches();

  /// Begins or ends host-visible memory, and clears its record of accesses.
  void shows(Address begin, std::uint64_t bytes);
  /// The same for memory that was allocated after this object was made; its last page is its own.
  void shows_own(Address begin, std::uint64_t bytes);
  void hides(Address begin, std::uint64_t bytes);

  /// Each stream's last launch that the host has not waited for, with the place of its call.
  struct Launched {
    std::string kernel;
    CallSite site;
  };
  std::vector<Launched> not_waited_for() const;

  bool comes_behind(WorkNumber earlier) const override;
  bool host_has_waited_for(WorkNumber work) const override;
  std::string described(WorkNumber work) const override;
  std::string stream_of(WorkNumber work) const override;

 private:
  friend class WorkScope;
  friend class HostFunctionScope;
  friend class GraphBranches;

  struct Stream {
    std::uint32_t number = 0;  ///< 0: legacy default stream
    Clock clock;
    WorkNumber last = 0;  ///< the last work that may have to be waited for
    bool is_blocking = true;
    bool is_destroyed = false;
    bool is_free = false;  ///< another stream may take its number
    /// Number of the stream that the graph was launched in. A graph's branch is a stream within it.
    std::uint32_t launched_in = 0;
    std::vector<std::uint32_t> branches;  ///< of graphs that have ended
    std::string name;
  };
  struct Work {
    std::uint32_t stream = 0;
    std::string kernel;  ///< readable name; empty for a copy or a fill
    CallSite site;
  };

  Stream& stream(cudaStream_t handle);
  /// Returns this thread's current stream or branch, ordered after everything that its next work
  /// follows.
  Stream& current();
  Stream& add(std::string name);
  bool is_done(const Stream& stream) const;
  /// Forgets a destroyed stream if the host has waited for all its work.
  void forget_if_done(Stream& stream);
  void forget(Stream& stream);
  /// Orders a stream after everything that its next work follows.
  void catch_up(Stream& stream);
  const Work& work(WorkNumber number) const;
  void begin(std::string kernel, bool is_waited_for, CallSite site);
  void end();
  void host_learns(const Clock& clock);

  mutable std::recursive_mutex mutex_;
  std::deque<Stream> streams_;  ///< by number
  std::map<cudaStream_t, std::uint32_t> numbers_;
  std::map<std::uint64_t, std::uint32_t> per_thread_;  ///< streams by thread_number()
  std::vector<std::uint32_t> free_numbers_;
  std::uint64_t made_ = 0;  ///< number of streams named by a number
  Clock host_;
  std::deque<Work> works_;  ///< begins with the work `first_`
  WorkNumber first_ = 1;
  std::uint32_t current_ = 0;  ///< stream of the current work
  MemoryUses uses_;
};

/// Scope in which this thread's work belongs to a stream, whatever function does it. For the work
/// of a capture or of a graph.
class OnStream {
 public:
  explicit OnStream(cudaStream_t stream);
  ~OnStream();
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;
  /// Returns the innermost scope's stream; the legacy default stream without a scope.
  static cudaStream_t current();
  static bool is_any();

 private:
  std::optional<cudaStream_t> outer_;
  std::optional<std::uint32_t> outer_branch_;
};

/// Branches of a running graph, each a stream of its own. They follow the earlier work of the
/// current stream, and its later work follows all of them. A node follows only the nodes that it
/// names.
class GraphBranches {
 public:
  /// \param count  number of branches; with 1, all work stays in order in the current stream
  explicit GraphBranches(std::size_t count);
  ~GraphBranches();
  GraphBranches(const GraphBranches&) = delete;
  GraphBranches& operator=(const GraphBranches&) = delete;
  /// Begins the next node in a branch, after earlier nodes, given by their numbers from 0.
  void begin(std::size_t branch, const std::vector<std::size_t>& after);
  void end();

 private:
  std::optional<std::uint32_t> outer_;
  std::uint32_t launched_in_ = 0;
  std::vector<std::uint32_t> branches_;
  std::vector<Clock> ended_;  ///< by node
};

/// Scope of one work of the current stream. No other work runs meanwhile. Protected memory can be
/// read and written.
class WorkScope {
 public:
  /// \param kernel  its readable name; empty for a copy or a fill
  explicit WorkScope(std::string kernel = {}) : WorkScope(std::move(kernel), true) {}
  ~WorkScope();
  /// Makes the scope of work that frees memory, and clears the record of its accesses. No wait for
  /// it is required, because no later work has this memory. If a stream has no other work, it is
  /// forgotten when it is destroyed.
  static WorkScope that_frees() { return WorkScope({}, false); }
  /// Records that the current work allocates bytes on the device, in the order of its stream.
  static void allocates(const void* begin, std::size_t bytes);
  /// Clears the record of accesses to these bytes.
  static void forget(Address begin, std::uint64_t bytes);
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;
  /// Records that a copy or a fill touches bytes. A race with other work is reported. Bytes outside
  /// the device are ignored.
  static void touch(const void* begin, std::size_t bytes, Use use);
  /// The same for rows.
  static void touch(const void* first, std::size_t pitch, std::size_t width, std::size_t height,
                    Use use);

 private:
  WorkScope(std::string kernel, bool is_waited_for);
  std::optional<CallScope> call_;
  StreamOrder::Lock lock_;
};

/// Scope of a host function in the current stream. Other work may run meanwhile, because the
/// function may wait for another thread. The host may touch everything until it ends.
class HostFunctionScope {
 public:
  HostFunctionScope();
  ~HostFunctionScope();
  HostFunctionScope(const HostFunctionScope&) = delete;
  HostFunctionScope& operator=(const HostFunctionScope&) = delete;
};

/// Ends a copy's or a fill's call. Marks it as done for the host if CUDA guarantees that. Reports
/// and returns the copy's error.
/// \param stream  stream of the copy; none: a call that waits, unless both ends are on the device
cudaError_t wait_for_copy(const void* to, const void* from, cudaError_t error,
                          std::optional<cudaStream_t> stream = std::nullopt);

}  // namespace warpwise::emulator::runtime
