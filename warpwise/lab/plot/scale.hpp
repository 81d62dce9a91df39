#pragma once

#include <utility>
#include <vector>

// Where an axis has its numbers.
namespace warpwise::lab {

/// 1, 2 or 5 times a power of ten apart, from the first at or above `least`; at most `most` of
/// them, and at least two unless the values are equal.
std::vector<double> even_ticks(double least, double greatest, std::size_t most);

/// Powers of ten within the range, with 2 and 5 times those where it is narrow; of positive values.
std::vector<double> log_ticks(double least, double greatest, std::size_t most);

/// Every n-th of so many positions, so that at most `most` are left; the first always.
std::vector<std::size_t> thinned(std::size_t count, std::size_t most);

}  // namespace warpwise::lab
