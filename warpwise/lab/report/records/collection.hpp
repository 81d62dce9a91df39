#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpwise/lab/plot/record.hpp"
#include "warpwise/lab/report/kernel/annotation.hpp"
#include "warpwise/lab/report/records/predictions.hpp"

// Reads the contents of a folder of results.
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

/// A run of `warpwise bench`: times of primitives and of other libraries.
struct Bench {
  std::vector<std::pair<std::string, std::string>> machine;
  std::string method;
  std::vector<BenchRow> rows;  ///< rows of implementations; rows of roofs are left out
};

struct Recorded {
  std::string file;  ///< path below the folder
  Record record;
};

struct RecordedBench {
  std::string file;
  Bench bench;
};

struct Collection {
  std::vector<Recorded> runs;     ///< runs of lab run, sorted by file
  std::vector<Recorded> counted;  ///< runs that have hardware counters
  std::vector<RecordedBench> benches;
  std::vector<Predictions> predictions;
  std::vector<RecordedLines> lines;
  std::size_t others = 0;  ///< number of JSON files of other kinds
};

/// Adds the contents of a file's text: a run, a list of runs, the rows of a bench, predictions, or
/// the counts of source lines.
/// \throws InvalidArgument  the text is not JSON, or has a record's keys but is not a valid record;
///                          the message names the file
void add_file(std::string_view text, const std::string& file, Collection& collection);

/// Reads all .json files in a folder and its subfolders. A run with hardware counters has valid
/// times too. It is added to `runs` if the folder has no run of the same study, experiment and GPU
/// without counters.
/// \throws IoError          the folder, or a file in it, cannot be read
/// \throws InvalidArgument  as add_file(), or the folder has neither a run nor a bench
Collection read_folder(const std::filesystem::path& folder);

}  // namespace warpwise::lab::report
