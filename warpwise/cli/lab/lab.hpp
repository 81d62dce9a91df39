#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/outputs.hpp"
#include "warpwise/lab/measure/executor.hpp"
#include "warpwise/lab/plot/plot.hpp"
#include "warpwise/lab/predict/device_profile.hpp"
#include "warpwise/lab/predict/study_prediction.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

// Declarations that the subcommands of `warpwise lab` share.
namespace warpwise::cli {

/// The place where rungs (the kernels of a ladder or study) run. The value automatic means the GPU
/// if there is one, otherwise the emulator.
enum class LabPlace : std::uint8_t { automatic, gpu, emulator };
constexpr auto enum_names(LabPlace) {
  return std::to_array<EnumName<LabPlace>>(
      {{LabPlace::automatic, "auto"}, {LabPlace::gpu, "gpu"}, {LabPlace::emulator, "emulator"}});
}
inline constexpr auto all_lab_places = all_values<LabPlace>();

/// The GPUs that the emulator models, as --cc and --profile choose them.
struct ModelledGpus {
  std::optional<std::vector<rules::ComputeCapability>> listed;  ///< list of --cc
  std::optional<lab::DeviceProfile> device;
  std::string profile;  ///< name or file of the profile, as the user typed it

  /// Returns the list of --cc, otherwise the device's compute capability, otherwise 9.0.
  /// \throws UsageError  the list lacks the device's compute capability
  std::vector<rules::ComputeCapability> all() const;

  /// Returns the time model of the GPU that --profile names or, without --profile, of a GPU of the
  /// newest compute capability. Returns nothing if no profile has this compute capability.
  std::optional<lab::TimeModel> model() const;
};

struct LabOptions {
  std::vector<std::string> names;  ///< NAME, NAME/RUNG or NAME/EXPERIMENT
  std::string ladder_folder;       ///< folder of one ladder or study, to use instead of the
                                   ///< installed ones; empty: all installed ones
  LabPlace place = LabPlace::automatic;
  ModelledGpus modelled_gpus;

  bool on_gpu() const;
};

void add_ladder_folder(CLI::App& app, LabOptions& options);
/// Adds --cc, a list of compute capabilities, and --profile, the profile of a GPU.
void add_modelled_gpu_options(CLI::App& app, const std::string& help_of_cc,
                              const std::string& help_of_profile, ModelledGpus& chosen);
void add_place(CLI::App& app, LabOptions& options);

/// A ladder or another study, with the part that a name selects.
struct Selection {
  lab::StudyTable table;
  std::vector<std::string> rungs;             ///< rungs in the ladder's order
  std::optional<lab::Experiment> experiment;  ///< experiment of NAME/EXPERIMENT
  bool whole = false;                         ///< true if only the ladder was named: all rungs
};

/// Returns the ladder or study that each name selects, or all of them without names. A name selects
/// all rungs, or the rung or experiment after its '/'. If `ladder_folder` is set, the study in this
/// folder is the only one that can be named.
/// \throws InvalidArgument  a name is not known; the message suggests the most similar one
std::vector<Selection> select(const LabOptions& options);

/// Replaces each collection (a study that only lists experiments of others) by these experiments.
std::vector<Selection> expanded(std::vector<Selection> selections);

/// Checks that a plot can be drawn into FILE.svg of `lab run --plot` or `lab plot --out`. Must be
/// called before anything is measured.
/// \throws UsageError   the name does not end with .svg
/// \throws Unsupported  there is no gnuplot
void require_plot(const std::string& option, const std::string& file);
/// Returns the files of a plot, for require_outputs(): FILE.svg, and FILE.csv with its figures.
std::vector<NamedFile> plot_files(const std::string& option, const std::string& file);
/// Writes the files FILE.svg and FILE.csv. Returns their names.
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
