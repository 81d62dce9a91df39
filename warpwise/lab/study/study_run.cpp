#include "warpwise/lab/study/study_run.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/measure/emulator_executor.hpp"
#include "warpwise/lab/measure/gpu_executor.hpp"
#include "warpwise/lab/measure/gpu_timing.hpp"
#include "warpwise/lab/study/points.hpp"
#include "warpwise/lab/study/rung_run.hpp"

namespace warpwise::lab {
namespace {

using ladders::Problem;
using ladders::Variables;

constexpr const char* compared_with_cpu =
    "Each rung's result is compared with the CPU's before it is timed. ";
constexpr const char* compared_with_reference =
    "Each kernel's result is compared with the reference kernel's before it is timed. ";
constexpr const char* gpu_method =
    "Cold: L2 is flushed before "
    "each run, a "
    "spinning kernel hides the launch, events stand around the run's launches; at least 10 samples "
    "and 0.5 s of "
    "GPU time, without those at a clock 5 % below the median. Batch: run after run on the same "
    "operands, as a "
    "CUDA graph where a run is short. Median, 5th and 95th percentile. GB/s counts each input read "
    "once and each "
    "output written once, by the cold time; the roof is measured in the same run. Counts are the "
    "emulator's, at the "
    "size that they name.";
constexpr const char* emulator_method =
    "No GPU: these are the emulator's counts, at the size given, and no times. Registers are those "
    "of the machine "
    "code that registers_from names: a compute capability that none can be built for has the "
    "nearest one's.";

bool is_default(const StudyTable& table, const Rung& rung, const Variables& parameters) {
  return parameters == merged(table.parameters(), rung.parameters);
}

// The document's figures are of one size and one shape of block, which the table has first. The
// emulator's size stands for it: there are no times for them to be mistaken for.
bool is_documented(const StudyTable& table, const StudyRun& run, const Rung& rung,
                   const RungRow& row) {
  const bool same_size = row.size == table.size || (!run.on_gpu && row.size == table.emulator_size);
  const bool own_constants = std::all_of(row.axes.begin(), row.axes.end(), [&](const auto& axis) {
    return rung.constants.at(axis.first) == std::to_string(axis.second);
  });
  return same_size && own_constants && is_default(table, rung, row.parameters) &&
         (rung.shipped || row.block == rung.blocks.front());
}

// By its times, or as it says itself of both.
std::optional<double> document_speedup(const DocumentFigure& first, const DocumentFigure& here) {
  if (first.time_us && here.time_us) return *first.time_us / *here.time_us;
  if (first.speedup && here.speedup) return *here.speedup / *first.speedup;
  return std::nullopt;
}

// Of a launch. The costliest of the experiments, threshold's plain loops over a window of 255, take
// 370 million warp instructions at the size that the table gives for the emulator; what a larger
// image takes grows with its pixels.
std::uint64_t budget_of(const StudyTable& table, const Size& size) {
  constexpr double at_emulator_size = 500e6;
  constexpr double greatest = 1e18;  // fits in 64 bits
  const auto pixels = [](const Size& of) {
    return static_cast<double>(of.width) * static_cast<double>(of.height);
  };
  const double scaled = at_emulator_size * pixels(size) / pixels(table.emulator_size);
  return std::max(EmulatorExecutor::usual_budget,
                  static_cast<std::uint64_t>(std::min(scaled, greatest)));
}

// What the emulator counts of a rung's launches at the size that the table gives for it. Nothing
// where it does not run them: the times that they stand beside are right all the same.
std::vector<RungCounts> count_rung(const StudyTable& table, const Rung& rung,
                                   const Variables& parameters, const emulator::Dim3& block,
                                   const std::vector<rules::ComputeCapability>& ccs) {
  const Size size = table.emulator_size;
  const Problem problem = table.problem(size, parameters, {});
  EmulatorExecutor executor(ccs, true, budget_of(table, size));
  std::vector<RungCounts> counts;
  try {
    RungRun run(executor, table, rung, problem, block);
    run.run();
  } catch (const Unsupported&) {
    return counts;
  }
  for (std::size_t i = 0; i < ccs.size(); ++i) {
    counts.push_back(counts_of(executor.results(), i, ccs[i], problem, size));
  }
  return counts;
}

std::uint64_t bytes_of_operands(const Problem& problem) {
  std::uint64_t bytes = 0;
  for (const ladders::Operand& each : problem.operands) bytes += each.memory().size();
  return bytes;
}

// A problem and its result, for all rungs that are run at this size with these parameters.
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
    } else {
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
    for (const Size& size : sizes()) {
      for (const Variables& parameters : parameters_of(table_, axes_)) {
        run_size(size, parameters);
      }
    }
    return std::move(result_);
  }

