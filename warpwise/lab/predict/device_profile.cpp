#include "warpwise/lab/predict/device_profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/study/table/suggestion.hpp"

namespace warpwise::lab {
namespace {

using Json = nlohmann::json;

// Limit of a figure: far above any GPU's, and small enough that the bounds stay finite.
constexpr double greatest_figure = 1e12;

// Figures of caches and units that older GPUs do not have.
constexpr std::string_view may_be_zero[] = {
    "l1_bytes",           "l2_bytes",         "l2_kept_bytes",     "l2_gb_per_s",
    "l2_shared_gb_per_s", "l2_written_share", "float64_per_cycle", "conversion64_per_cycle"};

std::filesystem::path folder() { return source_root() / "warpwise/lab/predict/devices"; }

std::string text_at(const Json& object, const char* key, const std::string& place) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string() || found->get<std::string>().empty()) {
    throw InvalidArgument(fmt::format("{}: \"{}\" has to be a text", place, key));
  }
  return found->get<std::string>();
}

void read_figure(const std::string& name, const Json& figure, const std::string& place,
                 DeviceProfile& profile) {
  const auto& known = profile_figures();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw InvalidArgument(fmt::format("{}: there is no figure \"{}\"{}; a profile has {}", place,
                                      name, suggestion(name, known), fmt::join(known, ", ")));
  }
  if (!figure.is_object()) {
    throw InvalidArgument(
        fmt::format("{}: \"{}\" has to be an object with a value and a source", place, name));
  }
  const std::string own = fmt::format("{}, {}", place, name);
  const auto value = figure.find("value");
  const bool is_number = value != figure.end() && value->is_number();
  const double number = is_number ? value->get<double>() : -1;
  const bool zero_is_right =
      std::find(std::begin(may_be_zero), std::end(may_be_zero), name) != std::end(may_be_zero);
  if (!is_number || !std::isfinite(number) || number < 0 || number > greatest_figure ||
      (number == 0 && !zero_is_right)) {
    throw InvalidArgument(fmt::format("{}: \"value\" has to be a number above 0{}", own,
                                      zero_is_right ? ", or 0 where the GPU has none" : ""));
  }
  constexpr double most_multiprocessors = 65535;
  if (name == "multiprocessors" &&
      (number != std::floor(number) || number > most_multiprocessors)) {
    throw InvalidArgument(fmt::format("{}: \"value\" has to be a whole number from 1 to {}", own,
                                      most_multiprocessors));
  }
  profile.figures[name] = number;
  profile.sources[name] = text_at(figure, "source", own);
}

}  // namespace

const std::vector<std::string>& profile_figures() {
  static const std::vector<std::string> names = {"multiprocessors",
                                                 "sm_clock_mhz",
                                                 "dram_gb_per_s",
                                                 "l2_gb_per_s",
                                                 "l2_shared_gb_per_s",
                                                 "l2_bytes",
                                                 "l1_bytes",
                                                 "l1_bytes_per_cycle",
                                                 "l2_read_lines_per_cycle",
                                                 "l2_written_lines_per_cycle",
                                                 "dram_sectors",
                                                 "shared_passes_per_cycle",
                                                 "issue_per_cycle",
                                                 "integer_per_cycle",
                                                 "float32_per_cycle",
                                                 "float64_per_cycle",
                                                 "special_per_cycle",
                                                 "conversion_per_cycle",
                                                 "conversion64_per_cycle",
                                                 "constant_passes_per_cycle",
                                                 "load_store_per_cycle",
                                                 "texture_per_cycle",
                                                 "shuffle_per_cycle",
                                                 "barriers_per_cycle",
                                                 "arithmetic_cycles",
                                                 "float64_cycles",
                                                 "special_cycles",
                                                 "shared_cycles",
                                                 "constant_cycles",
                                                 "texture_cycles",
                                                 "l1_cycles",
                                                 "l2_cycles",
                                                 "dram_cycles",
                                                 "barrier_cycles",
                                                 "branch_cycles",
                                                 "atomic_cycles",
                                                 "integer_atomic_cycles",
                                                 "block_start_cycles",
                                                 "warp_start_cycles",
                                                 "block_turn_cycles",
                                                 "l2_kept_bytes",
                                                 "l2_written_share",
                                                 "l2_written_sectors_per_cycle",
                                                 "atomic_sectors_per_cycle",
                                                 "atomic_sector_cycles",
                                                 "shared_atomics_per_cycle",
                                                 "shared_loop_cycles",
                                                 "texture_plane_per_cycle",
                                                 "launch_us",
                                                 "next_launch_us"};
  return names;
}

