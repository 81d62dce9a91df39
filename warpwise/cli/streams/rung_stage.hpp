#pragma once

#include <memory>
#include <string>

#include "warpwise/live/stage.hpp"
#include "warpwise/live/stages/stages.hpp"
#include "warpwise/viewer/viewer.hpp"

// Makes stages whose kernels are rungs of a ladder (steps of optimisation), for the current GPU.
namespace warpwise::cli {

/// Each function makes a stage with the kernels of a rung. Its frames equal those of the usual
/// stage with the same options, byte for byte. Options that the rungs do not implement are refused.
/// The rung "shipped" is the library's own kernel, compiled and launched like other rungs.
///
/// The stage's begin() throws InvalidArgument if the ladder does not support the frames, or if the
/// rung does not support them on this GPU. Errors of compiling the rung are thrown by the first
/// frame, or when a lane is made.
/// \throws InvalidArgument  there is no such rung (the message has the most similar name), or the
///                          rungs do not implement the options
/// \throws Unsupported      this machine has no compiler for rungs
std::shared_ptr<live::Stage> sobel_rung(std::string text, const SobelOptions& options,
                                        const std::string& rung);
std::shared_ptr<live::Stage> threshold_rung(std::string text, const ThresholdOptions& options,
                                            const std::string& rung);
std::shared_ptr<live::Stage> ycbcr32_rung(std::string text, const live::ConvertChoices& choices,
                                          const std::string& rung);

/// Returns the rungs for the window to show, and measures the GPU's copy throughput. \param on_gpu
/// true if frames are computed on the current GPU
viewer::Rungs window_rungs(bool on_gpu);

}  // namespace warpwise::cli
