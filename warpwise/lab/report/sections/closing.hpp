#pragma once

#include <map>
#include <string>

#include "warpwise/lab/report/html/html.hpp"
#include "warpwise/lab/report/records/collection.hpp"
#include "warpwise/lab/report/sections/sources.hpp"

// The last sections. A section without data is empty, except rooflines() and machine_and_method().
namespace warpwise::lab::report {

Html rooflines(const Collection& collection);
Html predicted_times(const Collection& collection);
Html other_libraries(const Collection& collection);
Html hardware_counters(const Collection& collection);
Html kernel_sources(const Collection& collection,
                    const std::map<std::string, StudySource>& sources);
Html machine_and_method(const Collection& collection);

}  // namespace warpwise::lab::report
