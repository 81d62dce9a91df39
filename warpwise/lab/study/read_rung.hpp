#pragma once

#include "warpwise/lab/study/table_fields.hpp"

// The lines of a table that describe kernels.
namespace warpwise::lab {

/// What a line is read with.
struct RungSurroundings {
  const nlohmann::json& defaults;  ///< fields that all lines have unless they say otherwise
  std::string study;               ///< the name of the study: its kernels' by default
  std::filesystem::path folder;
  bool is_ladder = true;
  const StudyTable* ladder = nullptr;  ///< whose rungs the study's kernels may be
};

/// One line, with the table's defaults: a field of the line replaces the default's, but "needs",
/// which it extends. `after` is left empty: it depends on the lines above.
/// \param place  of the line, without its name
Rung read_rung(const nlohmann::json& object, const RungSurroundings& around,
               const std::string& place);

/// The object "reference" of a study's problem.
Rung read_reference(const Fields& fields, const RungSurroundings& around);

}  // namespace warpwise::lab
