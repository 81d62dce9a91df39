#pragma once

#include <utility>
#include <vector>

// Chooses the numbers of an axis.
namespace warpwise::lab {

/// Returns numbers that are 1, 2 or 5 times a power of ten apart, from the first at or above
/// `least`: at most `most`, and at least two if `most` is 5 or more and the values differ.
std::vector<double> even_ticks(double least, double greatest, std::size_t most);

/// Returns 1, 2 and 5 times the powers of ten within a range of positive values. More than `most`
/// become the powers alone, or every n-th power. Fewer than two become even_ticks().
std::vector<double> log_ticks(double least, double greatest, std::size_t most);

/// Returns every n-th of `count` positions, so that at most `most` are left. The first is always
/// kept.
std::vector<std::size_t> thinned(std::size_t count, std::size_t most);

}  // namespace warpwise::lab
