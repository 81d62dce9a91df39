#include "warpwise/emulator/runtime/reports/report_files.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "warpwise/base/counted.hpp"
#include "warpwise/emulator/junit.hpp"
#include "warpwise/emulator/readable.hpp"
#include "warpwise/emulator/runtime/reports/closed_libraries.hpp"
#include "warpwise/emulator/runtime/reports/message_text.hpp"
#include "warpwise/emulator/sarif.hpp"

namespace warpwise::emulator::runtime {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string to_text(Dim3 d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

// Explains each kind to readers who do not know this project.
std::string_view meaning(FaultKind kind) {
  switch (kind) {
    case FaultKind::out_of_bounds:
      return "A thread accesses memory that belongs to no buffer, or is past the end of one.";
    case FaultKind::misaligned:
      return "A thread accesses an address that is not a multiple of the access size.";
    case FaultKind::deadlock: return "Threads wait for something that no other thread will do.";
    case FaultKind::budget: return "The kernel exceeded its budget of warp instructions.";
    case FaultKind::trap: return "The kernel ended itself with a trap.";
    case FaultKind::assertion: return "An assert() of the kernel failed.";
    case FaultKind::race:
      return "Two threads touch the same byte of memory, one of them with a write, and nothing "
             "orders the two.";
    case FaultKind::narrow_scope:
      return "Threads of two blocks touch the same memory with atomic accesses, one of which is "
             "atomic only within its own block.";
    case FaultKind::lockstep:
      return "Lanes of a warp exchange values by volatile accesses without __syncwarp(), as if "
             "they kept step.";
    case FaultKind::equal_writes:
      return "Two threads write the same value to the same byte of memory, and nothing orders the "
             "two.";
    case FaultKind::order_dependent:
      return "The kernel's results or printed output depend on the order of its blocks and warps.";
    case FaultKind::use_after_free: return "A thread reads or writes memory that has been freed.";
    case FaultKind::livelock:
      return "All threads that still run poll memory in loops, and no thread changes it.";
    case FaultKind::barrier:
      return "Threads of a block pass a barrier that other threads of the block never reach.";
    case FaultKind::member_mask:
      return "Lanes of a warp execute an instruction with a member mask that does not match them.";
    case FaultKind::uninitialised:
      return "An uninitialised value decides a branch, an address or a result.";
    case FaultKind::invalid_free: return "The program frees memory that is not allocated.";
    case FaultKind::leak: return "The program ends without freeing memory.";
    case FaultKind::copy:
      return "A copy exceeds its source or destination, or names the wrong direction.";
    case FaultKind::unchecked_launch:
      return "The program does not check a failed launch, or ends without waiting for a launch.";
    case FaultKind::unsynchronised:
      return "The host uses memory that the device may still access, without waiting for the "
             "device.";
    case FaultKind::bad_call: return "A thread calls through a pointer that points to no function.";
    case FaultKind::interrupted:
      return "A signal or the time limit ended the run before the program had ended.";
    case FaultKind::stack_overflow:
      return "The functions that a thread has called overflow its stack.";
  }
  return "";
}

// Returns a path relative to the folder if it lies inside; otherwise the path itself.
fs::path shown_path(const std::string& file, const fs::path& folder) {
  if (!fs::path(file).is_absolute()) return fs::path(file).lexically_normal();
  std::error_code error;
  const fs::path path = fs::weakly_canonical(file, error);
  const fs::path base = error ? fs::path() : fs::weakly_canonical(folder, error);
  if (error) return file;
  const fs::path relative = path.lexically_relative(base);
  return relative.empty() || *relative.begin() == ".." ? path : relative;
}

// Encodes a path as RFC 3986 says: %XX for all but unreserved characters and slashes.
std::string uri_of(const fs::path& path) {
  std::string uri = path.is_absolute() ? "file://" : "";
  for (const char c : path.string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    char escaped[4];
    std::snprintf(escaped, sizeof(escaped), "%%%02X", static_cast<unsigned>(c) & 0xffU);
    uri += plain ? std::string(1, c) : std::string(escaped);
  }
  return uri;
}

// Replaces bytes that are not valid UTF-8, through the JSON library.
std::string as_utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string text_of_call(const std::string& function) {
  const bool is_library = function.find(".so") != std::string::npos;
  return "the emulated GPU does not run " + function + ": " +
         (is_library ? why_not_run(function) : "it returns cudaErrorNotSupported");
}

bool did_not_run(const KernelReport& kernel) {
  return !kernel.refusal.empty() || kernel.launches == 0;
}

std::vector<SourcePlace> places_of(const Fault& fault) {
  std::vector<SourcePlace> places{{fault.file, fault.line}};
  places.insert(places.end(), fault.called_from.begin(), fault.called_from.end());
  return places;
}

// Returns the fault's place in the program, not in a library that it calls.
SourcePlace own_place(const Fault& fault) {
  const std::vector<SourcePlace> places = places_of(fault);
  return places[own_line(places)];
}

void set_place(const SourcePlace& place, const RunReport& report, junit::Case& to) {
  if (place.file.empty()) return;
  to.file = shown_path(place.file, report.folder).string();
  to.line = static_cast<std::uint64_t>(place.line);
}

// Writes one failure for all faults, because some readers take only one. Its type is the kind of
// the first fault.
void set_failure(FaultKind kind, const std::vector<std::string>& lines, junit::Case& to) {
  to.outcome = "failure";
  to.type = name_of(kind);
  to.message = lines.front();
  for (const std::string& line : lines) to.text += line + "\n";
}

junit::Case test_case(const KernelReport& kernel, const RunReport& report) {
  junit::Case result;
  result.name = kernel.name;
  result.group = report.program;
  result.seconds = kernel.seconds;
  if (!kernel.faults.empty()) {
    set_place(own_place(kernel.faults.front()), report, result);
    std::vector<std::string> lines;
    for (const Fault& fault : kernel.faults) lines.push_back(describe(kernel.name, fault));
    set_failure(kernel.faults.front().kind, lines, result);
  } else if (!kernel.refusal.empty()) {
    result.outcome = "error";
    result.type = "not_run";
    result.message = kernel.refusal;
  } else if (kernel.launches == 0) {
    result.outcome = "skipped";
    result.message = "an earlier kernel faulted";
  }
  return result;
}

junit::Case program_case(const RunReport& report) {
  junit::Case result;
  result.name = "the program";
  result.group = report.program;
  set_place(report.host_faults.front().source, report, result);
  std::vector<std::string> lines;
  for (const HostFault& fault : report.host_faults) lines.push_back(describe(fault));
  set_failure(report.host_faults.front().kind, lines, result);
  return result;
}

junit::Case call_case(const std::string& function, const RunReport& report) {
  junit::Case result;
  result.name = function;
  result.group = report.program;
  result.outcome = "error";
  result.type = "not_run";
  result.message = text_of_call(function);
  return result;
}

junit::Suite suite_of(const RunReport& report) {
  junit::Suite suite{report.program, {}};
  for (const KernelReport& each : report.kernels) suite.cases.push_back(test_case(each, report));
  if (!report.host_faults.empty()) suite.cases.push_back(program_case(report));
  for (const std::string& each : report.calls_not_run)
    suite.cases.push_back(call_case(each, report));
  suite.name = as_utf8(suite.name);
  for (junit::Case& each : suite.cases) {
    for (std::string* text : {&each.name, &each.group, &each.file, &each.message, &each.text})
      *text = as_utf8(*text);
  }
  return suite;
}

Json physical_location(const SourcePlace& place, const fs::path& folder) {
  return {{"artifactLocation", {{"uri", uri_of(shown_path(place.file, folder))}}},
          {"region", {{"startLine", place.line}}}};
}

Json related_places(const Fault& fault, const fs::path& folder) {
  Json all = Json::array();
  const std::vector<SourcePlace> places = places_of(fault);
  const std::size_t own = own_line(places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i == own || places[i].file.empty() || places[i].line == 0) continue;
    all.push_back({{"physicalLocation", physical_location(places[i], folder)},
                   {"message", {{"text", i < own ? "called from there" : "inlined here"}}}});
  }
  return all;
}

// GitHub rejects a whole file if one result has no place. An unknown source line therefore becomes
// the program's first line.
Json location_at(const SourcePlace& place, const RunReport& report) {
  const bool known = !place.file.empty() && place.line > 0;
  return {{"physicalLocation",
           physical_location(known ? place : SourcePlace{report.program, 1}, report.folder)}};
}

Json result_of(FaultKind kind, const std::string& text, Json location) {
  return {{"ruleId", name_of(kind)},
          {"level", "error"},
          {"message", {{"text", text}}},
          {"locations", Json::array({std::move(location)})}};
}

Json result_of(const Fault& fault, const KernelReport& kernel, const RunReport& report) {
  Json location = location_at(own_place(fault), report);
  location["logicalLocations"] = {{{"name", kernel.name}, {"kind", "function"}}};
  Json result = result_of(fault.kind, describe(kernel.name, fault), std::move(location));
  if (!fault.called_from.empty()) result["relatedLocations"] = related_places(fault, report.folder);
  return result;
}

Json suppressed(Json result, const std::string& reason) {
  result["suppressions"] = Json::array({{{"kind", "external"}, {"justification", reason}}});
  return result;
}

Json rules() {
  Json all = Json::array();
  for (const FaultKind kind : all_values<FaultKind>()) {
    all.push_back({{"id", name_of(kind)},
                   {"name", name_of(kind)},
                   {"shortDescription", {{"text", meaning(kind)}}},
                   {"defaultConfiguration", {{"level", "error"}}}});
  }
  return all;
}

}  // namespace

