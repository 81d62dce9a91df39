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

// A study's table as data: `study.json`, or the `ladder.json` of a ladder. A ladder is a study
// whose kernels are steps in order, up to the one that the library ships. README.md explains each
// field.
namespace warpwise::lab {

/// One launch of a rung. evaluate() evaluates the expressions.
struct LaunchRule {
  std::string kernel;
  std::vector<std::string> grid;   ///< one to three expressions
  std::vector<std::string> block;  ///< empty: the rung's block shape
  std::string shared = "0";        ///< bytes
};

enum class TextureKind : std::uint8_t { linear, two_dimensional };
constexpr auto enum_names(TextureKind) {
  return std::to_array<EnumName<TextureKind>>(
      {{TextureKind::linear, "linear"}, {TextureKind::two_dimensional, "2d"}});
}

/// Figures that the source document gives for a step. They are not our measurements.
struct DocumentFigure {
  std::optional<double> time_us;
  std::optional<double> speedup;
};

/// Figures that the document gives for a CPU.
struct DocumentCpu {
  int threads = 1;
  std::optional<double> time_us;
  std::optional<double> gpu_speedup;  ///< speed-up of the last rung over this CPU
  std::vector<std::string> rows;
};

/// A kernel of a study, and how it is launched; in a ladder, a step.
struct Rung {
  std::string name;
  std::string place;  ///< place in the table for messages: FOLDER/ladder.json, rung 1 "NAME"
  std::string idea;
  std::string after;  ///< the earlier rung that this rung changes; empty if this rung begins a
                      ///< branch, and in a study that is no ladder
  std::filesystem::path file;
  std::vector<std::string> rows;                 ///< rows of the source documents: "A8"
  std::map<std::string, std::string> constants;  ///< expressions by name
  ladders::Variables parameters;                 ///< parameters that this rung fixes
  std::vector<emulator::Dim3>
      blocks;                        ///< shapes that it may be launched with; the first by default
  std::vector<LaunchRule> launches;  ///< empty if `shipped`
  std::string max_registers = "0";   ///< limit per thread; 0: the compiler chooses
  std::string scratch = "0";         ///< bytes
  std::map<std::string, TextureKind> textures;  ///< by operand
  std::map<std::string, std::string> needs;     ///< by expression: why the rung is not run if the
                                                ///< expression is 0
  bool shipped = false;                         ///< launched by the library's own code
  DocumentFigure document;
};

struct Size {
  std::int64_t width = 0;
  std::int64_t height = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

/// Axes along which the points of a run vary: all combinations are measured.
struct Axes {
  std::vector<Size> sizes;                                      ///< empty: the table's size
  std::vector<emulator::Dim3> blocks;                           ///< empty: each rung's first shape
  bool all_blocks = false;                                      ///< every shape of each rung
  std::map<std::string, std::vector<std::int64_t>> parameters;  ///< parameters of the problem
  std::map<std::string, std::vector<std::int64_t>> constants;   ///< constants of any of the rungs
  // For runs on a GPU. Empty: the usual setting.
  std::vector<std::int64_t> sm_percents;
  std::vector<std::int64_t> neighbour_percents;
  std::vector<Transfer> transfers;
};

/// Asks for the knee of each curve of a time over an axis: see find_knee().
struct KneeQuestion {
  std::string axis;  ///< a parameter or a constant
  std::string of;    ///< "cold_us" or "batch_us"
};

/// A named measurement: each of its rungs at each point of its axes.
struct Experiment {
  std::string name;
  std::string title;
  std::vector<std::string> rows;
  std::vector<std::string> rungs;
  Axes axes;
  bool cpu = false;  ///< the run has the CPU's rows too
  std::optional<KneeQuestion> knee;
};

struct StudyTable {
  const ladders::Ladder* ladder = nullptr;  ///< gives the problem; null: `listed` is the problem
  std::string own_name;                     ///< name of a study that is no ladder
  ListedProblem listed;
  Rung reference;  ///< for a listed problem: computes the result that all kernels have to give
  std::filesystem::path folder;  ///< absolute and normalised, as are the paths of the rungs' files
  std::string about;
  Size size;           ///< the document's size, which is the default on a GPU
  Size emulator_size;  ///< the default in the emulator
  std::vector<Size> verify;
  std::vector<ladders::Variables> verify_parameters;  ///< never empty
  std::string document_device;                        ///< device whose times the document gives
  std::optional<DocumentCpu> document_cpu;
  std::vector<Rung> rungs;
  Axes axes;                        ///< axes of a run of the whole study
  std::vector<std::string> report;  ///< figures that lab run shows; empty: a ladder's figures
  std::vector<Experiment> experiments;
  /// LADDER/EXPERIMENT of other tables; only in a collection, which has neither problem nor
  /// kernels.
  std::vector<std::string> collects;

  std::string name() const { return is_ladder() ? std::string(ladder->name()) : own_name; }
  /// Returns true for a ladder; false for any other study, even if it has a ladder's problem.
  bool is_ladder() const { return own_name.empty(); }
  bool is_collection() const { return !collects.empty(); }
  /// Returns "ladder" or "study" for messages and reports.
  const char* kind() const { return is_ladder() ? "ladder" : "study"; }
  /// Returns the problem's parameters with their defaults.
  ladders::Variables parameters() const {
    return ladder != nullptr ? ladder->parameters() : listed.parameters;
  }
  /// \throws InvalidArgument, OutOfMemory  as ladders::Ladder::problem()
  ladders::Problem problem(const Size& size, const ladders::Variables& parameters,
                           ladders::Layout layout) const;
  /// Returns the parameter block of the study's kernels, except the shipped one.
  std::vector<std::byte> arguments(const ladders::Problem& problem,
                                   const ladders::Placement& placement) const;
  /// Returns a rung by its name. \throws InvalidArgument  there is none; names a similar rung
  const Rung& rung(std::string_view name) const;
};

/// Reads FOLDER/study.json, or FOLDER/ladder.json if there is none.
/// \throws IoError          it cannot be read
/// \throws InvalidArgument  with file, rung and field: what is wrong and what would be right
StudyTable read_study(const std::filesystem::path& folder);

/// Parses the text of a table. `file` need not exist. The text says if the table is a ladder's.
StudyTable parse_study(std::string_view json, const std::filesystem::path& file);

/// Returns the installed ladder or study of this name.
/// \throws InvalidArgument  there is none; the message has the most similar name
StudyTable find_study(std::string_view name);

/// Returns the names of all installed tables: the ladders sorted, then the other studies sorted.
std::vector<std::string> study_names();

/// Returns the fields that each kind of object of a table may have, by the kinds' names in
/// study.schema.json.
const std::map<std::string, std::vector<std::string>>& table_fields();

}  // namespace warpwise::lab
