#include "warpwise/lab/study/run/study_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/measure/emulator_executor.hpp"
#include "warpwise/lab/measure/gpu_executor.hpp"
#include "warpwise/lab/measure/gpu_share.hpp"
#include "warpwise/lab/measure/gpu_timing.hpp"
#include "warpwise/lab/study/counters/rung_counting.hpp"
#include "warpwise/lab/study/run/cpu_rows.hpp"
#include "warpwise/lab/study/run/method.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"
#include "warpwise/lab/study/run/transfer_run.hpp"
#include "warpwise/lab/study/show/figures.hpp"
#include "warpwise/lab/study/show/row_comparison.hpp"
#include "warpwise/lab/study/show/series_knees.hpp"
#include "warpwise/lab/study/table/points.hpp"

namespace warpwise::lab {
namespace {

using ladders::Problem;
using ladders::Variables;

bool reports(const StudyTable& table, std::string_view figure) {
  return std::find(table.report.begin(), table.report.end(), figure) != table.report.end();
}

std::uint64_t bytes_of_operands(const Problem& problem) {
  std::uint64_t bytes = 0;
  for (const ladders::Operand& each : problem.operands) bytes += each.memory().size();
  return bytes;
}

// A problem and its expected result. All rungs at this size and with these parameters share them.
struct Work {
  Size size;
  Variables parameters;
  Problem problem;
  Problem expected;
};

class StudyRunner {
 public:
  StudyRunner(const StudyTable& table, const StudyRequest& request, const RowDone& done)
      : table_(table), request_(request), done_(done),
        axes_(request.experiment ? request.experiment->axes : table.axes) {
    if (request.on_gpu) {
      gpu_ = std::make_unique<GpuExecutor>();
      timer_ = std::make_unique<GpuTimer>(gpu_->device(), gpu_->stream());
      if (request.counters) open_counters();
    } else {
      if (request.counters) result_.counters_unavailable = "hardware counters need a run on a GPU";
      emulator_ = std::make_unique<EmulatorExecutor>(
          request.compute_capabilities, true,
          budget_of(table, request.size.value_or(table.emulator_size)));
      plain_ = std::make_unique<EmulatorExecutor>(
          request.compute_capabilities, false,
          budget_of(table, request.size.value_or(table.emulator_size)));
    }
  }

  StudyRun run() {
    describe();
    try {
      for (const Size& size : sizes()) {
        for (const Variables& parameters : parameters_of(table_, axes_)) {
          if (!is_stopped()) run_size(size, parameters);
        }
      }
    } catch (const IoError&) {
      // Ctrl-C stops a running compiler too, whose compilation then fails with IoError.
      if (!is_stopped()) throw;
    }
    if (result_.knee) result_.knees = find_knees(*result_.knee, result_.rows);
    return std::move(result_);
  }

  // Returns the rows that there are, as those of an interrupted run.
  const StudyRun& interrupted() {
    result_.interrupted = true;
    return result_;
  }

 private:
  void open_counters() {
    try {
      counters_.emplace(gpu::current_device(), cupti::current_context());
      result_.counters_library = counters_->library();
    } catch (const CountersUnavailable& error) {
      result_.counters_unavailable = error.what();
    }
  }

  bool is_stopped() {
    result_.interrupted = result_.interrupted || request_.stop();
    return result_.interrupted;
  }

  Executor& executor() const {
    return request_.on_gpu ? static_cast<Executor&>(*gpu_) : *emulator_;
  }
  // Returns the executor for runs that need no counts.
  Executor& plain_executor() const {
    return request_.on_gpu ? static_cast<Executor&>(*gpu_) : *plain_;
  }

  void describe() {
    result_.study = table_.name();
    result_.is_ladder = table_.is_ladder();
    result_.report = table_.report;
    wanted_.spills = reports(table_, "spill_bytes");
    for (const std::string_view each : disassembled_figures) {
      if (reports(table_, each)) wanted_.global_instructions = true;
    }
    if (wanted_.global_instructions && find_toolchain().nvdisasm.empty()) {
      result_.missing = fmt::format(
          "{} are not known: there is no disassembler, nvdisasm, in a CUDA "
          "toolkit or in $PATH",
          fmt::join(disassembled_figures, ", "));
    }
    result_.document_device = table_.document_device;
    result_.document_size = table_.size;
    if (request_.experiment) {
      result_.experiment = request_.experiment->name;
      result_.title = request_.experiment->title;
      result_.document_rows = request_.experiment->document_rows;
      result_.knee = request_.experiment->knee;
    } else if (request_.rungs.size() < table_.rungs.size()) {
      result_.named_rungs = request_.rungs;
    }
    result_.device = executor().device_name();
    result_.compute_capability = executor().compute_capability();
    result_.on_gpu = request_.on_gpu;
    if (!request_.on_gpu) result_.model = request_.model;
    result_.varies_gpu_share = !axes_.sm_percents.empty() || !axes_.neighbour_percents.empty();
    result_.varies_transfer = !axes_.transfers.empty();
    result_.method = method_of(table_, result_);
    if (!request_.on_gpu) return;
    if (result_.varies_transfer) result_.bus = bus_limit();
    result_.multiprocessors = gpu_->multiprocessors();
    result_.driver_version = gpu_->device().driver_version;
    result_.copy_roof_gb_per_s = timer_->copy_roof_gb_per_s();
  }

