#pragma once

#include <string>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::lab {

/// Runs a launch again with larger buffers if its threads access memory past a buffer's end.
/// - First, buffers grow by one access, by a row (the value of an integer argument), or to an
///   element per thread. If that suffices, a bound check seems to be missing. A size is not tried
///   if an integer argument is at least as large, because the argument may be the true size.
/// - Then they double up to four times, and shrink to a likely size if that suffices.
/// Returns nothing if no size suffices, a file fills a buffer, or the launch is too long to try.
LargerBuffers enough_elements(const ExplainRequest& request, emulator::Program& program,
                              const emulator::KernelInfo& kernel,
                              const std::vector<emulator::Fault>& faults,
                              const ReadTexture& read_texture);

}  // namespace warpwise::lab
