#pragma once

#include <utility>
#include <vector>

// Chooses the numbers of an axis.
namespace warpwise::lab {

/// Returns multiples of a step that is 1, 2 or 5 times a power of ten, from the first one at or
/// above `least`. There are at most `most`, and at least two if `most` is 5 or more and the values
/// differ.
std::vector<double> even_ticks(double least, double greatest, std::size_t most);

/// Returns 1, 2 and 5 times the powers of ten within a range of positive values. If these are more
/// than `most`, returns only the powers, or every n-th power. If they are fewer than two, returns
/// even_ticks().
std::vector<double> log_ticks(double least, double greatest, std::size_t most);

/// Returns every n-th of `count` positions, so that at most `most` are left. The first is always
/// kept.
std::vector<std::size_t> thinned(std::size_t count, std::size_t most);

}  // namespace warpwise::lab