  std::vector<Size> sizes() const {
    if (request_.size) return {*request_.size};
    if (!request_.on_gpu) return {table_.emulator_size};
    return axes_.sizes.empty() ? std::vector<Size>{table_.size} : axes_.sizes;
  }

  void run_size(const Size& size, const Variables& parameters) {
    works_.clear();
    const Work& plain = work_of(size, parameters);
    if (request_.on_gpu && !result_.varies_transfer) {
      time_transfers_once(plain);
      if (plain.problem.roof == ladders::Roof::read) {
        result_.read_roof_gb_per_s = timer_->read_roof_gb_per_s();
      }
      if (plain.problem.roof == ladders::Roof::vsadu4) {
        result_.vsadu4_roof_per_s = timer_->absolute_differences_per_s();
      }
    }
    if (request_.cpu) {
      run_on_cpu(table_, row_of(plain), plain.problem, [&](RungRow row) { add(std::move(row)); });
    }
    for (const Setting& setting : settings_of(axes_)) {
      apply_setting(setting);
      for (const std::string& name : request_.rungs) {
        if (is_stopped()) break;
        const Rung& rung = table_.rung(name);
        const Work& work = work_of(size, merged(parameters, rung.parameters));
        for (const RungPoint& point : points_of(rung, axes_)) {
          for (const emulator::Dim3& block : blocks(rung)) {
            if (!is_stopped()) run_rung(point, work, block);
          }
        }
      }
    }
  }

  // Applies a setting. If it is impossible, its points are skipped with the reason why_not_set_.
  void apply_setting(const Setting& setting) {
    setting_ = setting;
    why_not_set_.clear();
    share_.reset();
    if (!request_.on_gpu) {
      if (setting != Setting{}) {
        why_not_set_ = "the emulator has no times, and none of its counts depends on \"" +
                       text_of(setting) + "\": run it on a GPU";
      }
      return;
    }
    if (!result_.varies_gpu_share) return;
    try {
      share_ = std::make_unique<GpuShare>(
          *gpu_, setting.sm_percent,
          setting.neighbour_percent / 100.0 * *result_.copy_roof_gb_per_s);
    } catch (const Unsupported& reason) {
      why_not_set_ = reason.what();
    }
  }

  std::vector<emulator::Dim3> blocks(const Rung& rung) const {
    if (request_.block && !rung.shipped) return {*request_.block};
    return blocks_of(rung, axes_);
  }

  Work& work_of(const Size& size, const Variables& parameters) {
    const auto found = works_.find(parameters);
    if (found != works_.end()) return found->second;
    Work work{size, parameters, table_.problem(size, parameters, {}), {}};
    require_memory(work.problem);
    if (table_.ladder != nullptr) {
      work.expected = work.problem;
      table_.ladder->compute(work.expected, ladders::Cpu::library);
    }
    return works_.emplace(parameters, std::move(work)).first->second;
  }

  // Checks that the problem fits the GPU's memory before any result is computed.
  void require_memory(const Problem& problem) {
    if (!request_.on_gpu) return;
    executor().clear();
    executor().allocate(bytes_of_operands(problem), "the problem");
    executor().clear();
  }

  RungRow row_of(const Work& work) const {
    RungRow row;
    row.size = work.size;
    row.parameters = work.parameters;
    return row;
  }

  void time_transfers_once(const Work& work) {
    std::vector<std::uint64_t> inputs;
    std::vector<std::uint64_t> outputs;
    for (const ladders::Operand& each : work.problem.operands) {
      (each.is_output() ? outputs : inputs).push_back(each.memory().size());
    }
    // Transfers of the same sizes take the same time, so each combination of sizes is timed once.
    if (!transferred_.insert({inputs, outputs}).second) return;
    const Transfers times = timer_->transfers(inputs, outputs);
    result_.transfers.push_back({work.size, work.parameters, times.upload_us, times.download_us});
  }

