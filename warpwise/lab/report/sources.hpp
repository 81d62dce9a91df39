#pragma once

#include <map>
#include <string>
#include <vector>

#include "warpwise/lab/report/collection.hpp"
#include "warpwise/lab/report/html.hpp"

// The CUDA sources of the kernels that records are of.
namespace warpwise::lab::report {

struct RungSource {
  std::string name;
  std::string file;  ///< below the installed sources
  std::string text;
  std::map<std::string, std::string> constants;
};

struct StudySource {
  std::string about;  ///< what the study is about, in a sentence
  std::vector<RungSource> rungs;
};

/// By study: of each that a record names, what is installed of it, which is not always what was
/// measured. A study that is not installed, or cannot be read, has no rungs.
std::map<std::string, StudySource> installed_sources(const Collection& collection);

/// "#…" of the source of a rung; empty where there is none.
std::string link_to(const std::map<std::string, StudySource>& sources, const std::string& study,
                    const std::string& rung);

/// A rung's source behind a line to click on. \param counted  what its lines cost, where that was
/// recorded
Html html_of(const std::string& study, const RungSource& rung, const RecordedLines* counted);

}  // namespace warpwise::lab::report
