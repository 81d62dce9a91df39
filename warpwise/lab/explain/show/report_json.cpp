#include "warpwise/lab/explain/advice/advice.hpp"
#include "warpwise/lab/explain/advice/placement.hpp"
#include "warpwise/lab/explain/show/report.hpp"

namespace warpwise::lab {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const emulator::Dim3& size) { return {size.x, size.y, size.z}; }

ordered_json json_of(const emulator::TrafficCounts& counts) {
  return {{"requests", counts.requests},
          {"transactions",
           {{"32", counts.transactions_32},
            {"64", counts.transactions_64},
            {"128", counts.transactions_128}}},
          {"ideal_transactions", counts.ideal_transactions},
          {"bytes_requested", counts.bytes_requested},
          {"bytes_moved", counts.bytes_moved}};
}

ordered_json json_of(const emulator::PassCounts& counts) {
  return {{"requests", counts.requests},
          {"passes", counts.passes},
          {"ideal_passes", counts.ideal_passes}};
}

void add_memory(const emulator::MemoryCounts& counts, ordered_json& object) {
  object["global_load"] = json_of(counts.global_load);
  object["global_store"] = json_of(counts.global_store);
  object["global_atomic"] = json_of(counts.global_atomic);
  object["local_load"] = json_of(counts.local_load);
  object["local_store"] = json_of(counts.local_store);
  object["shared_load"] = json_of(counts.shared_load);
  object["shared_store"] = json_of(counts.shared_store);
  object["shared_atomic"] = json_of(counts.shared_atomic);
  object["constant"] = json_of(counts.constant);
  object["texture"] = {{"requests", counts.texture_requests}};
}

void add_execution(const emulator::ExecutionCounts& counts, ordered_json& object) {
  object["warp_instructions"] = counts.warp_instructions;
  object["thread_instructions"] = counts.thread_instructions;
  object["branches"] = counts.branches;
  object["divergent_branches"] = counts.divergent_branches;
  object["barriers"] = counts.barriers;
}

template <class T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json json_of(const CapabilityReport& report) {
  ordered_json occupancy = {{"blocks_per_sm", report.occupancy.blocks_per_sm},
                            {"warps_per_sm", report.occupancy.warps_per_sm},
                            {"fraction", report.occupancy.fraction},
                            {"limiter", name_of(report.occupancy.limiter)}};
  if (!report.why_not.empty()) occupancy["why_not"] = report.why_not;
  return {{"registers", or_null(report.registers)},
          {"registers_from", report.registers_from},
          {"spill_bytes", or_null(report.spill_bytes)},
          {"occupancy", occupancy}};
}

std::string shown(const Explanation& explanation, const std::string& file) {
  const SourceFile* source = explanation.source(file);
  return source == nullptr ? file : source->shown;
}

ordered_json json_of(const MachineCode& code) {
  if (!code.why_unknown.empty()) return {{"unavailable", code.why_unknown}};
  return {{"built_for", code.built_for}, {"instructions", code.instructions.size()}};
}

ordered_json json_of(const std::vector<MachineInstruction>& instructions) {
  ordered_json list = ordered_json::array();
  for (const MachineInstruction& each : instructions) {
    list.push_back({{"address", each.address}, {"text", each.text}});
  }
  return list;
}

void add_instructions(const emulator::LaunchResult& launch, ordered_json& object) {
  add_execution(launch.totals, object);
  object["instructions_by_class"] = launch.instructions_by_class;
  object["float_operations"] = {{"float32", launch.totals.float32_operations},
                                {"float64", launch.totals.float64_operations}};
}

ordered_json json_of(const LaunchPrediction& prediction) {
  ordered_json object = {{"device", prediction.profile.name}, {"gpu", prediction.profile.gpu}};
  if (!prediction.why_not.empty()) {
    object["unavailable"] = prediction.why_not;
    return object;
  }
  const Bounds& bounds = prediction.bounds;
  object["time_us"] = bounds.time_us();
  object["least_us"] = bounds.least_us();
  object["most_us"] = bounds.most_us();
  object["launch_us"] = bounds.launch_us;
  object["next_launch_us"] = bounds.next_launch_us;
  object["rules"] = bottleneck_of(bounds);
  for (const BoundPart& each : parts_of(bounds))
    object["bounds_us"][std::string(each.name)] = each.us;
  object["sampled_blocks"] = prediction.sample.blocks;
  add_instructions(prediction.sample, object["sample"]);
  return object;
}

