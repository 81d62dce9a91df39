#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "warpwise/lab/explain/comparison/comparison.hpp"

namespace warpwise::lab {

/// Returns the count by which a line is compared.
using CountOfLine = std::function<std::uint64_t(const emulator::LineCounts&)>;

/// Returns the lines of both kernels that differ in a count, the largest difference first. A line
/// is paired with the same line of the same file. If the kernels were given in two files, a diff
/// pairs the lines of these files.
std::vector<ComparedLine> compared_lines(const ExplainedKernel& before,
                                         const ExplainedKernel& after, const CountOfLine& count);

}  // namespace warpwise::lab
