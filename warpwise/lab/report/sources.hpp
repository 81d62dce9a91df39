#pragma once

#include <map>
#include <string>
#include <vector>

#include "warpwise/lab/report/collection.hpp"
#include "warpwise/lab/report/html.hpp"

// The CUDA sources of the kernels that records are of.
namespace warpwise::lab::report {

struct SourceRung {
  std::string name;
  std::map<std::string, std::string> constants;
};

struct RungFile {
  std::string study;
  std::string name;  ///< below the installed sources
  std::string text;
  std::vector<SourceRung> rungs;  ///< that are compiled from it
};

struct StudySource {
  std::string about;  ///< what the study is about, in a sentence
  std::vector<RungFile> files;
};

/// By study: of each that a record names, what is installed of it, which is not always what was
/// measured. A study that is not installed, or cannot be read, has no files.
std::map<std::string, StudySource> installed_sources(const Collection& collection);

/// "#…" of the source of a rung; empty where there is none.
std::string link_to(const std::map<std::string, StudySource>& sources, const std::string& study,
                    const std::string& rung);

/// A file behind a line to click on, its lines with their numbers.
Html html_of(const RungFile& file);

}  // namespace warpwise::lab::report
