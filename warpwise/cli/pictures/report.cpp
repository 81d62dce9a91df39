#include "warpwise/cli/pictures/report.hpp"

#include <fmt/format.h>

namespace warpwise::cli {
namespace {

struct Rates {
  double megapixels_per_second = 0;
  double gigabytes_per_second = 0;
};

Rates rates_of(const FileReport& file) {
  if (file.times.compute <= 0) return {};
  const double seconds = file.times.compute / 1000;
  const auto frames = static_cast<double>(file.frames);
  const double pixels =
      static_cast<double>(file.source.width) * static_cast<double>(file.source.height);
  return {frames * pixels / seconds / 1e6,
          frames * static_cast<double>(file.bytes_per_frame) / seconds / 1e9};
}

}  // namespace

std::string line_of(const FileReport& file, const Operation& operation, const Worker& worker) {
  const Rates rates = rates_of(file);
  std::string name = operation.name();
  const nlohmann::ordered_json chosen = operation.chosen_options(file.source);
  for (const auto& [option, value] : chosen.items()) {
    name += fmt::format(" --{} {}", option, value.dump());
  }
  return fmt::format(
      "{}: {}x{} {}{} from {}{}, {} on {} ({}) in {:.3f} ms: {:.0f} MPix/s, {:.2f} GB/s",
      fmt::join(file.outputs, ", "), file.source.width, file.source.height,
      file.results[0].pixel_text(),
      file.frames == 1 ? "" : fmt::format(", {} frames,", file.frames), file.input,
      place_text(file.picture, file.pictures), name, worker.backend(), worker.device(),
      file.times.compute, rates.megapixels_per_second, rates.gigabytes_per_second);
}

nlohmann::ordered_json json_of(const BatchReport& batch, const Operation& operation,
                               const Worker& worker) {
  nlohmann::ordered_json report = {{"command", operation.name()},
                                   {"options", operation.options()},
                                   {"backend", worker.backend()},
                                   {"device", worker.device()},
                                   {"jobs", batch.jobs}};
  report["files"] = nlohmann::ordered_json::array();
  for (const FileReport& file : batch.files) {
    nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < file.outputs.size(); ++i) {
      outputs.push_back({{"path", file.outputs[i]}, {"pixels", file.results[i].pixel_text()}});
    }
    const Rates rates = rates_of(file);
    report["files"].push_back({{"input", file.input},
                               {"pixels", file.source.pixel_text()},
                               {"width", file.source.width},
                               {"height", file.source.height},
                               {"frames", file.frames},
                               {"outputs", outputs},
                               {"milliseconds",
                                {{"read", file.times.read},
                                 {"upload", file.times.upload},
                                 {"compute", file.times.compute},
                                 {"download", file.times.download},
                                 {"write", file.times.write}}},
                               {"mpix_per_s", rates.megapixels_per_second},
                               {"gb_per_s", rates.gigabytes_per_second}});
    const nlohmann::ordered_json chosen = operation.chosen_options(file.source);
    if (!chosen.is_null()) report["files"].back()["chosen"] = chosen;
    add_place(report["files"].back(), file.picture, file.pictures);
  }
  report["errors"] = nlohmann::ordered_json::array();
  for (const FailedInput& failed : batch.failures) {
    report["errors"].push_back({{"input", failed.input}, {"message", failed.reason}});
  }
  add_skipped(report, batch.skipped);
  report["milliseconds"] = batch.milliseconds;
  return report;
}

std::string place_text(std::int64_t picture, std::int64_t pictures) {
  return pictures == 1 ? "" : fmt::format(" (picture {} of {})", picture, pictures);
}

void add_place(nlohmann::ordered_json& input, std::int64_t picture, std::int64_t pictures) {
  if (pictures == 1) return;
  input["picture"] = picture;
  input["pictures"] = pictures;
}

void add_skipped(nlohmann::ordered_json& report, const io::Skipped& skipped) {
  if (skipped.is_empty()) return;
  const auto add = [&report](const std::vector<std::string>& paths, const char* reason) {
    for (const std::string& path : paths) {
      report["skipped"].push_back({{"path", path}, {"reason", reason}});
    }
  };
  add(skipped.no_pictures, "no picture");
  add(skipped.raw, "no format and size");
  add(skipped.folders, "a folder");
}

std::string skipped_line(const io::Skipped& skipped) { return "skipped: " + skipped.text(); }

}  // namespace warpwise::cli
