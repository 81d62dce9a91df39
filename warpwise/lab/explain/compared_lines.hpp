#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "warpwise/lab/explain/comparison.hpp"

namespace warpwise::lab {

/// Of a line, what lines are compared by.
using CountOfLine = std::function<std::uint64_t(const emulator::LineCounts&)>;

/// The lines of both kernels that differ in a count, the most first. A line of one stands beside
/// the same line of the other: that of the same file, or of two files that were given, as a diff
/// has it.
std::vector<ComparedLine> compared_lines(const ExplainedKernel& before,
                                         const ExplainedKernel& after, const CountOfLine& count);

}  // namespace warpwise::lab
