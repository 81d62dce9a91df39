#include "warpwise/cli/streams/stream_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warpwise/base/counted.hpp"
#include "warpwise/cli/pictures/report.hpp"

namespace warpwise::cli {
namespace {

std::string reason_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

double per_frame(double milliseconds, std::int64_t frames) {
  return frames > 0 ? milliseconds / static_cast<double>(frames) : 0;
}

double fps_of(std::int64_t frames, double seconds) {
  return seconds > 0 ? static_cast<double>(frames) / seconds : 0;
}

std::int64_t computed(const live::Summary& summary) { return summary.read - summary.dropped; }

std::string reconnections_text(const live::Source& source) {
  const std::int64_t count = source.reconnections();
  return count == 0 ? "" : ", connected again " + counted(static_cast<std::size_t>(count), "time");
}

std::string drops_text(const live::Progress& progress) {
  std::string text;
  if (progress.dropped > 0) text += fmt::format(", {} dropped", progress.dropped);
  if (progress.late > 0) text += fmt::format(", {} late", progress.late);
  return text;
}

// Formats milliseconds: long times with three digits, short times with four decimals.
std::string milliseconds_text(double milliseconds) {
  if (milliseconds < 0.1) return fmt::format("{:.4f} ms", milliseconds);
  if (milliseconds < 1000) return fmt::format("{:.3g} ms", milliseconds);
  return fmt::format("{:.0f} ms", milliseconds);
}

std::string fps_text(std::int64_t frames, double seconds) {
  const double fps = fps_of(frames, seconds);
  return fps < 1000 ? fmt::format("{:.4g} fps", fps) : fmt::format("{:.0f} fps", fps);
}

// Lists all parts' mean times: "read 0.12 ms, upload 0.05 ms, sobel 0.004 ms, …, write 0.2 ms".
std::string parts_text(const StreamReport& report) {
  const live::Summary& summary = report.summary;
  const std::vector<live::Step>& steps = report.pipeline.steps();
  const bool is_gpu = report.place.backend == "cuda";
  std::string text;
  const auto add = [&](std::string_view name, double milliseconds, std::int64_t frames) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                        milliseconds_text(per_frame(milliseconds, frames)));
  };
  add("read", summary.read_milliseconds, summary.read);
  if (is_gpu && !report.place.why_no_interop.empty())
    add("upload", summary.lanes.upload, computed(summary));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].stage) continue;
    add(steps[i].stage->text(), summary.lanes.steps[i], computed(summary));
  }
  if (is_gpu) add("download", summary.lanes.download, computed(summary));
  add("write", summary.write_milliseconds, summary.written);
  return text;
}

nlohmann::ordered_json json_of(const live::Stream& stream) {
  nlohmann::ordered_json json = {{"width", stream.shape.width},
                                 {"height", stream.shape.height},
                                 {"format", stream.shape.pixel_text()}};
  if (stream.rate.is_known()) json["fps"] = stream.rate.per_second();
  if (stream.is_deep()) json["depth"] = stream.depth;
  if (!has_luma(stream.format_of_8_bits())) return json;
  const auto told = [](const auto& each) {
    return nlohmann::ordered_json{{"value", name_of(each.value)}, {"from", name_of(each.origin)}};
  };
  json["matrix"] = told(stream.colours.matrix);
  json["range"] = told(stream.colours.range);
  json["siting"] = told(stream.colours.siting);
  return json;
}

nlohmann::ordered_json stages_json(const StreamReport& report) {
  nlohmann::ordered_json stages = nlohmann::ordered_json::array();
  const std::vector<live::Step>& steps = report.pipeline.steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double milliseconds = report.summary.lanes.steps[i];
    stages.push_back({{"stage", steps[i].stage ? steps[i].stage->text() : "luma"},
                      {"inserted", steps[i].is_inserted},
                      {"result", json_of(steps[i].to)},
                      {"ms", per_frame(milliseconds, computed(report.summary))}});
  }
  return stages;
}

}  // namespace

std::string status_text(const live::Progress& now, const std::optional<std::int64_t>& total) {
  std::string text = fmt::format("{}", now.written);
  if (total) text += fmt::format(" of {}", *total);
  return text + " frames, " + fps_text(now.written, now.seconds) + drops_text(now);
}

std::string interop_text(const StreamPlace& place, const live::Source& source) {
  if (place.backend != "cuda" || !source.is_opengl()) return {};
  if (place.why_no_interop.empty()) return ", shared with CUDA";
  return fmt::format(", by the host ({})", place.why_no_interop);
}

std::string text_of(const StreamReport& report) {
  const live::Summary& summary = report.summary;
  const live::Stream& result = report.pipeline.result();
  return fmt::format("{}: {} of {}x{} {}{}, {} on {} ({}); each: {}; {} old when written (p99 {})",
                     report.sink.name(), counted(summary.written, "frame"), result.shape.width,
                     result.shape.height, report.sink.stored_format_name(result),
                     drops_text(summary) + reconnections_text(report.source),
                     fps_text(summary.written, summary.seconds), report.place.backend,
                     report.place.device, parts_text(report), milliseconds_text(summary.age_median),
                     milliseconds_text(summary.age_p99));
}

std::string json_text(const StreamReport& report) {
  const live::Summary& summary = report.summary;
  nlohmann::ordered_json json = {
      {"command", report.command},
      {"backend", report.place.backend},
      {"device", report.place.device},
      {"frames_at_a_time", report.place.workers},
      {"source", {{"name", report.source.name()}, {"frames", json_of(report.source.stream())}}},
      {"stages", stages_json(report)},
      {"sink", report.sink.name()},
      {"sink_format", report.sink.stored_format_name(report.pipeline.result())},
      {"read", summary.read},
      {"written", summary.written},
      {"dropped", summary.dropped},
      {"late", summary.late},
      {"stopped", summary.was_stopped},
      {"seconds", summary.seconds},
      {"fps", fps_of(summary.written, summary.seconds)},
      {"read_ms", per_frame(summary.read_milliseconds, summary.read)},
      {"upload_ms", per_frame(summary.lanes.upload, computed(summary))},
      {"download_ms", per_frame(summary.lanes.download, computed(summary))},
      {"write_ms", per_frame(summary.write_milliseconds, summary.written)},
      {"age_ms", {{"median", summary.age_median}, {"p99", summary.age_p99}}}};
  if (report.place.backend == "cuda") {
    const std::string& why_not = report.place.why_no_interop;
    json["interop"] = {{"taken", why_not.empty()}};
    if (!why_not.empty()) json["interop"]["why_not"] = why_not;
  }
  if (report.source.reconnections() > 0) json["reconnections"] = report.source.reconnections();
  if (!report.not_held.empty()) json["not_held"] = report.not_held;
  add_skipped(json, report.skipped);
  if (summary.failure) json["error"] = reason_of(summary.failure);
  return text_of_json(json);
}

}  // namespace warpwise::cli
