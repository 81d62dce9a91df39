#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpwise/lab/plot/record.hpp"
#include "warpwise/lab/report/annotation.hpp"
#include "warpwise/lab/report/predictions.hpp"

// What lies in a folder of results.
namespace warpwise::lab::report {

/// A time of one implementation, as `warpwise bench` records it.
struct BenchRow {
  std::string primitive;
  std::string variant;
  std::string implementation;
  std::array<std::int64_t, 2> size{};
  RecordedFigure time_us;
  double share_of_roof = 0;
};

/// A run of `warpwise bench`: primitives beside other libraries.
struct Bench {
  std::vector<std::pair<std::string, std::string>> machine;
  std::string method;
  std::vector<BenchRow> rows;  ///< without those of the roofs themselves
};

struct Recorded {
  std::string file;  ///< below the folder
  Record record;
};

struct RecordedBench {
  std::string file;
  Bench bench;
};

struct Collection {
  std::vector<Recorded> runs;     ///< of lab run, by file
  std::vector<Recorded> counted;  ///< those of them that have hardware counters
  std::vector<RecordedBench> benches;
  std::vector<Predictions> predictions;
  std::vector<RecordedLines> lines;
  std::size_t others = 0;  ///< JSON files that are something else
};

/// Adds what a file's text holds: a run, a list of runs, a bench's, predictions, or the
/// counts of lines.
/// \throws InvalidArgument  it is no JSON, or begins as a record and is not one; names the file
void add_file(std::string_view text, const std::string& file, Collection& collection);

/// All .json files in a folder and in those below it. A run with counters is one of `runs` where
/// there is none of the same without, for counters do not change the times.
/// \throws IoError          the folder, or a file in it, cannot be read
/// \throws InvalidArgument  as add_file(); or nothing was recorded there
Collection read_folder(const std::filesystem::path& folder);

}  // namespace warpwise::lab::report
