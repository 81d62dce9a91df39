#pragma once

#include <map>
#include <string>
#include <vector>

#include "warpwise/lab/report/html/html.hpp"
#include "warpwise/lab/report/records/collection.hpp"
#include "warpwise/lab/report/sections/sources.hpp"

namespace warpwise::lab::report {

/// All runs of a ladder or a study on one GPU.
struct Chapter {
  std::string id;
  bool is_ladder = false;
  std::string study;
  std::vector<const Recorded*> runs;  ///< the run of the whole ladder or study first
};

/// Returns the chapters: those of ladders, then those of studies.
std::vector<Chapter> chapters_of(const Collection& collection);

Html html_of(const Chapter& chapter, const std::map<std::string, StudySource>& sources);

}  // namespace warpwise::lab::report
