#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/plot/record_field.hpp"

// Compares recorded times with `lab predict`'s predictions. scripts/predictions.py writes both.
namespace warpwise::lab::report {

struct PredictedRow {
  std::string rung;
  std::array<std::int64_t, 2> size{};
  std::array<std::int64_t, 3> block{};
  std::map<std::string, std::int64_t> values;  ///< parameters and axes
  double predicted_us = 0;
  double measured_us = 0;
  std::string bottleneck;  ///< resource that bounds the predicted time

  double ratio() const { return predicted_us / measured_us; }
  /// Returns the factor between prediction and measurement, at least 1.
  double off() const { return ratio() > 1 ? ratio() : 1 / ratio(); }
};

/// Accuracy of the predictions of some rows.
struct PredictionFit {
  std::int64_t points = 0;
  std::optional<double> rank_correlation;  ///< empty for fewer than three points
  double median_error = 0;
  double least_ratio = 0;
  double median_ratio = 0;
  double greatest_ratio = 0;
};

struct PredictedExperiment {
  std::string study;
  std::string experiment;  ///< empty for a whole study
  std::string device;
  PredictionFit fit;
  std::vector<PredictedRow> rows;
};

struct Predictions {
  std::string file;
  std::string commit;
  PredictionFit all;
  std::vector<PredictedExperiment> experiments;
  std::vector<PredictedExperiment> documents;  ///< predictions of times in the source documents,
                                               ///< for the documents' GPUs
};

/// Reads a file's predictions. \throws InvalidArgument  a field is missing or has another type
Predictions read_predictions(const RecordField& root, const std::string& file);

}  // namespace warpwise::lab::report
