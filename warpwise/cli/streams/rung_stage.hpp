#pragma once

#include <memory>
#include <string>

#include "warpwise/live/stage.hpp"
#include "warpwise/live/stages/stages.hpp"
#include "warpwise/viewer/viewer.hpp"

// Rungs of the ladders that replace a stage's own kernel, on the current GPU.
namespace warpwise::cli {

/// Make these stages with a rung's kernels. The frames equal those of the stage with the same
/// options, byte for byte. Options that the rungs do not compute are refused. The rung "shipped" is
/// the library's own kernel, compiled and launched like the others.
///
/// begin() throws InvalidArgument for frames that the ladder, or on this GPU the rung, does not
/// support. The first frame, or making a lane, throws the errors of compiling the rung.
/// \throws InvalidArgument  no such rung, with the nearest; options that the rungs do not have
/// \throws Unsupported      there is no compiler here
std::shared_ptr<live::Stage> sobel_rung(std::string text, const SobelOptions& options,
                                        const std::string& rung);
std::shared_ptr<live::Stage> threshold_rung(std::string text, const ThresholdOptions& options,
                                            const std::string& rung);
std::shared_ptr<live::Stage> ycbcr32_rung(std::string text, const live::ConvertChoices& choices,
                                          const std::string& rung);

/// Returns the rungs for the window, and measures the GPU's copy throughput. \param on_gpu  true if
/// frames are computed on the current GPU
viewer::Rungs window_rungs(bool on_gpu);

}  // namespace warpwise::cli