 private:
  Executor& executor() const {
    return request_.on_gpu ? static_cast<Executor&>(*gpu_) : *emulator_;
  }
  // For what is not counted.
  Executor& plain_executor() const {
    return request_.on_gpu ? static_cast<Executor&>(*gpu_) : *plain_;
  }

  void describe() {
    result_.study = table_.name();
    result_.is_ladder = table_.is_ladder();
    result_.report = table_.report;
    result_.document_device = table_.document_device;
    result_.document_size = table_.size;
    if (request_.experiment) {
      result_.experiment = request_.experiment->name;
      result_.title = request_.experiment->title;
      result_.document_rows = request_.experiment->rows;
    }
    result_.device = executor().device_name();
    result_.compute_capability = executor().compute_capability();
    result_.on_gpu = request_.on_gpu;
    result_.method = emulator_method;
    if (!request_.on_gpu) return;
    result_.method =
        std::string(table_.is_ladder() ? compared_with_cpu : compared_with_reference) + gpu_method;
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
    if (request_.on_gpu) {
      transfer(plain);
      if (plain.problem.roof == ladders::Roof::read) {
        result_.read_roof_gb_per_s = timer_->read_roof_gb_per_s();
      }
      if (plain.problem.roof == ladders::Roof::vsadu4) {
        result_.vsadu4_roof_per_s = timer_->absolute_differences_per_s();
      }
    }
    if (request_.cpu) run_cpu(plain);
    for (const std::string& name : request_.rungs) {
      const Rung& rung = table_.rung(name);
      const Work& work = work_of(size, merged(parameters, rung.parameters));
      for (const RungPoint& point : points_of(rung, axes_)) {
        for (const emulator::Dim3& block : blocks(rung)) run_rung(point, work, block);
      }
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
    if (table_.is_ladder()) {
      work.expected = work.problem;
      table_.ladder->compute(work.expected, ladders::Cpu::library);
    }
    return works_.emplace(parameters, std::move(work)).first->second;
  }

  // Said before anything is computed, rather than when the last rung finds no room.
  void require_memory(const Problem& problem) {
    if (!request_.on_gpu) return;
    executor().clear();
    executor().allocate(bytes_of_operands(problem), "the problem");
    executor().clear();
  }

  void run_cpu(const Work& work) {
    const int all = tbb::this_task_arena::max_concurrency();
    Problem problem = work.problem;
    reference_row(work, problem);
    std::set<int> threads = {1, all};
    // The document's own number, or the nearest that there is.
    const auto& documented = table_.document_cpu;
    const int as_documented = documented ? std::min(documented->threads, all) : 0;
    if (documented) threads.insert(as_documented);
    const bool is_documented = work.size == table_.size && work.parameters == table_.parameters();
    for (const int each : threads) {
      cpu_row(work, problem, each == 1 ? "cpu 1 thread" : fmt::format("cpu {} threads", each),
              ladders::Cpu::library, each,
              is_documented && each == as_documented ? documented : std::nullopt);
    }
  }

  // The plain loops of some problems take longer than all rungs together.
  void reference_row(const Work& work, Problem& problem) {
    constexpr double patience_s = 3;
    const double seconds = table_.ladder->reference_seconds(problem);
    if (seconds <= patience_s) {
      cpu_row(work, problem, "cpu reference", ladders::Cpu::reference, 1);
      return;
    }
    RungRow row = cpu_row_of(work, "cpu reference", ladders::Cpu::reference);
    row.skipped = fmt::format("plain loops would take about {:.0f} s", seconds);
    add(std::move(row));
  }

  RungRow cpu_row_of(const Work& work, const std::string& name, ladders::Cpu with) const {
    RungRow row = row_of(work);
    row.rung = name;
    row.idea = with == ladders::Cpu::reference ? "plain loops" : "what the library does on a CPU";
    row.on_cpu = true;
    return row;
  }

  // Computes into `problem`, a copy of the work's own.
  void cpu_row(const Work& work, Problem& problem, const std::string& name, ladders::Cpu with,
               int threads, const std::optional<DocumentCpu>& document = std::nullopt) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
    RungRow row = cpu_row_of(work, name, with);
    std::vector<Sample> samples;
    constexpr double enough_us = 200'000;
    double total = 0;
    do {
      const auto start = std::chrono::steady_clock::now();
      table_.ladder->compute(problem, with);
      const std::chrono::duration<double, std::micro> time =
          std::chrono::steady_clock::now() - start;
      samples.push_back({time.count(), 0});
      total += time.count();
    } while (total < enough_us);
    row.batch = summary_of(samples);
    row.document_cpu = document;
    if (document) row.rows = document->rows;
    add(std::move(row));
  }

