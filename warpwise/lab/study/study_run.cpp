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
#include "warpwise/lab/study/rung_run.hpp"

namespace warpwise::lab {
namespace {

using ladders::Problem;
using ladders::Variables;

constexpr const char* gpu_method =
    "Each rung's result is compared with the CPU's before it is timed. Cold: L2 is flushed before "
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

Variables merged(Variables parameters, const Variables& others) {
  for (const auto& [name, value] : others) parameters[name] = value;
  return parameters;
}

// All combinations of an experiment's parameters, each with the defaults of the others.
std::vector<Variables> combinations(const LadderTable& table,
                                    const std::optional<Experiment>& experiment) {
  std::vector<Variables> result = {table.ladder->parameters()};
  if (!experiment) return result;
  for (const auto& [name, values] : experiment->parameters) {
    std::vector<Variables> longer;
    for (const Variables& each : result) {
      for (const std::int64_t value : values) longer.push_back(merged(each, {{name, value}}));
    }
    result = std::move(longer);
  }
  return result;
}

bool is_default(const LadderTable& table, const Rung& rung, const Variables& parameters) {
  return parameters == merged(table.ladder->parameters(), rung.parameters);
}

// The document's figures are of one size and one shape of block, which the table has first. The
// emulator's size stands for it: there are no times for them to be mistaken for.
bool is_documented(const LadderTable& table, const LadderRun& run, const Rung& rung,
                   const RungRow& row) {
  const bool same_size = row.size == table.size || (!run.on_gpu && row.size == table.emulator_size);
  return same_size && is_default(table, rung, row.parameters) &&
         (rung.shipped || row.block == rung.blocks.front());
}

// By its times, or as it says itself of both.
std::optional<double> document_speedup(const DocumentFigure& first, const DocumentFigure& here) {
  if (first.time_us && here.time_us) return *first.time_us / *here.time_us;
  if (first.speedup && here.speedup) return *here.speedup / *first.speedup;
  return std::nullopt;
}

// The global memory of all launches together.
struct Traffic {
  std::uint64_t requests = 0;
  std::uint64_t references = 0;
  std::uint64_t transactions = 0;
  std::uint64_t bytes = 0;

