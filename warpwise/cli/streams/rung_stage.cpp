#include "warpwise/cli/streams/rung_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <utility>

#include "warpwise/gpu/device.hpp"
#include "warpwise/lab/measure/gpu_executor.hpp"
#include "warpwise/lab/measure/gpu_timing.hpp"
#include "warpwise/lab/study/run/rung_code.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"
#include "warpwise/lab/study/table/suggestion.hpp"

namespace warpwise::cli {
namespace {

// A ladder whose rungs can replace a stage's kernel, with the options and formats that they need.
struct StageLadder {
  std::string_view stage;
  const char* ladder;
  const char* options;
  PixelFormat from;
  PixelFormat to;
};
constexpr StageLadder sobel_ladder = {"sobel", "sobel", "border=replicate", PixelFormat::rgba32,
                                      PixelFormat::gray8};
constexpr StageLadder threshold_ladder = {"threshold", "threshold", "method=exact-mean",
                                          PixelFormat::gray8, PixelFormat::gray8};
constexpr StageLadder convert_ladder = {"ycbcr32", "convert", "matrix=bt601", PixelFormat::rgb24,
                                        PixelFormat::ycbcr32};
constexpr std::array ladders_of_stages = {sobel_ladder, threshold_ladder, convert_ladder};

class RungStage final : public live::Stage {
 public:
  RungStage(std::unique_ptr<live::Stage> shipped, const StageLadder& place, const std::string& rung,
            ladders::Variables parameters)
      : Stage(shipped->text()), shipped_(std::move(shipped)), place_(place),
        table_(lab::find_study(place.ladder)), rung_(table_.rung(rung)),
        parameters_(std::move(parameters)) {}

  std::optional<PixelFormat> required_format(const live::Stream& from) const override {
    // If both formats are RGB, frames get the rungs' order of bytes. The colours stay the same.
    if (!has_luma(from.format()) && !has_luma(place_.from)) {
      return from.format() == place_.from ? std::nullopt : std::optional(place_.from);
    }
    return shipped_->required_format(from);
  }

  live::Stream begin(const live::Stream& from) override {
    if (from.format() != place_.from) {
      throw InvalidArgument(fmt::format("the rungs of {} take {}, but the input is {}",
                                        place_.ladder, name_of(place_.from),
                                        name_of(from.format())));
    }
    live::Stream to = shipped_->begin(from);
    const live::Colours& colours = to.colours;
    if (place_.to == PixelFormat::ycbcr32 &&
        (colours.matrix.value != Matrix::bt601 || colours.range.value != Range::full)) {
      throw InvalidArgument("the rungs of convert need matrix=bt601 and to-range=full");
    }
    prepare(from.shape);
    return to;
  }

  void run(live::HostSource from, live::HostResult to) override { shipped_->run(from, to); }

  void run(live::DeviceSource from, live::DeviceResult to, gpu::StreamHandle stream) override {
    try {
      const lab::RungRun& run = run_of(from, to);
      executor_->launch(run.code(), run.launches(), stream);
    } catch (const Unsupported& error) {
      throw Unsupported(fmt::format("the stage '{}': {}", text(), error.what()));
    }
  }

 private:
  // Returns the rung's launches for a frame and a result at these addresses. Prepares them at the
  // first call. CUDA graphs are recorded only after a lane's first run, so none records this work.
  const lab::RungRun& run_of(const live::DeviceSource& from, const live::DeviceResult& to) {
    const std::scoped_lock lock(mutex_);
    const std::pair<const void*, const void*> memory(from.data, to.data);
    const auto found = runs_.find(memory);
    if (found != runs_.end()) return found->second;
    std::vector<std::uint64_t> addresses = addresses_;
    addresses.front() = reinterpret_cast<std::uint64_t>(from.data);
    addresses.back() = reinterpret_cast<std::uint64_t>(to.data);
    return runs_
        .try_emplace(memory, *executor_, table_, rung_, *problem_, rung_.blocks.front(),
                     std::move(addresses))
        .first->second;
  }

