#pragma once

#include <string>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::lab {

/// Runs a launch again whose threads pass the end of buffers, with larger ones: first by one
/// element (of an access), by a row (the value of an integer argument), or up to the number of
/// threads, then with sizes doubled, up to 16 times as large. A size of the first kind that
/// suffices hints at a bound check that is missing, unless an integer argument is as large as the
/// larger buffer. Empty if no size ends all accesses outside of the buffers, if a buffer is not
/// given by its size alone, or if the launch is too long to be tried.
LargerBuffers enough_elements(const ExplainRequest& request, emulator::Program& program,
                              const emulator::KernelInfo& kernel,
                              const std::vector<emulator::Fault>& faults,
                              const ReadTexture& read_texture);

}  // namespace warpwise::lab
