#include "warpwise/lab/explain/program_report.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/runtime/launch_record.hpp"
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
  compilation.compiler = "nvcc, as a part of " + program + ",";
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

std::uint64_t weight(const Explanation& kernel) { return kernel.launch.totals.warp_instructions; }

std::string plural(std::uint64_t count, const std::string& what, const char* ending) {
  return grouped(count) + " " + what + (count == 1 ? "" : ending);
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
  }
  return result;
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
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("\n==== {} of {}\n\n", i + 1, count);
    text += text_of(explanation.kernels[i], colour);
  }
  return text;
}

nlohmann::ordered_json json_of(const ProgramExplanation& explanation) {
  nlohmann::ordered_json object = {{"program", explanation.program}};
  object["kernels"] = nlohmann::ordered_json::array();
  for (const Explanation& kernel : explanation.kernels) {
    nlohmann::ordered_json each = json_of(kernel);
    each["launches"] = kernel.launches;
    object["kernels"].push_back(std::move(each));
  }
  return object;
}

}  // namespace warpwise::lab