std::uint64_t RunReport::launches() const {
  std::uint64_t count = 0;
  for (const KernelReport& each : kernels) count += each.launches;
  return count;
}

std::uint64_t RunReport::faults() const {
  std::uint64_t count = 0;
  for (const KernelReport& each : kernels) count += each.faults.size();
  return count + host_faults.size();
}

std::uint64_t RunReport::suppressed() const {
  std::uint64_t count = suppressed_host_faults.size();
  for (const KernelReport& each : kernels) count += each.suppressed.size();
  return count;
}

std::uint64_t RunReport::not_run() const {
  std::uint64_t count = 0;
  for (const KernelReport& each : kernels) count += did_not_run(each) ? 1 : 0;
  return count;
}

bool RunReport::is_empty() const {
  return kernels.empty() && host_faults.empty() && suppressed_host_faults.empty() &&
         calls_not_run.empty();
}

std::uint64_t RunReport::refused() const {
  const auto count =
      std::ranges::count_if(kernels, [](const auto& each) { return !each.refusal.empty(); });
  return static_cast<std::uint64_t>(count) + calls_not_run.size();
}

std::string summary_of(const RunReport& report) {
  std::string text = counted(report.launches(), "launch", "es") + " of " +
                     counted(report.kernels.size() - report.not_run(), "kernel") + ", " +
                     counted(report.faults(), "fault");
  if (report.suppressed() > 0) text += ", " + std::to_string(report.suppressed()) + " suppressed";
  if (report.not_run() > 0) text += ", " + counted(report.not_run(), "kernel") + " not run";
  if (!report.calls_not_run.empty())
    text += ", " + counted(report.calls_not_run.size(), "CUDA function") + " not run";
  return text;
}

