#pragma once

#include "warpwise/lab/study/table/table_fields.hpp"

// Reads the lines of a table that describe kernels.
namespace warpwise::lab {

/// Context in which a line is read.
struct RungSurroundings {
  const nlohmann::json& defaults;  ///< fields of all lines that do not have their own
  std::string study;               ///< name of the study, and of its kernels unless a line names
                                   ///< another
  std::filesystem::path folder;
  bool is_ladder = true;
  const StudyTable* ladder = nullptr;  ///< ladder whose rungs may be the study's kernels
};

/// Reads one line with the table's defaults. A field of the line replaces the default, except
/// "needs", which it extends. `after` is left empty: it depends on the lines above.
/// \param place  place of the line, without its name
Rung read_rung(const nlohmann::json& object, const RungSurroundings& around,
               const std::string& place);

/// Reads the object "reference" of a study's problem.
Rung read_reference(const Fields& fields, const RungSurroundings& around);

}  // namespace warpwise::lab
