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
#include "warpwise/lab/study/table/study_table.hpp"

// Parts shared by the subcommands of `warpwise lab`.
namespace warpwise::cli {

/// Place where rungs run; automatic is the GPU if there is one.
enum class LabPlace : std::uint8_t { automatic, gpu, emulator };
constexpr auto enum_names(LabPlace) {
  return std::to_array<EnumName<LabPlace>>(
      {{LabPlace::automatic, "auto"}, {LabPlace::gpu, "gpu"}, {LabPlace::emulator, "emulator"}});
}
inline constexpr auto all_lab_places = all_values<LabPlace>();

/// GPUs that the emulator models, from --cc and --profile.
struct CountedFor {
  std::optional<std::vector<rules::ComputeCapability>> listed;  ///< list of --cc
  std::optional<lab::DeviceProfile> device;
  std::string profile;  ///< name or file of the device, as it was typed

  /// Returns the list, or the device's compute capability, or 9.0.
  /// \throws UsageError  the list lacks the device's compute capability
  std::vector<rules::ComputeCapability> all() const;
};

struct LabOptions {
  std::vector<std::string> names;  ///< NAME, NAME/RUNG or NAME/EXPERIMENT
  std::string ladder_folder;       ///< folder of the only ladder or study; empty: all installed
  LabPlace place = LabPlace::automatic;
  CountedFor counted_for;

  bool on_gpu() const;
};

void add_ladder_folder(CLI::App& app, LabOptions& options);
/// Adds --cc, a list of compute capabilities, and --profile, the profile of a GPU.
void add_counted_for(CLI::App& app, const std::string& help_of_cc,
                     const std::string& help_of_profile, CountedFor& chosen);
void add_place(CLI::App& app, LabOptions& options);

/// A ladder or another study, with the part that a name selects.
struct Selection {
  lab::StudyTable table;
  std::vector<std::string> rungs;             ///< rungs in the ladder's order
  std::optional<lab::Experiment> experiment;  ///< experiment of NAME/EXPERIMENT
  bool whole = false;                         ///< true for the ladder's name alone: all rungs
};

/// Returns the ladder or study of each name; without names, all of them. A selection has all rungs,
/// or the rung or experiment after the '/'. With a folder, only its study's name is known.
/// \throws InvalidArgument  a name is not known; the message suggests the nearest one
std::vector<Selection> select(const LabOptions& options);

/// Replaces each collection by its experiments.
std::vector<Selection> expanded(std::vector<Selection> selections);

/// Checks that a plot can be written: FILE.svg of `lab run --plot` or `lab plot --out`, and
/// FILE.csv with its figures. Called before any measurement.
/// \throws UsageError   the name does not end with .svg
/// \throws IoError      one of the files could not be written
/// \throws Unsupported  there is no gnuplot
void require_plot(const std::string& option, const std::string& file);
/// Writes both files and returns their names.
std::vector<std::string> write_plot(const lab::Plot& plot, const std::string& file);

std::unique_ptr<Command> add_lab_list(CLI::App& lab);
std::unique_ptr<Command> add_lab_verify(CLI::App& lab);
std::unique_ptr<Command> add_lab_run(CLI::App& lab);
std::unique_ptr<Command> add_lab_plot(CLI::App& lab);
std::unique_ptr<Command> add_lab_report(CLI::App& lab);
std::unique_ptr<Command> add_lab_diff(CLI::App& lab);
std::unique_ptr<Command> add_lab_occupancy(CLI::App& lab);
std::unique_ptr<Command> add_lab_predict(CLI::App& lab);
std::unique_ptr<Command> add_lab_exercise(CLI::App& lab);

}  // namespace warpwise::cli
