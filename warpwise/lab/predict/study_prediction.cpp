#include "warpwise/lab/predict/study_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/subprocess.hpp"
#include "warpwise/lab/measure/emulator_executor.hpp"
#include "warpwise/lab/predict/launch_prediction.hpp"
#include "warpwise/lab/study/counters/rung_counts.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"
#include "warpwise/lab/study/table/points.hpp"

namespace warpwise::lab {
namespace {

template <class Value>
double sum(const std::vector<Bounds>& launches, const Value& value) {
  double total = 0;
  for (const Bounds& each : launches) total += value(each);
  return total;
}

int blocks_per_sm(const DeviceProfile& profile, const RungResources& resources, const RungRun& run,
                  const ladders::Launch& launch) {
  const auto threads = static_cast<int>(dimensions(launch.block).count());
  if (resources.occupancy && *resources.occupancy > 0) {
    const int warps = (threads + 31) / 32;
    const double resident =
        *resources.occupancy * rules::sm_limits(profile.compute_capability).warps;
    return std::max(1, static_cast<int>(resident + 0.5) / warps);
  }
  return std::max(1, run.code().blocks_per_sm(launch.kernel, threads, launch.shared_bytes));
}

// An executor that makes rungs choose the same grids as on the profile's GPU.
EmulatorExecutor executor_for(const DeviceProfile& profile) {
  return {{profile.compute_capability},
          true,
          EmulatorExecutor::usual_budget,
          static_cast<int>(profile.figure("multiprocessors"))};
}

// Returns the spills of a kernel. A thread's stack holds its local arrays and its spilled values,
// so the bytes of the arrays are subtracted.
Spills spills_of(const RungResources& resources, const emulator::KernelInfo& kernel) {
  constexpr double word = 4;
  const int stored = resources.spill_bytes.value_or(0) - resources.spill_load_bytes;
  return {.loads = resources.spill_load_bytes / word,
          .stores = stored / word,
          .instructions = std::max(static_cast<double>(kernel.instructions), 1.0),
          .bytes_per_thread =
              std::max(resources.stack_bytes - static_cast<double>(kernel.local_bytes), 0.0)};
}

// Predictions of a rung's launches for a problem.
struct RungPrediction {
  emulator::Dim3 block;          ///< block of the first launch
  std::optional<int> registers;  ///< registers of the first launch
  std::vector<LaunchPrediction> launches;
};

// Predicts a rung's launches. \throws Unsupported  the rung does not support the problem, or no
// part of its grid can run alone
RungPrediction predict_rung(EmulatorExecutor& executor, const DeviceProfile& profile,
                            const StudyTable& table, const Rung& rung,
                            const ladders::Problem& problem, const emulator::Dim3& block) {
  RungRun run(executor, table, rung, problem, block);
  const ladders::Launch& first = run.launches().front();
  const RungResources resources = resources_by_rules(run, {profile.compute_capability}, {}).front();
  RungPrediction result{dimensions(first.block), resources.registers, {}};
  const MemoryBytes memory = memory_of(problem, rung);
  const int resident = blocks_per_sm(profile, resources, run, first);
  const Spills spills = spills_of(resources, executor.kernel(run.code(), first.kernel));
  for (const ladders::Launch& launch : run.launches()) {
    const std::uint64_t threads = dimensions(launch.block).count();
    const LaunchFacts facts = {.blocks = dimensions(launch.grid).count(),
                               .warps_per_block = static_cast<int>((threads + 31) / 32),
                               .blocks_per_sm = resident,
                               .memory_bytes = memory.all,
                               .texture_bytes = memory.textures,
                               .spills = launch.kernel == first.kernel ? spills : Spills{}};
    const BuiltCode code = {operations_by_rules(run, launch.kernel, profile.compute_capability),
                            run.compilation().ptx};
    result.launches.push_back(
        predict_launch(profile, threads, facts, code, [&](const emulator::LaunchOptions& options) {
          return executor.run(run.code(), launch, options);
        }));
    if (const std::string& why = result.launches.back().why_not; !why.empty())
      throw Unsupported(why);
  }
  return result;
}

class Predictor {
 public:
  Predictor(const StudyTable& table, const PredictionRequest& request, const DeviceProfile& profile)
      : table_(table), request_(request), profile_(profile),
        axes_(request.experiment ? request.experiment->axes : table.axes),
        executor_(executor_for(profile)) {}

