#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <set>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/interruption.hpp"
#include "warpwise/cli/lab/lab.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/lab/predict/study_prediction.hpp"
#include "warpwise/lab/study/run/rung_code.hpp"

namespace warpwise::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const lab::PredictedRow& row) {
  Json object = {{"rung", row.rung},
                 {"size", {row.size.width, row.size.height}},
                 {"parameters", Json(row.parameters)}};
  if (!row.axis_constants.empty()) object["axes"] = Json(row.axis_constants);
  object["block"] = {row.block.x, row.block.y, row.block.z};
  if (!row.skipped.empty()) {
    object["skipped"] = row.skipped;
    return object;
  }
  object["time_us"] = row.time_us();
  object["least_us"] = row.least_us();
  object["most_us"] = row.most_us();
  object["rules"] = name_of(row.bottleneck_resource());
  Json bounds = Json::object();
  for (const lab::Resource each : all_values<lab::Resource>()) {
    bounds[std::string(name_of(each))] = row.of(each);
  }
  object["bounds_us"] = bounds;
  if (row.registers) object["registers"] = *row.registers;
  object["blocks_per_sm"] = row.blocks_per_sm;
  object["blocks"] = row.blocks;
  object["sampled_blocks"] = row.sampled;
  return object;
}

constexpr const char* prediction_legend =
    "  time          modelled, in microseconds: cold, all operands in DRAM\n"
    "  least, most   likely range of the time\n"
    "  bottleneck    the part that takes longest, then the parts above a third of it\n\n";

int width_of(const std::vector<std::string>& names, std::size_t least) {
  std::size_t width = least;
  for (const std::string& each : names) width = std::max(width, each.size());
  return static_cast<int>(width);
}

std::string parts_of(const lab::PredictedRow& row) {
  std::vector<lab::Resource> parts;
  for (const lab::Resource each : all_values<lab::Resource>()) {
    if (row.of(each) > row.of(row.bottleneck_resource()) / 3) parts.push_back(each);
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [&](lab::Resource a, lab::Resource b) { return row.of(a) > row.of(b); });
  std::vector<std::string> texts;
  for (const lab::Resource each : parts) {
    texts.push_back(fmt::format("{} {:.4g}", name_of(each), row.of(each)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

// Returns the text of the values in which the rows of a rung differ: "1024x1024 segments=4 ".
std::string point_of(const lab::PredictedRow& row, bool with_size) {
  std::string text;
  if (with_size) text += fmt::format("{}x{} ", row.size.width, row.size.height);
  for (const auto& [name, value] : row.axis_constants) text += fmt::format("{}={} ", name, value);
  return text;
}

class LabPredict final : public Command {
 public:
  explicit LabPredict(CLI::App& app) {
    app.add_option("NAME", options_.names,
                   "NAME, NAME/RUNG or NAME/EXPERIMENT of a ladder or a study")
        ->required()
        ->type_name("");
    app.add_option("--profile", device_,
                   "The GPU: h200, gtx280 or another profile's name, or FILE.json")
        ->required()
        ->type_name("GPU");
    add_deprecated_option(app, "--device", "--profile");
    app.add_option_function<std::string>(
           "--size",
           [this](const std::string& text) {
             const Size size = parse_size("--size", text);
             size_ = {size.width, size.height};
           },
           "Size of the image, or of gemv's matrix (default: the source document's)")
        ->type_name("WxH");
    add_ladder_folder(app, options_);
    app.add_flag("--json", json_, "Print one JSON object");
  }

  void execute() const override {
    const lab::DeviceProfile profile = lab::find_device_profile(device_);
    const std::vector<Selection> selections = expanded(select(options_));
    lab::require_compiler();
    const Interruption interruption(
        "\nwarpwise: stopping after this row, keeping all predictions so far; interrupt again to "
        "stop at once\n");
    Json runs = Json::array();
    std::exception_ptr failure;
    for (const Selection& each : selections) {
      Json rows = Json::array();
      try {
        run(each, profile, rows);
      } catch (...) {
        // The rows that are there are printed before the error.
        failure = std::current_exception();
        if (rows.empty()) break;
      }
      Json object = {{"study", each.table.name()}};
      if (each.experiment) object["experiment"] = each.experiment->name;
      object["device"] = profile.name;
      object["gpu"] = profile.gpu;
      object["compute_capability"] = rules::to_string(profile.compute_capability);
      object["method"] = "modelled from counts of sampled blocks: docs/prediction.md";
      object["results"] = std::move(rows);
      runs.push_back(std::move(object));
      if (failure || Interruption::is_requested()) break;
    }
    if (json_ && !runs.empty()) print(text_of_json(runs.size() == 1 ? runs[0] : runs, 1));
    if (failure) std::rethrow_exception(failure);
    if (Interruption::is_requested()) Interruption::raise_signal();
  }

 private:
  void run(const Selection& selection, const lab::DeviceProfile& profile, Json& rows) const {
    lab::PredictionRequest request;
    request.rungs = selection.rungs;
    request.experiment = selection.experiment;
    request.size = size_;
    request.stop = Interruption::is_requested;
    const int width = width_of(selection.rungs, 4);
    if (!json_) {
      print(fmt::format("{}{} on {}, predicted\n{}{:<{}}  {:>9}  {:>9}  {:>9}  bottleneck\n",
                        selection.table.name(),
                        selection.experiment ? "/" + selection.experiment->name : "", profile.gpu,
                        prediction_legend, "rung", width, "time", "least", "most"));
    }
    const bool with_size = request.experiment && request.experiment->axes.sizes.size() > 1;
    std::set<std::string> shown;
    Progress progress(json_ ? request.rungs.size() : 0);
    lab::predict(selection.table, request, profile, [&](const lab::PredictedRow& row) {
      rows.push_back(json_of(row));
      if (json_) {
        shown.insert(row.rung);
        progress.show(std::min(shown.size(), request.rungs.size()), row.rung);
        return;
      }
      print(line_of(row, width, with_size));
    });
  }

  static std::string line_of(const lab::PredictedRow& row, int width, bool with_size) {
    const std::string name = fmt::format("{:<{}}  ", row.rung, width);
    if (!row.skipped.empty()) return name + "skipped: " + row.skipped + "\n";
    return name + fmt::format("{:>9.4g}  {:>9.4g}  {:>9.4g}  {}{}\n", row.time_us(), row.least_us(),
                              row.most_us(), point_of(row, with_size), parts_of(row));
  }

  LabOptions options_;
  std::string device_;
  std::optional<lab::Size> size_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> add_lab_predict(CLI::App& lab) {
  return std::make_unique<LabPredict>(*lab.add_subcommand(
      "predict", "Predict the time of rungs on a GPU, and their bottleneck, without that GPU"));
}

}  // namespace warpwise::cli