std::string record_of(const RunReport& report, bool has_ended,
                      const std::vector<std::string>& unused_suppressions) {
  Json kernels = Json::array();
  for (const KernelReport& each : report.kernels) {
    if (!did_not_run(each)) kernels.push_back(each.name);
  }
  const junit::Suite suite = suite_of(report);
  const junit::Counts counts = junit::counts_of(suite);
  const Json record = {
      {"is_empty", report.is_empty()},
      {"has_ended", has_ended},
      {"launches", report.launches()},
      {"kernels", kernels},
      {"faults", report.faults()},
      {"refused", report.refused()},
      {"suppressed", report.suppressed()},
      {"summary", summary_of(report)},
      {"junit", junit::element_of(suite)},
      {"junit_counts", {counts.tests, counts.failures, counts.errors, counts.skipped}},
      {"junit_seconds", counts.seconds},
      {"sarif", sarif_of(report)},
      {"unused_suppressions", unused_suppressions}};
  return record.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string describe(const std::string& kernel, const Fault& fault) {
  const std::string place =
      fault.file.empty() ? std::string(no_source_line) : place_text(places_of(fault), "inlined at");
  const std::string times = fault.count == 1 ? "once" : std::to_string(fault.count) + " times";
  // An assertion's text is not shortened, because it is the program's own and may hold any
  // brackets.
  const std::string message =
      fault.kind == FaultKind::assertion ? fault.message : short_message(fault.message);
  return std::string(name_of(fault.kind)) + " in kernel " + shortened(kernel) + ", block " +
         to_text(fault.block) + ", thread " + to_text(fault.thread) + " (" + times + "), " + place +
         ": " + message;
}

std::string describe(const HostFault& fault) {
  return std::string(name_of(fault.kind)) + " in the program, " +
         (fault.function.empty() ? "" : fault.function + " called ") +
         (fault.place.empty() ? "" : "at " + shortened(fault.place) + ": ") +
         short_message(fault.message);
}

std::string junit_of(const RunReport& report) {
  const junit::Suite suite = suite_of(report);
  return junit::file_of(junit::counts_of(suite), junit::element_of(suite));
}

std::string sarif_of(const RunReport& report) {
  Json results = Json::array();
  Json notifications = Json::array();
  for (const KernelReport& kernel : report.kernels) {
    for (const Fault& fault : kernel.faults) results.push_back(result_of(fault, kernel, report));
    for (const auto& [fault, reason] : kernel.suppressed)
      results.push_back(suppressed(result_of(fault, kernel, report), reason));
    if (kernel.refusal.empty()) continue;
    notifications.push_back(
        {{"level", "error"},
         {"message", {{"text", "kernel " + kernel.name + " was not run: " + kernel.refusal}}}});
  }
  for (const HostFault& fault : report.host_faults) {
    results.push_back(result_of(fault.kind, describe(fault), location_at(fault.source, report)));
  }
  for (const HostFault& fault : report.suppressed_host_faults) {
    Json result = result_of(fault.kind, describe(fault), location_at(fault.source, report));
    results.push_back(suppressed(std::move(result), fault.suppressed_because));
  }
  for (const std::string& each : report.calls_not_run)
    notifications.push_back({{"level", "error"}, {"message", {{"text", text_of_call(each)}}}});
  Json file = Json::parse(sarif_frame);
  Json& run = file.at("runs").at(0);
  run.at("tool").at("driver")["rules"] = rules();
  run["invocations"] = {{{"executionSuccessful", notifications.empty()},
                         {"toolExecutionNotifications", notifications}}};
  run["results"] = results;
  return file.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpwise::emulator::runtime
