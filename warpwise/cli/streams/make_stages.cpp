#include "warpwise/cli/streams/make_stages.hpp"

#include <fmt/format.h>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/streams/parse_pipeline.hpp"
#include "warpwise/cli/streams/rung_stage.hpp"
#include "warpwise/gpu/device.hpp"

namespace warpwise::cli {
namespace {

using MadeStage = std::shared_ptr<live::Stage>;

// Makes a stage from its text and its parsed options.
struct Make {
  const std::string& text;
  const std::string& rung;

  MadeStage operator()(const ConvertText& stage) const {
    if (!rung.empty()) return ycbcr32_rung(text, stage.choices, rung);
    return live::convert_stage(text, stage.to, stage.choices);
  }
  MadeStage operator()(const DeepText& stage) const {
    return live::deep_stage(text, stage.to, stage.choices);
  }
  MadeStage operator()(const SobelText& stage) const {
    if (!rung.empty()) return sobel_rung(text, stage.options, rung);
    return live::sobel_stage(text, stage.options);
  }
  MadeStage operator()(const ThresholdText& stage) const {
    if (!rung.empty()) return threshold_rung(text, stage.options, rung);
    return live::threshold_stage(text, stage.options, !stage.has_maximum);
  }
  MadeStage operator()(const MatchText& stage) const {
    return live::match_stage(text, stage.options, stage.max_motion, stage.flo_folder);
  }
  MadeStage operator()(const DisparityText& stage) const {
    return live::disparity_stage(text, stage.options);
  }
  MadeStage operator()(const TrackText& stage) const {
    return live::track_stage(text, stage.box.value(), stage.options);
  }
};

void require_gpu_for_rung(const StageText& stage, bool on_gpu) {
  if (stage.rung.empty() || on_gpu) return;
  throw UsageError(fmt::format(
      "the stage '{}': rungs need a GPU, but this run uses the CPU{}", stage.text,
      gpu::device_count() > 0 ? ": --backend cuda" : " (" + gpu::why_no_device() + ")"));
}

}  // namespace

std::vector<std::shared_ptr<live::Stage>> make_stages(std::string_view text, bool on_gpu) {
  std::vector<std::shared_ptr<live::Stage>> stages;
  for (const StageText& stage : read_stages(text)) {
    require_gpu_for_rung(stage, on_gpu);
    stages.push_back(std::visit(Make{stage.text, stage.rung}, stage.what));
  }
  return stages;
}

}  // namespace warpwise::cli
