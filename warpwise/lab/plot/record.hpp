#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Reads the records of `lab run` back, so that they can be drawn.
namespace warpwise::lab {

/// A figure of a row. A figure computed from a time also has its 5th and 95th percentile.
struct RecordedFigure {
  double value = 0;
  std::optional<double> low;
  std::optional<double> high;
};

/// A GPU's hardware counter, and the emulator's count of the same quantity.
struct RecordedCount {
  std::string count;
  double emulator = 0;
  std::string metric;
  double gpu = 0;
};

struct RecordedRow {
  std::string rung;
  std::string idea;
  std::vector<std::string> document_rows;  ///< rows of docs/sources.md: "A8"
  std::string step_before;  ///< rung that this one improves; empty if that rung was not timed
  std::string roof;         ///< roof that share_of_roof refers to, if the record says so
  std::array<std::int64_t, 2> size{};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::map<std::string, std::int64_t>
      values;            ///< parameters, constants and shares of the GPU that axes set
  std::string transfer;  ///< how operands are copied, if that is timed
  std::map<std::string, RecordedFigure> figures;  ///< by name, as in figure_names
  /// Figures that depend on the compute capability, by capability in the record's order.
  std::vector<std::pair<std::string, std::map<std::string, RecordedFigure>>> by_capability;
  std::array<std::int64_t, 2> counts_size{};  ///< size of the counted problem; 0×0 if none was
                                              ///< counted
  std::string not_run;                        ///< why the row was not run; empty if it was
  std::vector<RecordedCount> compared;
};

/// Time of the library, or of a plain loop, on a CPU.
struct RecordedCpuRow {
  std::string name;
  std::array<std::int64_t, 2> size{};
  std::optional<RecordedFigure> time_us;
  std::optional<double> document_time_us;
  std::string not_run;
};

/// The point at which a curve of times over `knee_axis` stops being flat.
struct RecordedKnee {
  std::string rung;
  std::array<std::int64_t, 2> size{};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::map<std::string, std::int64_t> values;  ///< parameters and constants of the curve
  std::string none;                            ///< why the curve has no knee; empty if it has one
  double at = 0;
  double level_us = 0;
  double slope_us = 0;  ///< slope after the knee, for each step of 1 along the axis
};

/// The shares of its speed that a kernel loses when it has only half of a resource. The keys are
/// the record's names of the losses.
struct RecordedHalving {
  std::string rung;
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::map<std::string, double> losses;
  std::string bound_by;
};

/// A run of a ladder or another study.
struct Record {
  bool is_ladder = false;
  std::string study;
  std::string experiment;
  std::vector<std::string> named_rungs;  ///< rungs that the run was for, if not for all rungs
  std::string title;
  std::vector<std::string> document_rows;  ///< rows of docs/sources.md: "A8"
  std::vector<std::string> report;         ///< figures that the study asks for
  std::string device;
  std::string origin;  ///< commit and date, if the record names them
  std::vector<std::pair<std::string, std::string>> machine;  ///< all that is known of the machine
  std::string method;
  std::string document_device;
  std::optional<std::array<std::int64_t, 2>> document_size;
  std::map<std::string, double> roofs;  ///< roofs that the run measured: copy_roof_gb_per_s
  std::string knee_axis;
  std::vector<RecordedKnee> knees;
  std::vector<RecordedHalving> halved;
  bool interrupted = false;
  bool has_counters = false;
  std::vector<RecordedRow> rows;  ///< rows of kernels; cpu_rows are separate
  std::vector<RecordedCpuRow> cpu_rows;
};

/// Reads an object that json_of(StudyRun) of this version or an earlier one made.
/// \param name  the record's name in messages
/// \throws InvalidArgument  with the field that is missing or has another type
Record read_record(const nlohmann::ordered_json& json, const std::string& name);

/// Parses a record. \throws InvalidArgument  as read_record(), or the text is not JSON
Record parse_record(std::string_view text, const std::string& name);

}  // namespace warpwise::lab
