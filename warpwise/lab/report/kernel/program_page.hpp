#pragma once

#include <string>

#include "warpwise/lab/plot/record_field.hpp"
#include "warpwise/lab/report/html/html.hpp"

// Writes the part of explain's page that describes a whole program.
namespace warpwise::lab::report {

/// Returns the id of a launch's or kernel's section. \param number  the section's number, from 1
std::string section_id(const RecordField& launch, std::size_t number);

/// Writes the kernels to look at first, and the timeline of launches and copies. Returns nothing if
/// the program has no predicted times. \param program  the JSON that `run --explain` writes
Html program_overview(const RecordField& program);

}  // namespace warpwise::lab::report