  void run_rung(const RungPoint& point, const Work& work, const emulator::Dim3& block) {
    const Rung& rung = point.rung;
    RungRow row = row_of(work);
    row.rung = rung.name;
    row.idea = rung.idea;
    row.document_rows = rung.document_rows;
    row.axis_constants = point.constants;
    row.block = block;
    row.setting = setting_;
    // If a rung fixes a parameter, all values on that parameter's axis give the same row. The row
    // is measured once.
    if (!measured_.insert(key_of(row, true)).second) return;
    if (!why_not_set_.empty()) {
      row.skipped = why_not_set_;
      add(std::move(row));
      return;
    }
    try {
      Problem by_reference;
      const bool has_expected = table_.ladder != nullptr;
      if (!has_expected) by_reference = reference_result(rung, work.problem, block);
      const Problem& expected = has_expected ? work.expected : by_reference;
      RungRun run(executor(), table_, rung, work.problem, block);
      run.run();
      row.wrong = run.first_difference(expected);
      if (row.wrong.empty() && setting_.transfer) {
        fill_with_transfers(row, rung, work, expected);
      } else if (row.wrong.empty()) {
        fill(row, rung, work, run);
      }
      if (rung.shipped) row.block = dimensions(run.launches().front().block);
      set_comparison_figures(table_, result_, row);
    } catch (const Unsupported& reason) {
      row.skipped = reason.what();
    } catch (const KernelFault& fault) {
      row.wrong = fault.what();
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("{}/{}: {}", table_.name(), rung.name, error.what()));
    }
    add(std::move(row));
  }

  // Computes the result with the reference kernel. \throws Unsupported  the rung does not support
  // this problem; the result is not computed in this case
  Problem reference_result(const Rung& rung, const Problem& problem, const emulator::Dim3& block) {
    const std::string reason = RungRun::why_skipped(executor(), rung, problem, block);
    if (!reason.empty()) throw Unsupported(reason);
    return expected_of(plain_executor(), table_, rung, problem, block, ladders::Cpu::reference);
  }

  static std::string key_of(const RungRow& row, bool with_size) {
    std::string key = fmt::format("{} {} {} {}", row.rung, row.block.x, row.block.y, row.block.z);
    if (with_size) {
      key += fmt::format(" of {} {} {}", row.size.width, row.size.height, text_of(row.setting));
    }
    for (const auto& values : {row.parameters, row.axis_constants}) {
      for (const auto& [name, value] : values) key += fmt::format(" {} {}", name, value);
    }
    return key;
  }

  void fill(RungRow& row, const Rung& rung, const Work& work, RungRun& run) {
    if (!request_.on_gpu) {
      for (std::size_t i = 0; i < request_.compute_capabilities.size(); ++i) {
        row.counts.push_back(counts_of(emulator_->results(), i, request_.compute_capabilities[i],
                                       work.problem.pixels, work.size));
      }
      row.resources = resources_by_rules(run, request_.compute_capabilities, wanted_);
      if (request_.model) {
        row.modelled = request_.model->time_of(table_, rung, work.problem, row.block);
      }
      return;
    }
    const Measurement times = measure(row, run);
    row.cold = times.cold;
    row.batch = times.batch;
    row.sm_clock_mhz = times.sm_clock_mhz;
    row.resources = {resources_on_gpu(run, *gpu_, wanted_)};
    set_rate_and_share_of_roof(row, work);
    // Each combination of rung, block shape, parameters and constants is counted once, at the
    // table's emulator_size. A ladder is counted only with its default parameters, since others may
    // take long in the emulator.
    const bool worth_it = table_.ladder == nullptr || is_default(table_, rung, work.parameters);
    CountedRung counted;
    if (worth_it && counted_.insert(key_of(row, false)).second) {
      counted = count(rung, work.parameters, row.block);
      row.counts = counted.counts;
    }
    with_counters([&] { read_gpu_counters(row, rung, work, run, counted); });
  }

  CountedRung count(const Rung& rung, const Variables& parameters,
                    const emulator::Dim3& block) const {
    const std::uint64_t budget = budget_of(table_, table_.emulator_size);
    std::vector<rules::ComputeCapability> ccs = request_.compute_capabilities;
    EmulatorExecutor emulator(ccs, true, budget);
    // The GPU's hardware counters are compared with the emulator's counts. Grids may depend on the
    // number of SMs, so the emulator gets the GPU's number and compute capability.
    if (counters_) {
      ccs = {gpu_->compute_capability()};
      emulator = EmulatorExecutor(ccs, true, budget, gpu_->multiprocessors());
    }
    return count_rung(emulator, table_, rung, parameters, block, ccs);
  }

