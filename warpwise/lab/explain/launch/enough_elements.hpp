#pragma once

#include <string>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::lab {

/// Runs a launch again with larger buffers if its threads pass the end of a buffer. Buffers grow:
/// - first by one access, by a row (the value of an integer argument), or to an element per thread.
///   If that suffices, a bound check seems to be missing. A size is not tried if an integer
///   argument is at least as large;
/// - then to twice their size, up to 16 times.
/// Returns nothing if no size suffices, if a buffer is read from a file, or if the
/// launch is too long to be tried.
LargerBuffers enough_elements(const ExplainRequest& request, emulator::Program& program,
                              const emulator::KernelInfo& kernel,
                              const std::vector<emulator::Fault>& faults,
                              const ReadTexture& read_texture);

}  // namespace warpwise::lab
