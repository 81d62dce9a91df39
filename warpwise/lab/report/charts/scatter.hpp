#pragma once

#include "warpwise/lab/report/html/html.hpp"
#include "warpwise/lab/report/records/predictions.hpp"

// Draws predicted times against measured times.
namespace warpwise::lab::report {

/// Draws a picture for each ladder and study, and one for the times of the source documents. A list
/// of misses and a table follow each picture. A last table has the accuracy for each experiment.
Html scatters_of(const Predictions& predictions);

/// Summarises the predictions in a sentence, with a link to their section.
Html front_of(const Predictions& predictions);

}  // namespace warpwise::lab::report
