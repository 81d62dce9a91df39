#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/rules/rules.hpp"

// Limits of a GPU, as figures with their sources.
namespace warpwise::lab {

/// Rates, sizes and latencies of a GPU, by which bounds_of() divides counts. README.md of the
/// folder `devices` explains each.
struct DeviceProfile {
  std::string name;  ///< "h200": the name of its file
  std::string gpu;   ///< "NVIDIA H200"
  rules::ComputeCapability compute_capability;
  std::map<std::string, double, std::less<>> figures;       ///< all of profile_figures(), by name
  std::map<std::string, std::string, std::less<>> sources;  ///< source of each figure

  double figure(std::string_view which) const { return figures.find(which)->second; }
  /// Returns "an NVIDIA H200" or "a GeForce GTX 280".
  std::string gpu_with_article() const { return (gpu.starts_with('N') ? "an " : "a ") + gpu; }
  bool has_l2() const { return figure("l2_gb_per_s") > 0; }
  /// Returns the SMs' cycles per microsecond.
  double cycles_per_us() const { return figure("sm_clock_mhz"); }
  /// Returns this GPU's latencies and cache sizes for the emulator. \param blocks_per_sm  blocks
  /// that share an SM's L1
  emulator::PaceModel pace(int blocks_per_sm) const;
};

/// Returns the names of the figures that each profile has.
const std::vector<std::string>& profile_figures();

/// Reads a profile. \param place  the text's name in messages
/// \throws InvalidArgument  with the place, the field, and what is expected there
DeviceProfile parse_device_profile(std::string_view json, const std::string& place);

/// Returns the installed profile of a name, or reads a file if `name` ends with ".json".
/// \throws InvalidArgument, IoError  with the names that exist, or what is wrong with the file
DeviceProfile find_device_profile(const std::string& name);

/// Returns the names of all installed profiles, sorted; none if they are not beside the program.
std::vector<std::string> device_profile_names();

}  // namespace warpwise::lab
