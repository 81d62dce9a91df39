#include "warpwise/lab/study/run/cpu_rows.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace warpwise::lab {
namespace {

RungRow named(RungRow row, const std::string& name, ladders::Cpu with) {
  row.rung = name;
  row.idea = with == ladders::Cpu::reference ? "plain loops" : "what the library does on a CPU";
  row.on_cpu = true;
  return row;
}

// Measures the time in which this number of threads computes the problem.
Timing time_of(const StudyTable& table, ladders::Problem& problem, ladders::Cpu with, int threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  std::vector<Sample> samples;
  constexpr double enough_us = 200'000;
  double total = 0;
  do {
    const auto start = std::chrono::steady_clock::now();
    table.ladder->compute(problem, with);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    samples.push_back({time.count(), 0});
    total += time.count();
  } while (total < enough_us);
  return summary_of(samples);
}

// Times the reference's plain loops, but skips loops that would take more than three seconds.
RungRow reference_row(const StudyTable& table, const RungRow& common, ladders::Problem& problem) {
  constexpr double patience_s = 3;
  RungRow row = named(common, "cpu reference", ladders::Cpu::reference);
  const double seconds = table.ladder->reference_seconds(problem);
  if (seconds > patience_s) {
    row.skipped = fmt::format("plain loops would take about {:.0f} s", seconds);
  } else {
    row.batch = time_of(table, problem, ladders::Cpu::reference, 1);
  }
  return row;
}

}  // namespace

void run_on_cpu(const StudyTable& table, const RungRow& row, const ladders::Problem& problem,
                const std::function<void(RungRow)>& add) {
  const int all = tbb::this_task_arena::max_concurrency();
  ladders::Problem computed = problem;
  add(reference_row(table, row, computed));
  std::set<int> threads = {1, all};
  // Adds as many threads as the CPU in the source document (docs/sources.md) used, at most all.
  const std::optional<DocumentCpu>& documented = table.document_cpu;
  const int as_documented = documented ? std::min(documented->threads, all) : 0;
  if (documented) threads.insert(as_documented);
  const bool is_documented = row.size == table.size && row.parameters == table.parameters();
  for (const int each : threads) {
    RungRow done = named(row, each == 1 ? "cpu 1 thread" : fmt::format("cpu {} threads", each),
                         ladders::Cpu::library);
    done.batch = time_of(table, computed, ladders::Cpu::library, each);
    if (is_documented && each == as_documented) {
      done.document_cpu = documented;
      done.document_rows = documented->document_rows;
    }
    add(std::move(done));
  }
}

}  // namespace warpwise::lab
