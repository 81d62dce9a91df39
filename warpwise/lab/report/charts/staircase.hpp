#pragma once

#include <functional>
#include <string>

#include "warpwise/lab/report/html/html.hpp"
#include "warpwise/lab/report/html/table.hpp"

// Draws a ladder's steps, one below the other.
namespace warpwise::lab::report {

/// Returns the link "#id" to a rung's source on the page; empty if the page does not have it.
using LinkOf = std::function<std::string(const std::string& rung)>;

/// Draws the speed-up of each step over the first, as the document gives it and as measured. Draws
/// each step's share of the roof at each size. Empty if no row was timed.
Html staircase_of(const Record& record, const LinkOf& link);

/// Tabulates every row of the run with the figures that staircase_of() draws.
Table steps_table(const Record& record, const std::string& file, const LinkOf& link);

/// Describes the roof of a ladder; empty for the copy roof, which the report explains.
std::string roof_sentence(const Record& record);

}  // namespace warpwise::lab::report
