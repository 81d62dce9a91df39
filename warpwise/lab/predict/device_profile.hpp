#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/rules/rules.hpp"

// What a GPU can do at most, as figures with their sources.
namespace warpwise::lab {

/// A GPU's rates, sizes and latencies: what bounds() divides counts by. README.md of the folder
/// `devices` says what each means.
struct DeviceProfile {
  std::string name;  ///< "h200": its file's
  std::string gpu;   ///< "NVIDIA H200"
  rules::ComputeCapability compute_capability;
  std::map<std::string, double, std::less<>>
      figures;  ///< by name, each of figure_names_of_profiles()
  std::map<std::string, std::string, std::less<>> sources;  ///< of each figure: where it is from

  double figure(std::string_view which) const { return figures.find(which)->second; }
  /// "an NVIDIA H200", "a GeForce GTX 280".
  std::string gpu_with_article() const { return (gpu.starts_with('N') ? "an " : "a ") + gpu; }
  bool has_l2() const { return figure("l2_gb_per_s") > 0; }
  /// Cycles of its SMs in a microsecond.
  double cycles_per_us() const { return figure("sm_clock_mhz"); }
  /// What the emulator has to know of it. \param blocks_per_sm  that share an SM's L1
  emulator::PaceModel pace(int blocks_per_sm) const;
};

/// The figures that each profile has.
const std::vector<std::string>& profile_figures();

/// Reads a profile. \param place  what messages call the text
/// \throws InvalidArgument  with the place, the field, and what it has to be
DeviceProfile parse_device_profile(std::string_view json, const std::string& place);

/// The installed profile of a name, or the file where `name` ends with ".json".
/// \throws InvalidArgument  with the names that there are, and the one that is near
DeviceProfile find_device_profile(const std::string& name);

/// Of all that are installed, sorted; none where they are not beside the program.
std::vector<std::string> device_profile_names();

}  // namespace warpwise::lab
