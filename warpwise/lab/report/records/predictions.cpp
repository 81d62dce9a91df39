#include "warpwise/lab/report/records/predictions.hpp"

namespace warpwise::lab::report {
namespace {

PredictionFit fit_of(const RecordField& field) {
  PredictionFit fit;
  fit.points = field.at("points").whole();
  const RecordField correlation = field.at("rank_correlation");
  if (!correlation.is_null()) fit.rank_correlation = correlation.number();
  fit.median_error = field.at("median_error").number();
  fit.least_ratio = field.at("ratio_least").positive();
  fit.median_ratio = field.at("ratio_median").positive();
  fit.greatest_ratio = field.at("ratio_greatest").positive();
  return fit;
}

PredictedRow row_of(const RecordField& field) {
  PredictedRow row;
  row.rung = field.at("rung").text();
  row.size = field.at("size").sides<2>();
  row.block = field.at("block").sides<3>();
  for (const char* key : {"parameters", "axes"}) {
    const RecordField values = field.at(key);
    for (const auto& [name, value] : values.object().items()) {
      row.values[name] = values.at(name.c_str()).whole();
    }
  }
  row.predicted_us = field.at("predicted_us").positive();
  row.measured_us = field.at("measured_us").positive();
  row.bottleneck = field.at("rules").text();
  return row;
}

std::vector<PredictedExperiment> experiments_of(const RecordField& list) {
  std::vector<PredictedExperiment> experiments;
  for (const RecordField& field : list.list()) {
    PredictedExperiment& each = experiments.emplace_back();
    each.study = field.at("study").text();
    const RecordField experiment = field.at("experiment");
    if (!experiment.is_null()) each.experiment = experiment.text();
    each.device = field.at("device").text();
    each.fit = fit_of(field);
    for (const RecordField& row : field.at("rows").list()) each.rows.push_back(row_of(row));
    if (each.rows.empty()) field.at("rows").fail("a list of at least one row");
  }
  return experiments;
}

}  // namespace

Predictions read_predictions(const RecordField& root, const std::string& file) {
  return {file, root.at("commit").text(), fit_of(root.at("all")),
          experiments_of(root.at("experiments")), experiments_of(root.at("documents"))};
}

}  // namespace warpwise::lab::report
