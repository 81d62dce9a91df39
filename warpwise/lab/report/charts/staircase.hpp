#pragma once

#include <functional>
#include <string>

#include "warpwise/lab/report/html/html.hpp"
#include "warpwise/lab/report/html/table.hpp"

// Draws the steps (rungs) of a ladder, one below the other.
namespace warpwise::lab::report {

/// A function that returns the link "#id" to a rung's source on the page, or an empty text if the
/// page has no such source.
using LinkOf = std::function<std::string(const std::string& rung)>;

/// Draws two charts: the speed-up of each step over the first step, as the document gives it and as
/// measured, and each step's share of the roof at each size. Returns nothing if no row was timed.
Html staircase_of(const Record& record, const LinkOf& link);

/// Tabulates every row of the run with the figures that staircase_of() draws.
Table steps_table(const Record& record, const std::string& file, const LinkOf& link);

/// Describes a ladder's roof, which is the GPU's limit for the ladder's work. Returns an empty text
/// if the limit is the time of a copy, because the front page explains that.
std::string roof_sentence(const Record& record);

}  // namespace warpwise::lab::report
