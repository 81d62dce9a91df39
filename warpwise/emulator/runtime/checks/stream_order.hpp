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

// Order of the program's work by streams, events and waits of the host. The emulated GPU runs work
// in the order of the calls. A GPU guarantees only the order recorded here.
namespace warpwise::emulator::runtime {

/// For each stream, by its number, the last work that is known to be done.
using Clock = std::map<std::uint32_t, WorkNumber>;

/// Returns the order of the program's work; null if no enabled check needs it.
class StreamOrder;
StreamOrder* stream_order();

class StreamOrder final : public WorkOrder {
 public:
  /// Lets one piece of work run at a time: launches of several threads wait for each other.
  using Lock = std::unique_lock<std::recursive_mutex>;

  StreamOrder();

  void made(cudaStream_t stream, unsigned flags);
  void destroyed(cudaStream_t stream);
  /// Records that the host has waited for a stream. `nullptr` is the legacy default stream.
  void host_waits_for(cudaStream_t stream);
  void host_waits_for_all();
  void host_waits_for(const Clock& recorded);
  /// Returns the clock of an event that is recorded now in the stream.
  Clock recorded_in(cudaStream_t stream);
  void stream_waits_for(cudaStream_t stream, const Clock& recorded);
  /// Reports memory that the program has touched too early since its last CUDA call.
  void report_touches();

  /// Starts watching host-visible memory. hides() stops that, and clears the memory's record of
  /// accesses.
  void shows(Address begin, std::uint64_t bytes);
  /// Does shows() for memory allocated after this object was made, up to the end of its last page.
  /// No other data shares that page.
  void shows_own(Address begin, std::uint64_t bytes);
  void hides(Address begin, std::uint64_t bytes);

  /// Last launch of each stream that the host has not waited for, with the place of its call.
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
    std::uint32_t number = 0;  ///< 0: the legacy default stream
    Clock clock;
    WorkNumber last = 0;  ///< last work of the stream, except work that frees memory
    bool is_blocking = true;
    bool is_destroyed = false;
    bool is_free = false;  ///< true if another stream may take its number
    /// For a branch of a graph, the number of the stream that launched the graph; else `number`.
    std::uint32_t launched_in = 0;
    std::vector<std::uint32_t> branches;  ///< the last graph's branches, kept for the next graph
    std::string name;
  };
  struct Work {
    std::uint32_t stream = 0;
    std::string kernel;  ///< readable name; empty for copies and fills
    CallSite site;
  };

  Stream& stream(cudaStream_t handle);
  /// Returns this thread's current branch, or its current stream after catch_up().
  Stream& current();
  Stream& add(std::string name);
  bool is_done(const Stream& stream) const;
  /// Removes a destroyed stream if the host has waited for all its work.
  void forget_if_done(Stream& stream);
  void forget(Stream& stream);
  /// Brings a stream's clock up to all work that the stream's next work follows.
  void catch_up(Stream& stream);
  const Work& work(WorkNumber number) const;
  void begin(std::string kernel, bool is_waited_for, CallSite site);
  void end();
  void host_learns(const Clock& clock);

  mutable std::recursive_mutex mutex_;
  std::deque<Stream> streams_;  ///< streams by number
  std::map<cudaStream_t, std::uint32_t> numbers_;
  std::map<std::uint64_t, std::uint32_t> per_thread_;  ///< streams by thread_number()
  std::vector<std::uint32_t> free_numbers_;
  std::uint64_t made_ = 0;            ///< number of streams made, for their names
  std::map<Address, Clock> signals_;  ///< clock of the last WorkScope::signals(), by address
  Clock host_;
  std::deque<Work> works_;  ///< begins with the work `first_`
  WorkNumber first_ = 1;
  std::uint32_t current_ = 0;  ///< stream of the work in progress
  MemoryUses uses_;
};

/// Scope of work in a stream. This thread's work in the scope belongs to that stream, whichever
/// function runs the work.
class OnStream {
 public:
  explicit OnStream(cudaStream_t stream);
  ~OnStream();
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;
  /// Returns the innermost scope's stream; outside of a scope the legacy default stream.
  static cudaStream_t current();
  static bool is_any();

 private:
  std::optional<cudaStream_t> outer_;
  std::optional<std::uint32_t> outer_branch_;
};

/// Branches of a running graph, each of them a stream. All of them follow the current stream's
/// earlier work and precede its later work. A node follows only the nodes that it names.
class GraphBranches {
 public:
  /// \param count  number of branches; with 1, all work stays in order in the current stream
  explicit GraphBranches(std::size_t count);
  ~GraphBranches();
  GraphBranches(const GraphBranches&) = delete;
  GraphBranches& operator=(const GraphBranches&) = delete;
  /// Starts the next node in a branch. The node follows the earlier nodes with the numbers `after`,
  /// counted from 0.
  void begin(std::size_t branch, const std::vector<std::size_t>& after);
  void end();

 private:
  std::optional<std::uint32_t> outer_;
  std::uint32_t launched_in_ = 0;
  std::vector<std::uint32_t> branches_;
  std::vector<Clock> ended_;  ///< clocks by node
};

/// Scope of one piece of work of the current stream. No other work runs at the same time. Protected
/// memory is accessible in the scope.
class WorkScope {
 public:
  /// \param kernel  its readable name; empty for a copy or a fill
  explicit WorkScope(std::string kernel = {}) : WorkScope(std::move(kernel), true) {}
  ~WorkScope();
  /// Makes the scope of work that frees memory. The host need not wait for this work, because no
  /// later work uses the memory. The work therefore does not delay the removal of a destroyed
  /// stream.
  static WorkScope that_frees() { return WorkScope({}, false); }
  /// Records that the current work allocates bytes on the device, in the order of its stream.
  static void allocates(const void* begin, std::size_t bytes);
  /// Records that the current work writes a value for which streams may wait
  /// (cuStreamWriteValue32).
  static void signals(const void* place);
  /// Orders the current work after the last write to a place that signals() recorded.
  static void follows_signal(const void* place);
  /// Clears the record of accesses to these bytes.
  static void forget(Address begin, std::uint64_t bytes);
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;
  /// Records that a copy or a fill accesses bytes, and reports a race with other work. Bytes
  /// outside the device are ignored.
  static void touch(const void* begin, std::size_t bytes, Use use);
  /// Records that a copy or a fill accesses rows.
  static void touch(const void* first, std::size_t pitch, std::size_t width, std::size_t height,
                    Use use);

 private:
  WorkScope(std::string kernel, bool is_waited_for);
  std::optional<CallScope> call_;
  StreamOrder::Lock lock_;
};

/// Scope of a host function in the current stream. The function may wait for another thread, so
/// other work may run. The host may access everything until the function ends.
class HostFunctionScope {
 public:
  HostFunctionScope();
  ~HostFunctionScope();
  HostFunctionScope(const HostFunctionScope&) = delete;
  HostFunctionScope& operator=(const HostFunctionScope&) = delete;
};

/// Ends the call of a copy or a fill. The work counts as done for the host if CUDA guarantees that.
/// Reports and returns the copy's error.
/// \param stream  stream of an asynchronous copy; none for a synchronous call, which waits unless
/// both ends are on the device
cudaError_t wait_for_copy(const void* to, const void* from, cudaError_t error,
                          std::optional<cudaStream_t> stream = std::nullopt);

}  // namespace warpwise::emulator::runtime
