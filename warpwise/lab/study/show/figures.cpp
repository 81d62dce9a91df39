#include "warpwise/lab/study/show/figures.hpp"

#include <map>

#include "warpwise/lab/study/run/study_run.hpp"

namespace warpwise::lab {
namespace {

using Figure = std::optional<double> (*)(const RungRow& row, std::size_t index);

template <class T>
std::optional<double> as_number(const T& value) {
  return static_cast<double>(value);
}

template <class T>
std::optional<double> as_number(const std::optional<T>& value) {
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

// Returns one member of the counts that a row has for one compute capability.
template <auto Member>
std::optional<double> count(const RungRow& row, std::size_t index) {
  return index < row.counts.size() ? as_number(row.counts[index].*Member) : std::nullopt;
}

template <auto Part, auto Member>
std::optional<double> part(const RungRow& row, std::size_t index) {
  return index < row.counts.size() ? as_number(row.counts[index].*Part.*Member) : std::nullopt;
}

template <auto Member>
std::optional<double> resource(const RungRow& row, std::size_t index) {
  return index < row.resources.size() ? as_number(row.resources[index].*Member) : std::nullopt;
}

template <auto Member>
std::optional<double> global_instructions_of(const RungRow& row, std::size_t index) {
  if (index >= row.resources.size() || !row.resources[index].global_instructions) {
    return std::nullopt;
  }
  return as_number((*row.resources[index].global_instructions).*Member);
}

const std::map<std::string_view, Figure>& figures() {
  using Counts = RungCounts;
  using Resources = RungResources;
  using Traffic = emulator::TrafficCounts;
  using Passes = emulator::PassCounts;
  static const std::map<std::string_view, Figure> all = {
      {"cold_us",
       [](const RungRow& row, std::size_t) {
         return row.cold ? as_number(row.cold->median_us) : std::nullopt;
       }},
      {"batch_us",
       [](const RungRow& row, std::size_t) {
         return row.batch ? as_number(row.batch->median_us) : std::nullopt;
       }},
      {"gb_per_s", [](const RungRow& row, std::size_t) { return row.gb_per_s; }},
      {"share_of_roof", [](const RungRow& row, std::size_t) { return row.share_of_roof; }},
      {"registers", resource<&Resources::registers>},
      {"spill_bytes", resource<&Resources::spill_bytes>},
      {"occupancy", resource<&Resources::occupancy>},
      {"warp_instructions", count<&Counts::warp_instructions>},
      {"active_lanes", count<&Counts::active_lanes>},
      {"branches", count<&Counts::branches>},
      {"divergent_branches", count<&Counts::divergent_branches>},
      {"barriers", count<&Counts::barriers>},
      {"references_per_pixel", count<&Counts::references_per_pixel>},
      {"transactions_per_request", count<&Counts::transactions_per_request>},
      {"bytes_moved_per_pixel", count<&Counts::bytes_moved_per_pixel>},
      {"shared_passes_per_request", count<&Counts::shared_passes_per_request>},
      {"executed_threads", count<&Counts::possible_references>},
      {"idle_threads", count<&Counts::unmade_references>},
      {"thread_efficiency_percent", count<&Counts::thread_efficiency_percent>},
      {"load_transactions_per_request", count<&Counts::load_transactions_per_request>},
      {"global_load_requests", part<&Counts::global_load, &Traffic::requests>},
      {"global_load_32", part<&Counts::global_load, &Traffic::transactions_32>},
      {"global_load_64", part<&Counts::global_load, &Traffic::transactions_64>},
      {"global_load_128", part<&Counts::global_load, &Traffic::transactions_128>},
      {"global_store_requests", part<&Counts::global_store, &Traffic::requests>},
      {"global_store_32", part<&Counts::global_store, &Traffic::transactions_32>},
      {"global_store_64", part<&Counts::global_store, &Traffic::transactions_64>},
      {"global_store_128", part<&Counts::global_store, &Traffic::transactions_128>},
      {"shared_load_requests", part<&Counts::shared_load, &Passes::requests>},
      {"shared_load_passes", part<&Counts::shared_load, &Passes::passes>},
      {"shared_store_requests", part<&Counts::shared_store, &Passes::requests>},
      {"shared_store_passes", part<&Counts::shared_store, &Passes::passes>},
      {"ldg_32", global_instructions_of<&GlobalInstructions::ldg_32>},
      {"ldg_64", global_instructions_of<&GlobalInstructions::ldg_64>},
      {"ldg_128", global_instructions_of<&GlobalInstructions::ldg_128>},
      {"stg_32", global_instructions_of<&GlobalInstructions::stg_32>},
      {"stg_64", global_instructions_of<&GlobalInstructions::stg_64>},
      {"stg_128", global_instructions_of<&GlobalInstructions::stg_128>},
  };
  return all;
}

}  // namespace

std::optional<double> figure_of(const RungRow& row, std::size_t index, std::string_view name) {
  return figures().at(name)(row, index);
}

}  // namespace warpwise::lab
