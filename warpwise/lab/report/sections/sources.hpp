#pragma once

#include <map>
#include <string>
#include <vector>

#include "warpwise/lab/report/html/html.hpp"
#include "warpwise/lab/report/records/collection.hpp"

// Shows the CUDA sources of the recorded kernels.
namespace warpwise::lab::report {

struct RungSource {
  std::string name;
  std::string file;  ///< path below the installed sources
  std::string text;
  std::map<std::string, std::string> constants;
};

struct StudySource {
  std::string about;  ///< subject of the study, in a sentence
  std::vector<RungSource> rungs;
};

/// Returns the installed sources of each study that a record names, by the study's name. They may
/// differ from the sources that were measured. Leaves out a study that is not installed.
std::map<std::string, StudySource> installed_sources(const Collection& collection);

/// Returns the link "#…" to the source of a rung, or an empty text if there is no source.
std::string link_to(const std::map<std::string, StudySource>& sources, const std::string& study,
                    const std::string& rung);

/// Shows a rung's source after a click. \param counted  recorded counts of its lines, or null
Html html_of(const std::string& study, const RungSource& rung, const RecordedLines* counted);

}  // namespace warpwise::lab::report
