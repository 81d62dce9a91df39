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
#include "warpwise/emulator/runtime/call_site.hpp"

// Which work of the program comes before which: by streams, events and what the host waits for.
// The emulated GPU does everything in the order of the calls; a GPU promises no more than this.
namespace warpwise::emulator::runtime {

/// Of each stream, by its number, the last work that is known to be done.
using Clock = std::map<std::uint32_t, WorkNumber>;

/// Null where nothing of the program's run is checked by it.
class StreamOrder;
StreamOrder* stream_order();

class StreamOrder final : public WorkOrder {
 public:
  /// One of work at a time: launches of several threads wait for each other.
  using Lock = std::unique_lock<std::recursive_mutex>;

  StreamOrder();

  void made(cudaStream_t stream, unsigned flags);
  void destroyed(cudaStream_t stream);
  /// What a stream has been given so far is done, as the host knows now; `nullptr` is the legacy
  /// default stream.
  void host_waits_for(cudaStream_t stream);
  void host_waits_for_all();
  void host_waits_for(const Clock& recorded);
  /// What an event stands for that is recorded now.
  Clock recorded_in(cudaStream_t stream);
  void stream_waits_for(cudaStream_t stream, const Clock& recorded);
  /// Reports what the program has touched too early since its last call.
  void report_touches();

  /// Memory that the host sees begins, or ends, with what was done there.
  void shows(Address begin, std::uint64_t bytes);
  /// The same of memory that was allocated since there is this object, whose last page is its own.
  void shows_own(Address begin, std::uint64_t bytes);
  void hides(Address begin, std::uint64_t bytes);

  /// The last launch of each stream that the host has not waited for, with where it was asked for.
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
    WorkNumber last = 0;  ///< that it was given and that somebody may have to wait for
    bool is_blocking = true;
    bool is_destroyed = false;
    bool is_free = false;  ///< its number may be another stream's
    /// A graph's branch is a stream within the one that the graph was launched in.
    std::uint32_t launched_in = 0;
    std::vector<std::uint32_t> branches;  ///< of no graph that runs now
    std::string name;
  };
  struct Work {
    std::uint32_t stream = 0;
    std::string kernel;  ///< readable; empty for a copy or a fill
    CallSite site;
  };

  Stream& stream(cudaStream_t handle);
  /// The stream or branch that this thread's work is of, behind all that its next work comes
  /// behind.
  Stream& current();
  Stream& add(std::string name);
  bool is_done(const Stream& stream) const;
  /// Forgets a destroyed stream all whose work the host has waited for.
  void forget_if_done(Stream& stream);
  void forget(Stream& stream);
  /// All that a stream's next work comes behind.
  void catch_up(Stream& stream);
  const Work& work(WorkNumber number) const;
  void begin(std::string kernel, bool is_waited_for);
  void end();
  void host_learns(const Clock& clock);

  mutable std::recursive_mutex mutex_;
  std::deque<Stream> streams_;  ///< by number
  std::map<cudaStream_t, std::uint32_t> numbers_;
  std::map<std::uint64_t, std::uint32_t> per_thread_;  ///< by thread_number()
  std::vector<std::uint32_t> free_numbers_;
  std::uint64_t made_ = 0;  ///< streams that have a number as their name
  Clock host_;
  std::deque<Work> works_;  ///< from `first_` on
  WorkNumber first_ = 1;
  std::uint32_t current_ = 0;  ///< the stream of the work that is being done
  MemoryUses uses_;
};

/// From here to its end this thread's work is a stream's, whatever function does it: what a stream
/// has captured, or what a graph holds.
class OnStream {
 public:
  explicit OnStream(cudaStream_t stream);
  ~OnStream();
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;
  /// The innermost one's stream; the legacy default stream where there is none.
  static cudaStream_t current();
  static bool is_any();

 private:
  std::optional<cudaStream_t> outer_;
  std::optional<std::uint32_t> outer_branch_;
};

/// While a graph runs: each of its branches is a stream of its own, behind what the current stream
/// was given before; what that is given next comes behind all of them. A node comes behind no other
/// nodes than it names.
class GraphBranches {
 public:
  /// \param count  with one everything is in order, and the current stream's
  explicit GraphBranches(std::size_t count);
  ~GraphBranches();
  GraphBranches(const GraphBranches&) = delete;
  GraphBranches& operator=(const GraphBranches&) = delete;
  /// The next node: this thread's work is of a branch from here on, behind earlier nodes, by their
  /// numbers from 0.
  void begin(std::size_t branch, const std::vector<std::size_t>& after);
  void end();

 private:
  std::optional<std::uint32_t> outer_;
  std::uint32_t launched_in_ = 0;
  std::vector<std::uint32_t> branches_;
  std::vector<Clock> ended_;  ///< by node
};

/// Work of the current stream is done from here to its end. Nothing else is done meanwhile, and
/// what the program must not touch yet is readable and writable.
class WorkScope {
 public:
  /// \param kernel  its readable name; empty for a copy or a fill
  explicit WorkScope(std::string kernel = {}) : WorkScope(std::move(kernel), true) {}
  ~WorkScope();
  /// A work that frees memory, which ends what was done there. Nobody has to wait for it: what
  /// comes later finds no memory. A stream that is given nothing else before it is destroyed is
  /// forgotten.
  static WorkScope that_frees() { return WorkScope({}, false); }
  /// Nothing that was done in these bytes matters any more.
  static void forget(Address begin, std::uint64_t bytes);
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;
  /// A copy or a fill touches bytes: a race with other work is reported. Bytes that the device does
  /// not see are passed over.
  static void touch(const void* begin, std::size_t bytes, Use use);
  /// The same of rows.
  static void touch(const void* first, std::size_t pitch, std::size_t width, std::size_t height,
                    Use use);

 private:
  WorkScope(std::string kernel, bool is_waited_for);
  StreamOrder::Lock lock_;
};

/// A host function of the current stream runs from here to its end. Others' work goes on meanwhile,
/// as the function may wait for another thread; the host may touch everything until it ends.
class HostFunctionScope {
 public:
  HostFunctionScope();
  ~HostFunctionScope();
  HostFunctionScope(const HostFunctionScope&) = delete;
  HostFunctionScope& operator=(const HostFunctionScope&) = delete;
};

/// A copy's or a fill's call returns: the host knows that it is done where CUDA says so. Reports
/// the error of the copy and returns it.
/// \param stream  that it was given to; none: a call that waits, unless both ends are the device's
cudaError_t wait_for_copy(const void* to, const void* from, cudaError_t error,
                          std::optional<cudaStream_t> stream = std::nullopt);

}  // namespace warpwise::emulator::runtime
