#include "warpwise/lab/plot/figure_kinds.hpp"

#include <algorithm>

namespace warpwise::lab {
namespace {

constexpr FigureKind figure_kinds[] = {
    {"cold_us", "cold time, µs"},
    {"end_to_end_us", "time with transfers, µs"},
    {"batch_us", "time in a batch, µs"},
    {"gb_per_s", "GB/s by the cold time", true},
    {"share_of_roof", "share of the roof, %", true, true},
    {"registers", "registers of a thread"},
    {"spill_bytes", "spilled bytes of a thread"},
    {"occupancy", "occupancy, %", true, true},
    {"active_lanes", "active lanes of a warp", true},
    {"references_per_pixel", "references per pixel"},
    {"transactions_per_request", "transactions per request"},
    {"bytes_moved_per_pixel", "bytes moved per pixel"},
    {"shared_passes_per_request", "shared passes per request"},
    {"global_load_32", "loads of 32 bytes"},
    {"global_load_64", "loads of 64 bytes"},
    {"global_load_128", "loads of 128 bytes"},
    {"global_store_32", "stores of 32 bytes"},
    {"global_store_64", "stores of 64 bytes"},
    {"global_store_128", "stores of 128 bytes"},
};

}  // namespace

std::string words_of(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

FigureKind kind_of(std::string_view name) {
  for (const FigureKind& each : figure_kinds) {
    if (each.name == name) return each;
  }
  return {name, {}};
}

}  // namespace warpwise::lab
