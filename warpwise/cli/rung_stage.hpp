#pragma once

#include <memory>
#include <string>

#include "warpwise/live/stage.hpp"
#include "warpwise/live/stages/stages.hpp"
#include "warpwise/viewer/viewer.hpp"

// Rungs of the ladders in the place of a stage's own kernel, on the GPU at hand.
namespace warpwise::cli {

/// These stages with the rung's kernels. What the rungs of a ladder do not compute is refused: the
/// frames are the same, byte for byte, as those of the stage with the same options.
/// The rung "shipped" is the library's own kernel, compiled and launched as the others are.
/// Their begin() throws InvalidArgument for frames that the ladder, or on this GPU the rung, is not
/// for; the first frame, or the making of a lane, what compiling a rung throws.
/// \throws InvalidArgument  no such rung, with the nearest; options that the rungs do not have
/// \throws Unsupported      there is no compiler here
std::shared_ptr<live::Stage> sobel_rung(std::string text, const SobelOptions& options,
                                        const std::string& rung);
std::shared_ptr<live::Stage> threshold_rung(std::string text, const ThresholdOptions& options,
                                            const std::string& rung);
std::shared_ptr<live::Stage> ycbcr32_rung(std::string text, const live::ConvertChoices& choices,
                                          const std::string& rung);

/// What the window offers; the GPU's copy roof is measured. \param on_gpu  whether frames are
/// computed on the current GPU
viewer::Rungs window_rungs(bool on_gpu);

}  // namespace warpwise::cli
