#include "warpwise/emulator/runtime/checks/stream_order.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "warpwise/emulator/device_checks.hpp"
#include "warpwise/emulator/runtime/checks/allocations.hpp"
#include "warpwise/emulator/runtime/checks/page_guard.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"
#include "warpwise/emulator/runtime/fork_locks.hpp"
#include "warpwise/emulator/runtime/reports/reports.hpp"

namespace warpwise::emulator::runtime {
namespace {

// Limit of records of work, which then take about 300 MB. A wait for all work removes them.
constexpr std::size_t most_works = std::size_t{1} << 20;

thread_local std::optional<cudaStream_t> on_stream;
thread_local std::optional<std::uint32_t> on_branch;  // branch of a running graph

/// Merges the clock `from` into `to`. Returns true if that changes `to`.
bool join(Clock& to, const Clock& from) {
  bool is_new = false;
  for (const auto& [stream, work] : from) {
    WorkNumber& own = to[stream];
    is_new |= work > own;
    own = std::max(own, work);
  }
  return is_new;
}

bool covers(const Clock& clock, std::uint32_t stream, WorkNumber work) {
  const auto found = clock.find(stream);
  return found != clock.end() && found->second >= work;
}

// Returns this thread's number, which is never reused. The system reuses its numbers of threads.
std::uint64_t thread_number() {
  static std::atomic<std::uint64_t> numbered = 0;
  thread_local const std::uint64_t own = ++numbered;
  return own;
}

bool is_legacy_default(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy;
}

}  // namespace

StreamOrder* stream_order() {
  // Making the runtime makes the order too. Begun here first, it would call this function while
  // the static variable is being made.
  emulated();
  static StreamOrder* const instance = [] {
    const Checks checks = checks_asked_for();
    return checks.has(Check::runtime) || checks.has(Check::races) ? new StreamOrder : nullptr;
  }();
  return instance;
}

StreamOrder::StreamOrder() : uses_(*this) {
  keep_free_in_children(mutex_);
  add("the default stream");
  watch_uses(emulated().device, uses_);
}

StreamOrder::Stream& StreamOrder::add(std::string name) {
  std::uint32_t number = static_cast<std::uint32_t>(streams_.size());
  if (free_numbers_.empty()) {
    streams_.emplace_back();
  } else {
    number = free_numbers_.back();
    free_numbers_.pop_back();
  }
  // Clocks may have an entry of the earlier stream with this number. The entry stays true, because
  // the earlier stream's work is done.
  Stream& made = streams_[number];
  made = {};
  made.number = made.launched_in = number;
  made.name = std::move(name);
  return made;
}

bool StreamOrder::is_done(const Stream& stream) const {
  return (stream.last == 0 || covers(host_, stream.number, stream.last)) &&
         std::all_of(stream.branches.begin(), stream.branches.end(),
                     [&](std::uint32_t branch) { return is_done(streams_[branch]); });
}

void StreamOrder::forget_if_done(Stream& stream) {
  if (stream.is_destroyed && !stream.is_free && is_done(stream)) forget(stream);
}

void StreamOrder::forget(Stream& stream) {
  for (const std::uint32_t branch : stream.branches) forget(streams_[branch]);
  stream.branches.clear();
  stream.is_free = true;
  stream.is_blocking = false;  // no stream waits for it
  stream.clock.clear();
  free_numbers_.push_back(stream.number);
}

StreamOrder::Stream& StreamOrder::stream(cudaStream_t handle) {
  if (is_legacy_default(handle)) return streams_[0];
  const bool is_per_thread = handle == cudaStreamPerThread;
  std::uint32_t& number = is_per_thread ? per_thread_[thread_number()] : numbers_[handle];
  if (number == 0) number = add(is_per_thread ? "a thread's default stream" : "a stream").number;
  return streams_[number];
}

void StreamOrder::made(cudaStream_t handle, unsigned flags) {
  const Lock lock(mutex_);
  Stream& own = add("stream " + std::to_string(++made_));
  own.is_blocking = (flags & cudaStreamNonBlocking) == 0;
  numbers_[handle] = own.number;
}

void StreamOrder::destroyed(cudaStream_t handle) {
  const Lock lock(mutex_);
  const auto found = numbers_.find(handle);
  if (found == numbers_.end()) return;
  Stream& own = streams_[found->second];
  numbers_.erase(found);
  own.is_destroyed = true;
  forget_if_done(own);
}

StreamOrder::Stream& StreamOrder::current() {
  if (on_branch) return streams_[*on_branch];
  Stream& own = stream(OnStream::current());
  catch_up(own);
  return own;
}

void StreamOrder::catch_up(Stream& own) {
  join(own.clock, host_);
  if (!own.is_blocking) return;
  // The legacy default stream and blocking streams wait for each other.
  if (own.number != 0) {
    join(own.clock, streams_[0].clock);
    return;
  }
  for (const Stream& each : streams_) {
    if (each.is_blocking) join(own.clock, each.clock);
  }
}

void StreamOrder::begin(std::string kernel, bool is_waited_for, CallSite site) {
  page_guard().report_touches(uses_);
  if (works_.size() >= most_works) {
    first_ += static_cast<WorkNumber>(works_.size());
    works_.clear();
    uses_.forget();
  }
  Stream& own = current();
  works_.push_back({own.number, std::move(kernel), std::move(site)});
  const auto number = first_ + static_cast<WorkNumber>(works_.size() - 1);
  if (is_waited_for) own.last = number;
  own.clock[own.number] = number;
  current_ = own.number;
  // With one stream all work is in order, so only host-visible memory is recorded.
  uses_.begin(number, streams_.size() > 1 && checks_asked_for().has(Check::races));
  page_guard().lift();
}

void StreamOrder::end() { page_guard().work_done(uses_); }

void StreamOrder::host_learns(const Clock& clock) {
  page_guard().report_touches(uses_);
  if (!join(host_, clock)) return;
  const bool is_all = std::all_of(streams_.begin(), streams_.end(),
                                  [&](const Stream& each) { return is_done(each); });
  for (Stream& each : streams_) forget_if_done(each);
  if (is_all) {
    first_ += static_cast<WorkNumber>(works_.size());
    works_.clear();
    signals_.clear();
    uses_.forget();
  }
  page_guard().renew(uses_);
}

void StreamOrder::host_waits_for(cudaStream_t handle) {
  const Lock lock(mutex_);
  Stream& own = stream(handle);
  catch_up(own);
  host_learns(own.clock);
}

void StreamOrder::host_waits_for_all() {
  const Lock lock(mutex_);
  Clock all;
  for (const Stream& each : streams_) join(all, each.clock);
  host_learns(all);
}

void StreamOrder::host_waits_for(const Clock& recorded) {
  const Lock lock(mutex_);
  host_learns(recorded);
}

Clock StreamOrder::recorded_in(cudaStream_t handle) {
  const Lock lock(mutex_);
  if (on_branch) return streams_[*on_branch].clock;
  Stream& own = stream(handle);
  catch_up(own);
  return own.clock;
}

void StreamOrder::stream_waits_for(cudaStream_t handle, const Clock& recorded) {
  const Lock lock(mutex_);
  join(stream(handle).clock, recorded);
}

void StreamOrder::report_touches() {
  const Lock lock(mutex_);
  page_guard().report_touches(uses_);
}

void StreamOrder::shows(Address begin, std::uint64_t bytes) {
  const Lock lock(mutex_);
  if (checks_asked_for().has(Check::runtime)) page_guard().allow(begin, bytes);
}

void StreamOrder::shows_own(Address begin, std::uint64_t bytes) {
  constexpr std::uint64_t page = MemoryUses::page_bytes;
  shows(begin, (bytes + page - 1) / page * page);
}

void StreamOrder::hides(Address begin, std::uint64_t bytes) {
  const Lock lock(mutex_);
  page_guard().disallow(begin);
  if (bytes > 0) uses_.forget(begin, bytes);
}

std::vector<StreamOrder::Launched> StreamOrder::not_waited_for() const {
  const Lock lock(mutex_);
  std::map<std::uint32_t, Launched> last;
  for (std::size_t i = 0; i < works_.size(); ++i) {
    const Work& each = works_[i];
    if (!each.kernel.empty() && !host_has_waited_for(first_ + static_cast<WorkNumber>(i)))
      last[streams_[each.stream].launched_in] = {each.kernel, each.site};
  }
  std::vector<Launched> all;
  for (auto& [stream, launched] : last) all.push_back(std::move(launched));
  return all;
}

const StreamOrder::Work& StreamOrder::work(WorkNumber number) const {
  return works_[number - first_];
}

bool StreamOrder::comes_behind(WorkNumber earlier) const {
  return earlier < first_ || covers(streams_[current_].clock, work(earlier).stream, earlier);
}

bool StreamOrder::host_has_waited_for(WorkNumber number) const {
  return number < first_ || covers(host_, work(number).stream, number);
}

std::string StreamOrder::stream_of(WorkNumber number) const {
  return streams_[work(number).stream].name;
}

std::string StreamOrder::described(WorkNumber number) const {
  const Work& own = work(number);
  return (own.kernel.empty() ? own.site.text() : "kernel " + own.kernel) + " on " +
         stream_of(number);
}

OnStream::OnStream(cudaStream_t stream)
    : outer_(std::exchange(on_stream, stream)),
      outer_branch_(std::exchange(on_branch, std::nullopt)) {}
OnStream::~OnStream() {
  on_stream = outer_;
  on_branch = outer_branch_;
}
cudaStream_t OnStream::current() { return on_stream.value_or(nullptr); }
bool OnStream::is_any() { return on_stream.has_value(); }

GraphBranches::GraphBranches(std::size_t count) : outer_(on_branch) {
  StreamOrder* const order = stream_order();
  if (order == nullptr || count < 2) return;
  const StreamOrder::Lock lock(order->mutex_);
  StreamOrder::Stream& from = order->current();
  launched_in_ = from.number;
  // Reuses the branches of the stream's earlier graph, because this graph runs after it.
  branches_ = std::move(from.branches);
  from.branches.clear();
  while (branches_.size() < count) {
    StreamOrder::Stream& branch = order->add("branch " + std::to_string(branches_.size() + 1) +
                                             " of a graph on " + from.name);
    branch.is_blocking = false;
    branch.launched_in = from.launched_in;
    branches_.push_back(branch.number);
  }
  for (const std::uint32_t branch : branches_) order->streams_[branch].clock = from.clock;
}

GraphBranches::~GraphBranches() {
  on_branch = outer_;
  if (branches_.empty()) return;
  const StreamOrder::Lock lock(stream_order()->mutex_);
  stream_order()->streams_[launched_in_].branches = std::move(branches_);
}

void GraphBranches::begin(std::size_t branch, const std::vector<std::size_t>& after) {
  if (branches_.empty()) return;
  StreamOrder& order = *stream_order();
  const StreamOrder::Lock lock(order.mutex_);
  on_branch = branches_[branch];
  for (const std::size_t node : after) join(order.streams_[*on_branch].clock, ended_[node]);
}

void GraphBranches::end() {
  if (branches_.empty()) return;
  StreamOrder& order = *stream_order();
  const StreamOrder::Lock lock(order.mutex_);
  ended_.push_back(order.streams_[*on_branch].clock);
  join(order.streams_[launched_in_].clock, ended_.back());
}

WorkScope::WorkScope(std::string kernel, bool is_waited_for) {
  StreamOrder* const order = stream_order();
  if (order == nullptr) return;
  call_.emplace();
  lock_ = StreamOrder::Lock(order->mutex_);
  order->begin(std::move(kernel), is_waited_for, CallSite::here_in_python());
}

WorkScope::~WorkScope() {
  if (lock_.owns_lock()) stream_order()->end();
}

HostFunctionScope::HostFunctionScope() {
  StreamOrder* const order = stream_order();
  if (order == nullptr) return;
  const CallScope call;
  const StreamOrder::Lock lock(order->mutex_);
  page_guard().open();
  const WorkScope work;
}

HostFunctionScope::~HostFunctionScope() {
  StreamOrder* const order = stream_order();
  if (order == nullptr) return;
  const StreamOrder::Lock lock(order->mutex_);
  page_guard().close();
}

void WorkScope::allocates(const void* begin, std::size_t bytes) {
  StreamOrder* const order = stream_order();
  if (order != nullptr && order->uses_.watches(address_of(begin)))
    order->uses_.allocates(address_of(begin), bytes);
}

void WorkScope::signals(const void* place) {
  if (StreamOrder* const order = stream_order())
    order->signals_[address_of(place)] = order->streams_[order->current_].clock;
}

void WorkScope::follows_signal(const void* place) {
  StreamOrder* const order = stream_order();
  if (order == nullptr) return;
  const auto found = order->signals_.find(address_of(place));
  if (found != order->signals_.end()) join(order->streams_[order->current_].clock, found->second);
}

void WorkScope::forget(Address begin, std::uint64_t bytes) {
  if (StreamOrder* const order = stream_order(); order != nullptr && bytes > 0)
    order->uses_.forget(begin, bytes);
}

void WorkScope::touch(const void* begin, std::size_t bytes, Use use) {
  touch(begin, bytes, bytes, 1, use);
}

void WorkScope::touch(const void* first, std::size_t pitch, std::size_t width, std::size_t height,
                      Use use) {
  StreamOrder* const order = stream_order();
  if (order == nullptr || !emulated().device.holds(address_of(first))) return;
  MemoryUses& uses = order->uses_;
  if (!uses.watches(address_of(first))) return;
  uses.from(nullptr, use, [] { return std::string(); });
  for (std::size_t y = 0; y < height; ++y) {
    Address at = 0;
    const std::string wrong = uses.touch(address_of(first) + y * pitch, width, &at);
    if (wrong.empty() || !checks_asked_for().has(Check::races)) continue;
    note_host_fault(
        FaultKind::race, order->works_.back().site,
        with_origins(std::string(name_of(use)) + " " +
                     warpwise::emulator::described(emulated().device, at) + " " + wrong));
    return;
  }
}

cudaError_t wait_for_copy(const void* to, const void* from, cudaError_t error,
                          std::optional<cudaStream_t> stream) {
  StreamOrder* const order = stream_order();
  // A refused call waits for nothing. A call that returns the fault of a kernel may have waited.
  const bool is_refused = error != cudaSuccess && emulated().sticky == cudaSuccess;
  if (order == nullptr || is_refused) return report(error);
  const auto is_device = [](const void* p) { return is_device_address(address_of(p)); };
  if (stream) {
    // A copy to pageable memory of the host is complete when the call returns.
    if (!emulated().device.holds(address_of(to)) && capture_of(*stream) == nullptr)
      order->host_waits_for(*stream);
  } else if (!OnStream::is_any() && !(is_device(to) && is_device(from))) {
    order->host_waits_for(nullptr);
  }
  return report(error);
}

}  // namespace warpwise::emulator::runtime