  // Makes the ladder's problem (its operands and parameters) for frames of this shape. Allocates
  // and fills the operands except the first (the frame) and the last (the result). Refuses a shape
  // that the rung does not support.
  void prepare(const io::PictureShape& shape) {
    executor_.emplace();
    ladders::Problem problem = table_.problem({shape.width, shape.height}, parameters_, {});
    const std::string reason =
        lab::RungRun::why_skipped(*executor_, rung_, problem, rung_.blocks.front());
    if (!reason.empty()) throw InvalidArgument(reason);
    addresses_.assign(problem.operands.size(), 0);
    for (std::size_t i = 1; i + 1 < problem.operands.size(); ++i) {
      const ladders::Operand& operand = problem.operands[i];
      addresses_[i] = executor_->allocate(operand.memory().size(), operand.name());
      executor_->write(addresses_[i], operand.memory());
    }
    problem_.emplace(std::move(problem));
  }

  std::unique_ptr<live::Stage> shipped_;
  StageLadder place_;
  lab::StudyTable table_;
  const lab::Rung& rung_;
  ladders::Variables parameters_;
  std::mutex mutex_;
  std::optional<lab::GpuExecutor> executor_;  // owns the memory of the runs
  std::optional<ladders::Problem> problem_;
  std::vector<std::uint64_t> addresses_;
  std::map<std::pair<const void*, const void*>, lab::RungRun> runs_;
};

std::shared_ptr<live::Stage> rung_stage(std::unique_ptr<live::Stage> shipped,
                                        const StageLadder& place, const std::string& rung,
                                        ladders::Variables parameters) {
  lab::require_compiler();
  try {
    return std::make_shared<RungStage>(std::move(shipped), place, rung, std::move(parameters));
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("the stage '{}': {}", place.stage, error.what()));
  }
}

[[noreturn]] void refuse(const StageLadder& place, const std::string& options) {
  throw InvalidArgument(
      fmt::format("the stage '{}': its rungs compute it only with {}", place.stage, options));
}

std::vector<std::string> rung_names(const char* ladder) {
  std::vector<std::string> names;
  for (const lab::Rung& rung : lab::find_study(ladder).rungs) names.push_back(rung.name);
  return names;
}

// Measures the GPU's copy throughput in GB/s. Returns nullopt if the measurement fails, for example
// without a compiler.
std::optional<double> measured_copy_roof() {
  try {
    const gpu::Stream stream;
    return lab::GpuTimer(gpu::device_info(gpu::current_device()), stream).copy_roof_gb_per_s();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::shared_ptr<live::Stage> sobel_rung(std::string text, const SobelOptions& options,
                                        const std::string& rung) {
  const bool is_ladders = options.border == Border::replicate && options.norm == Norm::l1 &&
                          options.kernel == SobelKernel::sobel;
  if (!is_ladders) refuse(sobel_ladder, "border=replicate norm=l1 kernel=sobel");
  return rung_stage(live::sobel_stage(std::move(text), options), sobel_ladder, rung, {});
}

std::shared_ptr<live::Stage> threshold_rung(std::string text, const ThresholdOptions& options,
                                            const std::string& rung) {
  const auto offset = static_cast<std::int64_t>(std::clamp(options.offset, -1e9, 1e9));
  const bool is_ladders = options.method == ThresholdMethod::exact_mean && !options.inverted &&
                          options.maximum == 255 && static_cast<double>(offset) == options.offset;
  if (!is_ladders)
    refuse(threshold_ladder, "method=exact-mean, a whole offset, max=255 and no invert");
  return rung_stage(live::threshold_stage(std::move(text), options), threshold_ladder, rung,
                    {{"window", options.window}, {"offset", offset}});
}

std::shared_ptr<live::Stage> ycbcr32_rung(std::string text, const live::ConvertChoices& choices,
                                          const std::string& rung) {
  if (choices.convention != Convention::exact) refuse(convert_ladder, "convention=exact");
  return rung_stage(live::convert_stage(std::move(text), PixelFormat::ycbcr32, choices),
                    convert_ladder, rung, {});
}

viewer::Rungs window_rungs(bool on_gpu) {
  viewer::Rungs rungs;
  if (!on_gpu) {
    const std::string why = gpu::why_no_device();
    rungs.why_none = "rungs run on a GPU: " + (why.empty() ? "--backend cuda takes it" : why);
    return rungs;
  }
  rungs.of = [](std::string_view stage) -> viewer::StageRungs {
    const auto found = std::ranges::find(ladders_of_stages, stage, &StageLadder::stage);
    if (found == ladders_of_stages.end()) return {};
    return {rung_names(found->ladder), found->options};
  };
  // Measures now, while nothing else runs on the GPU and the window is not open yet.
  rungs.copy_roof_gb_per_s = [roof = measured_copy_roof()] { return roof; };
  return rungs;
}

}  // namespace warpwise::cli