emulator::PaceModel DeviceProfile::pace(int blocks_per_sm) const {
  emulator::PaceModel model;
  model.arithmetic_cycles = figure("arithmetic_cycles");
  model.float64_cycles = figure("float64_cycles");
  model.special_cycles = figure("special_cycles");
  model.shared_cycles = figure("shared_cycles");
  model.constant_cycles = figure("constant_cycles");
  model.texture_cycles = figure("texture_cycles");
  model.l1_cycles = figure("l1_cycles");
  model.l2_cycles = figure("l2_cycles");
  model.dram_cycles = figure("dram_cycles");
  model.barrier_cycles = figure("barrier_cycles");
  model.branch_cycles = figure("branch_cycles");
  model.barrier_warp_cycles = 1 / figure("barriers_per_cycle");
  model.atomic_cycles = figure("atomic_cycles");
  model.integer_atomic_cycles = figure("integer_atomic_cycles");
  model.atomic_sector_cycles = figure("atomic_sector_cycles");
  model.shared_loop_cycles = figure("shared_loop_cycles");
  model.dram_sectors = figure("dram_sectors") >= 2 ? 2 : 1;
  model.l1_bytes = static_cast<std::uint64_t>(figure("l1_bytes")) /
                   static_cast<std::uint64_t>(std::max(blocks_per_sm, 1));
  return model;
}

DeviceProfile parse_device_profile(std::string_view json, const std::string& place) {
  Json object;
  try {
    object = Json::parse(json);
  } catch (const Json::parse_error& error) {
    throw InvalidArgument(fmt::format("{} is no JSON: byte {}", place, error.byte));
  } catch (const Json::out_of_range&) {
    throw InvalidArgument(place + " has a number that no double holds");
  }
  if (!object.is_object()) throw InvalidArgument(place + " has to be an object");
  for (const auto& [key, value] : object.items()) {
    if (key != "gpu" && key != "compute_capability" && key != "figures") {
      throw InvalidArgument(fmt::format(
          "{}: there is no field \"{}\"; a profile has gpu, compute_capability and figures", place,
          key));
    }
  }
  DeviceProfile profile;
  profile.gpu = text_at(object, "gpu", place);
  try {
    profile.compute_capability =
        rules::parse_compute_capability(text_at(object, "compute_capability", place));
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}: {}", place, error.what()));
  }
  const auto figures = object.find("figures");
  if (figures == object.end() || !figures->is_object()) {
    throw InvalidArgument(place + ": \"figures\" has to be an object");
  }
  for (const auto& [name, figure] : figures->items()) read_figure(name, figure, place, profile);
  for (const std::string& name : profile_figures()) {
    if (profile.figures.count(name) == 0) {
      throw InvalidArgument(
          fmt::format("{} has no figure \"{}\"; copy it from the profile of the most similar GPU",
                      place, name));
    }
  }
  if (profile.has_l2() && profile.figure("l2_shared_gb_per_s") == 0) {
    throw InvalidArgument(fmt::format(
        "{}, l2_shared_gb_per_s: \"value\" has to be a number above 0, since l2_gb_per_s is",
        place));
  }
  return profile;
}

DeviceProfile find_device_profile(const std::string& name) {
  std::filesystem::path file = name;
  if (file.extension() != ".json") {
    const std::vector<std::string> names = device_profile_names();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw InvalidArgument(
          fmt::format("there is no profile of a device \"{}\"{}; there are {}, or "
                      "a FILE.json",
                      name, suggestion(name, names), fmt::join(names, ", ")));
    }
    file = folder() / (name + ".json");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw IoError("cannot read " + file.string());
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  DeviceProfile profile = parse_device_profile(text, file.string());
  profile.name = file.stem().string();
  return profile;
}

std::vector<std::string> device_profile_names() {
  std::vector<std::string> names;
  std::filesystem::path place;
  try {
    place = folder();
  } catch (const Error&) {
    return {};  // the program was copied without its other files
  }
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(place, error)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace warpwise::lab