  RungRow row_of(const Work& work) const {
    RungRow row;
    row.size = work.size;
    row.parameters = work.parameters;
    return row;
  }

  void transfer(const Work& work) {
    std::vector<std::uint64_t> inputs;
    std::vector<std::uint64_t> outputs;
    for (const ladders::Operand& each : work.problem.operands) {
      (each.is_output() ? outputs : inputs).push_back(each.memory().size());
    }
    // Rungs and parameters that move the same bytes take the same time.
    if (!transferred_.insert({inputs, outputs}).second) return;
    const Transfers times = timer_->transfers(inputs, outputs);
    result_.transfers.push_back({work.size, work.parameters, times.upload_us, times.download_us});
  }

  void run_rung(const RungPoint& point, const Work& work, const emulator::Dim3& block) {
    const Rung& rung = point.rung;
    RungRow row = row_of(work);
    row.rung = rung.name;
    row.idea = rung.idea;
    row.rows = rung.rows;
    row.axes = point.constants;
    row.block = block;
    // A rung that fixes a parameter is the same at each value of an axis.
    if (!measured_.insert(key_of(row, true)).second) return;
    try {
      Problem by_reference;
      if (!table_.is_ladder()) by_reference = reference_result(rung, work.problem, block);
      RungRun run(executor(), table_, rung, work.problem, block);
      run.run();
      row.wrong = run.first_difference(table_.is_ladder() ? work.expected : by_reference);
      if (row.wrong.empty()) fill(row, rung, work, run);
      if (rung.shipped) row.block = dimensions(run.launches().front().block);
      compare(table_, result_, row);
    } catch (const Unsupported& reason) {
      row.skipped = reason.what();
    } catch (const KernelFault& fault) {
      row.wrong = fault.what();
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("{}/{}: {}", table_.name(), rung.name, error.what()));
    }
    add(std::move(row));
  }

  // \throws Unsupported  the rung is not for this problem: nobody waits for the reference then
  Problem reference_result(const Rung& rung, const Problem& problem, const emulator::Dim3& block) {
    const std::string reason = RungRun::why_skipped(executor(), rung, problem, block);
    if (!reason.empty()) throw Unsupported(reason);
    return expected_of(plain_executor(), table_, rung, problem, block, ladders::Cpu::reference);
  }

  static std::string key_of(const RungRow& row, bool with_size) {
    std::string key = fmt::format("{} {} {} {}", row.rung, row.block.x, row.block.y, row.block.z);
    if (with_size) key += fmt::format(" of {} {}", row.size.width, row.size.height);
    for (const auto& values : {row.parameters, row.axes}) {
      for (const auto& [name, value] : values) key += fmt::format(" {} {}", name, value);
    }
    return key;
  }

  void fill(RungRow& row, const Rung& rung, const Work& work, RungRun& run) {
    if (!request_.on_gpu) {
      for (std::size_t i = 0; i < request_.compute_capabilities.size(); ++i) {
        row.counts.push_back(counts_of(emulator_->results(), i, request_.compute_capabilities[i],
                                       work.problem, work.size));
      }
      row.resources = resources_by_rules(run, request_.compute_capabilities);
      return;
    }
    const Measurement times = timer_->measure(
        [&](gpu::StreamHandle stream) { gpu_->launch(run.code(), run.launches(), stream); });
    row.cold = times.cold;
    row.batch = times.batch;
    row.sm_clock_mhz = times.sm_clock_mhz;
    row.resources = {resources_on_gpu(run, *gpu_)};
    rate(row, work);
    // Once for each rung and block shape, at the one size that the table gives for counts; with an
    // experiment's parameters a ladder's may take long.
    const bool worth_it = !table_.is_ladder() || is_default(table_, rung, work.parameters);
    if (worth_it && counted_.insert(key_of(row, false)).second) {
      row.counts =
          count_rung(table_, rung, work.parameters, row.block, request_.compute_capabilities);
    }
  }

  void rate(RungRow& row, const Work& work) {
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
  std::unique_ptr<EmulatorExecutor> emulator_;
  std::unique_ptr<EmulatorExecutor> plain_;
  std::map<Variables, Work> works_;  // of one size
  std::set<std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>>> transferred_;
  std::set<std::string> counted_;
  std::set<std::string> measured_;
  StudyRun result_;
};

}  // namespace

