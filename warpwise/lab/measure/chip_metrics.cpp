#include "warpwise/lab/measure/chip_metrics.hpp"

#include <algorithm>

namespace warpwise::lab {
namespace {

constexpr std::string_view all_names[] = {
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed_pred_on.sum",
    "smsp__sass_branch_targets_threads_divergent.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    // Instructions whose predicate is false in every lane are not counted.
    "smsp__inst_executed_op_shared_ld_pred_on_any.sum",
    "smsp__inst_executed_op_shared_st_pred_on_any.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "lts__t_sectors.sum",
    "lts__t_sector_hit_rate.pct",
    "l1tex__t_sector_hit_rate.pct",
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_misc_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_tex_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
};
constexpr std::size_t first_stall = 19;
constexpr std::string_view stall_begin = "smsp__average_warps_issue_stalled_";
constexpr std::string_view stall_end = "_per_issue_active.ratio";
static_assert(all_names[first_stall].starts_with(stall_begin) &&
              !all_names[first_stall - 1].starts_with(stall_begin));

}  // namespace

std::string remedy_for(cupti::Result result) {
  switch (result) {
    case cupti::insufficient_privileges:
    case cupti::virtualized_device_insufficient_privileges:
      return "the driver lets only administrators read counters. Run as root (a container needs "
             "--cap-add=SYS_ADMIN), or allow every user: put \"options nvidia "
             "NVreg_RestrictProfilingToAdminUsers=0\" into a file of /etc/modprobe.d and load the "
             "driver anew";
    case cupti::hardware_busy:
      return "another profiler uses the counters: stop it (ncu, nsys, DCGM) and try again";
    case cupti::virtualized_device:
      return "a virtual GPU has no counters of its own; its host has to enable them";
    case cupti::mig_device: return "a part of a GPU (MIG) has no counters of its own";
    default: return "";
  }
}

void require(const cupti::Library& library, cupti::Result result, const char* call) {
  if (result == cupti::success) return;
  const std::string remedy = remedy_for(result);
  throw CountersUnavailable(std::string(call) + ": " + library.text_of(result) +
                            (remedy.empty() ? "" : ": " + remedy));
}

std::span<const std::string_view> counter_names() { return all_names; }

std::span<const std::string_view> stall_names() { return counter_names().subspan(first_stall); }

std::string stall_reason(std::string_view metric) {
  metric.remove_prefix(stall_begin.size());
  metric.remove_suffix(stall_end.size());
  std::string reason(metric);
  std::replace(reason.begin(), reason.end(), '_', ' ');
  return reason;
}

bool needs_patching(std::string_view metric) {
  return metric.find("__sass_") != std::string_view::npos;
}

MetricGroup::MetricGroup(std::shared_ptr<const cupti::Library> library, const std::string& chip,
                         std::vector<std::string> names)
    : library_(std::move(library)), names_(std::move(names)) {
  cupti::HostInitialize parameters{};
  parameters.struct_size = cupti::size_of<cupti::HostInitialize>;
  parameters.chip = chip.c_str();
  require(*library_, library_->host_initialize(&parameters), "cuptiProfilerHostInitialize");
  host_ = parameters.host;
  try {
    configure();
  } catch (...) {
    cupti::HostOnly end{cupti::size_of<cupti::HostOnly>, nullptr, host_};
    library_->host_deinitialize(&end);
    throw;
  }
}

MetricGroup::~MetricGroup() {
  cupti::HostOnly parameters{cupti::size_of<cupti::HostOnly>, nullptr, host_};
  library_->host_deinitialize(&parameters);
}

void MetricGroup::configure() {
  std::vector<const char*> texts = cupti::pointers(names_);
  cupti::AddMetrics metrics{cupti::size_of<cupti::AddMetrics>, nullptr, host_, texts.data(),
                            texts.size()};
  require(*library_, library_->add_metrics(&metrics), "cuptiProfilerHostConfigAddMetrics");
  cupti::ConfigImageSize size{cupti::size_of<cupti::ConfigImageSize>, nullptr, host_, 0};
  require(*library_, library_->config_image_size(&size), "cuptiProfilerHostGetConfigImageSize");
  config_.resize(size.bytes);
  cupti::ConfigImage image{cupti::size_of<cupti::ConfigImage>, nullptr, host_, config_.size(),
                           config_.data()};
  require(*library_, library_->config_image(&image), "cuptiProfilerHostGetConfigImage");
  cupti::PassCount passes{cupti::size_of<cupti::PassCount>, nullptr, config_.size(), config_.data(),
                          0};
  require(*library_, library_->pass_count(&passes), "cuptiProfilerHostGetNumOfPasses");
  passes_ = passes.passes;
}

std::vector<double> MetricGroup::values(std::span<const std::uint8_t> data,
                                        std::size_t kernel) const {
  std::vector<const char*> texts = cupti::pointers(names_);
  std::vector<double> result(texts.size());
  cupti::Evaluate evaluate{};
  evaluate.struct_size = cupti::size_of<cupti::Evaluate>;
  evaluate.host = host_;
  evaluate.data = data.data();
  evaluate.bytes = data.size();
  evaluate.range = kernel;
  evaluate.names = texts.data();
  evaluate.count = texts.size();
  evaluate.values = result.data();
  require(*library_, library_->evaluate(&evaluate), "cuptiProfilerHostEvaluateToGpuValues");
  return result;
}

std::vector<std::unique_ptr<const MetricGroup>> groups_of(
    const std::shared_ptr<const cupti::Library>& library, const std::string& chip,
    std::span<const std::string_view> metrics, std::map<std::string, std::string>& left_out) {
  std::vector<std::string> own;
  std::vector<std::string> patched;
  for (const std::string_view each : metrics) {
    const std::string metric(each);
    try {
      // Each metric is tried by itself, since CUPTI refuses a whole list for one unknown name.
      const MetricGroup alone(library, chip, {metric});
      (needs_patching(metric) ? patched : own).push_back(metric);
    } catch (const CountersUnavailable& error) {
      left_out[metric] = chip + " does not have it (" + error.what() + ")";
    }
  }
  std::vector<std::unique_ptr<const MetricGroup>> groups;
  for (std::vector<std::string>* const names : {&own, &patched}) {
    if (names->empty()) continue;
    groups.push_back(std::make_unique<MetricGroup>(library, chip, std::move(*names)));
  }
  if (groups.empty()) {
    throw CountersUnavailable(chip + " has none of the metrics" +
                              (left_out.empty() ? "" : ": " + left_out.begin()->second));
  }
  return groups;
}

}  // namespace warpwise::lab