  // Reads the GPU's hardware counters for the row's problem. If the emulator counted the row, reads
  // them for the counted problem too, which may have another size.
  void read_gpu_counters(RungRow& row, const Rung& rung, const Work& work, RungRun& run,
                         const CountedRung& counted) {
    const Counters::SwitchedOn switched_on(*counters_);
    const bool is_compared = !row.counts.empty();
    const bool is_same = work.size == table_.emulator_size;
    row.counters = read_counters(*counters_, run, work.size, is_compared && is_same);
    if (!is_compared) return;
    if (is_same) {
      row.compared_counters = row.counters;
    } else {
      // The counted problem replaces the row's problem in memory. The row was timed before.
      RungRun smaller(*gpu_, table_, rung, *counted.problem, row.block);
      row.compared_counters = read_counters(*counters_, smaller, table_.emulator_size, true);
    }
    row.not_comparable = why_not_comparable(*row.compared_counters, counted.grids);
  }

  // Runs an action. If counters cannot be read, the run continues without them.
  template <class Action>
  void with_counters(const Action& action) {
    if (!counters_) return;
    try {
      action();
      result_.counters_left_out = counters_->left_out();
    } catch (const CountersUnavailable& error) {
      result_.counters_unavailable = error.what();
      counters_.reset();
    }
  }

  Measurement measure(RungRow& row, RungRun& run) {
    const GpuWork work = [&](gpu::StreamHandle stream) {
      gpu_->launch(run.code(), run.launches(), stream);
    };
    if (share_ == nullptr) return timer_->measure(work);
    const ShareMeasurement shared = share_->measure(work);
    row.multiprocessors = share_->multiprocessors();
    row.neighbour_gb_per_s = shared.neighbour_gb_per_s;
    if (shared.neighbour_gb_per_s) {
      row.bandwidth_left =
          std::max(0.0, 1 - *shared.neighbour_gb_per_s / *result_.copy_roof_gb_per_s);
    }
    return shared.times;
  }

  void fill_with_transfers(RungRow& row, const Rung& rung, const Work& work,
                           const Problem& expected) {
    TransferRun run = run_with_transfers(*gpu_, table_, rung, work.problem, work.parameters,
                                         expected, row.block, *setting_.transfer);
    row.wrong = std::move(run.wrong);
    if (row.wrong.empty()) row.end_to_end = run.times;
  }

  void set_rate_and_share_of_roof(RungRow& row, const Work& work) {
    const Problem& problem = work.problem;
    const double seconds = row.cold->median_us * 1e-6;
    row.gb_per_s = static_cast<double>(problem.bytes) * 1e-9 / seconds;
    row.roof = name_of(problem.roof);
    switch (problem.roof) {
      case ladders::Roof::copy:
        row.share_of_roof = *row.gb_per_s / *result_.copy_roof_gb_per_s;
        break;
      case ladders::Roof::read:
        row.share_of_roof = *row.gb_per_s / *result_.read_roof_gb_per_s;
        break;
      case ladders::Roof::vsadu4:
        row.share_of_roof =
            static_cast<double>(problem.operations) / seconds / *result_.vsadu4_roof_per_s;
        break;
    }
  }

  void add(RungRow row) {
    done_(result_, row);
    result_.rows.push_back(std::move(row));
  }

  const StudyTable& table_;
  const StudyRequest& request_;
  const RowDone& done_;
  const Axes& axes_;
  std::unique_ptr<GpuExecutor> gpu_;
  std::unique_ptr<GpuTimer> timer_;
  std::optional<Counters> counters_;
  Setting setting_;
  std::string why_not_set_;
  std::unique_ptr<GpuShare> share_;
  std::unique_ptr<EmulatorExecutor> emulator_;
  std::unique_ptr<EmulatorExecutor> plain_;
  std::map<Variables, Work> works_;  // the works of the current size, by parameters
  std::set<std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>>> transferred_;
  std::set<std::string> counted_;
  std::set<std::string> measured_;
  StudyRun result_;
  MachineCodeFigures wanted_;
};

}  // namespace

bool StudyRun::any_wrong() const {
  return std::any_of(rows.begin(), rows.end(),
                     [](const RungRow& row) { return !row.wrong.empty(); });
}

std::optional<double> kernel_share(const EndToEnd& times) {
  // The parts have no times if transfers are in chunks, or if kernels access host memory.
  if (!times.kernel_us || !times.upload_us || !times.download_us) return std::nullopt;
  return *times.kernel_us / (*times.kernel_us + *times.upload_us + *times.download_us);
}

StudyRun run_study(const StudyTable& table, const StudyRequest& request, const RowDone& done) {
  StudyRunner runner(table, request, done);
  try {
    return runner.run();
  } catch (...) {
    request.failed(runner.interrupted());
    throw;
  }
}

}  // namespace warpwise::lab