bool StudyRun::any_wrong() const {
  return std::any_of(rows.begin(), rows.end(),
                     [](const RungRow& row) { return !row.wrong.empty(); });
}

void compare(const StudyTable& table, const StudyRun& before, RungRow& row) {
  if (!row.skipped.empty() || !row.wrong.empty()) return;
  const Rung& rung = table.rung(row.rung);
  // A parameter that a rung fixes makes it another computation: neither a step nor a first.
  const auto is_comparable = [&](const RungRow& other) {
    return !other.on_cpu && other.size == row.size && other.parameters == row.parameters;
  };
  const auto first =
      std::find_if(before.rows.begin(), before.rows.end(), [&](const RungRow& other) {
        return is_comparable(other) && other.skipped.empty() && other.wrong.empty();
      });
  const RungRow& baseline = first == before.rows.end() ? row : *first;
  if (is_documented(table, before, rung, row)) {
    row.document = rung.document;
    row.document_speedup_over_first =
        document_speedup(table.rung(baseline.rung).document, rung.document);
  }
  if (!row.cold) return;
  row.speedup_over_first = baseline.cold->median_us / row.cold->median_us;
  // Its first row: of the block shape that it has by default.
  const auto step = std::find_if(before.rows.begin(), before.rows.end(), [&](const RungRow& other) {
    return is_comparable(other) && other.axes == row.axes && other.rung == rung.after;
  });
  if (step == before.rows.end() || !step->cold) return;
  row.step_before = rung.after;
  row.speedup_over_step_before = step->cold->median_us / row.cold->median_us;
}

StudyRun run_study(const StudyTable& table, const StudyRequest& request, const RowDone& done) {
  return StudyRunner(table, request, done).run();
}

}  // namespace warpwise::lab
