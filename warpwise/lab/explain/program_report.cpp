#include "warpwise/lab/explain/program_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/runtime/reports/launch_record.hpp"
#include "warpwise/lab/explain/report.hpp"
#include "warpwise/lab/explain/wording.hpp"

namespace warpwise::lab {
namespace {

using emulator::runtime::RecordJson;

// The program's own process wrote the record. Only a program that was stopped leaves none, or half
// of one.
RecordJson read_record(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  RecordJson record = RecordJson::parse(in, nullptr, false);
  if (record.is_discarded() || !record.is_object() ||
      record.value("format", "") != emulator::runtime::launch_record_format) {
    throw Error("there is nothing to explain: the program did not end normally");
  }
  return record;
}

Explanation explained(const RecordJson& entry, const std::string& ptx, const std::string& program,
                      ExplainRequest request) {
  const std::string name = entry.at("kernel");
  Compilation compilation;
  compilation.ptx = ptx_of_kernel(ptx, name);
  compilation.compiler = "nvcc within " + program;
  compilation.options.architecture = target_architecture(compilation.ptx);
  emulator::LaunchResult launch = emulator::runtime::launch_of(entry.at("result"));
  request.file = program;
  request.kernel = name;
  request.grid = emulator::runtime::dim_of(entry.at("grid"));
  request.block = emulator::runtime::dim_of(entry.at("block"));
  request.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  request.compile = compilation.options;
  const emulator::KernelInfo kernel = emulator::Program(compilation.ptx).kernel(name);
  return explain_launch(std::move(request), std::move(compilation), kernel, std::move(launch));
}

bool reads_textures(const Explanation& kernel) {
  return std::ranges::any_of(kernel.launch.memory, [](const emulator::MemoryCounts& each) {
    return each.texture_requests > 0;
  });
}

// Returns why the record has no time for a kernel; empty if it has.
std::string why_no_time(const RecordJson& sample, const Explanation& kernel) {
  if (sample.is_null()) return "a kernel launched it, and only the program's launches are sampled";
  if (sample.contains("unavailable")) return sample.at("unavailable");
  if (reads_textures(kernel)) return "the sizes of the textures that it reads are not recorded";
  return "";
}

void predict(const RecordJson& entry, Explanation& kernel) {
  const auto& device = kernel.request.device;
  if (!device || is_faulty(kernel.launch)) return;
  const RecordJson& sample = entry.at("sample");
  const std::string why = why_no_time(sample, kernel);
  if (!why.empty()) {
    kernel.prediction.emplace();
    kernel.prediction->profile = *device;
    kernel.prediction->why_not = why;
    return;
  }
  add_prediction(kernel, {.all = entry.at("memory_bytes")}, [&](const emulator::LaunchOptions&) {
    return emulator::runtime::launch_of(sample);
  });
}

std::uint64_t weight(const Explanation& kernel) { return kernel.launch.totals.warp_instructions; }

std::string plural(std::uint64_t count, const std::string& what, const char* ending) {
  return grouped(count) + " " + what + (count == 1 ? "" : ending);
}

std::span<const KernelTime> first_ones(const ProgramTimeline& timeline) {
  constexpr std::size_t most = 3;
  return std::span(timeline.by_kernel).first(std::min(most, timeline.by_kernel.size()));
}

// Returns a kernel's name, with its grid if another one has the same name.
std::string distinct_name(const ProgramExplanation& explanation, std::size_t index) {
  const Explanation& own = explanation.kernels[index];
  const auto same =
      std::ranges::count(explanation.kernels, own.kernel_name, &Explanation::kernel_name);
  if (same == 1) return own.kernel_name;
  const emulator::Dim3& grid = own.request.grid;
  return fmt::format("{} of grid {},{},{}", own.kernel_name, grid.x, grid.y, grid.z);
}

// " The time of 3 copies of 12,288 bytes in all is not known: …", or nothing.
std::string unknown_text(const UnknownTimes& unknown) {
  std::vector<std::string> parts;
  if (unknown.copies > 0) {
    parts.push_back(
        fmt::format("The time of {} of {} bytes in all is not known: no profile has the "
                    "bandwidth of the bus.",
                    unknown.copies == 1 ? "1 copy" : grouped(unknown.copies) + " copies",
                    grouped(unknown.bytes)));
  }
  if (unknown.launches > 0)
    parts.push_back(fmt::format("The time of {} is not known: the kernels below say why.",
                                plural(unknown.launches, "launch", "es")));
  if (parts.empty()) return "";
  return fmt::format(" {}", fmt::join(parts, " "));
}

std::string first_text(const ProgramExplanation& explanation) {
  const ProgramTimeline& timeline = explanation.timeline;
  std::string text =
      "\n" +
      wrapped(fmt::format("Time on {}, modelled: {} us, if each launch and "
                          "copy waits for the one before it.{}",
                          explanation.device->gpu_with_article(), time_text(timeline.us),
                          unknown_text(unknown_times(timeline))),
              0) +
      "\n";
  if (timeline.by_kernel.empty()) return text;
  text += "Look first at\n";
  for (const KernelTime& each : first_ones(timeline)) {
    const Explanation& kernel = explanation.kernels[each.kernel];
    const std::string launches =
        each.launches == 1
            ? "1 launch"
            : fmt::format("{} launches, {} us each in the mean", grouped(each.launches),
                          time_text(each.us / static_cast<double>(each.launches)));
    text +=
        fmt::format("{:5.1f} %  {} us  {} ({} below): {}; as launched, the bottleneck is {}\n",
                    100 * each.us / timeline.us, time_text(each.us), kernel.kernel_name,
                    each.kernel + 1, launches, bottleneck_of(kernel.known_prediction()->bounds));
  }
  return text;
}

std::string timeline_text(const ProgramExplanation& explanation) {
  constexpr std::size_t most = 30;
  const std::vector<ProgramEvent>& events = explanation.timeline.events;
  std::string text = "\nTimeline\n  start us   time us\n";
  for (std::size_t i = 0; i < std::min(most, events.size()); ++i) {
    const ProgramEvent& each = events[i];
    const std::string what =
        each.kernel
            ? fmt::format("{} ({} below)", explanation.kernels[*each.kernel].kernel_name,
                          *each.kernel + 1)
            : fmt::format("{}, {} bytes", text_of_transfer(each.transfer), grouped(each.bytes));
    text += fmt::format("{:>10} {:>9}  {}{}\n", time_text(each.start_us),
                        each.us ? time_text(*each.us) : "not known",
                        each.times > 1 ? grouped(each.times) + " x " : "", what);
  }
  if (events.size() > most)
    text += fmt::format("… and {} more: --explain FILE.json lists all\n", events.size() - most);
  return text;
}

void add_timeline(const ProgramExplanation& explanation, nlohmann::ordered_json& object) {
  const ProgramTimeline& timeline = explanation.timeline;
  object["device"] = explanation.device->name;
  object["gpu"] = explanation.device->gpu;
  object["predicted_us"] = timeline.us;
  object["look_first"] = nlohmann::ordered_json::array();
  for (const KernelTime& each : first_ones(timeline))
    object["look_first"].push_back(
        {{"kernel", each.kernel}, {"launches", each.launches}, {"time_us", each.us}});
  object["timeline"] = nlohmann::ordered_json::array();
  for (const ProgramEvent& each : timeline.events) {
    nlohmann::ordered_json event = {{"start_us", each.start_us}, {"time_us", nullptr}};
    if (each.us) event["time_us"] = *each.us;
    event["times"] = each.times;
    if (each.kernel) {
      event["kernel"] = *each.kernel;
    } else {
      event["transfer"] = each.transfer;
      event["bytes"] = each.bytes;
    }
    object["timeline"].push_back(std::move(event));
  }
}

}  // namespace

ProgramExplanation explain_program(const std::filesystem::path& record,
                                   const ExplainRequest& request) {
  const RecordJson all = read_record(record);
  ProgramExplanation result;
  result.program = all.at("program");
  for (const RecordJson& entry : all.at("kernels")) {
    const std::string ptx = all.at("ptx").at(std::size_t{entry.at("ptx")});
    result.kernels.push_back(explained(entry, ptx, result.program, request));
    result.kernels.back().launches = entry.at("launches");
    predict(entry, result.kernels.back());
  }
  result.device = request.device;
  if (result.device)
    result.timeline = timeline_of(all.at("timeline"), result.kernels, *result.device);
  return result;
}

std::string sample_text(const DeviceProfile& device) {
  return emulator::runtime::json_of_sample_model(sample_model(device)).dump();
}

std::string line_of(const ProgramExplanation& explanation) {
  const ProgramTimeline& timeline = explanation.timeline;
  if (timeline.by_kernel.empty()) return "";
  std::vector<std::string> kernels;
  for (const KernelTime& each : first_ones(timeline))
    kernels.push_back(fmt::format("{} ({:.0f} %)", distinct_name(explanation, each.kernel),
                                  100 * each.us / timeline.us));
  return fmt::format("look first at {}, of {} us on {}, modelled", fmt::join(kernels, ", "),
                     time_text(timeline.us), explanation.device->gpu_with_article());
}

std::string text_of(const ProgramExplanation& explanation, bool colour) {
  std::uint64_t all = 0;
  std::uint64_t launches = 0;
  for (const Explanation& each : explanation.kernels) {
    all += weight(each);
    launches += each.launches;
  }
  const std::size_t count = explanation.kernels.size();
  std::string text = fmt::format(
      "{}: {} of {}; each grid and block of a kernel counts separately\n", explanation.program,
      plural(launches, "launch", "es"), plural(count, "kernel", "s"));
  for (std::size_t i = 0; i < count; ++i) {
    const Explanation& kernel = explanation.kernels[i];
    text += fmt::format("{:5.1f} % of the warp instructions: {}, {}\n",
                        100 * ratio(weight(kernel), all), kernel.kernel_name,
                        plural(kernel.launches, "launch", "es"));
  }
  if (explanation.device) text += first_text(explanation) + timeline_text(explanation);
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("\n==== {} of {}\n\n", i + 1, count);
    text += text_of(explanation.kernels[i], colour);
  }
  return text;
}

nlohmann::ordered_json json_of(const ProgramExplanation& explanation) {
  nlohmann::ordered_json object = {{"program", explanation.program}};
  if (explanation.device) add_timeline(explanation, object);
  object["kernels"] = nlohmann::ordered_json::array();
  for (const Explanation& kernel : explanation.kernels) {
    nlohmann::ordered_json each = json_of(kernel);
    each["launches"] = kernel.launches;
    object["kernels"].push_back(std::move(each));
  }
  return object;
}

}  // namespace warpwise::lab
