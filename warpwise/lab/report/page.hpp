#pragma once

#include <map>
#include <string>

#include "warpwise/lab/report/records/collection.hpp"
#include "warpwise/lab/report/sections/sources.hpp"

namespace warpwise::lab::report {

/// Returns the report as one HTML file, which needs no other file and no network.
std::string page_of(const Collection& collection,
                    const std::map<std::string, StudySource>& sources);

/// Makes a page of `main`, which needs no other file. \param title  title of the browser's window
std::string whole_page(const std::string& title, const Html& main);

}  // namespace warpwise::lab::report
