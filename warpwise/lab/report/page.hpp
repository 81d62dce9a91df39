#pragma once

#include <map>
#include <string>

#include "warpwise/lab/report/collection.hpp"
#include "warpwise/lab/report/sources.hpp"

namespace warpwise::lab::report {

/// The report as one HTML file that needs no other, and no network.
std::string page_of(const Collection& collection,
                    const std::map<std::string, StudySource>& sources);

}  // namespace warpwise::lab::report
