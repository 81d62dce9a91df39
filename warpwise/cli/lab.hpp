#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/lab/measure/executor.hpp"
#include "warpwise/lab/plot/plot.hpp"
#include "warpwise/lab/predict/device_profile.hpp"
#include "warpwise/lab/study/study_table.hpp"

// What the subcommands of `warpwise lab` share.
namespace warpwise::cli {

/// Where rungs run: a GPU if there is one, unless it is said.
enum class LabPlace : std::uint8_t { automatic, gpu, emulator };
constexpr auto enum_names(LabPlace) {
  return std::to_array<EnumName<LabPlace>>(
      {{LabPlace::automatic, "auto"}, {LabPlace::gpu, "gpu"}, {LabPlace::emulator, "emulator"}});
}
inline constexpr auto all_lab_places = all_values<LabPlace>();

/// The GPUs that the emulator stands for, of --cc and --device.
struct CountedFor {
  std::optional<std::vector<rules::ComputeCapability>> listed;  ///< of --cc
  std::optional<lab::DeviceProfile> device;

  /// The list, or the device's compute capability, or 9.0.
  /// \throws UsageError  the list leaves the device's out
  std::vector<rules::ComputeCapability> all() const;
};

struct LabOptions {
  std::vector<std::string> names;  ///< NAME, NAME/RUNG or NAME/EXPERIMENT
  std::string ladder_folder;       ///< in place of the installed ladder or study of that name
  LabPlace place = LabPlace::automatic;
  CountedFor counted_for;

  bool on_gpu() const;
};

void add_ladder_folder(CLI::App& app, LabOptions& options);
/// --cc, a list of compute capabilities, and --device, a GPU that has one.
void add_counted_for(CLI::App& app, const std::string& help_of_cc,
                     const std::string& help_of_device, CountedFor& chosen);
void add_place(CLI::App& app, LabOptions& options);

/// A ladder or another study, and what a name asks for of it.
struct Selection {
  lab::StudyTable table;
  std::vector<std::string> rungs;             ///< in the ladder's order
  std::optional<lab::Experiment> experiment;  ///< NAME/EXPERIMENT
  bool whole = false;                         ///< all rungs, by the ladder's name alone
};

/// The ladder of a name, from the folder that was given where that is its ladder, and its rungs:
/// all, or the one behind the '/'. \throws InvalidArgument  with the nearest name
std::vector<Selection> select(const LabOptions& options);

/// The same with the experiments that a collection names in its place.
std::vector<Selection> expanded(std::vector<Selection> selections);

/// FILE.svg for lab run --plot and lab plot --out, and FILE.csv beside it with what it shows.
/// require_plot() is for the time before anything is measured.
/// \throws UsageError   the name does not end with .svg
/// \throws IoError      either could not be written there
/// \throws Unsupported  there is no gnuplot
void require_plot(const std::string& option, const std::string& file);
/// Returns the names of both.
std::vector<std::string> write_plot(const lab::Plot& plot, const std::string& file);

std::unique_ptr<Command> add_lab_list(CLI::App& lab);
std::unique_ptr<Command> add_lab_verify(CLI::App& lab);
std::unique_ptr<Command> add_lab_run(CLI::App& lab);
std::unique_ptr<Command> add_lab_plot(CLI::App& lab);
std::unique_ptr<Command> add_lab_report(CLI::App& lab);
std::unique_ptr<Command> add_lab_diff(CLI::App& lab);
std::unique_ptr<Command> add_lab_occupancy(CLI::App& lab);
std::unique_ptr<Command> add_lab_predict(CLI::App& lab);

}  // namespace warpwise::cli
