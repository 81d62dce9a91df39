#pragma once

#include <map>
#include <string>

#include "warpwise/lab/report/html/html.hpp"
#include "warpwise/lab/report/records/collection.hpp"
#include "warpwise/lab/report/sections/chapter.hpp"
#include "warpwise/lab/report/sections/sources.hpp"

namespace warpwise::lab::report {

/// Writes the main findings, which can be read in a minute.
/// \param chapters  chapters of the same collection
Html front_page(const Collection& collection, const std::vector<Chapter>& chapters,
                const std::map<std::string, StudySource>& sources);

}  // namespace warpwise::lab::report
