#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "warpwise/emulator/count_fields.hpp"
#include "warpwise/emulator/emulator.hpp"
#include "warpwise/emulator/sample_model.hpp"

// Reads and writes the cost of a program's kernels. The emulated runtime writes it for `warpwise
// run --explain`, and the command reads it. Both have the same version, so only one format is read.
// The runtime and the command are built apart and share this header, so it has no .cpp.
namespace warpwise::emulator::runtime {

inline constexpr const char* launch_record_format = "warpwise launches 4";

template <class Counts>
void add_counts(const Counts& from, Counts& to) {
  for (const auto& [name, field] : fields_of(from)) to.*field += from.*field;
}
inline void add_counts(const MemoryCounts& from, MemoryCounts& to) {
  visit_memory([](const char*, const auto& part, auto& own) { add_counts(part, own); }, from, to);
  to.texture_requests += from.texture_requests;
  to.texture_references += from.texture_references;
}

/// Adds the counts of one launch to those of another. Both launches have the same kernel and shape.
/// Their code is the same too, so that their source lines have the same indices.
inline void add_launch(const LaunchResult& from, LaunchResult& to) {
  add_counts(from.totals, to.totals);
  for (const auto& [name, count] : from.instructions_by_class)
    to.instructions_by_class[name] += count;
  for (std::size_t i = 0; i < to.memory.size(); ++i) add_counts(from.memory[i], to.memory[i]);
  to.thread_rounds += from.thread_rounds;
  for (std::size_t i = 0; i < to.lines.size() && i < from.lines.size(); ++i) {
    add_counts(from.lines[i].execution, to.lines[i].execution);
    for (std::size_t k = 0; k < to.lines[i].memory.size(); ++k)
      add_counts(from.lines[i].memory[k], to.lines[i].memory[k]);
  }
  to.faults.insert(to.faults.end(), from.faults.begin(), from.faults.end());
  add_uses(to.modelled, from.modelled);
  to.blocks += from.blocks;
}

using RecordJson = nlohmann::json;

template <class Counts>
RecordJson json_of_counts(const Counts& counts) {
  RecordJson object = RecordJson::object();
  for (const auto& [name, field] : fields_of(counts)) object[name] = counts.*field;
  return object;
}
template <class Counts>
void read_counts(const RecordJson& object, Counts& counts) {
  for (const auto& [name, field] : fields_of(counts)) counts.*field = object.at(name);
}

inline RecordJson json_of_counts(const MemoryCounts& counts) {
  RecordJson object = {{"texture_requests", counts.texture_requests},
                       {"texture_references", counts.texture_references}};
  visit_memory(
      [&](const char* name, const auto& each) {
        // Leaves out kinds of access without requests. Most source lines have at most one kind, so
        // this shortens the record.
        if (each.requests > 0) object[name] = json_of_counts(each);
      },
      counts);
  return object;
}
inline void read_counts(const RecordJson& object, MemoryCounts& counts) {
  counts.texture_requests = object.at("texture_requests");
  counts.texture_references = object.at("texture_references");
  visit_memory(
      [&](const char* name, auto& each) {
        if (object.contains(name)) read_counts(object.at(name), each);
      },
      counts);
}

template <class Values>
using DoubleField = std::pair<const char*, double Values::*>;
inline auto doubles_of(const PaceModel&) {
  using M = PaceModel;
  return std::to_array<DoubleField<M>>({{"arithmetic_cycles", &M::arithmetic_cycles},
                                        {"float64_cycles", &M::float64_cycles},
                                        {"special_cycles", &M::special_cycles},
                                        {"shared_cycles", &M::shared_cycles},
                                        {"constant_cycles", &M::constant_cycles},
                                        {"texture_cycles", &M::texture_cycles},
                                        {"l1_cycles", &M::l1_cycles},
                                        {"l2_cycles", &M::l2_cycles},
                                        {"dram_cycles", &M::dram_cycles},
                                        {"barrier_cycles", &M::barrier_cycles},
                                        {"barrier_warp_cycles", &M::barrier_warp_cycles},
                                        {"branch_cycles", &M::branch_cycles},
                                        {"atomic_cycles", &M::atomic_cycles},
                                        {"integer_atomic_cycles", &M::integer_atomic_cycles},
                                        {"atomic_sector_cycles", &M::atomic_sector_cycles},
                                        {"shared_loop_cycles", &M::shared_loop_cycles}});
}
inline auto doubles_of(const rules::MachineInstructions&) {
  using M = rules::MachineInstructions;
  return std::to_array<DoubleField<M>>({{"all", &M::all},
                                        {"integer", &M::integer},
                                        {"float32", &M::float32},
                                        {"float64", &M::float64},
                                        {"special", &M::special},
                                        {"conversion", &M::conversion},
                                        {"conversion64", &M::conversion64}});
}
template <class Values>
RecordJson json_of_doubles(const Values& values) {
  RecordJson object = RecordJson::object();
  for (const auto& [name, field] : doubles_of(values)) object[name] = values.*field;
  return object;
}
template <class Values>
void read_doubles(const RecordJson& object, Values& values) {
  for (const auto& [name, field] : doubles_of(values)) values.*field = object.at(name);
}

inline RecordJson json_of_pace(const PaceCounts& pace) {
  RecordJson object = json_of_counts(pace);
  object["block_cycles"] = pace.block_cycles;
  object["further"] = json_of_doubles(pace.further);
  object["ptx_lines"] = RecordJson::array();
  for (const auto& [line, warps] : pace.ptx_lines) object["ptx_lines"].push_back({line, warps});
  object["reads"] = RecordJson::array();
  for (const auto& [bytes, requested, dram, partly] : pace.reads)
    object["reads"].push_back({bytes, requested, dram, partly});
  object["block_lengths"] = RecordJson::array();
  for (const auto& [block, cycles] : pace.block_lengths)
    object["block_lengths"].push_back({block, cycles});
  return object;
}
inline PaceCounts pace_of(const RecordJson& object) {
  PaceCounts pace;
  read_counts(object, pace);
  pace.block_cycles = object.at("block_cycles");
  read_doubles(object.at("further"), pace.further);
  for (const RecordJson& each : object.at("ptx_lines"))
    pace.ptx_lines.push_back({each.at(0), each.at(1)});
  for (const RecordJson& each : object.at("reads"))
    pace.reads.push_back({each.at(0), each.at(1), each.at(2), each.at(3)});
  for (const RecordJson& each : object.at("block_lengths"))
    pace.block_lengths.push_back({each.at(0), each.at(1)});
  return pace;
}

inline RecordJson json_of_sample_model(const SampleModel& model) {
  return {{"pace", json_of_doubles(model.pace)},     {"l1_bytes", model.pace.l1_bytes},
          {"dram_sectors", model.pace.dram_sectors}, {"threads", model.threads},
          {"fewest_blocks", model.fewest_blocks},    {"budget", model.budget}};
}
inline SampleModel sample_model_of(const RecordJson& object) {
  SampleModel model;
  read_doubles(object.at("pace"), model.pace);
  model.pace.l1_bytes = object.at("l1_bytes");
  model.pace.dram_sectors = object.at("dram_sectors");
  model.threads = object.at("threads");
  model.fewest_blocks = object.at("fewest_blocks");
  model.budget = object.at("budget");
  return model;
}

/// Kind of a copy or a fill, by the places of its bytes.
enum class CopyKind { to_gpu, from_gpu, within_gpu, of_host, fill };
/// Returns the names for name_of() and value_named(): "to_gpu", …
constexpr auto enum_names(CopyKind) {
  return std::to_array<EnumName<CopyKind>>({{CopyKind::to_gpu, "to_gpu"},
                                            {CopyKind::from_gpu, "from_gpu"},
                                            {CopyKind::within_gpu, "within_gpu"},
                                            {CopyKind::of_host, "of_host"},
                                            {CopyKind::fill, "fill"}});
}

inline RecordJson json_of_dim(Dim3 d) { return {d.x, d.y, d.z}; }
inline Dim3 dim_of(const RecordJson& json) { return {json.at(0), json.at(1), json.at(2)}; }

inline RecordJson json_of_place(const SourcePlace& place) { return {place.file, place.line}; }
inline SourcePlace place_of(const RecordJson& json) { return {json.at(0), json.at(1)}; }

inline RecordJson json_of_launch(const LaunchResult& launch) {
  RecordJson object = {{"totals", json_of_counts(launch.totals)},
                       {"instructions_by_class", launch.instructions_by_class},
                       {"thread_rounds", launch.thread_rounds},
                       {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                       {"blocks", launch.blocks}};
  if (launch.pace.block_cycles > 0) object["pace"] = json_of_pace(launch.pace);
  for (const char* list : {"memory", "lines", "faults", "modelled"})
    object[list] = RecordJson::array();
  for (const MemoryCounts& each : launch.memory) object["memory"].push_back(json_of_counts(each));
  for (const LineCounts& line : launch.lines) {
    RecordJson memory = RecordJson::array();
    for (const MemoryCounts& each : line.memory) memory.push_back(json_of_counts(each));
    object["lines"].push_back({{"place", json_of_place({line.file, line.line})},
                               {"execution", json_of_counts(line.execution)},
                               {"memory", memory}});
  }
  for (const Fault& fault : launch.faults) {
    RecordJson callers = RecordJson::array();
    for (const SourcePlace& place : fault.called_from) callers.push_back(json_of_place(place));
    object["faults"].push_back({{"kind", name_of(fault.kind)},
                                {"thread", json_of_dim(fault.thread)},
                                {"block", json_of_dim(fault.block)},
                                {"place", json_of_place({fault.file, fault.line})},
                                {"count", fault.count},
                                {"message", fault.message},
                                {"called_from", callers}});
  }
  for (const ModelledUse& use : launch.modelled) {
    RecordJson lines = RecordJson::array();
    for (const SourcePlace& place : use.lines) lines.push_back(json_of_place(place));
    object["modelled"].push_back({{"what", name_of(use.what)},
                                  {"branch", use.may_reach_branch},
                                  {"result", use.may_reach_result},
                                  {"lines", lines}});
  }
  return object;
}

/// \throws nlohmann::json::exception  json_of_launch() did not write this JSON
inline LaunchResult launch_of(const RecordJson& object) {
  LaunchResult launch;
  read_counts(object.at("totals"), launch.totals);
  launch.instructions_by_class = object.at("instructions_by_class");
  launch.thread_rounds = object.at("thread_rounds");
  launch.dynamic_shared_bytes = object.at("dynamic_shared_bytes");
  launch.blocks = object.at("blocks");
  if (object.contains("pace")) launch.pace = pace_of(object.at("pace"));
  for (const RecordJson& each : object.at("memory"))
    read_counts(each, launch.memory.emplace_back());
  for (const RecordJson& each : object.at("lines")) {
    LineCounts& line = launch.lines.emplace_back();
    const SourcePlace place = place_of(each.at("place"));
    line.file = place.file;
    line.line = place.line;
    read_counts(each.at("execution"), line.execution);
    for (const RecordJson& memory : each.at("memory"))
      read_counts(memory, line.memory.emplace_back());
  }
  for (const RecordJson& each : object.at("faults")) {
    Fault& fault = launch.faults.emplace_back();
    fault.kind = value_named<FaultKind>(std::string(each.at("kind"))).value_or(FaultKind::trap);
    fault.thread = dim_of(each.at("thread"));
    fault.block = dim_of(each.at("block"));
    const SourcePlace place = place_of(each.at("place"));
    fault.file = place.file;
    fault.line = place.line;
    fault.count = each.at("count");
    fault.message = each.at("message");
    for (const RecordJson& caller : each.at("called_from"))
      fault.called_from.push_back(place_of(caller));
  }
  for (const RecordJson& each : object.at("modelled")) {
    ModelledUse& use = launch.modelled.emplace_back();
    use.what = value_named<Modelled>(std::string(each.at("what"))).value_or(Modelled::order);
    use.may_reach_branch = each.at("branch");
    use.may_reach_result = each.at("result");
    for (const RecordJson& line : each.at("lines")) use.lines.push_back(place_of(line));
  }
  return launch;
}

}  // namespace warpwise::emulator::runtime
