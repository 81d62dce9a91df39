#pragma once

#include "warpwise/lab/report/html.hpp"
#include "warpwise/lab/report/predictions.hpp"

// Predicted times over measured ones.
namespace warpwise::lab::report {

/// A picture for each ladder and study, and one for the documents' own times, each with its misses
/// and its table; behind them how well each experiment was predicted.
Html scatters_of(const Predictions& predictions);

/// In a sentence, with a link to all of it.
Html front_of(const Predictions& predictions);

}  // namespace warpwise::lab::report
