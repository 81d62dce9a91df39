#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/emulator/emulator.hpp"
#include "warpwise/lab/study/table/listed_problem.hpp"
#include "warpwise/lab/study/table/setting.hpp"
#include "warpwise/primitives/shared/ladder.hpp"

// A study's table as data: `study.json`, or a ladder's `ladder.json`. A ladder is a study whose
// kernels (rungs) are steps of optimisation. Its `shipped` rungs are the library's own kernels.
// README.md explains each field.
namespace warpwise::lab {

/// One launch of a rung. Its texts are expressions for evaluate().
struct LaunchRule {
  std::string kernel;
  std::vector<std::string> grid;   ///< one to three expressions
  std::vector<std::string> block;  ///< up to three expressions; empty: the rung's block shape
  std::string shared = "0";        ///< expression for the bytes of dynamic shared memory
};

enum class TextureKind : std::uint8_t { linear, two_dimensional };
constexpr auto enum_names(TextureKind) {
  return std::to_array<EnumName<TextureKind>>(
      {{TextureKind::linear, "linear"}, {TextureKind::two_dimensional, "2d"}});
}

/// Figures for a step in the source document. They are not our measurements.
struct DocumentFigure {
  std::optional<double> time_us;
  std::optional<double> speedup;
};

/// Figures for a CPU in the source document.
struct DocumentCpu {
  int threads = 1;
  std::optional<double> time_us;
  std::optional<double> gpu_speedup;  ///< speed-up of the document's last GPU version over this CPU
  std::vector<std::string> document_rows;
};

/// A kernel of a study, and its launches. In a ladder, it is a step of optimisation.
struct Rung {
  std::string name;
  std::string place;  ///< place in the table for messages: FOLDER/ladder.json, rung 1 "NAME"
  std::string idea;
  std::string after;  ///< the earlier rung that this one modifies; empty if this rung begins a
                      ///< branch, or if the study is no ladder
  std::filesystem::path file;
  std::vector<std::string> document_rows;        ///< rows of docs/sources.md, for example "A8"
  std::map<std::string, std::string> constants;  ///< expressions for constants, by name
  ladders::Variables parameters;                 ///< values of parameters that this rung fixes
  std::vector<emulator::Dim3> blocks;  ///< shapes to launch the rung with; the first is the default
  std::vector<LaunchRule> launches;    ///< empty if `shipped`
  std::string max_registers = "0";  ///< expression for the most registers of a thread; 0: no limit
  std::string scratch = "0";        ///< expression for the bytes of scratch memory
  std::map<std::string, TextureKind> textures;  ///< key: the operand's name
  std::map<std::string, std::string> needs;     ///< the key is an expression; if it is 0, the rung
                                                ///< is not run, and the value says why
  bool shipped = false;                         ///< the library's own code launches the kernel
  DocumentFigure document;
};

struct Size {
  std::int64_t width = 0;
  std::int64_t height = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

/// The axes of a run. All combinations of their values are measured.
struct Axes {
  std::vector<Size> sizes;                                      ///< empty: the table's size
  std::vector<emulator::Dim3> blocks;                           ///< empty: each rung's first shape
  bool all_blocks = false;                                      ///< true: all shapes of each rung
  std::map<std::string, std::vector<std::int64_t>> parameters;  ///< parameters of the problem
  std::map<std::string, std::vector<std::int64_t>> constants;   ///< constants of the rungs
  // Settings for runs on a GPU. An empty list means the default.
  std::vector<std::int64_t> sm_percents;
  std::vector<std::int64_t> neighbour_percents;
  std::vector<Transfer> transfers;
};

/// Asks for the knee of each curve of a time over an axis (see find_knee()).
struct KneeQuestion {
  std::string axis;  ///< a parameter or a constant
  std::string of;    ///< "cold_us" or "batch_us"
};

/// A named measurement. It measures each of its rungs at each point of its axes.
struct Experiment {
  std::string name;
  std::string title;
  std::vector<std::string> document_rows;
  std::vector<std::string> rungs;
  Axes axes;
  bool cpu = false;  ///< measure rows of the CPU too
  std::optional<KneeQuestion> knee;
};

struct StudyTable {
  const ladders::Ladder* ladder = nullptr;  ///< ladder whose problem the study has; null: the
                                            ///< problem is `listed`
  std::string own_name;                     ///< name of the study; empty for a ladder
  ListedProblem listed;
  Rung reference;  ///< for a listed problem: the kernel that computes the expected result
  std::filesystem::path folder;  ///< the table's folder, as an absolute and normalised path
  std::string about;
  Size size;           ///< the document's size, which is the default on a GPU
  Size emulator_size;  ///< the default in the emulator
  std::vector<Size> verify;
  std::vector<ladders::Variables> verify_parameters;  ///< sets of parameters to verify; never empty
  std::string document_device;                        ///< device of the document's times
  std::optional<DocumentCpu> document_cpu;
  std::vector<Rung> rungs;
  Axes axes;                        ///< axes of a run of the whole study
  std::vector<std::string> report;  ///< figures that lab run shows; empty: the usual columns
  std::vector<Experiment> experiments;
  /// Experiments of ladders, each as LADDER/EXPERIMENT. Only a collection has them: a table without
  /// a problem and kernels.
  std::vector<std::string> collects;

  std::string name() const { return is_ladder() ? std::string(ladder->name()) : own_name; }
  /// Returns true for a ladder. Another study is no ladder even if it has a ladder's problem.
  bool is_ladder() const { return own_name.empty(); }
  bool is_collection() const { return !collects.empty(); }
  /// Returns "ladder" or "study", the word for messages and reports.
  const char* kind() const { return is_ladder() ? "ladder" : "study"; }
  /// Returns the problem's parameters with their defaults.
  ladders::Variables parameters() const {
    return ladder != nullptr ? ladder->parameters() : listed.parameters;
  }
  /// Makes the problem. \throws InvalidArgument, OutOfMemory  as ladders::Ladder::problem()
  ladders::Problem problem(const Size& size, const ladders::Variables& parameters,
                           ladders::Layout layout) const;
  /// Returns the bytes of all arguments, as all kernels of the study but the shipped one take them.
  std::vector<std::byte> arguments(const ladders::Problem& problem,
                                   const ladders::Placement& placement) const;
  /// Returns a rung by its name. \throws InvalidArgument  there is none; names the most similar
  const Rung& rung(std::string_view name) const;
};

/// Reads FOLDER/study.json or, if this file is missing, FOLDER/ladder.json.
/// \throws IoError          the file cannot be read
/// \throws InvalidArgument  the table has a mistake; the message has the file, rung and field, and
///                          says what is expected
StudyTable read_study(const std::filesystem::path& folder);

/// Parses the text of a table, which is a ladder's unless it has the field "study". `file` is the
/// table's path for messages and for finding sources, and need not exist.
StudyTable parse_study(std::string_view json, const std::filesystem::path& file);

/// Returns the installed ladder or study of this name.
/// \throws InvalidArgument  there is no such study; the message has the most similar name
StudyTable find_study(std::string_view name);

/// Returns the names of all installed tables: the ladders sorted, then the other studies sorted.
std::vector<std::string> study_names();

/// Returns the fields that each kind of object in a table may have. The keys are the kinds' names
/// in study.schema.json.
const std::map<std::string, std::vector<std::string>>& table_fields();

}  // namespace warpwise::lab
