#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/lab/compile/toolchain.hpp"
#include "warpwise/lab/measure/chip_metrics.hpp"
#include "warpwise/lab/measure/cupti.hpp"

// Hardware counters of a GPU for the kernels that a call launches.
namespace warpwise::lab {

/// Values of one launch, by the names of the metrics that could be read.
using CounterValues = std::map<std::string, double, std::less<>>;

/// Reads counters through CUPTI's range profiler, which the constructor loads. The hardware counts
/// few metrics at a time, so read() repeats its call of `run` for each pass. The call has to launch
/// the same kernels every time. Not thread-safe.
class Counters {
 public:
  /// Counts the kernels of the CUDA context `context` on the GPU `device`. Outside of read()
  /// nothing is counted, and nothing runs slower unless a SwitchedOn exists.
  /// \throws CountersUnavailable
  Counters(int device, cupti::Context context,
           std::span<const std::string_view> metrics = counter_names(),
           const Toolchain& toolchain = find_toolchain());
  Counters(Counters&&) noexcept;
  Counters& operator=(Counters&&) noexcept;
  ~Counters();

  /// Returns the metrics that are left out, with the reason: this GPU does not have them, or they
  /// could not be read. read() may add to them.
  const std::map<std::string, std::string>& left_out() const { return left_out_; }
  /// Returns the passes that CUPTI announces for all metrics. read() may need a few more.
  std::size_t passes() const;
  const std::string& library() const { return library_->path; }

  /// Keeps the profiler switched on during its lifetime, for several calls of read(). Otherwise
  /// each call switches it on and off, which takes time. Do not time anything meanwhile.
  class SwitchedOn;

  /// \param run  launches `launches` kernels and waits for them
  /// \param patched  read the metrics that need patched machine code too
  /// \return  values of each launch, in order
  /// \throws CountersUnavailable  and what `run` throws
  std::vector<CounterValues> read(std::size_t launches, const std::function<void()>& run,
                                  bool patched = true);

 private:
  class Profiler;
  class Session;

  std::vector<CounterValues> read(const MetricGroup& group, std::size_t launches,
                                  const std::function<void()>& run) const;
  void renew_profiler();

  std::shared_ptr<const cupti::Library> library_;
  cupti::Context context_;
  std::unique_ptr<const Profiler> profiler_;  // null while the profiler is switched off
  std::vector<std::unique_ptr<const MetricGroup>> groups_;
  std::map<std::string, std::string> left_out_;
};

class Counters::SwitchedOn {
 public:
  /// \throws CountersUnavailable
  explicit SwitchedOn(Counters& counters);
  ~SwitchedOn();
  SwitchedOn(const SwitchedOn&) = delete;
  SwitchedOn& operator=(const SwitchedOn&) = delete;

 private:
  Counters& counters_;
  bool is_first_;  // false: the profiler was already on, and the destructor leaves it on
};

}  // namespace warpwise::lab
