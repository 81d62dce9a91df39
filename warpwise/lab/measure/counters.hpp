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

// A GPU's hardware counters of the kernels that a call launches.
namespace warpwise::lab {

/// Of one launch: each metric that could be read, by its name.
using CounterValues = std::map<std::string, double, std::less<>>;

/// Reads counters through CUPTI's range profiler, which is loaded when this is made. The hardware
/// has few counters at a time, so a call is repeated, once for each pass: it has to launch the same
/// kernels every time. Not thread-safe.
class Counters {
 public:
  /// For the GPU `device` and the CUDA context `context`, whose kernels are counted. Nothing is
  /// counted, and nothing runs slower, outside of read().
  /// \throws CountersUnavailable
  Counters(int device, cupti::Context context,
           std::span<const std::string_view> metrics = counter_names(),
           const Toolchain& toolchain = find_toolchain());
  Counters(Counters&&) noexcept;
  Counters& operator=(Counters&&) noexcept;
  ~Counters();

  /// Metrics that this GPU does not have or that could not be read, with the reason: they are left
  /// out. read() may add to them.
  const std::map<std::string, std::string>& left_out() const { return left_out_; }
  /// How often read() calls for all metrics.
  std::size_t passes() const;
  /// The library's path.
  const std::string& library() const { return library_->path; }

  /// Keeps the profiler switched on as long as it lives, for several calls of read(): else each
  /// switches it on and off, which takes its time. Nothing is to be timed meanwhile.
  class SwitchedOn;

  /// \param run  launches `launches` kernels and waits for them
  /// \param patched  those metrics too that machine code is patched for
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
  std::unique_ptr<const Profiler> profiler_;  // while it is switched on
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
  bool is_first_;  // what is switched on already stays on
};

}  // namespace warpwise::lab
