#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/measure/cupti.hpp"

// Finds a chip's metrics, and configures the profiler for them. Needs CUPTI, but no GPU.
namespace warpwise::lab {

/// Counters cannot be read here; what() says why, and what to do about it.
class CountersUnavailable : public Error {
 public:
  using Error::Error;
};

/// Returns advice on what to do about this result of CUPTI; empty if there is none.
std::string remedy_for(cupti::Result result);

/// Checks the result of a call of CUPTI.
/// \throws CountersUnavailable  with the call, CUPTI's name of the result, and the remedy
void require(const cupti::Library& library, cupti::Result result, const char* call);

/// Returns the metrics that reports show, under Nsight Compute's names.
std::span<const std::string_view> counter_names();

/// Returns the metrics of counter_names() that give the reasons for which warps wait, in cycles per
/// instruction.
std::span<const std::string_view> stall_names();

/// Returns the reason of a metric of stall_names(), such as "long scoreboard".
std::string stall_reason(std::string_view metric);

/// Returns true if a metric needs patched machine code. Such a metric is no counter of the
/// hardware.
bool needs_patching(std::string_view metric);

/// Metrics that are read together.
class MetricGroup {
 public:
  /// \throws CountersUnavailable  the chip does not have one of the metrics
  MetricGroup(std::shared_ptr<const cupti::Library> library, const std::string& chip,
              std::vector<std::string> names);
  ~MetricGroup();
  MetricGroup(const MetricGroup&) = delete;
  MetricGroup& operator=(const MetricGroup&) = delete;

  const std::vector<std::string>& names() const { return names_; }
  /// Returns the configuration for the profiler.
  std::span<const std::uint8_t> config() const { return config_; }
  std::size_t passes() const { return passes_; }
  /// Returns the metrics' values for one kernel. \param data  decoded counters of all kernels
  /// \throws CountersUnavailable
  std::vector<double> values(std::span<const std::uint8_t> data, std::size_t kernel) const;

 private:
  void configure();

  std::shared_ptr<const cupti::Library> library_;
  std::vector<std::string> names_;
  cupti::Host host_ = nullptr;
  std::vector<std::uint8_t> config_;
  std::size_t passes_ = 0;
};

/// Groups the metrics that the chip has: first the hardware's counters, then the metrics that need
/// patched machine code. The hardware's counters can thus be read even if patching fails. An empty
/// group is omitted. Adds metrics that the chip lacks to `left_out` with the reason.
/// \throws CountersUnavailable  the chip has none of the metrics
std::vector<std::unique_ptr<const MetricGroup>> groups_of(
    const std::shared_ptr<const cupti::Library>& library, const std::string& chip,
    std::span<const std::string_view> metrics, std::map<std::string, std::string>& left_out);

}  // namespace warpwise::lab
