#pragma once

#include "warpwise/lab/report/html/html.hpp"
#include "warpwise/lab/report/records/predictions.hpp"

// Draws predicted times over measured ones.
namespace warpwise::lab::report {

/// Draws a picture for each ladder and study, and one for the documents' times. A list of misses
/// and a table follow each picture. A last table shows how well each experiment was predicted.
Html scatters_of(const Predictions& predictions);

/// Sums the predictions up in a sentence, with a link to their section.
Html front_of(const Predictions& predictions);

}  // namespace warpwise::lab::report