  void add(const emulator::TrafficCounts& counts) {
    requests += counts.requests;
    references += counts.references;
    transactions += counts.transactions_32 + counts.transactions_64 + counts.transactions_128;
    bytes += counts.bytes_moved;
  }
};

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }
double ratio(std::uint64_t a, std::uint64_t b) {
  return ratio(static_cast<double>(a), static_cast<double>(b));
}

RungCounts counts_of(const std::vector<emulator::LaunchResult>& launches, std::size_t index,
                     rules::ComputeCapability cc, const Problem& problem, const Size& size) {
  RungCounts result;
  result.compute_capability = cc;
  result.size = size;
  Traffic global;
  std::uint64_t threads = 0;
  std::uint64_t texture = 0;
  std::uint64_t shared_requests = 0;
  std::uint64_t shared_passes = 0;
  for (const emulator::LaunchResult& launch : launches) {
    result.warp_instructions += launch.totals.warp_instructions;
    threads += launch.totals.thread_instructions;
    result.branches += launch.totals.branches;
    result.divergent_branches += launch.totals.divergent_branches;
    result.barriers += launch.totals.barriers;
    const emulator::MemoryCounts& memory = launch.memory[index];
    for (const auto& each : {memory.global_load, memory.global_store, memory.global_atomic}) {
      global.add(each);
    }
    for (const auto& each : {memory.shared_load, memory.shared_store, memory.shared_atomic}) {
      shared_requests += each.requests;
      shared_passes += each.passes;
    }
    texture += memory.texture_references;
  }
  const auto pixels = static_cast<double>(problem.pixels);
  result.active_lanes = ratio(threads, result.warp_instructions);
  result.references_per_pixel = ratio(static_cast<double>(global.references + texture), pixels);
  result.transactions_per_request = ratio(global.transactions, global.requests);
  result.bytes_moved_per_pixel = ratio(static_cast<double>(global.bytes), pixels);
  result.shared_passes_per_request = ratio(shared_passes, shared_requests);
  return result;
}

// Of a launch. The costliest of the experiments, threshold's plain loops over a window of 255, take
// 370 million warp instructions at the size that the table gives for the emulator; what a larger
// image takes grows with its pixels.
std::uint64_t budget_of(const LadderTable& table, const Size& size) {
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
std::vector<RungCounts> count_rung(const LadderTable& table, const Rung& rung,
                                   const Variables& parameters, const emulator::Dim3& block,
                                   const std::vector<rules::ComputeCapability>& ccs) {
  const Size size = table.emulator_size;
  const Problem problem = table.ladder->problem(size.width, size.height, parameters, {});
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

int threads_of(const ladders::Launch& launch) {
  return static_cast<int>(dimensions(launch.block).count());
}

// Of the first launch: rungs of several kernels differ little in these.
RungResources resources_on_gpu(const RungRun& run, const GpuExecutor& executor) {
  RungResources result;
  result.compute_capability = executor.compute_capability();
  const ladders::Launch& launch = run.launches().front();
  result.registers = run.code().registers(launch.kernel);
  const int threads = threads_of(launch);
  const int warps = (threads + 31) / 32;
  const int blocks = run.code().blocks_per_sm(launch.kernel, threads, launch.shared_bytes);
  result.occupancy =
      ratio(static_cast<double>(blocks * warps), rules::sm_limits(result.compute_capability).warps);
  return result;
}

std::vector<RungResources> resources_by_rules(const RungRun& run,
                                              const std::vector<rules::ComputeCapability>& ccs) {
  const ladders::Launch& launch = run.launches().front();
  const ResourceReport report = kernel_resources(run.compilation(), launch.kernel, ccs);
  std::vector<RungResources> result;
  for (std::size_t i = 0; i < ccs.size(); ++i) {
    RungResources each;
    each.compute_capability = ccs[i];
    if (const auto& known = report.by_compute_capability[i]) {
      each.registers = known->registers;
      each.registers_from = built_for(*known, ccs[i]);
      try {
        each.occupancy =
            rules::occupancy(ccs[i], {.threads = threads_of(launch),
                                      .registers_per_thread = known->registers,
                                      .shared_bytes = known->shared_bytes +
                                                      static_cast<int>(launch.shared_bytes)})
                .fraction;
      } catch (const InvalidArgument&) {
        each.occupancy = 0;  // not one block fits
      }
    }
    result.push_back(each);
  }
  return result;
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

class LadderRunner {
 public:
  LadderRunner(const LadderTable& table, const LadderRequest& request, const RowDone& done)
      : table_(table), request_(request), done_(done) {
    if (request.on_gpu) {
      gpu_ = std::make_unique<GpuExecutor>();
      timer_ = std::make_unique<GpuTimer>(*gpu_);
    } else {
      emulator_ = std::make_unique<EmulatorExecutor>(
          request.compute_capabilities, true,
          budget_of(table, request.size.value_or(table.emulator_size)));
    }
  }

  LadderRun run() {
    describe();
    for (const Size& size : sizes()) {
      for (const Variables& parameters : combinations(table_, request_.experiment)) {
        run_size(size, parameters);
      }
    }
    return std::move(result_);
  }

 private:
  Executor& executor() const {
    return request_.on_gpu ? static_cast<Executor&>(*gpu_) : *emulator_;
  }

  void describe() {
    result_.ladder = table_.name();
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
    result_.method = request_.on_gpu ? gpu_method : emulator_method;
    if (!request_.on_gpu) return;
    result_.multiprocessors = gpu_->multiprocessors();
    result_.driver_version = gpu_->device().driver_version;
    result_.copy_roof_gb_per_s = timer_->copy_roof_gb_per_s();
  }

  std::vector<Size> sizes() const {
    if (request_.size) return {*request_.size};
    if (!request_.on_gpu) return {table_.emulator_size};
    return request_.experiment ? request_.experiment->sizes : std::vector<Size>{table_.size};
  }

  void run_size(const Size& size, const Variables& parameters) {
    works_.clear();
    const Work& plain = work_of(size, parameters);
    if (request_.on_gpu) {
      transfer(plain);
      if (plain.problem.roof == ladders::Roof::vsadu4) {
        result_.vsadu4_roof_per_s = timer_->absolute_differences_per_s();
      }
    }
    if (request_.cpu) run_cpu(plain);
    for (const std::string& name : request_.rungs) {
      const Rung& rung = table_.rung(name);
      const Work& work = work_of(size, merged(parameters, rung.parameters));
      std::vector<emulator::Dim3> blocks = {rung.blocks.front()};
      if (request_.block && !rung.shipped)
        blocks = {*request_.block};
      else if (request_.experiment && request_.experiment->all_blocks)
        blocks = rung.blocks;
      for (const emulator::Dim3& block : blocks) run_rung(rung, work, block);
    }
  }

  Work& work_of(const Size& size, const Variables& parameters) {
    const auto found = works_.find(parameters);
    if (found != works_.end()) return found->second;
    Work work{
        size, parameters, table_.ladder->problem(size.width, size.height, parameters, {}), {}};
    require_memory(work.problem);
    work.expected = work.problem;
    table_.ladder->compute(work.expected, ladders::Cpu::library);
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
    const bool is_documented =
        work.size == table_.size && work.parameters == table_.ladder->parameters();
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

  void run_rung(const Rung& rung, const Work& work, const emulator::Dim3& block) {
    RungRow row = row_of(work);
    row.rung = rung.name;
    row.idea = rung.idea;
    row.rows = rung.rows;
    row.block = block;
    try {
      RungRun run(executor(), table_, rung, work.problem, block);
      run.run();
      row.wrong = run.first_difference(work.expected);
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

  void fill(RungRow& row, const Rung& rung, const Work& work, RungRun& run) {
    if (!request_.on_gpu) {
      for (std::size_t i = 0; i < request_.compute_capabilities.size(); ++i) {
        row.counts.push_back(counts_of(emulator_->results(), i, request_.compute_capabilities[i],
                                       work.problem, work.size));
      }
      row.resources = resources_by_rules(run, request_.compute_capabilities);
      return;
    }
    const Measurement times = timer_->measure(run.code(), run.launches());
    row.cold = times.cold;
    row.batch = times.batch;
    row.sm_clock_mhz = times.sm_clock_mhz;
    row.resources = {resources_on_gpu(run, *gpu_)};
    rate(row, work);
    // Once for each rung and block shape, at the one size that the table gives for counts; with an
    // experiment's parameters it may take long.
    if (is_default(table_, rung, work.parameters) &&
        counted_
            .insert(fmt::format("{} {} {} {}", rung.name, row.block.x, row.block.y, row.block.z))
            .second) {
      row.counts =
          count_rung(table_, rung, work.parameters, row.block, request_.compute_capabilities);
    }
  }

  void rate(RungRow& row, const Work& work) {
    const Problem& problem = work.problem;
    const double seconds = row.cold->median_us * 1e-6;
    row.gb_per_s = static_cast<double>(problem.bytes) * 1e-9 / seconds;
    if (problem.roof == ladders::Roof::vsadu4) {
      row.share_of_roof =
          static_cast<double>(problem.operations) / seconds / *result_.vsadu4_roof_per_s;
    } else {
      row.share_of_roof = *row.gb_per_s / *result_.copy_roof_gb_per_s;
    }
  }

  void add(RungRow row) {
    done_(result_, row);
    result_.rows.push_back(std::move(row));
  }

  const LadderTable& table_;
  const LadderRequest& request_;
  const RowDone& done_;
  std::unique_ptr<GpuExecutor> gpu_;
  std::unique_ptr<GpuTimer> timer_;
  std::unique_ptr<EmulatorExecutor> emulator_;
  std::map<Variables, Work> works_;  // of one size
  std::set<std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>>> transferred_;
  std::set<std::string> counted_;
  LadderRun result_;
};

}  // namespace

bool LadderRun::any_wrong() const {
  return std::any_of(rows.begin(), rows.end(),
                     [](const RungRow& row) { return !row.wrong.empty(); });
}

void compare(const LadderTable& table, const LadderRun& before, RungRow& row) {
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
    return is_comparable(other) && other.rung == rung.after;
  });
  if (step == before.rows.end() || !step->cold) return;
  row.step_before = rung.after;
  row.speedup_over_step_before = step->cold->median_us / row.cold->median_us;
}

LadderRun run_ladder(const LadderTable& table, const LadderRequest& request, const RowDone& done) {
  return LadderRunner(table, request, done).run();
}

}  // namespace warpwise::lab