ordered_json lines_of(const Explanation& explanation) {
  ordered_json lines = ordered_json::array();
  for (const emulator::LineCounts& line : explanation.launch.lines) {
    if (!explanation.is_shown(line)) continue;
    ordered_json object = {{"file", shown(explanation, line.file)},
                           {"line", line.line},
                           {"source", explanation.source_line(line.file, line.line)}};
    add_execution(line.execution, object);
    for (std::size_t i = 0; i < line.memory.size(); ++i) {
      ordered_json& counts =
          object["by_cc"][rules::to_string(explanation.request.compute_capabilities[i])];
      add_memory(line.memory[i], counts);
    }
    const auto instructions = explanation.instructions_of(line);
    if (!instructions.empty()) object["machine_code"] = json_of(instructions);
    lines.push_back(std::move(object));
  }
  return lines;
}

ordered_json faults_of(const Explanation& explanation) {
  ordered_json faults = ordered_json::array();
  for (const emulator::Fault& fault : explanation.launch.faults) {
    faults.push_back({{"kind", name_of(fault.kind)},
                      {"thread", json_of(fault.thread)},
                      {"block", json_of(fault.block)},
                      {"file", shown(explanation, fault.file)},
                      {"line", fault.line},
                      {"count", fault.count},
                      {"message", fault.message}});
  }
  return faults;
}

ordered_json fidelity_of(const Explanation& explanation) {
  ordered_json uses = ordered_json::array();
  for (const emulator::ModelledUse& use : explanation.launch.modelled) {
    ordered_json lines = ordered_json::array();
    for (const emulator::SourcePlace& place : use.lines)
      lines.push_back({{"file", shown(explanation, place.file)}, {"line", place.line}});
    uses.push_back({{"modelled", name_of(use.what)},
                    {"meaning", emulator::meaning_of(use.what)},
                    {"reach", emulator::reach_of(use)},
                    {"may_reach_branch", use.may_reach_branch},
                    {"may_reach_result", use.may_reach_result},
                    {"lines", std::move(lines)}});
  }
  return uses;
}

ordered_json json_of(const Advice& advice) {
  ordered_json object = {{"text", advice.text}, {"rule", advice.rule}};
  if (advice.remedy) object["remedy"] = name_of(*advice.remedy);
  if (advice.gain) {
    object["gain"] = *advice.gain;
    object["gain_range"] = {{"least", advice.gain_range.least}, {"most", advice.gain_range.most}};
  }
  if (const auto example = example_for(advice)) {
    object["example"] = {
        {"before", example->before}, {"after", example->after}, {"shown_by", example->shown_by}};
  }
  return object;
}

}  // namespace

ordered_json json_of(const Explanation& explanation) {
  const ExplainRequest& request = explanation.request;
  const emulator::LaunchResult& launch = explanation.launch;
  ordered_json object = {{"kernel", explanation.kernel_name},
                         {"mangled_name", explanation.kernel.name},
                         {"compiler", explanation.compilation.compiler},
                         {"compiler_notes", explanation.compilation.notes},
                         {"grid", json_of(request.grid)},
                         {"block", json_of(request.block)},
                         {"blocks_run", explanation.launch.blocks},
                         {"counted", explanation.counted()},
                         {"static_shared_bytes", explanation.kernel.static_shared_bytes},
                         {"dynamic_shared_bytes", request.dynamic_shared_bytes},
                         {"local_bytes", explanation.kernel.local_bytes},
                         {"constant_bytes", explanation.kernel.constant_bytes}};
  object["by_cc"] = ordered_json::object();
  for (std::size_t i = 0; i < launch.memory.size(); ++i) {
    ordered_json report = json_of(explanation.capabilities[i]);
    add_memory(launch.memory[i], report);
    object["by_cc"][rules::to_string(request.compute_capabilities[i])] = std::move(report);
  }
  add_instructions(launch, object);
  if (explanation.machine_code) object["machine_code"] = json_of(*explanation.machine_code);
  if (explanation.gpu) object["gpu"] = json_of(*explanation.gpu);
  if (explanation.prediction) object["prediction"] = json_of(*explanation.prediction);
  if (const auto ratio = explanation.measured_over_predicted())
    object["prediction"]["measured_over_predicted"] = *ratio;
  object["lines"] = lines_of(explanation);
  object["faults"] = faults_of(explanation);
  object["fidelity"] = fidelity_of(explanation);
  object["printed"] = launch.printed;
  object["advice"] = ordered_json::array();
  for (const Advice& advice : advice_for(explanation)) object["advice"].push_back(json_of(advice));
  const Placement placement = placement_of(explanation);
  object["placement"] = {{"kind", placement.kind}, {"text", placement.text}};
  return object;
}

}  // namespace warpwise::lab
