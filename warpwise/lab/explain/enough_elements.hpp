#pragma once

#include <string>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::lab {

/// Returns larger buffers for a launch whose threads pass the end of some, as "argument 0:
/// f32[2048]". Found by running the launch again with the sizes doubled, up to 16 times as large.
/// Empty if no such size helps, if a buffer is not given by its size alone, or if the launch is too
/// long to be tried.
std::string enough_elements(const ExplainRequest& request, emulator::Program& program,
                            const emulator::KernelInfo& kernel,
                            const std::vector<emulator::Fault>& faults,
                            const ReadTexture& read_texture);

}  // namespace warpwise::lab
