#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/lab/plot/record_field.hpp"
#include "warpwise/lab/report/html/html.hpp"

// Reads the costs of a kernel's source lines from `explain --json`, and shows them with the lines.
namespace warpwise::lab::report {

/// Counts of accesses to one kind of memory, for one compute capability.
struct AccessCounts {
  double requests = 0;
  double made = 0;   ///< transactions of global memory, passes of shared memory
  double ideal = 0;  ///< the least that the same bytes need
};

struct LineCounts {
  std::string source;  ///< without the blanks around it
  double warp_instructions = 0;
  double branches = 0;
  double divergent_branches = 0;
  /// By compute capability and kind: "global_load", "texture".
  std::map<std::string, std::map<std::string, AccessCounts>> accesses;
};

/// Counts of one launch, or of all launches of a rung.
struct Annotation {
  double warp_instructions = 0;
  std::map<std::string, std::map<std::int64_t, LineCounts>> files;
};

/// Reads one kind of accesses from explain's JSON; `kind` is its name in the JSON.
/// \throws InvalidArgument  as add_launch()
AccessCounts read_accesses(const RecordField& field, const std::string& kind);

/// Adds a launch from explain's JSON; a missing count is 0.
/// \throws InvalidArgument  with the field that is missing or has another type
void add_launch(const RecordField& launch, Annotation& annotation);

/// Counts of a rung, as scripts/record-lines.py stores them.
struct RecordedLines {
  std::string study;
  std::string rung;
  std::array<std::int64_t, 2> size{};
  std::string compiler;
  std::string compute_capability;
  std::string commit;
  Annotation annotation;
};

/// \throws InvalidArgument  as add_launch()
std::vector<RecordedLines> read_lines(const RecordField& root);

/// Returns true if a file is still the one that was counted: each line with counts is unchanged.
bool is_of(std::string_view text, const std::map<std::int64_t, LineCounts>& counted);

/// Lists a file's lines with their numbers. The margin has each line's share of the warp
/// instructions. The traffic of a line's accesses is below the line. \param name  describes the
/// listing to readers who cannot see it
Html listing(const std::string& name, std::string_view text,
             const std::map<std::int64_t, LineCounts>& counted, double warp_instructions);

/// Lists only those lines that have counts.
Html excerpt(const std::string& name, const std::map<std::int64_t, LineCounts>& counted,
             double warp_instructions);

}  // namespace warpwise::lab::report
