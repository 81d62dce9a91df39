#pragma once

#include <functional>
#include <string>

#include "warpwise/lab/report/html.hpp"
#include "warpwise/lab/report/table.hpp"

// A ladder's steps, one below the other.
namespace warpwise::lab::report {

/// Where a rung's source is on the page, "#id"; empty where it is not.
using LinkOf = std::function<std::string(const std::string& rung)>;

/// How much faster each step is than the first, in the document and now, and what share of the roof
/// each reaches at each size. Nothing where no row was timed.
Html staircase_of(const Record& record, const LinkOf& link);

/// Every row of the run with all of these figures.
Table steps_table(const Record& record, const std::string& file, const LinkOf& link);

}  // namespace warpwise::lab::report