  std::vector<PredictedRow> run(const std::function<void(const PredictedRow&)>& done) {
    std::vector<PredictedRow> rows;
    for (const Size& size : sizes()) {
      for (const ladders::Variables& parameters : parameters_of(table_, axes_)) {
        problems_.clear();
        for (const std::string& name : request_.rungs) {
          const Rung& rung = table_.rung(name);
          const ladders::Variables own = merged(parameters, rung.parameters);
          for (const RungPoint& point : points_of(rung, axes_)) {
            for (const emulator::Dim3& block : blocks_of(rung, axes_)) {
              if (request_.stop()) return rows;
              PredictedRow row;
              row.rung = rung.name;
              row.size = size;
              row.parameters = own;
              row.axis_constants = point.constants;
              row.block = block;
              if (!seen_.insert(key_of(row)).second) continue;
              try {
                fill(row, point.rung);
              } catch (const Interrupted&) {
                // Ctrl-C stops a running compiler too.
                if (request_.stop()) return rows;
                throw;
              }
              done(row);
              rows.push_back(std::move(row));
            }
          }
        }
      }
    }
    return rows;
  }

 private:
  std::vector<Size> sizes() const {
    if (request_.size) return {*request_.size};
    return axes_.sizes.empty() ? std::vector<Size>{table_.size} : axes_.sizes;
  }

  static std::string key_of(const PredictedRow& row) {
    std::string key = fmt::format("{} {}x{} {}x{}x{}", row.rung, row.size.width, row.size.height,
                                  row.block.x, row.block.y, row.block.z);
    for (const auto& values : {row.parameters, row.axis_constants}) {
      for (const auto& [name, value] : values) key += fmt::format(" {} {}", name, value);
    }
    return key;
  }

  const ladders::Problem& problem_of(const PredictedRow& row) {
    const auto found = problems_.find(row.parameters);
    if (found != problems_.end()) return found->second;
    return problems_.emplace(row.parameters, table_.problem(row.size, row.parameters, {}))
        .first->second;
  }

  void fill(PredictedRow& row, const Rung& rung) {
    try {
      RungPrediction made =
          predict_rung(executor_, profile_, table_, rung, problem_of(row), row.block);
      if (rung.shipped) row.block = made.block;
      row.registers = made.registers;
      row.blocks_per_sm = made.launches.front().facts.blocks_per_sm;
      for (const LaunchPrediction& each : made.launches) {
        row.blocks += each.facts.blocks;
        row.sampled += each.sample.blocks;
        row.launches.push_back(each.bounds);
      }
    } catch (const Unsupported& reason) {
      row.skipped = reason.what();
    }
  }

  const StudyTable& table_;
  const PredictionRequest& request_;
  const DeviceProfile& profile_;
  Axes axes_;
  EmulatorExecutor executor_;
  std::map<ladders::Variables, ladders::Problem> problems_;
  std::set<std::string> seen_;
};

}  // namespace

TimeModel time_model(const DeviceProfile& profile) {
  TimeModel model;
  model.device = profile.name;
  model.gpu = profile.gpu_with_article();
  model.compute_capability = profile.compute_capability;
  model.time_of = [profile](const StudyTable& table, const Rung& rung,
                            const ladders::Problem& problem,
                            const emulator::Dim3& block) -> std::optional<ModelledTime> {
    EmulatorExecutor executor = executor_for(profile);
    try {
      ModelledTime time;
      for (const LaunchPrediction& each :
           predict_rung(executor, profile, table, rung, problem, block).launches) {
        time.us += each.bounds.time_us();
        time.filled_us += filled_us(each);
      }
      return time;
    } catch (const Unsupported&) {
      return std::nullopt;
    }
  };
  return model;
}

double PredictedRow::time_us() const {
  return sum(launches, [](const Bounds& each) { return each.time_us(); });
}
double PredictedRow::least_us() const {
  return sum(launches, [](const Bounds& each) { return each.least_us(); });
}
double PredictedRow::most_us() const {
  return sum(launches, [](const Bounds& each) { return each.most_us(); });
}
double PredictedRow::of(Resource resource) const {
  return sum(launches, [resource](const Bounds& each) { return each.of(resource); });
}

Resource PredictedRow::bottleneck_resource() const {
  Resource longest = Resource::dram;
  for (const Resource each : all_values<Resource>()) {
    if (of(each) > of(longest)) longest = each;
  }
  return longest;
}

std::vector<PredictedRow> predict(const StudyTable& table, const PredictionRequest& request,
                                  const DeviceProfile& profile,
                                  const std::function<void(const PredictedRow&)>& done) {
  return Predictor(table, request, profile).run(done);
}

}  // namespace warpwise::lab
