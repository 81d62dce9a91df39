#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/lab/plot/record_field.hpp"
#include "warpwise/lab/report/html.hpp"

// What the lines of a kernel's sources cost, as `explain --json` counts them, and these lines with
// it.
namespace warpwise::lab::report {

/// Of accesses to one kind of memory, for one compute capability.
struct AccessCounts {
  double requests = 0;
  double made = 0;   ///< transactions of global memory, passes of shared memory
  double ideal = 0;  ///< what the same bytes need at least
};

struct LineCounts {
  std::string source;  ///< without the blanks around it
  double warp_instructions = 0;
  double branches = 0;
  double divergent_branches = 0;
  /// By compute capability and kind: "global_load", "texture".
  std::map<std::string, std::map<std::string, AccessCounts>> accesses;
};

/// Of one launch, or of all that a rung makes.
struct Annotation {
  double warp_instructions = 0;
  std::map<std::string, std::map<std::int64_t, LineCounts>> files;
};

/// Of explain's JSON, and of its kind as it is named there. \throws InvalidArgument  as
/// add_launch()
AccessCounts read_accesses(const RecordField& field, const std::string& kind);

/// Adds a launch of explain's JSON; what it leaves out is 0.
/// \throws InvalidArgument  with the field that is missing or is something else
void add_launch(const RecordField& launch, Annotation& annotation);

/// The counts of a rung, as scripts/record-lines.py keeps them.
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

/// Whether a file is still the one that was counted: each line with counts is what it was.
bool is_of(std::string_view text, const std::map<std::int64_t, LineCounts>& counted);

/// A file's lines with their numbers, and in the margin the share of the warp instructions that
/// each takes; below a line what its accesses move. \param name  for those who do not see it
Html listing(const std::string& name, std::string_view text,
             const std::map<std::int64_t, LineCounts>& counted, double warp_instructions);

/// The same of those lines alone that have counts.
Html excerpt(const std::string& name, const std::map<std::int64_t, LineCounts>& counted,
             double warp_instructions);

}  // namespace warpwise::lab::report
