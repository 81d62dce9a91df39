#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What `lab run` recorded, read back so that it can be drawn.
namespace warpwise::lab {

/// A figure of a row; its 5th and 95th percentile where it is of times.
struct RecordedFigure {
  double value = 0;
  std::optional<double> low;
  std::optional<double> high;
};

struct RecordedRow {
  std::string rung;
  std::array<std::int64_t, 2> size{};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::map<std::string, std::int64_t>
      values;            ///< parameters, constants and shares of the GPU that axes set
  std::string transfer;  ///< how operands come and go, where that is timed
  std::map<std::string, RecordedFigure> figures;  ///< by the names of figure_names
  /// The figures that belong to one compute capability, in the record's order of these.
  std::vector<std::pair<std::string, std::map<std::string, RecordedFigure>>> by_capability;
  std::string not_run;  ///< why, in words
};

/// A run of a ladder or another study, without the CPU's rows.
struct Record {
  bool is_ladder = false;
  std::string study;
  std::string experiment;
  std::string title;
  std::vector<std::string> report;  ///< figures that the study asks for, the first to be drawn
  std::string device;
  std::string origin;  ///< commit and date, where the record names them
  bool interrupted = false;
  std::vector<RecordedRow> rows;
};

/// The object that json_of(StudyRun) makes, this version's or an earlier one's.
/// \param name  for messages
/// \throws InvalidArgument  with the field that is missing or is something else
Record read_record(const nlohmann::ordered_json& json, const std::string& name);

/// The same from a file's text. \throws InvalidArgument  it is no JSON, too
Record parse_record(std::string_view text, const std::string& name);

}  // namespace warpwise::lab
