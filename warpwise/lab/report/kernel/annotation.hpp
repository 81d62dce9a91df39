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
  double made = 0;   ///< transactions of global memory, or passes of shared memory
  double ideal = 0;  ///< fewest transactions or passes that move the same bytes
};

struct LineCounts {
  std::string source;  ///< the line's text without the blanks around it
  double warp_instructions = 0;
  double branches = 0;
  double divergent_branches = 0;
  /// The accesses by compute capability, then by kind: "global_load", "texture".
  std::map<std::string, std::map<std::string, AccessCounts>> accesses;
};

/// Counts of one launch, or of all launches of a rung.
struct Annotation {
  double warp_instructions = 0;
  std::map<std::string, std::map<std::int64_t, LineCounts>> files;
};

/// Reads the counts of one kind of access from explain's JSON; `kind` is its name in the JSON.
/// \throws InvalidArgument  as add_launch()
AccessCounts read_accesses(const RecordField& field, const std::string& kind);

/// Adds the counts of a launch from explain's JSON. A count that is missing there is 0.
/// \throws InvalidArgument  with the field that is missing or has another type
void add_launch(const RecordField& launch, Annotation& annotation);

/// Counts of a rung, in the form that scripts/record-lines.py stores.
struct RecordedLines {
  std::string study;
  std::string rung;
  std::array<std::int64_t, 2> size{};
  std::string compiler;
  std::string compute_capability;
  std::string commit;
  Annotation annotation;
};

/// Reads the counts of several rungs. \throws InvalidArgument  as add_launch()
std::vector<RecordedLines> read_lines(const RecordField& root);

/// Returns true if a file's text is the one that was counted: no line with counts has changed.
bool is_of(std::string_view text, const std::map<std::int64_t, LineCounts>& counted);

/// Lists a file's lines with their numbers. The margin has each line's share of the warp
/// instructions. A note below a line has the traffic of its accesses. \param name  describes the
/// listing to readers who cannot see it
Html listing(const std::string& name, std::string_view text,
             const std::map<std::int64_t, LineCounts>& counted, double warp_instructions);

/// Lists only the lines that have counts, as listing() does.
Html excerpt(const std::string& name, const std::map<std::int64_t, LineCounts>& counted,
             double warp_instructions);

}  // namespace warpwise::lab::report
