#pragma once

#include <memory>
#include <string>

#include "warpwise/live/stage.hpp"
#include "warpwise/live/stages/stages.hpp"
#include "warpwise/viewer/viewer.hpp"

// Rungs of the ladders that replace a stage's own kernel, on the current GPU.
namespace warpwise::cli {

/// Each function makes its stage with a rung's kernels. The frames equal those of the stage with
/// the same options, byte for byte. Options that the rungs do not compute are refused. The rung
/// "shipped" is the library's own kernel, compiled and launched like the others.
///
/// The stage's begin() throws InvalidArgument for frames that the ladder does not support, or that
/// the rung does not support on this GPU. The first frame, or making a lane, throws the errors of
/// compiling the rung.
/// \throws InvalidArgument  there is no such rung, and the message names the nearest one; or the
///                          rungs do not have the options
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
