#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/primitives/shared/ladder.hpp"

// A ladder's table, `ladder.json`, as data. README.md says what each field means.
namespace warpwise::lab {

/// One kernel of a rung; expressions as evaluate() takes them.
struct LaunchRule {
  std::string kernel;
  std::vector<std::string> grid;   ///< one to three expressions
  std::vector<std::string> block;  ///< empty: the rung's block shape
  std::string shared = "0";        ///< bytes
};

enum class TextureKind : std::uint8_t { linear, two_dimensional };

/// A figure that the source document gives of a step, in place of one that we measured.
struct DocumentFigure {
  std::optional<double> time_us;
  std::optional<double> speedup;
};

/// What it gives of a CPU beside its GPU.
struct DocumentCpu {
  int threads = 1;
  std::optional<double> time_us;
  std::optional<double> gpu_speedup;  ///< how many times as fast as this CPU its last rung is
  std::vector<std::string> rows;
};

struct Rung {
  std::string name;
  std::string place;  ///< of its line, for complaints: FOLDER/ladder.json, rung 1 "NAME"
  std::string idea;
  std::string after;  ///< the rung above that this one is a step from; empty where a branch begins
  std::filesystem::path file;
  std::vector<std::string> rows;                 ///< of the documents: "A8"
  std::map<std::string, std::string> constants;  ///< by name, as expressions
  ladders::Variables parameters;                 ///< that this rung fixes
  std::vector<emulator::Dim3>
      blocks;                        ///< shapes that it may be launched with; the first by default
  std::vector<LaunchRule> launches;  ///< empty where `shipped`
  std::string scratch = "0";         ///< bytes
  std::map<std::string, TextureKind> textures;  ///< by operand
  std::map<std::string, std::string> needs;     ///< expression, and what it means where it is 0
  bool shipped = false;                         ///< launched as the library does
  DocumentFigure document;
};

struct Size {
  std::int64_t width = 0;
  std::int64_t height = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

/// A named measurement that reproduces a row of a document: each of its rungs at each of its sizes
/// and parameters.
struct Experiment {
  std::string name;
  std::string title;
  std::vector<std::string> rows;
  std::vector<std::string> rungs;
  std::vector<Size> sizes;
  std::map<std::string, std::vector<std::int64_t>> parameters;
  bool all_blocks = false;  ///< every shape of each rung, not its first alone
  bool cpu = false;         ///< the CPU's rows too
};

struct LadderTable {
  const ladders::Ladder* ladder = nullptr;
  std::filesystem::path folder;
  std::string about;
  Size size;           ///< the document's, the default on a GPU
  Size emulator_size;  ///< the default in the emulator
  std::vector<Size> verify;
  std::vector<ladders::Variables> verify_parameters;  ///< never empty
  std::string document_device;                        ///< whose times the document gives
  std::optional<DocumentCpu> document_cpu;
  std::vector<Rung> rungs;
  std::vector<Experiment> experiments;

  std::string name() const { return std::string(ladder->name()); }
  /// \throws InvalidArgument  with the nearest name
  const Rung& rung(std::string_view name) const;
};

/// Reads FOLDER/ladder.json.
/// \throws IoError          it cannot be read
/// \throws InvalidArgument  with file, rung and field: what is wrong and what would be right
LadderTable read_ladder(const std::filesystem::path& folder);

/// The same from a text; `folder` is where the rungs' files are taken from, and need not be there.
LadderTable parse_ladder(std::string_view json, const std::filesystem::path& folder);

/// The installed ladder. \throws InvalidArgument  with the nearest name
LadderTable find_ladder(std::string_view name);

/// The name of `names` that is nearest to `name` by the letters that have to change, to be
/// suggested.
std::string nearest(std::string_view name, std::span<const std::string> names);

}  // namespace warpwise::lab
